// What both frontiers read that is not on the path of a page: requests to give up, and suspects.
import { stageMax } from '../rules/frontier/deaths.ts';
import { type PendingRow, pendingColumns } from '../rules/frontier/taking.ts';
import { all, one, type Steps } from './operation.ts';
import { clock, either, joined, raw, type Sql, sql } from './sql.ts';

/** Requests that are given up in one step: about 20 ms. */
const givenUpPerStep = 1_000;
/** Suspects examined to find one that can be tried now. */
const looksMax = 50;

/** The jobs that a process works on. */
export interface JobRange {
  /** Numbers of jobs, both ends included. */
  readonly first: number;
  readonly last: number;
  /** False: jobs that need a browser are left out. */
  readonly hasBrowser: boolean;
}

export interface Pending {
  readonly id: number;
  readonly job: number;
}

/** Requests that were found. There can be more. */
export interface SomePending {
  readonly requests: readonly Pending[];
  readonly mayHaveMore: boolean;
}

/** Requests of a host that nobody has taken, of jobs that are not stopped. One part for each partial index. */
export function* pendingOn(host: number, { first, last }: Pick<JobRange, 'first' | 'last'>): Steps<SomePending> {
  const parts = ['not_before = 0', 'not_before > 0', 'not_before < 0'].map(
    (
      part,
    ) => sql`SELECT id, job FROM frontier WHERE host = ${host} AND job BETWEEN ${first} AND ${last} AND fence IS NULL
      AND ${raw(part)} AND job NOT IN (SELECT seq FROM job WHERE stopped_at IS NOT NULL)`,
  );
  const requests = yield* all<Pending>(sql`${joined(' UNION ALL ', parts)} LIMIT ${givenUpPerStep}`);
  return { requests, mayHaveMore: requests.length === givenUpPerStep };
}

/** The requests of jobs that need a browser, where no process has one: some at a time. */
export class ForBrowser {
  /** How far they were given up: a job, and a URL of it. */
  #passed = { job: 0, id: 0 };

  /** Undefined if there are none; then it begins again. */
  *next({ first, last }: JobRange): Steps<(SomePending & { readonly job: number }) | undefined> {
    const { job: from, id } = this.#passed;
    const found = yield* one<{ readonly seq: number }>(
      sql`SELECT seq FROM job WHERE needs_browser = 1 AND finished_at IS NULL AND stopped_at IS NULL
        AND seq BETWEEN ${Math.max(from, first)} AND ${last} ORDER BY seq LIMIT 1`,
    );
    if (!found) {
      this.#passed = { job: 0, id: 0 };
      return undefined;
    }
    const { seq: job } = found;
    const requests = yield* all<Pending>(
      sql`SELECT l.id, l.job FROM ledger l JOIN frontier f ON f.id = l.id
        WHERE l.job = ${job} AND l.id > ${job === from ? id : 0} AND l.state = 'queued' AND f.fence IS NULL ORDER BY l.id LIMIT ${givenUpPerStep}`,
    );
    return { job, requests, mayHaveMore: requests.length === givenUpPerStep };
  }

  /** Call when they were given up. */
  pass({ job, requests, mayHaveMore }: SomePending & { readonly job: number }): void {
    this.#passed = mayHaveMore ? { job, id: requests.at(-1)?.id ?? 0 } : { job: job + 1, id: 0 };
  }
}

export interface SuspectRow extends PendingRow, Pending {
  readonly host: number;
  /** Of the host. */
  readonly name: string;
  readonly deaths: number;
  readonly priority: number;
}

/** Condition on a row `f` of the frontier: its job is not stopped, and the process can render its pages if it must. */
function mayTake({ first, last, hasBrowser }: JobRange): Sql {
  const refused = raw(hasBrowser ? 'stopped_at IS NOT NULL' : '(stopped_at IS NOT NULL OR needs_browser = 1)');
  return sql`f.fence IS NULL AND f.not_before < 0 AND f.job BETWEEN ${first} AND ${last}
    AND NOT EXISTS (SELECT 1 FROM job WHERE seq = f.job AND ${refused})`;
}

export function* countSuspects(range: JobRange): Steps<number> {
  const row = yield* one<{ suspects: number }>(
    sql`SELECT count(*) AS suspects FROM frontier f WHERE ${mayTake(range)}`,
  );
  return row?.suspects ?? 0;
}

/** Suspects with at most `aloneDeaths` crashes alone whose hosts nobody has leased. `now`: by the clock of the frontier of SQLite. */
export function suspects(range: JobRange, aloneDeaths: number, now = 0): Steps<SuspectRow[]> {
  const isFree = either(
    sql`h.leased = 0 AND h.next_at <= ${now}`,
    sql`EXISTS (SELECT FROM host_slot s WHERE s.host = f.host AND s.owner IS NULL AND s.next_at <= ${clock()})`,
  );
  return all(
    sql`SELECT f.job, f.host, f.deaths, f.priority, h.name, ${raw(pendingColumns)}
      FROM frontier f JOIN ledger l ON l.job = f.job AND l.id = f.id JOIN host h ON h.id = f.host
      WHERE f.deaths <= ${stageMax(aloneDeaths)} AND ${mayTake(range)} AND ${isFree} ORDER BY f.deaths LIMIT ${looksMax}`,
  );
}
