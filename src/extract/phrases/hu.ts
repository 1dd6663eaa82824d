import type { Language } from './language.ts';

/** Hungarian. */
export const hu: Language = {
  readAlso: ['(olvassa|nézze meg) [ezt ]is', 'olvassa el ezt is'],
  loading: ['betöltés[ …]'],
  choose: ['(válassz|válasszon)'],
};
