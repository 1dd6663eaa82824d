import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { depthMax, nodesMax, ParseBudgetError, parseHtml } from './parse-html.ts';

describe('parseHtml', () => {
  it('takes a page up to the depth that browsers keep', () => {
    expect(() => parseHtml('<div>'.repeat(depthMax))).not.toThrow();
    expect(() => parseHtml('<div>'.repeat(depthMax + 1))).toThrow(ParseBudgetError);
  });

  it('counts every node', () => {
    expect(() => parseHtml('<br>'.repeat(nodesMax))).not.toThrow();
    expect(() => parseHtml('<br>'.repeat(nodesMax + 1))).toThrow(ParseBudgetError);
  });

  it.each([
    ['a million open elements', () => '<div>'.repeat(1_000_000)],
    [
      'formatting reopened in every paragraph',
      () => Array.from({ length: 20_000 }, (_, n) => `<b id=${n}><p>`).join(''),
    ],
  ])('stops early at %s', (_, make) => {
    const html = make();
    const start = performance.now();
    expect(() => parseHtml(html)).toThrow(ParseBudgetError);
    // Parsed to the end it takes more than a minute.
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('says which budget was spent', () => {
    expect(() => parseHtml('<i>'.repeat(1_000))).toThrow(expect.objectContaining({ budget: 'depth' }));
  });
});
