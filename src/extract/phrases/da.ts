import type { Language } from './language.ts';

/** Danish. */
export const da: Language = {
  choose: ['vælg'],
};
