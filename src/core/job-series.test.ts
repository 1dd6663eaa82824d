import { describe, expect, test } from 'vitest';
import {
  emptySeries,
  readSeries,
  type Series,
  type SeriesPoint,
  stepsSince,
  withPoint,
  writeSeries,
} from './job-series.ts';

const start = 1_769_860_800_000;
const point = (seconds: number, scraped: number, fields: Partial<SeriesPoint> = {}): SeriesPoint => ({
  at: start + seconds * 1000,
  scraped,
  discarded: 0,
  failed: 0,
  queued: 0,
  inFlight: 0,
  bytes: scraped * 10,
  ...fields,
});
const seriesOf = (points: readonly SeriesPoint[]): Series => points.reduce(withPoint, emptySeries);
const shown = (series: Series, since: number) => {
  const { stepMs, steps } = stepsSince(series, since);
  return [stepMs, steps.map(({ at, scraped }) => [(at - start) / 1000, scraped])];
};

describe('job series', () => {
  test('stepsSince: returns the changes of each step, and counts only the last point of a step', () => {
    const series = seriesOf([point(0.1, 1), point(0.9, 3), point(2, 3, { queued: 5 }), point(5, 10)]);
    expect(shown(series, 0)).toEqual([
      1000,
      [
        [0.9, 3],
        [2, 0],
        [5, 7],
      ],
    ]);
    expect(shown(series, start + 2000)).toEqual([1000, [[5, 7]]]);
    expect(stepsSince(series, 0).steps[1]).toMatchObject({ queued: 5, bytes: 0 });
  });

  test('stepsSince: returns the finest steps that reach back far enough, with complete sums', () => {
    const series = seriesOf(Array.from({ length: 600 }, (_, second) => point(second, second + 1)));
    const sumOf = (since: number): number =>
      stepsSince(series, since).steps.reduce((sum, { scraped }) => sum + scraped, 0);
    expect(stepsSince(series, start + 590_000).stepMs).toBe(1000);
    expect(sumOf(start + 590_000)).toBe(9);
    expect(stepsSince(series, 0).stepMs).toBe(60_000);
    expect(sumOf(0)).toBe(600);
  });

  test('withPoint: bounds the number of points, and keeps hours for a month', () => {
    const series = seriesOf(Array.from({ length: 40 * 24 }, (_, hour) => point(hour * 3600, hour)));
    expect(series.map(({ points }) => points.length)).toEqual([120, 360, 744]);
    expect(stepsSince(series, 0)).toMatchObject({ stepMs: 3_600_000, steps: { length: 743 } });
  });

  test('readSeries: reads what writeSeries wrote, and rejects another version', () => {
    const series = seriesOf([point(0, 1), point(70, 2, { failed: 1 })]);
    expect(readSeries(writeSeries(series))).toEqual(series);
    expect(readSeries('{"version":2}')).toBeUndefined();
  });

  test('withPoint: ignores a point from the past, and stepsSince returns no negative number', () => {
    const series = seriesOf([point(5, 5, { discarded: 4 }), point(3, 9), point(8, 5, { discarded: 2 })]);
    expect(stepsSince(series, 0).steps).toMatchObject([
      { scraped: 5, discarded: 4 },
      { scraped: 0, discarded: 0 },
    ]);
  });
});
