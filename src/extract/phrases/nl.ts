import type { Phrases } from './language.ts';

/** Dutch. */
export const nl: Phrases = {
  logout: ['uitloggen', 'afmelden'],
};
