import type { Phrases } from './phrases.ts';

/** Korean. */
export const ko: Phrases = {
  logout: ['로그아웃'],
};
