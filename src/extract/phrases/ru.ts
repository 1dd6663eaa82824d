import type { Phrases } from './phrases.ts';

/** Russian. */
export const ru: Phrases = {
  logout: ['выйти из аккаунта', 'завершить сеанс', 'разлогиниться'],
};
