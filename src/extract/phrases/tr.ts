import type { Phrases } from './phrases.ts';

/** Turkish. */
export const tr: Phrases = {
  logout: ['çıkış yap', 'oturumu kapat'],
};
