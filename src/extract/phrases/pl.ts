import type { Phrases } from './language.ts';

/** Polish. */
export const pl: Phrases = {
  logout: ['wyloguj', 'wyloguj się', 'wylogowanie'],
};
