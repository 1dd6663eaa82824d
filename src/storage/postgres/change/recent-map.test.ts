import { expect, it } from 'vitest';
import { RecentMap } from './recent-map.ts';

it('RecentMap: forgets an entry after as many newer ones as its capacity, and never sooner', () => {
  const map = new RecentMap<string, number>(3);
  map.set('a', 1);
  map.set('b', 2);
  for (const name of ['c', 'd', 'e']) map.set(name, 0);
  expect([map.get('a'), map.get('b')]).toEqual([1, 2]);
  // `a` was used just now, so it stays while three other entries are used; `b` is one of them.
  for (const name of ['f', 'g']) map.set(name, 0);
  expect(map.get('a')).toBe(1);
  for (const name of ['i', 'j', 'k', 'l', 'm', 'n']) map.set(name, 0);
  expect([map.get('a'), map.get('n')]).toEqual([undefined, 0]);
});

it('RecentMap: returns the last value that was set', () => {
  const map = new RecentMap<string, number>(1);
  map.set('a', 1);
  map.set('b', 1);
  map.set('a', 2);
  expect(map.get('a')).toBe(2);
});
