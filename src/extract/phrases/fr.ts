import type { Phrases } from './language.ts';

/** French. */
export const fr: Phrases = {
  logout: ['déconnexion', 'deconnexion', 'se déconnecter', 'déconnecter'],
};
