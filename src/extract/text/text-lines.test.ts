import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type LineOptions, lineHashes } from './text-lines.ts';

type CountedNumbers = LineOptions['numbers'];

const url = 'https://a.example/foo/qux?page=2';
const hashes = (text: string, options: { url?: string; numbers?: CountedNumbers } = {}): number[] => [
  ...lineHashes(text, { url, numbers: 'all', ...options }),
];
/** Number of lines of the second text that the first does not have. */
const newLines = (one: string, other: string, options: { numbers?: CountedNumbers } = {}): number => {
  const known = new Set(hashes(one, options));
  return hashes(other, options).filter((hash) => !known.has(hash)).length;
};

describe('lineHashes of one line', () => {
  it('lineHashes: returns the same number on every machine', () => {
    expect(hashes('Hello, world')).toEqual([3_839_864_014]);
  });

  test.each([
    ['case', 'Hello World', 'hello WORLD'],
    ['punctuation and spaces', 'Hello, world!', '- hello world'],
    ['case of other scripts', 'ПРИВЕТ, Мир', 'привет мир'],
    ['repetition', 'a\nb\na', 'b\na'],
    ['empty lines and rulers', 'a\n\n---\n\nb', 'a\nb'],
  ])('lineHashes: ignores %s', (_, one, other) => {
    expect(new Set(hashes(one))).toEqual(new Set(hashes(other)));
  });

  test.each([
    ['letters', 'a word', 'a sword'],
    ['accents', 'resume', 'resumé'],
    ['combining accents', 'resume', 'resume\u0301'],
    ['numbers', 'Room 17', 'Room 18'],
    ['numbers of other scripts', 'غرفة ١٧', 'غرفة ١٨'],
    ['Chinese', '你好', '您好'],
    ['a script beyond the BMP', '𞤀𞤣𞤤𞤢𞤥', '𞤀𞤣𞤤𞤢'],
  ])('lineHashes: distinguishes %s', (_, one, other) => {
    expect(hashes(one)).not.toEqual(hashes(other));
    expect(hashes(one)).toHaveLength(1);
  });

  it('lineHashes: ignores numbers with numbers: none, and lines of numbers only', () => {
    expect(hashes('May 2031, 17 events', { numbers: 'none' })).toEqual(hashes('May: events'));
    expect(hashes('12\n13\n١٤', { numbers: 'none' })).toEqual([]);
    expect(hashes('12\n13\n14')).toHaveLength(3);
  });
});

describe("lineHashes and the page's own URL", () => {
  const without = hashes('The page  was not found.');
  test.each([
    ['URL', 'https://a.example/foo/qux?page=2', '/foo/qux?page=2'],
    ['path and query', '/foo/qux?page=2', '/foo/qux?page=2'],
    ['path', '/foo/qux', '/foo/qux?page=2'],
    ['path in capitals', '/FOO/Qux', '/foo/qux'],
    ['path without the slash at its end', '/foo/qux', '/foo/qux/'],
    ['encoded path', '/caf%c3%a9', '/caf%C3%A9'],
    ['decoded path', '/Café', '/caf%C3%A9'],
    ['decoded query', '/s?q=é ü', '/s?q=%C3%A9%20%C3%BC'],
    ['path that is no UTF-8', '/caf%E9', '/caf%E9'],
  ])("lineHashes: ignores the page's own URL written as %s", (form, written, path) => {
    const text = hashes(`The page ${written} was not found.`, { url: `https://a.example${path}` });
    expect(text).toEqual(form === 'URL' ? hashes('The page was not found.') : without);
  });

  it('lineHashes: keeps a path of one letter', () => {
    const text = 'and/or';
    expect(hashes(text, { url: 'https://a.example/o' })).toEqual(hashes(text, { url: 'https://a.example/' }));
    expect(hashes(text, { url: 'https://a.example' })).toEqual(hashes(text, { url: 'https://a.example/' }));
  });
});

describe('lineHashes of long lines', () => {
  const sentence = (index: number): string => `This is sentence ${word(index)} of a text without any line ends.`;
  const paragraph = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, index) => sentence(from + index)).join(' ');

  it('lineHashes: splits a long line after its sentences', () => {
    expect(newLines(paragraph(0, 30), `${paragraph(0, 15)} Something else. ${paragraph(15, 30)}`)).toBe(1);
    expect(newLines(paragraph(0, 30), paragraph(0, 30))).toBe(0);
  });

  it('lineHashes: splits a long line without sentences by its words, stable under insertions', () => {
    const words = Array.from({ length: 2_000 }, (_, index) => word(index * 7));
    const changed = words.toSpliced(1_000, 1, 'another');
    const pieces = hashes(words.join(' ')).length;
    expect(pieces).toBeGreaterThan(60);
    expect(pieces).toBeLessThan(250);
    expect(newLines(words.join(' '), ['Monday', ...changed].join(' '))).toBeLessThanOrEqual(4);
  });

  it('lineHashes: splits at the same places whatever the numbers', () => {
    const days = (year: number): string =>
      Array.from({ length: 400 }, (_, index) => `${year + index} ${word(index)}`).join(' ');
    expect(newLines(days(1), days(12_345), { numbers: 'none' })).toBe(0);
  });

  it('lineHashes: splits a line without spaces at a limit', () => {
    expect(hashes('x'.repeat(900) + 'y'.repeat(300))).toHaveLength(2);
    expect(hashes('天地。'.repeat(200))).toHaveLength(1);
  });
});

describe('lineHashes of whole texts', () => {
  it('lineHashes: reads the first 500 lines', () => {
    const lines = Array.from({ length: 600 }, (_, index) => `line ${index}`);
    expect(hashes(lines.join('\n'))).toEqual(hashes(lines.slice(0, 500).join('\n')));
    expect(hashes(lines.join('\n'))).toHaveLength(500);
  });

  it('lineHashes: reads the first 65,536 characters, without the line cut there', () => {
    const line = 'a line that stands here again and again\n';
    const filler = line.repeat(Math.floor(65_536 / line.length));
    expect(hashes(`${filler}the end of the text, too far behind`)).toEqual(hashes(line));
  });

  it('lineHashes: returns nothing for a text without words', () => {
    expect(hashes('')).toEqual([]);
    expect(hashes('\n \n***\n')).toEqual([]);
  });

  it('lineHashes: returns distinct hashes, and no more without numbers, for any text', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\n', '. ', '\t', url, '/foo/qux', '%', 'x'.repeat(301)),
    );
    fc.assert(
      fc.property(fc.array(part), fc.webUrl({ withQueryParameters: true }), (parts, url) => {
        const text = parts.join('');
        const found = hashes(text, { url });
        expect(new Set(found).size).toBe(found.length);
        expect(hashes(text, { url, numbers: 'none' }).length).toBeLessThanOrEqual(found.length);
      }),
    );
  });
});

/** A distinct word for each number, in letters. */
function word(index: number): string {
  return (index + 1_000)
    .toString(36)
    .replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
    .padStart(5, 'xyz');
}
