import type { Phrases } from './language.ts';

/** Korean. */
export const ko: Phrases = {
  logout: ['로그아웃'],
};
