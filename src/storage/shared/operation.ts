// What both stores do alike. An operation is a generator: it yields statements and receives their results. SQLite runs it
// to its end in one of its threads; PostgreSQL awaits each result.
import type { Job } from '../../core/job.ts';
import type { Link, RequestKind } from '../../core/request.ts';
import type { CrawlTables } from '../rules/frontier/crawl-tables.ts';
import type { Ledger } from '../rules/frontier/ledger.ts';
import { jobOf } from '../rules/jobs/job-of-row.ts';
import { type JobRow, jobRowOf, type StoredJobRow } from '../rules/jobs/job-row.ts';
import { openOf } from '../rules/jobs/requested-now.ts';
import { clock, either, nothing, raw, type Scalar, type Sql, sql } from './sql.ts';

/**
 * `rows` and `count`: the result of the statement. `bytes`: rows with bytes. `none`: nobody waits for it, but if it fails, so
 * does the transaction. A statement without text is left out. `here`: the pages of each job that this process requests now;
 * undefined if it does not count.
 */
export type Step =
  | { readonly statement: Sql; readonly wants: 'rows' | 'bytes' | 'count' | 'none' }
  | { readonly wants: 'here' }
  | (Each & { readonly wants: 'each' | 'found' | 'sent' | 'checked' })
  | { readonly wants: 'turn'; readonly of: (jobs: JobTransaction) => unknown };

/** Names and types of what a statement takes of each row. */
export type Columns = Readonly<Record<string, 'bigint' | 'int' | 'text' | 'bytea'>>;

/** Columns of one type. */
export function columns<Type extends keyof Types, Name extends string>(
  type: Type,
  ...names: readonly Name[]
): Readonly<Record<Name, Type>> {
  return Object.fromEntries(names.map((name) => [name, type])) as Readonly<Record<Name, Type>>;
}

interface Types {
  readonly bigint: number;
  readonly int: number;
  readonly text: string;
  readonly bytea: Uint8Array;
}

export type RowOf<Of extends Columns> = { -readonly [Name in keyof Of]: Types[Of[Name]] | null };

/** A statement for many rows. */
export interface RowStatement<Of extends Columns = Columns> {
  readonly columns: Of;
  /** `u`: what stands after FROM, a row with these columns. */
  readonly statement: (u: Sql) => Sql;
}

/** What a row has for each column. */
export type Cells = Readonly<Record<string, Scalar | Uint8Array | undefined>>;

export interface Each extends RowStatement {
  readonly rows: readonly object[];
}

/** Adds rows with these columns to a table. `end`: what follows in SQL. */
export function insertion<Of extends Columns>(table: string, columns: Of, end = nothing): RowStatement<Of> {
  const names = raw(Object.keys(columns).join(', '));
  return { columns, statement: (u) => sql`INSERT INTO ${raw(table)} (${names}) SELECT ${names} FROM ${u} ${end}` };
}

/** What an operation of the kind `jobs` does besides statements. SQLite does it at once, PostgreSQL when it has read what it needs. */
export interface JobTransaction {
  /** Statements see a row as it was before the transaction. Undefined: there is no such job. `links`: that it can get. */
  held(job: string | number, links: readonly LinksOfKind[]): HeldJob | undefined | Promise<HeldJob | undefined>;
  /** A job that was stored in this transaction, before it is held. `retried`: the id of the job that it retries. */
  stored(job: StoredKeys): void;
  /** False if so many unfinished jobs are far from a limit, so that jobs can be made side by side. */
  isNear(unfinishedMax: number): boolean;
  /** The hosts of a job that is not stopped any more have work. */
  wake(row: JobRow): void;
  /** Other durable work can be due. */
  noteDue(): void;
  /** Call after changing a row. */
  touch(row: JobRow): void;
  readonly ledger: Ledger;
  readonly tables: CrawlTables;
}

export interface HeldJob {
  readonly row: JobRow;
  readonly now: number;
  /** The time by the clock of the frontier. */
  readonly dueAt: number;
}

export interface LinksOfKind {
  readonly kind: RequestKind;
  readonly links: readonly Link[];
}

export interface StoredKeys {
  readonly id: string;
  readonly seq: number;
  readonly retried: Pick<JobRow, 'id' | 'seq'> | undefined;
  readonly hasWebhook: boolean;
  readonly since: number | null;
}

export type Steps<Result> = Generator<Step, Result, unknown>;

export function* all<Row>(statement: Sql): Steps<Row[]> {
  return (yield { statement, wants: 'rows' }) as Row[];
}

