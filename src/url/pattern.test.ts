import { describe, expect, test } from 'vitest';
import { compilePattern, patternProblem, patternSize } from './pattern.ts';

describe('a pattern', () => {
  test.each<[string, 'url' | 'path', string, boolean]>([
    ['^/blog/.*$', 'path', 'https://a.test/blog/one?x=/blog', true],
    ['^/blog/.*$', 'path', 'https://a.test/de/blog/one', false],
    ['blog/.*', 'path', 'https://a.test/de/blog/one', true],
    [String.raw`/\d{4}/\d{2}/`, 'path', 'https://a.test/2026/11/x', true],
    [String.raw`\.pdf$`, 'url', 'https://a.test/x.pdf', true],
    [String.raw`\.pdf$`, 'url', 'https://a.test/x.pdf#page=2', true],
    [String.raw`\.pdf$`, 'url', 'https://a.test/x.pdf?download', false],
    [String.raw`^https://(a|b)\.test/`, 'url', 'https://b.test/', true],
    ['PAGE', 'url', 'https://a.test/page', false],
    ['(?i)PAGE', 'url', 'https://a.test/page', true],
    ['page', 'url', `https://a.test/page${'x'.repeat(3_000)}`, false],
  ])('%s in the %s of %s: %s', (pattern, target, url, expected) => {
    expect(patternProblem(pattern)).toBeUndefined();
    expect(compilePattern(pattern, target)(new URL(url))).toBe(expected);
  });

  test.each<[string, string, string]>([
    ['empty', '', 'is empty'],
    ['look-ahead', '(?=x)', 'RE2 cannot read this pattern'],
    ['look-behind', '(?<!x)y', 'RE2 cannot read this pattern'],
    ['a back-reference', String.raw`(a)\1`, 'RE2 cannot read this pattern'],
    ['a group that is not closed', '(a', 'RE2 cannot read this pattern'],
    ['a glob', '**/x', 'RE2 cannot read this pattern'],
    ['513 characters', 'x'.repeat(513), 'longer than 512'],
    ['half a character', '\ud800', 'lone surrogate'],
    ['many copies', 'a{1000}'.repeat(60), 'repeats too much'],
    ['copies of copies', '((a{20}){20}){20}', 'repeats too much'],
    ['copies of a long group', `(${'ab'.repeat(200)}){2}`, 'repeats too much'],
    ['open-ended copies', '[a-z]{600,}', 'repeats too much'],
  ])('is refused: %s', (_name, pattern, problem) => {
    const began = performance.now();
    expect(patternProblem(pattern)).toContain(problem);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test('its size counts copies, and not the characters of classes and escapes', () => {
    expect(patternSize('abc')).toBe(3);
    expect(patternSize('[a-z]{4}')).toBe(4);
    expect(patternSize(String.raw`\d{4}-[^\]/]{2,3}`)).toBe(8);
    expect(patternSize('(ab){10}')).toBe(40);
    expect(patternSize('((a{2}){3}){4}')).toBeGreaterThanOrEqual(24);
    expect(patternSize(']){')).toBeGreaterThan(0);
  });

  test('that is nested takes linear time', () => {
    const matches = compilePattern('^/(a+)+$', 'path');
    const began = performance.now();
    expect(matches(new URL(`https://a.test/${'a'.repeat(2_000)}!`))).toBe(false);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
