// The rows of resources: see `core/resource.ts`.
import type { Column, Columns, Stored } from '../../core/resource.ts';

type Scalar = string | number | null;
/** A row as the database returns it. */
export type Row = Readonly<Record<string, Scalar>>;

type Nulls<Fields> = { [Name in keyof Fields as null extends Fields[Name] ? Name : never]: null };

/** The columns as a table declares them. */
export function declared(columns: Columns): string {
  return storedOf(columns)
    .map(({ column, sql }) => `${column} ${sql.replace('JSON', 'TEXT')}`)
    .join(', ');
}

export function columnNames(columns: Columns): string {
  return readOf(columns)
    .map(({ column }) => column)
    .join(', ');
}

export function fromRow<All extends Columns>(columns: All, row: Row): Stored<All> {
  const fields = readOf(columns).map(({ name, column, isJson }) => {
    const value = row[column];
    return [name, isJson && typeof value === 'string' ? JSON.parse(value) : value];
  });
  return Object.fromEntries(fields) as Stored<All>;
}

/** In the order of {@link columnNames}. */
export function valuesOf<All extends Columns>(columns: All, resource: Stored<All>): Scalar[] {
  const fields: Readonly<Record<string, unknown>> = resource;
  return readOf(columns).map(({ name, isJson }) => {
    const value = fields[name] ?? null;
    return isJson && value !== null ? JSON.stringify(value) : (value as Scalar);
  });
}

/** What a new one has where nothing is said. */
export function nullsOf<All extends Columns>(columns: All): Nulls<Stored<All>> {
  const optional = readOf(columns).filter(({ sql }) => !/NOT NULL|PRIMARY KEY/.test(sql));
  return Object.fromEntries(optional.map(({ name }) => [name, null])) as Nulls<Stored<All>>;
}

function readOf(columns: Columns) {
  return storedOf(columns).filter(({ isRead }) => isRead);
}

const known = new WeakMap<Columns, ReturnType<typeof listStored>>();

/** Listed once: each request reads a token. */
function storedOf(columns: Columns) {
  const stored = known.get(columns) ?? listStored(columns);
  known.set(columns, stored);
  return stored;
}

function listStored(columns: Columns) {
  return Object.entries(columns).flatMap(([name, { sql, type }]: [string, Column]) => {
    const column = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return sql === undefined ? [] : [{ name, column, sql, isJson: sql.startsWith('JSON'), isRead: type !== undefined }];
  });
}
