import type { Phrases } from './language.ts';

/** Russian. */
export const ru: Phrases = {
  logout: ['выйти из аккаунта', 'завершить сеанс', 'разлогиниться'],
};
