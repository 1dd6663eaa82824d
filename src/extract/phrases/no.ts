import type { Language } from './language.ts';

/** Norwegian. */
export const no: Language = {
  choose: ['velg'],
};
