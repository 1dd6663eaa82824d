// Writes the rows of jobs. Counters are added to the stored values, so a transaction that only counts holds the row
// only for its last step. All other columns are written by a transaction that has held the row since it read it.
import { hasEnded } from '../../../core/job.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import type { Transaction, Value } from '../connection/connections.ts';
import { roomSql } from './ready-sql.ts';
import type { ChangedJob, JobsToLock, RowChanges } from './row-changes.ts';
import { sendChecked, sendSome } from './sending.ts';

const counters = [
  'fetches',
  'fetched_bytes',
  'queued',
  'in_flight',
  'scraped',
  'discarded',
  'failed',
  'outside',
  'control',
  'sitemap_pages',
] as const satisfies readonly (keyof JobRow)[];

/** The other columns that change after a job is created, with their types. */
const stateColumns = {
  status: 'text',
  version: 'int',
  finished_at: 'bigint',
  stopped_at: 'bigint',
  end_reason: 'text',
  output_expiry: 'int',
  results_gone_at: 'bigint',
  swept: 'smallint',
  sitemaps: 'int',
  unlisted: 'int',
  notices: 'text',
  webhook_state: 'text',
  webhook_page: 'int',
  webhook_open: 'bigint',
  webhook_fails: 'text',
  seeded: 'bigint',
  changes: 'text',
  revisits: 'text',
  schedule_told: 'int',
  feed: 'int',
} as const satisfies Partial<Record<keyof JobRow, string>>;
const stateNames = Object.keys(stateColumns) as (keyof typeof stateColumns)[];
/** Can be as long as the list of start URLs: not written if unchanged. */
const longNames = ['moved_starts', 'networks'] as const satisfies readonly (keyof JobRow)[];

/** True if more than counters changed, so that the rows must be locked when they are read. */
export function needsLocks({ jobs, requests, urls, templates, events, hastened, endedRuns }: RowChanges): boolean {
  return (
    (jobs.length === 0 && requests.removed.length > 0) ||
    [urls.reopened, templates, events, hastened, endedRuns].some(({ length }) => length > 0) ||
    jobs.some(({ row, before }) => hasEnded(before.status) || hasOtherState({ row, before }))
  );
}

/** Runs before all other writes: it takes the locks, and gives the pages their numbers. */
export function writeJobs(tx: Transaction, { jobs, toLock, urls, jobUrlsMax }: RowChanges): void {
  if (toLock && (jobs.length > 1 || toLock.ifFree.length > 0)) lockInOrder(tx, toLock, jobs);
  const adds = new Set(urls.added.map(({ job }) => job));
  count(tx, jobs, { adds, jobUrlsMax, isChecked: toLock !== undefined });
  const others = jobs.filter(hasOtherState);
  sendSome(tx, others.length, stateSql, [
    others.map(({ row }) => row.seq),
    ...stateNames.map((name) => others.map(({ row }) => row[name])),
    ...longNames.map((name) => others.map(({ row, before }) => (row[name] === before[name] ? null : row[name]))),
  ]);
  const ended = jobs.filter(({ row }) => hasEnded(row.status)).map(({ row }) => row.seq);
  sendSome(tx, ended.length, 'DELETE FROM job_headers WHERE job = ANY($1::bigint[])', [ended]);
}

function hasOtherState({ row, before }: ChangedJob): boolean {
  return [...stateNames, ...longNames].some((name) => row[name] !== before[name]);
}

/** A job in `ifFree` that others hold fails the transaction. If it waited, it would hold jobs that others wait for. */
function lockInOrder(tx: Transaction, toLock: JobsToLock, jobs: readonly ChangedJob[]): void {
  const changed = new Set(jobs.map(({ row }) => row.seq));
  const [waitedFor, ifFree] = [toLock.waitedFor, toLock.ifFree].map((seqs) =>
    seqs.filter((seq) => changed.has(seq)),
  ) as [number[], number[]];
  const sql = 'SELECT FROM job WHERE seq = ANY($1::bigint[]) ORDER BY seq FOR NO KEY UPDATE';
  sendSome(tx, waitedFor.length, sql, [waitedFor]);
  sendSome(tx, ifFree.length, `${sql} NOWAIT`, [ifFree]);
}

