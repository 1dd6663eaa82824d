// What became of the pages of an earlier job, as the row of a job with `since` counts it.
import { failPoint } from '../../../core/process/fail-point.ts';
import { hasEnded } from '../../../core/job.ts';
import type { ChangeCounts, ChangeKind } from '../../../core/baseline.ts';
import { feedKinds } from '../../../core/ports/changes.ts';
import type { JobRow } from './job-row.ts';

/** Kinds that are counted when they are decided. What is left when the job ends is `unknown`. */
type Counted = Exclude<ChangeKind, 'unknown'>;

interface StoredCounts extends Record<Counted, number> {
  /** Pages of the earlier job that the ledger has. */
  baseline: number;
  /** Pages that are gone were removed. */
  isClosed?: true;
  /** Number of the last change that is a row of the feed. */
  lastInFeed?: number;
}

type Row = Pick<JobRow, 'changes'>;

function stored({ changes }: Row): StoredCounts {
  return { baseline: 0, added: 0, changed: 0, moved: 0, unchanged: 0, removed: 0, ...(JSON.parse(changes) as object) };
}

/** Counts pages of a kind. Returns the number of the last one, among all changes of the job. */
export function countChanges(row: Row, kind: Counted | 'baseline', pages = 1): number {
  const counts = stored(row);
  counts[kind] += pages;
  if (feedKinds.some((one) => one === kind)) counts.lastInFeed = numbered(counts);
  row.changes = JSON.stringify(counts);
  return numbered(counts);
}

/** Changes that have a number. */
export function changesNumbered(row: Row): number {
  return numbered(stored(row));
}

function numbered({ added, changed, moved, unchanged, removed }: StoredCounts): number {
  return added + changed + moved + unchanged + removed;
}

export function pagesUnchanged(row: Row): number {
  return stored(row).unchanged;
}

/** Pages of the earlier job that were read, and those of them that have changed. */
export function pagesCompared(row: Row): { readonly read: number; readonly changed: number } {
  const { changed, unchanged } = stored(row);
  return { read: changed + unchanged, changed };
}

/** Number of the last change that is a row of the feed, 0 without any; of a run of an older version, of the last change. */
export function lastInFeed(row: Row): number {
  const counts = stored(row);
  return counts.lastInFeed ?? (hasFeedRows(row) ? numbered(counts) : 0);
}

/** True if the feed of its schedule has rows of the run. */
export function hasFeedRows(row: Row): boolean {
  const { added, changed, moved, removed } = stored(row);
  return added + changed + moved + removed > 0;
}

/**
 * True if a later run can be compared with an ended one: it knows pages, or it removed all that were known. Otherwise it
 * found out nothing.
 */
export function seesPages(row: Pick<JobRow, 'changes' | 'scraped'>): boolean {
  const counts = stored(row);
  return row.scraped + counts.unchanged + counts.removed + unknownOf(counts) > 0;
}

/** Null without `since`, but for the first run of a schedule: all its pages are added. */
export function changeCountsOf(row: Pick<JobRow, 'changes' | 'since' | 'schedule' | 'status'>): ChangeCounts | null {
  if (row.since === null && row.schedule === null) return null;
  const counts = stored(row);
  const { added, changed, moved, unchanged, removed } = counts;
  return {
    added,
    changed,
    moved,
    unchanged,
    removed,
    unknown: hasEnded(row.status) ? unknownOf(counts) : 0,
  };
}

function unknownOf({ baseline, changed, moved, unchanged, removed }: StoredCounts): number {
  return baseline - changed - moved - unchanged - removed;
}

/** True if pages can be removed now: the job has come to its end, and everything of the earlier job was queued. */
export function mayRemove(row: Pick<JobRow, 'since' | 'status' | 'seeded' | 'changes'>): boolean {
  return (
    row.since !== null &&
    hasEnded(row.status) &&
    row.status !== 'cancelled' &&
    row.seeded === null &&
    stored(row).isClosed !== true
  );
}

/** Counts the pages that were removed. Once for each job. */
export function close(row: JobRow, removed: number): void {
  failPoint('removal.writing');
  if (removed > 0) countChanges(row, 'removed', removed);
  row.changes = JSON.stringify({ ...stored(row), isClosed: true });
}
