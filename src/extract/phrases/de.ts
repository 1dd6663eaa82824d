import type { Phrases } from './phrases.ts';

/** German. */
export const de: Phrases = {
  logout: ['abmelden', 'ausloggen', 'abmeldung'],
};
