/** What pages say in the languages of the world, by meaning. */
import type { Language, Meaning } from './language.ts';
import { languages } from './languages.ts';
import { Matcher } from './matcher.ts';

/** Returns what finds the phrases of these meanings, in all languages. Built once for each place that asks. */
export function phrases(...meanings: readonly Meaning[]): Matcher {
  return new Matcher(
    Object.values(languages).flatMap((language) => meanings.flatMap((meaning) => wordsOf(language, meaning))),
  );
}

/** Returns the phrases of a language; none if it has none for the meaning. */
export function wordsOf(language: Language, meaning: Meaning): readonly string[] {
  const words = language[meaning];
  return words === undefined || 'none' in words ? [] : words;
}
