// How a job went, over time: its counters at the end of seconds, minutes and hours. Counters only, so several processes
// that look at one job note the same, and what one of them misses is in its next point.

import type { z } from 'zod';
import type { Builder } from './resource.ts';

export const seriesPoint = (z: Builder) =>
  z.object({
    at: z.int().describe('When the counters were read, at the end of the step: milliseconds since the epoch.'),
    scraped: z.int().describe('In this step, like the next three.'),
    discarded: z.int(),
    failed: z.int(),
    bytes: z.int().describe('Of fetched bodies, as sent.'),
    queued: z.int().describe('At the end of the step.'),
    inFlight: z.int().describe('At the end of the step.'),
  });
export type SeriesPoint = Readonly<z.output<ReturnType<typeof seriesPoint>>>;

/** Steps of the rings, with the number of points that each keeps: two minutes, six hours, 31 days. */
export const seriesSteps = [
  { stepMs: 1_000, points: 120 },
  { stepMs: 60_000, points: 360 },
  { stepMs: 3_600_000, points: 744 },
] as const;

export interface Ring {
  readonly stepMs: number;
  /** Oldest first, one per step in which something changed. */
  readonly points: readonly SeriesPoint[];
  /** False if it has every point since the beginning of the job. */
  readonly isCut: boolean;
}

/** The rings of a job, finest first. */
export type Series = readonly Ring[];

export const emptySeries: Series = seriesSteps.map(({ stepMs }) => ({ stepMs, points: [], isCut: false }));

/** Adds a point to each ring, in place of an earlier one of the same step. A point that is older than the last is left out. */
export function withPoint(series: Series, point: SeriesPoint): Series {
  return series.map((ring, index): Ring => {
    const { stepMs, points, isCut } = ring;
    const last = points.at(-1);
    if (last && last.at > point.at) return ring;
    const step = Math.floor(point.at / stepMs);
    const before = last && Math.floor(last.at / stepMs) === step ? points.slice(0, -1) : points;
    const all = [...before, point];
    const max = seriesSteps[index]?.points ?? 0;
    return { stepMs, points: all.slice(-max), isCut: isCut || all.length > max };
  });
}

const names = ['scraped', 'discarded', 'failed', 'queued', 'inFlight', 'bytes'] as const;

/** For the store. */
export function writeSeries(series: Series): string {
  const rings = series.map(({ isCut, points }) => ({
    isCut,
    points: points.map((point) => [point.at, ...names.map((name) => point[name])]),
  }));
  return JSON.stringify({ version: 1, rings });
}

/** Returns undefined for text of another version. */
export function readSeries(text: string): Series | undefined {
  const { version, rings } = JSON.parse(text) as {
    readonly version: number;
    readonly rings: readonly { readonly isCut: boolean; readonly points: readonly (readonly number[])[] }[];
  };
  if (version !== 1) return undefined;
  return seriesSteps.map(({ stepMs }, index): Ring => {
    const { isCut = false, points = [] } = rings[index] ?? {};
    return { stepMs, isCut, points: points.map(pointOf) };
  });
}

function pointOf([at = 0, ...counts]: readonly number[]): SeriesPoint {
  const [scraped = 0, discarded = 0, failed = 0, queued = 0, inFlight = 0, bytes = 0] = counts;
  return { at, scraped, discarded, failed, queued, inFlight, bytes };
}

/** What happened in a step, and what was waiting at its end. */
export type SeriesStep = SeriesPoint;

/** The steps after `since`, from the finest ring that reaches back to it. */
export function stepsSince(
  series: Series,
  since: number,
): { readonly stepMs: number; readonly steps: readonly SeriesStep[] } {
  const reaches = ({ isCut, points }: Ring): boolean => !isCut || (points[0]?.at ?? 0) <= since;
  const ring = series.find(reaches) ?? series.at(-1);
  if (!ring) return { stepMs: 0, steps: [] };
  // The first point of a cut ring only says where the second one started.
  const steps = ring.points.map((point, index) => stepBetween(ring.points[index - 1], point)).slice(ring.isCut ? 1 : 0);
  return { stepMs: ring.stepMs, steps: steps.filter(({ at }) => at > since) };
}

/** URLs that were discarded can be queued again, so a difference can be negative; that step then has none. */
function stepBetween(before: SeriesPoint | undefined, after: SeriesPoint): SeriesStep {
  const more = (name: 'scraped' | 'discarded' | 'failed' | 'bytes'): number =>
    Math.max(0, after[name] - (before?.[name] ?? 0));
  return {
    ...after,
    scraped: more('scraped'),
    discarded: more('discarded'),
    failed: more('failed'),
    bytes: more('bytes'),
  };
}