const after = (name: (typeof counters)[number]): string => `(j.${name} + u.${name})`;
const roomAfterSql = roomSql.replaceAll(/j\.(scraped|fetches|in_flight)/g, (_, name: 'scraped') => after(name));
/** The unlocked decision still holds for the row as it is now: no limit is passed, and the job does not end. */
const holdsSql = `j.finished_at IS NULL AND j.webhook_open = u.webhook_open
  AND ${after('scraped')} < j.page_limit
  AND NOT (${after('fetches')} >= j.fetch_limit AND ${after('in_flight')} = 0 AND ${after('queued')} > 0)
  AND ${after('queued')} + ${after('in_flight')} + ${after('control')} > 0
  AND (u.in_flight <= 0 OR ${roomAfterSql} >= 0)
  AND (NOT u.adds OR ${['queued', 'in_flight', 'scraped', 'discarded', 'failed', 'outside'].map((name) => after(name as 'queued')).join(' + ')} <= u.urls_max)`;

const sumSql = (column: 'reasons' | 'tally'): string => `CASE WHEN u.${column} = '{}' THEN j.${column} ELSE (
  SELECT coalesce(json_object_agg(key, urls ORDER BY key), '{}')::text FROM (
    SELECT key, sum(value::bigint) AS urls
    FROM (SELECT * FROM json_each_text(j.${column}::json) UNION ALL SELECT * FROM json_each_text(u.${column}::json)) r
    GROUP BY key HAVING sum(value::bigint) <> 0) s) END`;
/** The first example stays. */
const examplesSql = `CASE WHEN u.examples = '{}' THEN j.examples ELSE (u.examples::jsonb || j.examples::jsonb)::text END`;

const countSql = (condition: string): string => `
  UPDATE job j SET ${counters.map((name) => `${name} = ${after(name)}`).join(', ')}, reasons = ${sumSql('reasons')},
    tally = ${sumSql('tally')}, examples = ${examplesSql}
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::boolean[], $7::int[], ${counters.map((_, index) => `$${index + 8}::bigint[]`).join(', ')})
    AS u (seq, reasons, tally, examples, webhook_open, adds, urls_max, ${counters.join(', ')}) WHERE j.seq = u.seq AND ${condition}`;
const countUnchecked = countSql('true');
const countChecked = countSql(holdsSql);

interface Counting {
  /** Jobs that get new URLs. */
  readonly adds: ReadonlySet<number>;
  readonly jobUrlsMax: number;
  readonly isChecked: boolean;
}

function count(tx: Transaction, jobs: readonly ChangedJob[], { adds, jobUrlsMax, isChecked }: Counting): void {
  const values: Value[] = [
    jobs.map(({ row }) => row.seq),
    jobs.map(({ row, before }) => added(row.reasons, before.reasons)),
    jobs.map(({ row, before }) => added(row.tally, before.tally)),
    jobs.map(({ row, before }) => JSON.stringify(newIn(row.examples, before.examples))),
    jobs.map(({ row }) => row.webhook_open),
    jobs.map(({ row }) => adds.has(row.seq)),
    jobs.map(() => jobUrlsMax),
    ...counters.map((name) => jobs.map(({ row, before }) => row[name] - before[name])),
  ];
  if (isChecked) sendChecked(tx, jobs.length, countChecked, values);
  else sendSome(tx, jobs.length, countUnchecked, values);
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

const stateSql = `
  UPDATE job SET ${stateNames.map((name) => `${name} = u.${name}`).join(', ')}, ${longNames.map((name) => `${name} = coalesce(u.${name}, job.${name})`).join(', ')}
  FROM unnest($1::bigint[], ${stateNames.map((name, index) => `$${index + 2}::${stateColumns[name]}[]`).join(', ')},
    ${longNames.map((_, index) => `$${index + 2 + stateNames.length}::text[]`).join(', ')})
    AS u (seq, ${stateNames.join(', ')}, ${longNames.join(', ')}) WHERE job.seq = u.seq`;
