import type { Phrases } from './phrases.ts';

/** Italian. */
export const it: Phrases = {
  logout: ['disconnetti', 'disconnettersi', 'chiudi sessione'],
};
