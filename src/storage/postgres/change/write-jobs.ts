// Writes the rows of jobs. Counters are added to the stored values, so a transaction that only counts holds the row
// only for its last step. All other columns are written by a transaction that has held the row since it read it.
import { hasEnded } from '../../../core/job.ts';
import { counters, longNames, stateColumns, stateNames } from '../../shared/job-columns.ts';
import { columns, type RowStatement, send, sendEach, type Steps } from '../../shared/operation.ts';
import { raw, sql } from '../../shared/sql.ts';
import { roomSql } from './ready-sql.ts';
import * as to from './row-statements.ts';
import type { ChangedJob, JobsToLock, WorkingSet } from './working-set.ts';

/** True if more than counters changed, so that the rows must be locked when they are read. */
export function needsLocks({ jobs, rows }: WorkingSet): boolean {
  const others = [to.reopenedUrls, to.endedTemplates, to.addedEvents, to.hastenedEvents, to.endedRuns];
  return (
    (jobs.length === 0 && rows.of(to.removedRequests).length > 0) ||
    others.some((list: RowStatement) => rows.of(list).length > 0) ||
    jobs.some(({ row, before }) => hasEnded(before.status) || hasOtherState({ row, before }))
  );
}

/** Runs before all other writes: it takes the locks, and gives the pages their numbers. */
export function* writeJobs(changes: WorkingSet): Steps<void> {
  const { jobs, toLock } = changes;
  if (toLock && (jobs.length > 1 || toLock.ifFree.length > 0)) yield* lockInOrder(toLock, jobs);
  yield* count(changes);
  yield* sendEach({ ...changedState, rows: jobs.filter(hasOtherState).map(stateOf) });
  const ended = jobs.filter(({ row }) => hasEnded(row.status)).map(({ row }) => row.seq);
  if (ended.length > 0) yield* send(sql`DELETE FROM job_headers WHERE job = ANY(CAST(${ended} AS bigint[]))`);
}

function stateOf({ row, before }: ChangedJob): object {
  return { ...row, ...named(longNames, (name) => (row[name] === before[name] ? null : row[name])) };
}

const stateSql = [
  ...stateNames.map((name) => `${name} = u.${name}`),
  ...longNames.map((name) => `${name} = coalesce(u.${name}, job.${name})`),
].join(', ');
const changedState: RowStatement = {
  columns: { seq: 'bigint', ...stateColumns, ...columns('text', ...longNames) },
  statement: (u) => sql`UPDATE job SET ${raw(stateSql)} FROM ${u} WHERE job.seq = u.seq`,
};

function hasOtherState({ row, before }: ChangedJob): boolean {
  return [...stateNames, ...longNames].some((name) => row[name] !== before[name]);
}

function named<Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}

/** A job in `ifFree` that others hold fails the transaction. If it waited, it would hold jobs that others wait for. */
function* lockInOrder(toLock: JobsToLock, jobs: readonly ChangedJob[]): Steps<void> {
  const changed = new Set(jobs.map(({ row }) => row.seq));
  for (const [seqs, end] of [
    [toLock.waitedFor, ''],
    [toLock.ifFree, ' NOWAIT'],
  ] as const) {
    const locked = seqs.filter((seq) => changed.has(seq));
    if (locked.length > 0)
      yield* send(
        sql`SELECT FROM job WHERE seq = ANY(CAST(${locked} AS bigint[])) ORDER BY seq FOR NO KEY UPDATE${raw(end)}`,
      );
  }
}

const after = (name: (typeof counters)[number]): string => `(j.${name} + u.${name})`;
const roomAfterSql = roomSql.replaceAll(/j\.(scraped|fetches|in_flight)/g, (_, name: 'scraped') => after(name));
/** The unlocked decision still holds for the row as it is now: no limit is passed, and the job does not end. */
const holdsSql = `j.finished_at IS NULL AND j.webhook_open = u.webhook_open
  AND ${after('scraped')} < j.page_limit
  AND NOT (${after('fetches')} >= j.fetch_limit AND ${after('in_flight')} = 0 AND ${after('queued')} > 0)
  AND ${after('queued')} + ${after('in_flight')} + ${after('control')} > 0
  AND (u.in_flight <= 0 OR ${roomAfterSql} >= 0)
  AND (u.adds = 0 OR ${['queued', 'in_flight', 'scraped', 'discarded', 'failed', 'outside'].map((name) => after(name as 'queued')).join(' + ')} <= u.urls_max)`;

const sumSql = (column: 'reasons' | 'tally'): string => `CASE WHEN u.${column} = '{}' THEN j.${column} ELSE (
  SELECT coalesce(json_object_agg(key, urls ORDER BY key), '{}')::text FROM (
    SELECT key, sum(value::bigint) AS urls
    FROM (SELECT * FROM json_each_text(j.${column}::json) UNION ALL SELECT * FROM json_each_text(u.${column}::json)) r
    GROUP BY key HAVING sum(value::bigint) <> 0) s) END`;
/** The first example stays. */
const examplesSql = `CASE WHEN u.examples = '{}' THEN j.examples ELSE (u.examples::jsonb || j.examples::jsonb)::text END`;

const countSql = raw(
  `${counters.map((name) => `${name} = ${after(name)}`).join(', ')}, reasons = ${sumSql('reasons')}, tally = ${sumSql('tally')}, examples = ${examplesSql}`,
);
const counted: RowStatement = {
  columns: {
    ...columns('bigint', 'seq', 'webhook_open', ...counters),
    ...columns('text', 'reasons', 'tally', 'examples'),
    ...columns('int', 'adds', 'urls_max'),
  },
  statement: (u) => sql`UPDATE job j SET ${countSql} FROM ${u} WHERE j.seq = u.seq`,
};
const countedIfHolds: RowStatement = {
  ...counted,
  statement: (u) => sql`${counted.statement(u)} AND ${raw(holdsSql)}`,
};

function* count({ jobs, rows, toLock, jobUrlsMax }: WorkingSet): Steps<void> {
  const adds = new Set(rows.of(to.addedUrls).map(({ job }) => job));
  const counts = jobs.map(({ row, before }) => ({
    seq: row.seq,
    reasons: added(row.reasons, before.reasons),
    tally: added(row.tally, before.tally),
    examples: JSON.stringify(newIn(row.examples, before.examples)),
    webhook_open: row.webhook_open,
    adds: Number(adds.has(row.seq)),
    urls_max: jobUrlsMax,
    ...named(counters, (name) => row[name] - before[name]),
  }));
  yield* toLock ? sendEach({ ...countedIfHolds, rows: counts }, 'checked') : sendEach({ ...counted, rows: counts });
}

/** JSON: how much each count changes. */
function added(counts: Readonly<Record<string, number>>, earlier: Readonly<Record<string, number>>): string {
  const names = [...new Set([...Object.keys(earlier), ...Object.keys(counts)])];
  const changes = names.map((name) => [name, (counts[name] ?? 0) - (earlier[name] ?? 0)] as const);
  return JSON.stringify(Object.fromEntries(changes.filter(([, urls]) => urls !== 0)));
}

function newIn(examples: Readonly<Record<string, string>>, earlier: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(examples).filter(([name]) => earlier[name] === undefined));
}
