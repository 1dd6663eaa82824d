import type { Phrases } from './phrases.ts';

/** Dutch. */
export const nl: Phrases = {
  logout: ['uitloggen', 'afmelden'],
};
