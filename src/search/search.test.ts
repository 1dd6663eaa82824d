import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainText } from './plain-text.ts';
import { parseQuery } from './query.ts';
import { rangesOf, snippetOf } from './snippet.ts';
import { eachWord, spacedWords } from './words.ts';

function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}

test.each([
  ['', []],
  ['!!! "" --', []],
  ['Hash map', ['hash', 'map*']],
  ['hash map"', ['hash', 'map']],
  ['hash "A map" b', ['hash', 'a map', 'b']],
  ['hash "a map', ['hash', 'a map']],
  ['std::collections::Hash_Map', ['std collections hash map*']],
  ['東京都', ['東京 京都']],
  ['都', ['都*']],
  ['"都"', ['都*']],
  ['第3章', ['第 3 章*']],
  ['東京tower', ['東京 京 tower*']],
  ['hay hay "hay" hay', ['hay', 'hay*']],
])('parseQuery: reads %j as %j', (text, expected) => {
  expect(parseQuery(text).map(({ words, isPrefix }) => words.join(' ') + (isPrefix ? '*' : ''))).toEqual(expected);
});

test.each([
  'plain ASCII text_with-parts',
  'naïve café — “quoted” 東京tower2024年',
  'x\u00adé\u200dz ½ ﬁ \u0301 a\u0301',
  '\ud800é\udc00',
  '😀é😀 𠮷野家',
])('spacedWords: separates the same words as eachWord in %j', (text) => {
  const split = spacedWords(text)
    .split(/[^0-9A-Za-z\u0080-\uffff]+/)
    .filter((word) => word !== '')
    .map((word) => word.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()));
  expect(split).toEqual(wordsOf(text));
});

test.each([
  ['# Hay\n\n## Drying in [rows](https://a.test/rows)', 'Hay\n\nDrying in rows'],
  ['**Dry** hay, *turned* `twice`', 'Dry hay, turned twice'],
  ['> - quoted\n> - lines', 'quoted\nlines'],
  ['[![A field](/f.png)](/field "The field") [a [b] c](/d)', 'A field [a [b] c]'],
  ['| Crop | Days |\n|---|---:|\n| Hay | 3 |', 'Crop   Days  \n\nHay   3  '],
  ['```js\na[0] = 2*b\n```', '\na[0] = 2*b\n'],
  [String.raw`1\\. \\*not\\* a \\# sign`.replaceAll('\\\\', '\\'), '1. *not* a # sign'],
  ['snake_case, 2 * 3, a*b', 'snake_case, 2 * 3, a*b'],
])('plainText: reads %j as %j', (markdown, text) => {
  expect(plainText(markdown, 'markdown')).toBe(text);
  expect(plainText(markdown, 'text')).toBe(markdown);
});

test('spacedWords, plainText, snippetOf: take linear time for any text', () => {
  for (const piece of [
    'a',
    'é',
    '東',
    '\u0301',
    '](',
    '](a "',
    '[](a "',
    '![',
    '*',
    ' *a',
    '`',
    '|',
    '| ',
    '\n> ',
    '> ',
    '<',
    '&',
    '\\',
    '"',
    'a é',
    '\u00ad',
    ' ',
    'a ',
  ] as const) {
    const text = piece.repeat(Math.floor(200_000 / piece.length));
    const before = process.cpuUsage();
    for (const format of ['markdown', 'html', 'text'] as const) spacedWords(plainText(text, format));
    snippetOf(text, parseQuery('a "a a" 東'));
    const { user, system } = process.cpuUsage(before);
    expect([piece, user + system < 5_000_000]).toEqual([piece, true]);
  }
}, 120_000);

test('snippetOf: cuts a long text at spaces around most of the query', () => {
  const text = `${'before '.repeat(200)}hay alone ${'between '.repeat(200)}here hay and rake meet ${'after '.repeat(200)}`;
  const { parts, found } = snippetOf(text, parseQuery('hay "rake"'));
  expect(found).toEqual(new Set([0, 1]));
  const shown = parts.map((part) => (part.hit ? `[${part.text}]` : part.text)).join('');
  expect(shown).toMatch(/^…(between )+here \[hay\] and \[rake\] meet (after )+after…$/);
  expect(shown.length).toBeLessThan(300);
});

test('snippetOf: starts with the beginning of the text without a match, and never cuts a character', () => {
  expect(snippetOf('No word of it', parseQuery('hay')).parts).toEqual([{ text: 'No word of it' }]);
  for (let lead = 0; lead < 4; lead++) {
    const text = `${'x'.repeat(lead)}${'😀'.repeat(300)} hay ${'😀'.repeat(300)}`;
    const shown = snippetOf(text, parseQuery('hay'))
      .parts.map((part) => part.text)
      .join('');
    expect(shown.isWellFormed()).toBe(true);
    expect(shown).not.toContain('\ufffd');
  }
});

test('rangesOf: finds the same phrases as a naive search in long texts', () => {
  const piece = fc.constantFrom(
    'hay ',
    'hayrake ',
    'rake ',
    'hay\nrake ',
    'háy ',
    '— ',
    'Hay',
    'x'.repeat(700),
    'some other words '.repeat(60),
    '東京 ',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }),
      fc.constantFrom('rak', '"hay rake"', '"hay rake hay"', 'rake "hay"', '東'),
      (pieces, query) => {
        const text = pieces.join('');
        const phrases = parseQuery(query);
        const words = wordsOf(text);
        const expected = phrases.map(({ words: all, isPrefix }) =>
          words.some((_, at) =>
            all.every((word, index) =>
              index === all.length - 1 && isPrefix
                ? words[at + index]?.startsWith(word) === true
                : words[at + index] === word,
            ),
          ),
        );
        const seen = new Set(rangesOf(text, phrases).map(({ phrase }) => phrase));
        expect(phrases.map((_, index) => seen.has(index))).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test('rangesOf: finds a phrase after any number of places with only its first word', () => {
  const [phrase] = parseQuery('"red green blue"');
  for (let before = 0; before < 2_100; before += 3) {
    const text = `${'red wall '.repeat(900)}${'x '.repeat(before / 2)}red, green\nblue ${'red green '.repeat(50)}`;
    const [found] = rangesOf(text, [phrase!]);
    expect(text.slice(found?.start, found?.end)).toBe('red, green\nblue');
  }
});

test('snippetOf: finds a rare word after many places of common words', () => {
  const phrases = parseQuery('"to" "the" "zebra"');
  const text = `${'to the '.repeat(20_000)} a zebra ran to the wood`;
  expect(snippetOf(text, phrases).found.size).toBe(3);
});
