import type { Phrases } from './language.ts';

/** Spanish. */
export const es: Phrases = {
  logout: ['cerrar sesión', 'cerrar sesion', 'desconectarse', 'finalizar sesión'],
};
