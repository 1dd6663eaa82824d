import { applyPatch } from 'diff';
import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareTexts, patchOf } from './compare-texts.ts';
import { diffBytesMax, diffLinesMax, type DiffLine, type Hunk } from './text-diff.ts';

const textOf = ({ parts }: DiffLine): string => parts.map(({ text }) => text).join('');
const marked = (hunks: readonly Hunk[]): string[] =>
  hunks.flatMap(({ lines }) =>
    lines
      .filter(({ kind }) => kind !== 'same')
      .map(({ kind, parts }) => kind[0] + parts.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('')),
  );
/** Lines of this many bytes together. */
const lines = (lineOf: (at: number) => string, bytes = diffBytesMax): string => {
  const all: string[] = [];
  for (let size = 0; size < bytes; size += (all.at(-1)?.length ?? 0) + 1) all.push(lineOf(all.length));
  return all.join('\n');
};
const heading = { url: 'https://a.test/', at: 0 };

test('compareTexts: lists lines that differ, with three equal ones around them', () => {
  const before = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
  const after = before.with(9, 'another').toSpliced(20, 1);
  const { hunks, isTruncated } = compareTexts(before.join('\n'), after.join('\n'));
  expect(isTruncated).toBe(false);
  expect(
    hunks.map(({ oldStart, oldLines, newStart, newLines }) => ({ oldStart, oldLines, newStart, newLines })),
  ).toEqual([
    { oldStart: 7, oldLines: 7, newStart: 7, newLines: 7 },
    { oldStart: 18, oldLines: 7, newStart: 18, newLines: 6 },
  ]);
  expect(marked(hunks)).toEqual(['r[line 10]', 'a[another]', 'r[line 21]']);
});

test.each([
  [
    'a number',
    'The price is 10 EUR a tin.',
    'The price is 12 EUR a tin.',
    'rThe price is [10] EUR a tin.',
    'aThe price is [12] EUR a tin.',
  ],
  [
    'a word that is added',
    'Open on all days',
    'Open on all other days',
    'rOpen on all days',
    'aOpen on all [other ]days',
  ],
  [
    'words that follow each other as one',
    'from one two to',
    'from three four to',
    'rfrom [one two] to',
    'afrom [three four] to',
  ],
  [
    'a word with accents whole',
    'die Bäcker öffnen heute',
    'die Bäckerei öffnet heute',
    'rdie [Bäcker öffnen] heute',
    'adie [Bäckerei öffnet] heute',
  ],
  [
    'a word of Greek whole',
    'η τιμή είναι δέκα',
    'η τιμή είναι δώδεκα',
    'rη τιμή είναι [δέκα]',
    'aη τιμή είναι [δώδεκα]',
  ],
  ['signs of Chinese', '价格是十元', '价格是二十元', 'r价格是十元', 'a价格是[二]十元'],
  [
    'nothing of lines that have little in common',
    'completely different',
    'no word stays',
    'r[completely different]',
    'a[no word stays]',
  ],
])('compareTexts: marks %s', (_, before, after, ...expected) => {
  expect(marked(compareTexts(before, after).hunks)).toEqual(expected);
});

test('compareTexts: has no hunks for equal texts, and none for the end of the last line', () => {
  expect(compareTexts('a\nb', 'a\nb\n')).toEqual({ isTruncated: false, hunks: [] });
  expect(compareTexts('', '')).toEqual({ isTruncated: false, hunks: [] });
});

const anyText = array(constantFrom('a', 'b', 'a b', 'c d e', ' ', '', '-x', '+y', '\\ z', 'x\r', '\u2028'), {
  maxLength: 14,
}).map((all) => all.join('\n'));

test('patchOf: the patch makes the later text of the earlier one', () => {
  assert(
    property(anyText, anyText, (before, after) => {
      const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
      expect(applyPatch(ended(before), patchOf(before, after, heading).text)).toBe(ended(after));
    }),
  );
});

