import type { Language } from './language.ts';

/** Finnish. */
export const fi: Language = {
  loading: ['ladataan[ …]'],
  choose: ['valitse'],
};
