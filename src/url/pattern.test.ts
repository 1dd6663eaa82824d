import { describe, expect, test } from 'vitest';
import { compilePattern, patternProblem, patternSize } from './pattern.ts';

describe('patterns', () => {
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
  ])('compilePattern: %s in the %s of %s matches: %s', (pattern, target, url, expected) => {
    expect(patternProblem(pattern)).toBeUndefined();
    expect(compilePattern(pattern, target)(new URL(url))).toBe(expected);
  });

  test.each<[string, string, string]>([
    ['an empty pattern', '', 'is empty'],
    ['a look-ahead', '(?=x)', 'RE2 cannot read this pattern'],
    ['a look-behind', '(?<!x)y', 'RE2 cannot read this pattern'],
    ['a back-reference', String.raw`(a)\1`, 'RE2 cannot read this pattern'],
    ['an unclosed group', '(a', 'RE2 cannot read this pattern'],
    ['a glob', '**/x', 'RE2 cannot read this pattern'],
    ['513 characters', 'x'.repeat(513), 'longer than 512'],
    ['a lone surrogate', '\ud800', 'lone surrogate'],
    ['many copies', 'a{1000}'.repeat(60), 'repeats too much'],
    ['copies of copies', '((a{20}){20}){20}', 'repeats too much'],
    ['copies of a long group', `(${'ab'.repeat(200)}){2}`, 'repeats too much'],
    ['open-ended copies', '[a-z]{600,}', 'repeats too much'],
  ])('patternProblem: rejects %s', (_name, pattern, problem) => {
    const before = process.cpuUsage();
    expect(patternProblem(pattern)).toContain(problem);
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });

  test('patternSize: counts copies, and one for each class or escape', () => {
    expect(patternSize('abc')).toBe(3);
    expect(patternSize('[a-z]{4}')).toBe(4);
    expect(patternSize(String.raw`\d{4}-[^\]/]{2,3}`)).toBe(8);
    expect(patternSize('(ab){10}')).toBe(40);
    expect(patternSize('((a{2}){3}){4}')).toBeGreaterThanOrEqual(24);
    expect(patternSize(']){')).toBeGreaterThan(0);
  });

  test('compilePattern: takes linear time for a nested pattern', () => {
    const matches = compilePattern('^/(a+)+$', 'path');
    const before = process.cpuUsage();
    expect(matches(new URL(`https://a.test/${'a'.repeat(2_000)}!`))).toBe(false);
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});
