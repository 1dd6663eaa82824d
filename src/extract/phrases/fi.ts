import type { Language } from './language.ts';

/** Finnish. */
export const fi: Language = {
  readAlso: ['lue (myös|lisää)'],
  loading: ['ladataan[ …]'],
  choose: ['valitse'],
};
