import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { compareTexts, patchOf } from '../../diff/compare-texts.ts';
import { diffLines } from './diff-lines.ts';
import { terminalOf } from './terminal.ts';

const [before, after] = [
  'Tins\nThe price is 10 EUR.\nEnd\u001B[31m',
  'Tins\nThe price is 12 EUR.\nEnd\u001B[31m\nand more',
];
const { hunks, isTruncated: truncated } = compareTexts(before, after);
const diff = { job: '', runAt: 0, url: 'https://a.test/', truncated, hunks };
const terminal = (isTTY: boolean) => terminalOf({ isTTY } as NodeJS.WriteStream, {});

test('diffLines: is the patch where nothing is a terminal', () => {
  expect(`${diffLines(diff, terminal(false)).join('\n')}\n`).toBe(
    patchOf(before, after, { url: 'https://a.test/', at: 0 }).text,
  );
});

test('diffLines: on a terminal marks changed words, and prints no control characters of the page', () => {
  const lines = diffLines(diff, terminal(true));
  expect(lines).toContain('\u001B[31m-The price is \u001B[7m10\u001B[27m EUR.\u001B[39m');
  expect(lines).toContain('\u001B[32m+and more\u001B[39m');
  expect(lines.map(stripVTControlCharacters)).toContain(' End [31m');
});

test('diffLines: shows a title that has changed, and nothing of equal pages', () => {
  const titled = { ...diff, hunks: [], title: 'New', previousTitle: 'Old' };
  expect(diffLines(titled, terminal(false))[0]).toBe('# title: "Old" -> "New"');
  expect(diffLines({ ...diff, hunks: [] }, terminal(false))).toEqual([]);
});
