// The feed of a schedule: the changes of its runs, one after the other. A row of the feed is a row of a ledger, so nothing is
// written for it. Its runs never overlap, and the numbers of their jobs rise in the order of their creation.
import { hasEnded } from '../../core/job.ts';
import {
  type FeedKind,
  feedKinds,
  type FeedPosition,
  type FeedQuery,
  type FeedSlice,
  type PageChange,
} from '../../core/ports/changes.ts';
import { changesNumbered, lastInFeed, seesPages } from '../rules/jobs/change-counts.ts';
import { changeColumns, changeOf, type ChangeRow } from '../rules/jobs/change-rows.ts';
import type { JobRow } from '../rules/jobs/job-row.ts';
import { isFeedRow, runFeed } from '../rules/jobs/run-feed.ts';
import { all, one, type Steps } from './operation.ts';
import { list, raw, type Sql, sql } from './sql.ts';

/** Runs that one read looks at. */
const runsMax = 200;

type RunRow = Pick<
  JobRow,
  'seq' | 'id' | 'status' | 'end_reason' | 'since' | 'seeded' | 'created_at' | 'changes' | 'feed' | 'scraped'
>;

const runColumns = raw('seq, id, status, end_reason, since, seeded, created_at, changes, feed, scraped');
const runsOf = (schedule: string): Sql => sql`SELECT ${runColumns} FROM job WHERE schedule = ${schedule}`;

/** Where a read begins: after this change of this run, or with the first run from `seq` on. */
interface Start {
  readonly seq: number;
  readonly change: number;
}

export function* readFeed(query: FeedQuery): Steps<FeedSlice | undefined> {
  const { org, schedule } = query;
  if (!(yield* one(sql`SELECT 1 AS known FROM schedule WHERE id = ${schedule} AND org = ${org}`))) {
    const run = yield* one(sql`SELECT 1 AS known FROM job WHERE schedule = ${schedule} AND org = ${org} LIMIT 1`);
    return run ? { kind: 'deleted' } : undefined;
  }
  if (query.after === 'now') return yield* endOfFeed(schedule);
  if (query.after === 'nothing') return waitsAt(yield* nothingKnown(schedule));
  const start = yield* startOf(schedule, query.after);
  if (start === 'expired') return { kind: 'expired' };
  if (start !== 'waits') return yield* rowsFrom(start, query);
  return waitsAt(query.after === 'oldest' ? yield* nothingKnown(schedule) : query.after);
}

function waitsAt(next: FeedPosition): FeedSlice {
  return { kind: 'rows', changes: [], next, isUpToDate: true, running: null };
}

/** The position of a reader that knows no page, while no run knows one. */
function* nothingKnown(schedule: string): Steps<FeedPosition> {
  const ended = yield* one<{ seq: number }>(
    sql`SELECT seq FROM job WHERE schedule = ${schedule} AND finished_at IS NOT NULL ORDER BY seq DESC LIMIT 1`,
  );
  return { job: '', change: ended?.seq ?? 0 };
}

function* endOfFeed(schedule: string): Steps<FeedSlice> {
  const last = yield* one<RunRow>(sql`${runsOf(schedule)} ORDER BY seq DESC LIMIT 1`);
  const running = last && !hasEnded(last.status) ? last.id : null;
  // A run that is still queueing the pages of its earlier run shows its rows later.
  const change = last ? (last.seeded === null ? changesNumbered(last) : 0) : 0;
  return {
    kind: 'rows',
    changes: [],
    next: last ? { job: last.id, change } : { job: '', change: 0 },
    isUpToDate: true,
    running,
  };
}

/**
 * The feed begins at the oldest run with whose rows all later ones are complete. A position before it is good only if nothing
 * lies between: it is the end of the run with which that one was compared, or after which the next one will be.
 */
