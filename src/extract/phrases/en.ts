import type { Phrases } from './language.ts';

/** English. */
export const en: Phrases = {
  logout: ['log out', 'logout', 'sign out', 'signout', 'log off', 'logoff', 'sign off', 'end session'],
};
