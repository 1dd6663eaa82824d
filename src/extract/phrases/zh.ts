import type { Phrases } from './language.ts';

/** Chinese. */
export const zh: Phrases = {
  logout: ['退出登录', '登出', '注销', '註銷', '退出登錄'],
};
