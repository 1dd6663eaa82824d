import type { Phrases } from './phrases.ts';

/** Polish. */
export const pl: Phrases = {
  logout: ['wyloguj', 'wyloguj się', 'wylogowanie'],
};