export function* one<Row>(statement: Sql): Steps<Row | undefined> {
  return (yield* all<Row>(statement))[0];
}

/** PostgreSQL sends these rows in binary: bytes as hexadecimal text take five times the processor time. */
export function* bytes<Row>(statement: Sql): Steps<Row[]> {
  return (yield { statement, wants: 'bytes' }) as Row[];
}

export function* openHere(): Steps<ReadonlyMap<string, number> | undefined> {
  return (yield { wants: 'here' }) as ReadonlyMap<string, number> | undefined;
}

/** `statement`: its rows begin with `shown`. */
export function* jobs(statement: Sql): Steps<Job[]> {
  const rows = yield* all<StoredJobRow & { readonly now: number; readonly elsewhere: number | null }>(statement);
  const here = yield* openHere();
  return rows.map((row) => jobOf(jobRowOf(row), row.now, openOf(here, row.id, row.elsewhere)));
}

/** Returns how many rows were written. */
export function* run(statement: Sql): Steps<number> {
  return (yield { statement, wants: 'count' }) as number;
}

export function* send(statement: Sql): Steps<void> {
  yield { statement, wants: 'none' };
}

/** In an operation of the kind `jobs`. */
export function* turn<Result>(of: (jobs: JobTransaction) => Result | Promise<Result>): Steps<Result> {
  return (yield { wants: 'turn', of }) as Result;
}

/** The time, by the clock of the store unless it is given. Take locks first: they can wait. */
export function* timeOf(given?: number): Steps<number> {
  const now = given ?? (yield* one<{ now: number }>(sql`SELECT ${clock()} AS now`))?.now;
  if (now === undefined) throw new Error('the store did not say what time it is');
  return now;
}

/** First number of advisory locks. The second is a hash: of an org, of its idempotency key, or of a job it retries. */
export const orgLock = 834_022;

/** Until the transaction ends, no other creates something of this org. */
export function lockOrg(org: string): Steps<void> {
  return send(sql`${either(nothing, sql`SELECT pg_advisory_xact_lock(${orgLock}, hashtext(${org}))`)}`);
}

/** The one way to write many rows: PostgreSQL runs it once with arrays, SQLite once a row, prepared. Returns how many were written. */
export function* each(of: Each): Steps<number> {
  return of.rows.length === 0 ? 0 : ((yield { ...of, wants: 'each' }) as number);
}

/** Reads what the statement finds for each row. */
export function* allEach<Row>(of: Each): Steps<readonly Row[]> {
  return of.rows.length === 0 ? [] : ((yield { ...of, wants: 'found' }) as readonly Row[]);
}

/** As {@link each}, but nobody waits for it. `checked`: it fails unless it writes a row for each. */
export function* sendEach(of: Each, wants: 'sent' | 'checked' = 'sent'): Steps<void> {
  if (of.rows.length > 0) yield { ...of, wants };
}

export interface Operation<Args extends readonly unknown[] = readonly unknown[], Result = unknown> {
  /**
   * `read`: one statement, or several that need not agree. `snapshot`: reads of one moment. `write`: one transaction.
   * `jobs`: one that changes rows of jobs. If it returns such a row, its caller gets the job.
   */
  readonly kind: 'read' | 'snapshot' | 'write' | 'jobs';
  /** A write of the engine: it waits while nothing can be written. Others are rejected, because a client waits. */
  readonly waits?: boolean;
  /** It frees space, or needs almost none, so it runs while the disk is low on space. */
  readonly makesRoom?: boolean;
  /** A read of hundreds of rows: SQLite has a thread for them. */
  readonly isLong?: boolean;
  /** A read of pages: SQLite has another thread for them. */
  readonly ofPages?: boolean;
  /** What it removes is overwritten. */
  readonly erases?: boolean;
  /** Whoever waits for due work is told after the write. */
  readonly addsWork?: boolean;
  /** Of the kind `jobs`: what PostgreSQL looks up before the transaction. */
  concerns?(...args: Args): { readonly job?: string; readonly links?: readonly Link[] };
  steps(...args: Args): Steps<Result>;
}

type JobOperation<Args extends readonly unknown[], Result> = Operation<Args, WithRow<Result>> & {
  readonly kind: 'jobs';
};
type WithRow<Result> = Result extends Job ? JobRow : Result;

/** The operations of a port, by the names of its methods. */
export type OperationsOf<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Result>
    ? Operation<Args, Result> | JobOperation<Args, Result>
    : never;
};
