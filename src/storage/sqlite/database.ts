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
export const sqliteCodes = { busy: 5, corrupt: 11, notADatabase: 26 } as const;

/** The primary result code of an error of the driver; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode % 256;
}