function* startOf(schedule: string, after: FeedPosition | 'oldest'): Steps<Start | 'expired' | 'waits'> {
  const gone = yield* lastRun(schedule, runFeed.gone);
  const anew = yield* lastRun(schedule, runFeed.anew);
  const goneSeq = gone?.seq ?? 0;
  const first =
    anew && anew.seq > goneSeq
      ? anew
      : yield* one<RunRow>(sql`${runsOf(schedule)} AND seq > ${goneSeq} ORDER BY seq LIMIT 1`);
  if (after === 'oldest') return first ? { seq: first.seq, change: 0 } : 'waits';
  if (after.job === '') {
    if (first && first.since === null && first.seq > after.change) return { seq: first.seq, change: 0 };
    return (yield* comparedNext(schedule)) ? 'expired' : 'waits';
  }
  const run = yield* one<RunRow>(sql`${runsOf(schedule)} AND id = ${after.job}`);
  if (!run) return 'expired';
  if (first && run.seq >= first.seq) return { seq: run.seq, change: after.change };
  if (after.change < lastInFeed(run)) return 'expired';
  if (first && (first.since === run.seq || (first.feed === runFeed.follows && run.seq === goneSeq)))
    return { seq: first.seq, change: 0 };
  if (!first && run.seq === goneSeq) return 'waits';
  const next = yield* comparedNext(schedule);
  return run.seq === next?.seq ? 'waits' : 'expired';
}

function* lastRun(schedule: string, feed: number): Steps<RunRow | undefined> {
  return yield* one<RunRow>(sql`${runsOf(schedule)} AND feed = ${feed} AND feed <> 1 ORDER BY seq DESC LIMIT 1`);
}

/**
 * The run with which the next one is compared, which is also that of the snapshot: see `earlier-run.ts`. Its reader waits at
 * its end, since there is nothing newer to read, also while a run goes that will not follow on it.
 */
function* comparedNext(schedule: string): Steps<RunRow | undefined> {
  const runs = yield* all<RunRow & Pick<JobRow, 'swept'>>(
    sql`SELECT ${runColumns}, swept FROM job WHERE schedule = ${schedule} AND finished_at IS NOT NULL ORDER BY seq DESC LIMIT ${runsMax}`,
  );
  return runs.find((run) => run.swept === 0 && run.seeded === null && seesPages(run));
}

function* rowsFrom(start: Start, query: FeedQuery): Steps<FeedSlice> {
  const { schedule, limit, kinds = feedKinds } = query;
  const runs = yield* all<RunRow>(sql`${runsOf(schedule)} AND seq >= ${start.seq} ORDER BY seq LIMIT ${runsMax}`);
  const changes: PageChange[] = [];
  let next: FeedPosition = { job: '', change: 0 };
  for (const run of runs) {
    const isHidden = run.seeded !== null;
    const after = run.seq === start.seq ? start.change : 0;
    const room = limit - changes.length;
    const rows = isHidden ? [] : yield* changesOf(run, { after, kinds, limit: room + 1 });
    changes.push(...rows.slice(0, room).map((row) => changeOf(row, run)));
    const last = changes.at(-1);
    if (rows.length > room) {
      const stays = last?.job === run.id ? last.position : after;
      return { kind: 'rows', changes, next: { job: run.id, change: stays }, isUpToDate: false, running: null };
    }
    // Everything up to here was looked at, other kinds too.
    next = { job: run.id, change: isHidden ? after : Math.max(after, changesNumbered(run)) };
    if (!hasEnded(run.status)) return { kind: 'rows', changes, next, isUpToDate: true, running: run.id };
  }
  return { kind: 'rows', changes, next, isUpToDate: runs.length < runsMax, running: null };
}

interface Wanted {
  readonly after: number;
  readonly kinds: readonly FeedKind[];
  readonly limit: number;
}

function* changesOf(run: RunRow, { after, kinds, limit }: Wanted): Steps<readonly ChangeRow[]> {
  if (changesNumbered(run) <= after) return [];
  return yield* all<ChangeRow>(
    sql`SELECT ${raw(changeColumns)} FROM ledger l LEFT JOIN ledger e ON e.job = ${run.since} AND e.key = l.key
      WHERE l.job = ${run.seq} AND l.change_number > ${after} AND ${raw(isFeedRow('l.'))} AND l.change IN (${list(kinds)})
      ORDER BY l.change_number LIMIT ${limit}`,
  );
}
