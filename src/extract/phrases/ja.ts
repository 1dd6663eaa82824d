import type { Phrases } from './phrases.ts';

/** Japanese. */
export const ja: Phrases = {
  logout: ['ログアウト', 'サインアウト'],
};
