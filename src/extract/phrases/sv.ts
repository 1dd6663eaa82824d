import type { Phrases } from './language.ts';

/** Swedish, Danish and Norwegian. */
export const sv: Phrases = {
  logout: ['logga ut', 'log ud', 'logg ut'],
};