test('compareTexts: the parts of each line are the line, and those of both texts are what differs', () => {
  assert(
    property(anyText, anyText, (before, after) => {
      for (const { oldStart, oldLines, newStart, newLines, lines: all } of compareTexts(before, after).hunks) {
        const side = (kind: DiffLine['kind']): string[] => all.filter((line) => line.kind !== kind).map(textOf);
        expect(side('added')).toEqual(before.split('\n').slice(oldStart - 1, oldStart - 1 + oldLines));
        expect(side('removed')).toEqual(after.split('\n').slice(newStart - 1, newStart - 1 + newLines));
      }
    }),
  );
});

test('patchOf: says in a comment before it that it was truncated', () => {
  const long = lines((at) => `line ${at}`);
  const { text, isTruncated } = patchOf(`${long}\nmore`, `x\n${long}`, heading);
  expect(isTruncated).toBe(true);
  expect(text).toMatch(/^# truncated: true: .*\n--- https:\/\/a\.test\/\n\+\+\+ https:\/\/a\.test\/\t1970-/);
});

describe('hostile texts of 1 MB', () => {
  const random = (seed: number) => () => (seed = (seed * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff) / 0x7f_ff_ff_ff;
  const [one, other] = [random(1), random(2)];
  const letter = (next: () => number) => String.fromCodePoint(97 + Math.floor(next() * 26));
  test.each<[string, string, string, boolean]>([
    ['all lines different', lines((at) => `aaaa ${at}`), lines((at) => `bbbb ${at}`), true],
    ['lines of one letter', lines(() => letter(one)), lines(() => letter(other)), true],
    ['only ends of lines', '\n'.repeat(diffBytesMax), 'x\n'.repeat(diffBytesMax / 2), true],
    ['one line without a space', 'a'.repeat(diffBytesMax), `${'a'.repeat(diffBytesMax - 1)}b`, false],
    [
      'one line of other words',
      lines(() => letter(one)).replaceAll('\n', ' '),
      lines(() => letter(other)).replaceAll('\n', ' '),
      false,
    ],
    ['a word of each line', lines((at) => `a line has words ${at}`), lines((at) => `one line has words ${at}`), true],
    [
      'every third line',
      lines((at) => `a line ${at}`),
      lines((at) => (at % 3 === 0 ? `x line ${at}` : `a line ${at}`)),
      true,
    ],
    [
      'bytes of all kinds',
      lines(() => String.fromCodePoint(Math.floor(one() * 256)), 400_000).replaceAll('\n', ''),
      lines(() => String.fromCodePoint(Math.floor(other() * 256)), 400_000).replaceAll('\n', ''),
      false,
    ],
  ])('compareTexts: ends, within its bounds, for %s', (_, before, after, isTruncated) => {
    const found = compareTexts(before, after);
    expect(found.isTruncated).toBe(isTruncated);
    expect(found.hunks.length).toBeGreaterThan(0);
    expect(found.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)).toBeLessThanOrEqual(diffLinesMax);
    expect(JSON.stringify(found).length).toBeLessThan(8 * 2 ** 20);
    // What there is of both texts is theirs.
    const [hunk] = found.hunks;
    const old = hunk!.lines.filter(({ kind }) => kind !== 'added').map(textOf);
    expect(before.split('\n').slice(hunk!.oldStart - 1, hunk!.oldStart - 1 + old.length)).toEqual(old);
  });

  test('compareTexts: compares the first megabyte, and says so', () => {
    const same = lines((at) => `line ${at}`, 2 * diffBytesMax);
    expect(compareTexts(`${same}\nend`, `${same}\nanother`)).toEqual({ isTruncated: true, hunks: [] });
    expect(compareTexts('x', 'x'.repeat(diffBytesMax + 1)).isTruncated).toBe(true);
    expect(compareTexts('x', 'x'.repeat(diffBytesMax)).isTruncated).toBe(false);
    // No character is cut in two.
    const { hunks } = compareTexts('x', `a${'é'.repeat(diffBytesMax)}`);
    expect(hunks.flatMap((hunk) => hunk.lines.map(textOf)).join('')).not.toContain('\uFFFD');
  });
});
