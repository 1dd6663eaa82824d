import { expect, test } from 'vitest';
import { discovered } from '../../../core/job.ts';
import { progressOf } from './requested-now.ts';

const row = { queued: 5, in_flight: 40, scraped: 7, discarded: 2, failed: 3, outside: 4 };

test.each<[what: string, open: number | undefined, queued: number, inFlight: number]>([
  ['of those taken, one is requested', 1, 44, 1],
  ['none is requested', 0, 45, 0],
  ['more are requested than the row knows as taken', 41, 5, 40],
  ['nobody knows how many are requested', undefined, 5, 40],
])('progressOf: keeps the sum when %s', (_, open, queued, inFlight) => {
  const progress = progressOf(row, open);
  expect(progress).toEqual({ queued, inFlight, scraped: 7, discarded: 2, failed: 3, outside: 4 });
  expect(discovered(progress)).toBe(61);
});
