import type { Phrases } from './phrases.ts';

/** Spanish. */
export const es: Phrases = {
  logout: ['cerrar sesión', 'cerrar sesion', 'desconectarse', 'finalizar sesión'],
};
