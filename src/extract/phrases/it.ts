import type { Phrases } from './language.ts';

/** Italian. */
export const it: Phrases = {
  logout: ['disconnetti', 'disconnettersi', 'chiudi sessione'],
};
