import type { Phrases } from './language.ts';

/** Japanese. */
export const ja: Phrases = {
  logout: ['ログアウト', 'サインアウト'],
};
