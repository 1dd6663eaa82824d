// Which runs the feed of a schedule has, and for how long.
import { feedKinds } from '../../../core/ports/changes.ts';
import { hasFeedRows } from './change-counts.ts';
import type { JobRow } from './job-row.ts';

/** The column `feed` of a run. */
export const runFeed = {
  /** Its rows are not kept: its results were deleted by a client, or it is too old. */
  gone: 0,
  /** Its rows follow those of the run before. */
  follows: 1,
  /** It was compared with an older run than the one before, so a reader of that one cannot continue. */
  anew: 2,
} as const;

/** The column of a run that is being created. `between`: runs after the one with which it is compared. */
export function feedOfRun(between: readonly Pick<JobRow, 'changes' | 'seeded'>[]): number {
  return between.some((run) => run.seeded === null && hasFeedRows(run)) ? runFeed.anew : runFeed.follows;
}

/** How long the rows of a run are kept after its end, beyond those that its schedule keeps. */
export const feedKeptMs = 90 * 24 * 3_600_000;

/** Rows of the ledger that are rows of the feed: the condition of an index. */
export function isFeedRow(alias = ''): string {
  return `${alias}change IN (${feedKinds.map((kind) => `'${kind}'`).join(', ')})`;
}

/** Condition on a row of the ledger of a swept job, in SQL of both stores: the feed of a schedule lists it. */
export const isInFeedSql = `${isFeedRow()} AND EXISTS (
  SELECT 1 FROM job run JOIN schedule ON schedule.id = run.schedule WHERE run.seq = ledger.job AND run.feed <> ${runFeed.gone})`;
