// SQL that is the same on both stores. `sql` numbers the placeholders; a fragment writes what the stores spell differently.

import { monotonicNow } from '../../core/process/monotonic-time.ts';

export type Scalar = string | number | null;
export type Value = Scalar | Uint8Array | readonly Scalar[];

export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** The placeholder of the value with this number, from 1. */
  place(number: number): string;
  /** Of PostgreSQL: the number of this process, from 1; 0 if it does not crawl. */
  readonly worker: number;
}

/** SQL that depends on the store. */
export type Fragment = (dialect: Dialect) => Sql;

/** A statement or a part of one: values stand between the texts. */
export interface Sql {
  readonly texts: readonly string[];
  readonly values: readonly (Value | Sql | Fragment)[];
}

/** PostgreSQL cannot tell the type of each value: write `CAST(${value} AS bigint)` where it must know. */
export function sql(texts: TemplateStringsArray, ...values: Sql['values']): Sql {
  return { texts, values };
}

/** SQL as it is. Never give it what a user wrote. */
export function raw(text: string): Sql {
  return { texts: [text], values: [] };
}

export const nothing = raw('');

export function either(sqlite: Sql, postgres: Sql): Fragment {
  return ({ name }) => (name === 'sqlite' ? sqlite : postgres);
}

/**
 * Pages that other live processes request, as they noted with the last renewal of their leases; null if one of them does
 * not count. `pages`: of the worker `w`.
 */
export function elsewhere(pages: Sql): Fragment {
  return ({ name, worker }) =>
    name === 'sqlite'
      ? raw('0')
      : sql`(SELECT CASE WHEN count(*) = count(w.open_pages) THEN coalesce(sum(${pages}), 0)::int END
          FROM worker w WHERE w.id <> ${worker} AND NOT w.dead AND w.lease_until > ${clock()})`;
}

/** Those of the row of `job`. */
export const elsewhereOfJob = elsewhere(raw('(w.open_pages ->> job.id)::int'));

/** The columns for {@link jobs}, of the table `job`. */
export const shown: Fragment = () => sql`job.*, ${clock()} AS now, ${elsewhereOfJob} AS elsewhere`;

/** After a read: keeps the rows locked until the transaction ends. SQLite has one writer. */
export const forUpdate: Fragment = either(nothing, raw('FOR UPDATE'));

/** Conditions or statements with a word between them. */
export function joined(separator: string, parts: readonly Sql[]): Sql {
  return { texts: [...parts.map((_, index) => (index === 0 ? '' : separator)), ''], values: parts };
}

/** `pattern`: of LIKE, with a backslash as escape character. ASCII letters match in upper and lower case. */
export function isLike(column: Sql, pattern: string): Fragment {
  return either(
    sql`${column} LIKE ${pattern} ESCAPE '\\'`,
    sql`lower(${column} COLLATE "C") LIKE ${pattern.toLowerCase()}`,
  );
}

/** Values with commas between them. */
export function list(values: readonly Value[]): Sql {
  return { texts: [...values.map((_, index) => (index === 0 ? '' : ', ')), ''], values };
}

/** After a column: it is one of these. */
export function isIn(values: readonly (string | number)[]): Fragment {
  return either(sql`IN (SELECT value FROM json_each(${JSON.stringify(values)}))`, sql`= ANY(${values})`);
}

/** Milliseconds since the epoch by the clock of the store. Between processes, only that of the database counts. */
export function clock(given?: number): Sql | Fragment {
  if (given !== undefined) return sql`CAST(${given} AS bigint)`;
  return clockOf;
}

const clockOf: Fragment = ({ name }) =>
  name === 'sqlite' ? sql`${Date.now()}` : raw('(extract(epoch FROM clock_timestamp()) * 1000)::bigint');

/** The same by the clock of the frontier. */
export const frontierClock: Fragment = (dialect) =>
  dialect.name === 'sqlite' ? sql`${monotonicNow()}` : clockOf(dialect);

/** The text of a statement with placeholders, and their values. */
export function written(
  statement: Sql,
  dialect: Dialect,
): { readonly text: string; readonly values: readonly Value[] } {
  const values: Value[] = [];
  const text = (part: Sql): string =>
    part.texts.map((piece, index) => piece + (index < part.values.length ? place(part.values[index]) : '')).join('');
  const place = (value: Sql['values'][number] | undefined): string => {
    if (typeof value === 'function') return text(value(dialect));
    if (isSql(value)) return text(value);
    return dialect.place(values.push(value ?? null));
  };
  return { text: text(statement), values };
}

function isSql(value: Sql['values'][number] | undefined): value is Sql {
  return typeof value === 'object' && value !== null && 'texts' in value;
}
