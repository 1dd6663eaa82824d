import type { Phrases } from './language.ts';

/** Turkish. */
export const tr: Phrases = {
  logout: ['çıkış yap', 'oturumu kapat'],
};
