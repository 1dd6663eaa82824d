// Writes the changes that a transaction made in memory: all statements at once, for any number of URLs and pages.
import { columns, type RowStatement, send, sendEach, type Steps } from '../../shared/operation.ts';
import { raw, type Sql, sql } from '../../shared/sql.ts';
import { nowSql } from '../connection/schema.ts';
import { sendSteps } from '../connection/run-steps.ts';
import type { Transaction } from '../connection/connections.ts';
import { freeHosts } from './free-hosts.ts';
import * as to from './row-statements.ts';
import { isAlive } from './sending.ts';
import type { WorkingSet } from './working-set.ts';
import { writeJobs } from './write-jobs.ts';

/** Sends all changes. A failure shows at the commit. */
export function writeChanges(tx: Transaction, changes: WorkingSet): void {
  sendSteps(tx, written(changes));
}

function* written(changes: WorkingSet): Steps<void> {
  const { rows } = changes;
  countPagesBehind(changes);
  const write = (statement: RowStatement): Steps<void> => sendEach({ ...statement, rows: rows.of(statement) });
  yield* writeJobs(changes);
  for (const one of [to.addedUrls, to.queuedUrls, to.earlierPageKeys, to.nearerUrls, to.lastmods]) yield* write(one);
  yield* writeRequests(changes);
  // A URL that ended in this transaction can be queued again in it.
  yield* write(to.reopenedUrls);
  yield* write(to.removedPageKeys);
  yield* writePages(changes);
  for (const one of [to.newPageKeys, to.addedPageKeys, to.extractedPages, to.endedTemplates]) yield* write(one);
  for (const one of [to.hastenedEvents, to.addedEvents, to.endedRuns]) yield* write(one);
  yield* wakeHosts(changes);
  yield* freeHosts(changes.freed);
}

const isAsRead = raw('f.fence IS NOT DISTINCT FROM u.fence');
/** What was not locked when it was read is written only if nothing of it has changed since. */
const ifAsRead = new Map<RowStatement, RowStatement>([
  ...[to.removedRequests, to.postponedRequests, to.movedRequests, to.handedBackRequests].map(
    (one: RowStatement) => [one, also(one, isAsRead)] as const,
  ),
  // `IS TRUE` keeps the planner off the index of all due requests, which is short at planning time and long later.
  [to.takenRequests, also(to.takenRequests, raw('(f.fence IS NULL AND f.not_before = 0) IS TRUE'))],
]);

function also(of: RowStatement, condition: Sql): RowStatement {
  return { ...of, statement: (u) => sql`${of.statement(u)} AND ${condition}` };
}

function* writeRequests({ rows, toLock, taker }: WorkingSet): Steps<void> {
  const write = (of: RowStatement): Steps<void> =>
    sendEach({ ...((toLock && ifAsRead.get(of)) ?? of), rows: rows.of(of) }, toLock ? 'checked' : 'sent');
  for (const one of [to.removedRequests, to.postponedRequests, to.movedRequests]) yield* write(one);
  yield* sendEach({ ...to.endedEntries, rows: rows.of(to.endedEntries) });
  if (toLock && taker !== undefined && rows.of(to.takenRequests).length > 0)
    yield* send(sql`SELECT 1 / (count(*) = 1)::int AS as_expected FROM (${isAlive(taker)}) w`);
  for (const one of [to.takenRequests, to.handedBackRequests]) yield* write(one);
}

/**
 * Pages have the numbers that they would have if no other transaction had added any. What is written is how many pages of
 * the job, as this transaction leaves it, come after each: the job's row has the total.
 */
function countPagesBehind({ jobs, rows }: WorkingSet): void {
  const scraped = new Map(jobs.map(({ row }) => [row.seq, row.scraped]));
  const behind = (job: number | null, page: number | null): number | null =>
    page === null ? null : (scraped.get(job ?? 0) ?? page) - page;
  for (const row of rows.of(to.addedSlices)) row.first = behind(row.job, row.first);
  const lists = [to.addedPages, to.addedBodies, to.addedScreenshots, to.addedSegments, to.addedSlices, to.endedEntries];
  for (const row of lists.flatMap((list) => rows.of<typeof to.pageColumns>(list)))
    row.behind = behind(row.job, row.behind);
}

function* writePages({ rows, objects }: WorkingSet): Steps<void> {
  yield* sendEach({ ...to.addedPages, rows: rows.of(to.addedPages) });
  yield* sendEach({ ...to.addedBodies, rows: rows.of(to.addedBodies) });
  // In one order: two commits can name the same objects.
  for (const name of [...objects].toSorted()) yield* sendEach({ ...to.namedObjects, rows: [{ name }] }, 'checked');
  // One statement each: a screenshot can have 10 MiB, a segment one.
  for (const row of rows.of(to.addedScreenshots)) yield* sendEach({ ...to.addedScreenshots, rows: [row] });
  for (const row of rows.of(to.addedSegments)) yield* sendEach({ ...to.addedSegments, rows: [row] });
  yield* sendEach({ ...to.addedSlices, rows: rows.of(to.addedSlices) });
}

/**
 * Locks the hosts even if nothing changes. A transaction that releases a host looks for work under this lock. So it
 * either sees what is queued here, or this transaction wakes the host after it.
 */
function* wakeHosts({ wake, freed }: WorkingSet): Steps<void> {
  // One statement, so that all locks are taken in one order.
  const locked = [...new Set([...wake.map(({ host }) => host), ...freed.map(({ host }) => host)])];
  if (locked.length > 0)
    yield* send(
      sql`SELECT FROM host_slot WHERE host = ANY(CAST(${locked} AS bigint[])) ORDER BY host FOR NO KEY UPDATE`,
    );
  yield* sendEach({ ...wokenHosts, rows: wake.map(({ line, ...host }) => ({ ...host, ...line })) });
}

/**
 * A host that several jobs wait for stands in the line of the one with the fewest queued URLs. Work that needs no
 * browser makes the host useful for all processes.
 */
const wokenHosts: RowStatement = {
  columns: {
    ...columns('bigint', 'host', 'at', 'job'),
    ...columns('int', 'rank', 'queued', 'needs_browser', 'rests'),
    ...columns('text', 'org'),
  },
  statement: (u) => sql`
    UPDATE host_slot s SET ready_at = least(s.ready_at, greatest(s.next_at * u.rests, u.at)), org = u.org, rank = u.rank, job = u.job,
      in_line = s.owner IS NULL AND greatest(s.next_at * u.rests, u.at) <= ${raw(nowSql)},
      for_browser = u.needs_browser = 1 AND (s.ready_at IS NULL OR s.for_browser), plain_at = CASE WHEN u.needs_browser = 1 THEN s.plain_at END
    FROM ${u}
    WHERE s.host = u.host AND (s.ready_at IS NULL OR s.ready_at > greatest(s.next_at * u.rests, u.at) OR (s.for_browser AND u.needs_browser = 0) OR (
      s.owner IS NULL AND s.job <> u.job AND u.queued < coalesce((SELECT queued FROM job WHERE seq = s.job AND finished_at IS NULL), 2147483647)))`,
};
