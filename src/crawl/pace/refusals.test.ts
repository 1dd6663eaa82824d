import { describe, expect, test } from 'vitest';
import { afterPage, afterRefusal, familyOf, isBlocking, nothingServed, type Served } from './refusals.ts';

const at = (path: string): URL => new URL(path, 'https://a.test/');
const having = (...paths: string[]): Served =>
  paths.reduce((served, path) => afterPage(served, at(path)), nothingServed);

describe('refusals', () => {
  test.each([
    ['/', '/'],
    ['/page-1', '/'],
    ['/docs/intro?x=1', '/docs/'],
    ['/docs/intro/', '/docs/'],
    ['/docs/', '/'],
  ])('familyOf: names the directory of %s', (path, family) => {
    expect(familyOf(at(path))).toBe(family);
  });

  test('afterRefusal: is strain beside a page that was served', () => {
    expect(afterRefusal(having('/page-1'), at('/page-2')).isStrain).toBe(true);
    expect(afterRefusal(having('/page-1'), at('/users/1')).isStrain).toBe(false);
    expect(afterRefusal(nothingServed, at('/page-2')).isStrain).toBe(false);
  });

  test('afterRefusal: is strain when five kinds of paths are refused in a row', () => {
    let served = having('/page-1');
    const refused = ['/a/1', '/a/2', '/b/1', '/c/1', '/d/1', '/e/1'].map((path) => {
      const after = afterRefusal(served, at(path));
      ({ served } = after);
      return after.isStrain;
    });
    expect(refused).toEqual([false, false, false, false, false, true]);
    expect(afterRefusal(afterPage(served, at('/page-2')), at('/f/1')).isStrain).toBe(false);
  });

  test('isBlocking: is true of refusals and overload by a host that has served pages', () => {
    expect([403, 429, 503, 404, 500].map((status) => isBlocking(having('/'), status))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(isBlocking(nothingServed, 403)).toBe(false);
  });
});
