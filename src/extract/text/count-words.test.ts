import { expect, it } from 'vitest';
import { countWords } from './count-words.ts';

it.each<[text: string, words: number]>([
  ['', 0],
  ['two words', 2],
  ["it's one, two – three… 4!", 5],
  ['naïve Straße привет', 3],
  ['漢字です', 4],
  ['- | * “”', 0],
])('countWords: counts %j as %i', (text, words) => {
  expect(countWords(text)).toBe(words);
});
