import type { Phrases } from './language.ts';

/** German. */
export const de: Phrases = {
  logout: ['abmelden', 'ausloggen', 'abmeldung'],
};
