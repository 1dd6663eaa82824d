/** What pages say in the languages of the world, by meaning. */
import type { Language, Meaning } from './language.ts';
import { languages } from './languages.ts';
import { Matcher } from './matcher.ts';

/** Returns what finds the phrases of these meanings, in all languages. All who ask for the same share it. */
export function phrases(...meanings: readonly Meaning[]): Matcher {
  const key = meanings.join(' ');
  let matcher = known.get(key);
  if (matcher === undefined) {
    const words = (language: Language): readonly string[] => meanings.flatMap((meaning) => wordsOf(language, meaning));
    matcher = new Matcher(Object.values(languages).flatMap(words));
    known.set(key, matcher);
  }
  return matcher;
}

const known = new Map<string, Matcher>();

/** Returns the phrases of a language; none if it has none for the meaning. */
export function wordsOf(language: Language, meaning: Meaning): readonly string[] {
  return [language[meaning] ?? []].flat().flatMap((texts) => texts.split(' | '));
}
