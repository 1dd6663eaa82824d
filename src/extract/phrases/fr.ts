import type { Phrases } from './phrases.ts';

/** French. */
export const fr: Phrases = {
  logout: ['déconnexion', 'deconnexion', 'se déconnecter', 'déconnecter'],
};
