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

describe('known links', () => {
  test('are told once, when the page that had them was committed', () => {
    expect(untoldAfter([linkOf('a'), linkOf('b')], [linkOf('a'), linkOf('c'), linkOf('b')])).toEqual(['c']);
  });

  test('are told by every page until one of them was committed', () => {
    const known = new KnownLinks();
    for (const conversion of [1, 2, 3]) expect(known.untold(conversion, 'job 1', [linkOf('a')])).toHaveLength(1);
    known.committed([2]);
    expect(known.untold(4, 'job 1', [linkOf('a')])).toEqual([]);
  });

  test.each([
    { title: 'from a page that is nearer', before: linkOf('a', 3), after: linkOf('a', 2), isTold: true },
    { title: 'from one that is as near', before: linkOf('a', 3), after: linkOf('a', 3), isTold: false },
    { title: 'from one that is farther', before: linkOf('a', 3), after: linkOf('a', 4), isTold: false },
    { title: 'to be followed after all', before: linkOf('a', 1, false), after: linkOf('a', 5), isTold: true },
    { title: 'not to be followed, again', before: linkOf('a', 1, false), after: linkOf('a', 1, false), isTold: false },
    { title: 'not to be followed, but it is', before: linkOf('a', 3), after: linkOf('a', 1, false), isTold: false },
  ])('are told again where it matters: $title', ({ before, after, isTold }) => {
    expect(untoldAfter([before], [after])).toEqual(isTold ? ['a'] : []);
  });

  test.each([
    { title: 'from as near', depth: 3, nofollow: false, isKnown: true },
    { title: 'from nearer', depth: 2, nofollow: false, isKnown: false },
    { title: 'from nearer, not to be followed', depth: 2, nofollow: true, isKnown: true },
  ])('need not be judged where that changes nothing: $title', ({ depth, nofollow, isKnown }) => {
    const known = new KnownLinks();
    known.untold(1, 'job 1', [linkOf('a', 3)]);
    const { url } = linkOf('a');
    expect(known.has('job 1', { url, nofollow }, depth)).toBe(false);
    known.committed([1]);
    expect(known.has('job 1', { url, nofollow }, depth)).toBe(isKnown);
    expect(known.has('job 2', { url, nofollow }, depth)).toBe(false);
  });

  test('keep the least depth', () => {
    const known = new KnownLinks();
    known.untold(1, 'job 1', [linkOf('a', 2)]);
    known.untold(2, 'job 1', [linkOf('a', 5)]);
    known.untold(3, 'job 1', [linkOf('a', 1, false)]);
    known.committed([1, 2, 3]);
    expect(known.untold(4, 'job 1', [linkOf('a', 3)])).toEqual([]);
  });

  test('are those of one job and one version of its scope', () => {
    const known = new KnownLinks();
    known.untold(1, 'job 1', [linkOf('a')]);
    known.committed([1]);
    expect(known.untold(2, 'job 2', [linkOf('a')])).toHaveLength(1);
  });

  test('are forgotten in the end, but not those that pages still name', () => {
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

  test('are forgotten when no page has named them for two minutes', () => {
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

  test('keep nothing of the pages that had them', () => {
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

  test('of pages that nobody commits are told on and on', () => {
    const known = new KnownLinks();
    for (let conversion = 1; conversion <= 2_000; conversion++) known.untold(conversion, 'job 1', [linkOf('a')]);
    known.committed([1]);
    expect(known.untold(3_000, 'job 1', [linkOf('a')])).toHaveLength(1);
    known.committed([2_000]);
    expect(known.untold(3_001, 'job 1', [linkOf('a')])).toEqual([]);
  });
});
