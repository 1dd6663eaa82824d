import { expect, it } from 'vitest';
import { grouped } from './grouped.ts';

it.each([0, 7, 999, 1_000, 12_345, 100_000, 1_000_000, 2 ** 53 - 1, -1_234])(
  'grouped: writes %d as English texts do',
  (count) => {
    expect(grouped(count)).toBe(count.toLocaleString('en'));
  },
);
