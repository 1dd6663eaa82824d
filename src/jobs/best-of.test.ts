import { describe, expect, test } from 'vitest';
import { BestOf, mapBytesMax } from './best-of.ts';

const urls = ['/c', '/docs/a', '/x', '/docs/b', '/docs/docs', '/y', '/z'];
const rank = (url: string): number => url.split('docs').length - 1;

function best(limit: number, ranked: boolean, list: readonly string[] = urls): BestOf<{ readonly url: string }> {
  const found = new BestOf<{ readonly url: string }>(limit, ranked ? rank : undefined);
  for (const url of list) found.add({ url });
  return found;
}

describe('the best of a list', () => {
  test.each([1, 2, 3, 5, 7, 100])('the best of a list: cuts to %i after it has ranked', (limit) => {
    const ranked = ['/docs/docs', '/docs/a', '/docs/b', '/c', '/x', '/y', '/z'].slice(0, limit);
    const found = best(limit, true);
    expect(found.found.map(({ url }) => url)).toEqual(ranked);
    expect(found.wasCut).toBe(limit < urls.length);
    expect(found.isComplete).toBe(false);
  });

  test.each([1, 3, 7])('the best of a list: keeps the first %i when nothing is ranked', (limit) => {
    const found = best(limit, false);
    expect(found.found.map(({ url }) => url)).toEqual(urls.slice(0, limit));
    expect(found.isComplete).toBe(limit < urls.length);
  });

  test('the best of a list: drops the worst when the URLs are too long together', () => {
    const long = (name: string): string => `/${name}${'x'.repeat(mapBytesMax / 2)}`;
    const found = best(100, true, ['/docs/short', long('a'), long('docs'), long('b')]);
    expect(found.found.map(({ url }) => url.slice(0, 6))).toEqual(['/docs/', '/docsx']);
    expect(found.wasCut).toBe(true);
  });
});
