// What changed on a site, over all runs of a schedule: one feed, by a cursor that never skips and never repeats a row.
import { UserError, errorCodes } from '../../core/errors.ts';
import type { FeedKind, FeedPosition, FeedSlice, JobChanges, PageChange } from '../../core/ports/changes.ts';
import type { ScheduleStore } from '../../core/ports/schedules.ts';
import type { JobStore } from '../../core/ports/stores.ts';
import type { Cursors } from '../cursor.ts';
import { canonicalJobId } from '../job-id.ts';
import { type ShownChange, shownChanges } from '../shown-changes.ts';
import { feedCursor, feedPosition } from './feed-cursor.ts';
import { scheduleNotFound } from './manage-schedules.ts';
import { snapshotOf } from './read-snapshot.ts';

export interface FeedParts {
  readonly changes: JobChanges;
  readonly jobs: Pick<JobStore, 'waitForChange'>;
  readonly schedules: ScheduleStore;
  readonly cursors: Cursors;
}

export interface FeedRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Without a cursor: only what comes from now on. */
  readonly fromNow: boolean;
  /** @default all */
  readonly kinds?: readonly FeedKind[] | undefined;
  readonly withText: boolean;
}

export interface Feed {
  readonly changes: readonly ShownChange[];
  readonly cursor: string;
  readonly isUpToDate: boolean;
}

/** Returns the rows after a cursor. Without any, waits for the first. */
export async function readFeed(
  parts: FeedParts,
  org: string,
  given: string,
  request: FeedRequest & { readonly waitMs: number },
  signal: AbortSignal,
): Promise<Feed> {
  const schedule = canonicalJobId(given);
  const { limit, kinds, waitMs } = request;
  const deadline = performance.now() + waitMs;
  let after: FeedPosition | 'oldest' | 'now' =
    request.cursor !== undefined
      ? feedPosition(parts.cursors, schedule, request.cursor)
      : request.fromNow
        ? 'now'
        : 'oldest';
  for (;;) {
    const slice = await parts.changes.feed({ org, schedule, after, limit, kinds });
    if (slice?.kind !== 'rows') throw await refusalOf(parts, org, schedule, slice?.kind);
    const { changes, next, isUpToDate, running } = slice;
    const remainingMs = deadline - performance.now();
    if (changes.length > 0 || (isUpToDate && (remainingMs <= 0 || signal.aborted)))
      return shownFeed(parts, schedule, slice, request.withText);
    after = next;
    // Nobody announces a schedule: a run that begins is found when the wait ends.
    if (isUpToDate) await parts.jobs.waitForChange(running ?? schedule, remainingMs, signal);
  }
}

/** The same, slice by slice, to the last row that there is now. Ends early when the signal fires. */
export async function* followFeed(
  parts: FeedParts,
  org: string,
  schedule: string,
  request: FeedRequest,
  signal: AbortSignal,
): AsyncGenerator<Feed> {
  let { cursor } = request;
  while (!signal.aborted) {
    const feed = await readFeed(parts, org, schedule, { ...request, cursor, waitMs: 0 }, signal);
    cursor = feed.cursor;
    yield feed;
    if (feed.isUpToDate) return;
  }
}

/** Why a schedule has no feed, or no rows after a position. */
export async function refusalOf(
  parts: FeedParts,
  org: string,
  schedule: string,
  kind: Exclude<FeedSlice['kind'], 'rows'> | undefined,
): Promise<UserError> {
  if (kind === undefined) return scheduleNotFound();
  if (kind === 'deleted') return new UserError('schedule_deleted', errorCodes.schedule_deleted);
  const { cursor, pages } = await snapshotOf(parts, org, schedule);
  const snapshot = `/crawler/schedules/${schedule}/data?cursor=${pages}`;
  return new UserError('changes_expired', errorCodes.changes_expired, [], { snapshot, cursor });
}

async function shownFeed(
  { changes: store, cursors }: FeedParts,
  schedule: string,
  { changes, next, isUpToDate }: Extract<FeedSlice, { kind: 'rows' }>,
  withText: boolean,
): Promise<Feed> {
  const cursorAfter = ({ job, position }: PageChange): string =>
    feedCursor(cursors, schedule, { job, change: position });
  const shown = await shownChanges(store, changes, { withText, cursorAfter });
  const last = shown.at(-1);
  return shown.length < changes.length && last
    ? { changes: shown, cursor: last.cursor, isUpToDate: false }
    : { changes: shown, cursor: feedCursor(cursors, schedule, next), isUpToDate };
}
