import type { Language } from './language.ts';

/** Hungarian. */
export const hu: Language = {
  loading: ['betöltés[ …]'],
  choose: ['(válassz|válasszon)'],
};
