import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { Link } from '../../../core/request.ts';
import { KnownLinks } from './known-links.ts';

function linkOf(name: string, depth = 1, isFollowed = true): Link {
  const link = { url: `http://site.example/${name}`, key: name, host: 'site.example:80', depth };
  return isFollowed ? link : { ...link, discard: { reason: 'nofollow' } };
}

/** The links that a page reports, after others were reported and committed. */
function untoldAfter(committed: readonly Link[], links: readonly Link[]): string[] {
  const known = new KnownLinks();
  known.untold(1, 'job 1', committed);
  known.committed([1]);
  return known.untold(2, 'job 1', links).map(({ key }) => key);
}

/** Bytes of the heap in use. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  return getHeapStatistics().used_heap_size;
}

describe('KnownLinks', () => {
  test('KnownLinks: returns a link only until a page with it is committed', () => {
    expect(untoldAfter([linkOf('a'), linkOf('b')], [linkOf('a'), linkOf('c'), linkOf('b')])).toEqual(['c']);
  });

  test('KnownLinks: returns a link of every page until one of them is committed', () => {
    const known = new KnownLinks();
    for (const conversion of [1, 2, 3]) expect(known.untold(conversion, 'job 1', [linkOf('a')])).toHaveLength(1);
    known.committed([2]);
    expect(known.untold(4, 'job 1', [linkOf('a')])).toEqual([]);
  });

  test.each([
    { title: 'returns a link again from a nearer page', before: linkOf('a', 3), after: linkOf('a', 2), isTold: true },
    {
      title: 'omits a link from a page at the same depth',
      before: linkOf('a', 3),
      after: linkOf('a', 3),
      isTold: false,
    },
    { title: 'omits a link from a farther page', before: linkOf('a', 3), after: linkOf('a', 4), isTold: false },
    {
      title: 'returns a nofollow link again when it becomes followed',
      before: linkOf('a', 1, false),
      after: linkOf('a', 5),
      isTold: true,
    },
    {
      title: 'omits a nofollow link that stays nofollow',
      before: linkOf('a', 1, false),
      after: linkOf('a', 1, false),
      isTold: false,
    },
    {
      title: 'omits a followed link that becomes nofollow',
      before: linkOf('a', 3),
      after: linkOf('a', 1, false),
      isTold: false,
    },
  ])('KnownLinks.untold: $title', ({ before, after, isTold }) => {
    expect(untoldAfter([before], [after])).toEqual(isTold ? ['a'] : []);
  });

  test.each([
    { title: 'returns true at the same depth', depth: 3, nofollow: false, isKnown: true },
    { title: 'returns false at a lesser depth', depth: 2, nofollow: false, isKnown: false },
    { title: 'returns true for nofollow at a lesser depth', depth: 2, nofollow: true, isKnown: true },
  ])('KnownLinks.has: $title', ({ depth, nofollow, isKnown }) => {
    const known = new KnownLinks();
    known.untold(1, 'job 1', [linkOf('a', 3)]);
    const { url } = linkOf('a');
    expect(known.has('job 1', { url, nofollow }, depth)).toBe(false);
    known.committed([1]);
    expect(known.has('job 1', { url, nofollow }, depth)).toBe(isKnown);
    expect(known.has('job 2', { url, nofollow }, depth)).toBe(false);
  });

  test('KnownLinks: keeps the least depth of a link', () => {
    const known = new KnownLinks();
    known.untold(1, 'job 1', [linkOf('a', 2)]);
    known.untold(2, 'job 1', [linkOf('a', 5)]);
    known.untold(3, 'job 1', [linkOf('a', 1, false)]);
    known.committed([1, 2, 3]);
    expect(known.untold(4, 'job 1', [linkOf('a', 3)])).toEqual([]);
  });

  test('KnownLinks: keeps the links of each job separately', () => {
    const known = new KnownLinks();
    known.untold(1, 'job 1', [linkOf('a')]);
    known.committed([1]);
    expect(known.untold(2, 'job 2', [linkOf('a')])).toHaveLength(1);
  });

  test('KnownLinks: forgets old links when there are many, except those that pages still have', () => {
    const known = new KnownLinks();
    const onEveryPage = linkOf('menu');
    for (let conversion = 1; conversion <= 1_000; conversion++) {
      const own = Array.from({ length: 100 }, (_, index) => linkOf(`${conversion}/${index}`));
      const told = known.untold(conversion, 'job 1', [onEveryPage, ...own]);
      expect(told).toHaveLength(conversion === 1 ? 101 : 100);
      known.committed([conversion]);
    }
    expect(known.untold(1_001, 'job 1', [linkOf('1/0')])).toHaveLength(1);
    expect(known.untold(1_002, 'job 1', [linkOf('1000/0')])).toEqual([]);
  });

  test('KnownLinks: forgets links that no page had for two minutes', () => {
    let now = 0;
    const known = new KnownLinks(() => now);
    known.untold(1, 'job 1', [linkOf('once'), linkOf('menu')]);
    known.committed([1]);
    for (let conversion = 2; conversion <= 4; conversion++) {
      now += 60_000;
      known.committed([]);
      expect(known.untold(conversion, 'job 1', [linkOf('menu')])).toEqual([]);
    }
    expect(known.untold(5, 'job 1', [linkOf('once')])).toHaveLength(1);
  });

  test('KnownLinks: keeps no memory of the pages', () => {
    const known = new KnownLinks();
    const megabytes = 60;
    const before = heapBytes();
    for (let conversion = 1; conversion <= megabytes; conversion++) {
      const page = `${conversion} `.repeat(2 ** 20).slice(0, 2 ** 20) + `http://site.example/${conversion}`;
      const link = { ...linkOf('a'), url: page.slice(2 ** 20) };
      known.untold(conversion, 'job 1', [link]);
      if (conversion % 2 === 0) known.committed([conversion]);
    }
    expect(heapBytes() - before).toBeLessThan((megabytes / 2) * 2 ** 20);
    expect(known.has('job 1', { url: `http://site.example/${megabytes}`, nofollow: false }, 1)).toBe(true);
  });

  test('KnownLinks: returns the links of uncommitted pages every time', () => {
    const known = new KnownLinks();
    for (let conversion = 1; conversion <= 2_000; conversion++) known.untold(conversion, 'job 1', [linkOf('a')]);
    known.committed([1]);
    expect(known.untold(3_000, 'job 1', [linkOf('a')])).toHaveLength(1);
    known.committed([2_000]);
    expect(known.untold(3_001, 'job 1', [linkOf('a')])).toEqual([]);
  });
});
