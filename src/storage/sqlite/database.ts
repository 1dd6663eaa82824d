import { DatabaseSync } from 'node:sqlite';

/** A prepared statement: what it is given, and what a row of its answer looks like. The types are the caller's word. */
export interface Statement<Values extends readonly unknown[] = readonly unknown[], Row = unknown> {
  run(...values: Values): { readonly changes: number; readonly lastInsertRowid: number };
  get(...values: Values): Row | undefined;
  all(...values: Values): Row[];
  iterate(...values: Values): Iterable<Row>;
}

/** Node's own SQLite driver, with statements that have types. */
export class Database {
  readonly file: string;
  readonly #db: DatabaseSync;

  /** `busyMs`: how long to wait for a lock that another connection holds. */
  constructor(file: string, options: { readonly busyMs: number; readonly readOnly?: boolean }) {
    this.file = file;
    this.#db = new DatabaseSync(file, { timeout: options.busyMs, readOnly: options.readOnly ?? false });
    // What a file's own schema says is not run with the rights of the program.
    this.exec('PRAGMA trusted_schema = OFF');
  }

  /** For a file that somebody else may have made: nothing in it can turn into writing to it. Not every Node can. */
  defend(): void {
    const db: { enableDefensive?(active: boolean): void } = this.#db;
    db.enableDefensive?.(true);
  }

  get isInTransaction(): boolean {
    return this.#db.isTransaction;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  prepare<Values extends readonly unknown[] = readonly unknown[], Row = unknown>(sql: string): Statement<Values, Row> {
    const statement = this.#db.prepare(sql);
    // A row that was read may be written back by a statement that names some of its columns.
    statement.setAllowUnknownNamedParameters(true);
    return statement as unknown as Statement<Values, Row>;
  }

  /** With rows as arrays, in the order of the columns: of many rows, making objects is much of the cost. */
  prepareArrays<Values extends readonly unknown[], Row extends readonly unknown[]>(
    sql: string,
  ): Statement<Values, Row> {
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    return statement as unknown as Statement<Values, Row>;
  }

  /** Sets a pragma, or asks for one: the first value of the answer, undefined where there is none. */
  pragma(text: string): unknown {
    // All rows: some pragmas do a part of their work for each.
    const [row] = this.prepare<[], Record<string, unknown>>(`PRAGMA ${text}`).all();
    return row === undefined ? undefined : Object.values(row)[0];
  }

  /** `deferred` for reading: one snapshot. `immediate` for writing. */
  transaction<Result>(kind: 'deferred' | 'immediate', run: () => Result): Result {
    this.exec(`BEGIN ${kind}`);
    try {
      const result = run();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.isInTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  /** Repeatable. */
  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}

/** Primary result codes of SQLite (sqlite.org/rescode.html) that are told apart here. */
export const sqliteCodes = {
  error: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  range: 25,
  notADatabase: 26,
} as const;

/** Extended ones: a primary code, and 256 times what it was about. */
export const extendedCodes = {
  ioWrite: 778,
  readOnlyMoved: 1_032,
  ioTruncate: 1_546,
  ioDelete: 2_570,
  ioAccess: 3_338,
  ioShmOpen: 4_618,
  ioShmSize: 4_874,
  ioShmMap: 5_386,
} as const;

/** The primary result code of an error of the driver; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code % 256;
}

export function extendedCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode;
}
