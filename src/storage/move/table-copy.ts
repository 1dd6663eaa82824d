// Reads the rows of one table, sends them, and reads them back.
import { createHash } from 'node:crypto';
import type { RowsRead } from '../../core/ports/move.ts';
import type { Transaction } from '../postgres/connection/connections.ts';
import { runSteps } from '../postgres/connection/run-steps.ts';
import { type Cells, type Columns, each, type RowStatement } from '../shared/operation.ts';
import { raw, sql } from '../shared/sql.ts';
import type { Database } from '../sqlite/file/database.ts';
import type { MovedTableShape, MoveValues } from './moved-tables.ts';

/** Limits of one statement. Only its last row can exceed the bytes. */
const rowsPerBatch = 2_000;
const bytesPerBatch = 4 * 2 ** 20;

type Scalar = string | number | null;
type Cell = Scalar | Uint8Array;
type Row = readonly Cell[];

/** Copies all rows of a table; returns what was read. At most two batches are in memory. */
export async function copyTable(
  source: Database,
  tx: Transaction,
  table: MovedTableShape,
  values: MoveValues,
): Promise<RowsRead> {
  const checksum = new Checksum();
  const insert = insertionOf(table);
  let sent: Promise<unknown> = Promise.resolve();
  for (const batch of batches(rowsOf(source, table, values))) {
    for (const row of batch) checksum.add(row.map(fingerprint));
    const before = sent;
    sent = runSteps(tx, each({ ...insert, rows: batch.map((row) => named(table, row)) }));
    await before;
  }
  await sent;
  return checksum.end();
}

/** Reads all rows of a table from the target. The database hashes bytes itself, as it stored them. */
export async function readBack(tx: Transaction, table: MovedTableShape): Promise<RowsRead> {
  const checksum = new Checksum();
  const cursor = `copied_${table.name}`;
  await tx.script(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${readSql(table)}`);
  for (;;) {
    const rows = await tx.query<Readonly<Record<string, Scalar>>>(`FETCH ${rowsPerBatch} FROM ${cursor}`);
    for (const row of rows) checksum.add(table.columns.map(({ name }) => row[name] ?? null));
    if (rows.length < rowsPerBatch) break;
  }
  await tx.script(`CLOSE ${cursor}`);
  return checksum.end();
}

/** The SHA-256 of a sequence of rows, and their number. */
class Checksum {
  readonly #hash = createHash('sha256');
  #rows = 0;

  add(row: readonly Scalar[]): void {
    this.#hash.update(`${JSON.stringify(row)}\n`);
    this.#rows++;
  }

  end(): RowsRead {
    return { rows: this.#rows, checksum: this.#hash.digest('hex') };
  }
}

function fingerprint(cell: Cell): Scalar {
  return cell instanceof Uint8Array ? createHash('sha256').update(cell).digest('hex') : cell;
}

function* rowsOf(source: Database, { from, columns, orderFrom }: MovedTableShape, values: MoveValues): Generator<Row> {
  const list = columns.map((column) => `${column.from} AS "${column.name}"`).join(', ');
  const statement = source.prepare<[MoveValues], Readonly<Record<string, Cell>>>(
    `SELECT ${list} FROM ${from} ORDER BY ${orderFrom}`,
  );
  for (const row of statement.iterate(values)) yield columns.map(({ name }) => cellOf(row[name] ?? null));
}

/** PostgreSQL text cannot contain U+0000. */
function cellOf(value: Cell): Cell {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

function* batches(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(row);
    for (const cell of row) if (typeof cell === 'object' || typeof cell === 'string') bytes += cell?.length ?? 0;
    if (batch.length < rowsPerBatch && bytes < bytesPerBatch) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function named({ columns }: MovedTableShape, row: Row): Cells {
  return Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]));
}

function insertionOf({ name, columns }: MovedTableShape): RowStatement {
  const names = raw(columns.map((column) => column.name).join(', '));
  return {
    columns: Object.fromEntries(columns.map((column) => [column.name, inStatements(column.type)])),
    statement: (u) => sql`INSERT INTO ${raw(name)} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM ${u}`,
  };
}

function inStatements(type: MovedTableShape['columns'][number]['type']): Columns[string] {
  return type === 'integer' || type === 'smallint' ? 'int' : type;
}

function readSql({ name, columns, order }: MovedTableShape): string {
  const list = columns.map((column) =>
    column.type === 'bytea' ? `encode(sha256(${column.name}), 'hex') AS ${column.name}` : column.name,
  );
  const isText = (key: string): boolean => columns.some((column) => column.name === key && column.type === 'text');
  const keys = order.map((key) => (isText(key) ? `${key} COLLATE "C"` : key));
  return `SELECT ${list.join(', ')} FROM ${name} ORDER BY ${keys.join(', ')}`;
}
