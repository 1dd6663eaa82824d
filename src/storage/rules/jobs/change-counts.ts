// What became of the pages of an earlier job, as the row of a job with `since` counts it.
import { failPoint } from '../../../core/process/fail-point.ts';
import { hasEnded } from '../../../core/job.ts';
import type { ChangeCounts } from '../../../core/baseline.ts';
import { countNotice } from './sayings.ts';
import type { JobRow } from './job-row.ts';

/** Kinds that are counted when they are decided. What is left when the job ends is `unknown`. */
type Counted = 'added' | 'changed' | 'unchanged' | 'removed';

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
  return { baseline: 0, added: 0, changed: 0, unchanged: 0, removed: 0, ...(JSON.parse(changes) as object) };
}

/** Counts pages of a kind. Returns the number of the last one, among all changes of the job. */
export function countChanges(row: Row, kind: Counted | 'baseline', pages = 1): number {
  const counts = stored(row);
  counts[kind] += pages;
  if (kind === 'added' || kind === 'changed' || kind === 'removed') counts.lastInFeed = numbered(counts);
  row.changes = JSON.stringify(counts);
  return numbered(counts);
}

/** Changes that have a number. */
export function changesNumbered(row: Row): number {
  return numbered(stored(row));
}

function numbered({ added, changed, unchanged, removed }: StoredCounts): number {
  return added + changed + unchanged + removed;
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
  const { added, changed, removed } = stored(row);
  return added + changed + removed > 0;
}

/**
 * True if a later run can be compared with an ended one: it knows pages, or it removed all that were known. Otherwise it
 * found out nothing.
 */
export function seesPages(row: Pick<JobRow, 'changes' | 'scraped'>): boolean {
  const { baseline, unchanged, removed, changed } = stored(row);
  return row.scraped + unchanged + removed + (baseline - changed - unchanged - removed) > 0;
}

/** Null without `since`, but for the first run of a schedule: all its pages are added. */
export function changeCountsOf(row: Pick<JobRow, 'changes' | 'since' | 'schedule' | 'status'>): ChangeCounts | null {
  if (row.since === null && row.schedule === null) return null;
  const { baseline, added, changed, unchanged, removed } = stored(row);
  return {
    added,
    changed,
    unchanged,
    removed,
    unknown: hasEnded(row.status) ? baseline - changed - unchanged - removed : 0,
  };
}

/**
 * Condition on an entry of the ledger, in SQL of both stores: the site says that the page is gone. Its own error pages,
 * refusals and failures say nothing.
 */
export const isGoneSql = `text_of IS NOT NULL AND (change IS NULL OR change = 'held') AND (
  (state = 'failed' AND reason IN ('http_404', 'http_410')) OR (state = 'discarded' AND reason = 'duplicate_of')
  OR (state IN ('discarded', 'outside') AND reason = 'robots_disallowed')
  OR (state = 'discarded' AND reason IN ('off_host', 'off_path', 'excluded_by_glob', 'excluded_by_pattern')))`;

/** Pages of the earlier job on one host. */
export interface GoneCounts {
  readonly host: string;
  /** Pages of the baseline. */
  readonly pages: number;
  /** Those that are gone. */
  readonly gone: number;
  /** Those of them that the earlier job would have removed, but for the finding `shrunk`. */
  readonly held: number;
  readonly example: string | null;
}

/** True if pages can be removed now: the job has come to its end, and everything of the earlier job was queued. */
export function mayRemove(row: Pick<JobRow, 'since' | 'status' | 'seeded' | 'changes'>): boolean {
  // mutant cancelled-run-removes, promise 18: `row.status !== 'cancelled'` -> `true`; sqlite/special-contracts "a cancelled job removes nothing"
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

/**
 * Whether the pages that are gone are removed: `all`; `held`: only those that the earlier job held back; then the others
 * are held back for the next run. A site with a bad night answers 404 for all it has.
 */
export function judgeGone(
  row: JobRow,
  hosts: readonly GoneCounts[],
  now: number,
): { readonly removes: 'all' | 'held'; readonly count: number } {
  const sum = (of: (one: GoneCounts) => number): number => hosts.reduce((total, one) => total + of(one), 0);
  const [pages, gone, held] = [sum((one) => one.pages), sum((one) => one.gone), sum((one) => one.held)];
  const sudden = gone - held;
  const hasManyHosts = row.kind === 'crawl' && hosts.length > 1;
  const isWhole = (one: GoneCounts): boolean => one.gone - one.held === one.pages;
  // mutant bad-night-removes, promise 18: `sudden > pages / 2` -> `false`; since
  const isShrunk = sudden > 0 && (sudden > pages / 2 || (hasManyHosts && hosts.some(isWhole)));
  if (!isShrunk) return { removes: 'all', count: gone };
  const example = hosts.find((one) => one.gone > one.held)?.example ?? '';
  countNotice(row, 'shrunk', example, now, sudden);
  return { removes: 'held', count: held };
}
