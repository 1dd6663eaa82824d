import { Pool, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import type { StoreConnections } from '../../../core/ports/stores.ts';
import { isPassing } from './faults.ts';
import { clientConfig, isPooledByTransaction, localSettings, prepareSession, type SessionOptions } from './sessions.ts';

/** The longest delay that a timer supports. */
const scriptMs = 2 ** 31 - 1;
const idleMs = 30_000;

export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | boolean | null)[];

export interface ConnectionsOptions extends SessionOptions {
  /** Connections at most. Those of `Signals` and `Workers` do not count. */
  readonly max: number;
  /** As {@link Connections.learnPooling} found out on other connections to the same URL. @default true */
  readonly hasSessions?: boolean;
  /** Called with the error of a connection that broke while idle. */
  readonly onError?: (error: Error) => void;
}

/** A bounded connection pool that pipelines statements: it sends the next one before the previous one has returned. */
export class Connections {
  readonly #pool: Pool;
  readonly #options: ConnectionsOptions;
  #hasSessions: boolean;
  #closed: Promise<void> | undefined;

  constructor(options: ConnectionsOptions) {
    const config: PoolConfig = {
      ...clientConfig(options),
      pipeline: true,
      // The pool awaits the promise, although its types do not say so.
      // oxlint-disable-next-line typescript/no-misused-promises
      onConnect: (client) => (this.#hasSessions ? prepareSession(client) : undefined),
      max: options.max,
      idleTimeoutMillis: idleMs,
    };
    this.#options = options;
    this.#hasSessions = options.hasSessions ?? true;
    this.#pool = new Pool(config);
    this.#pool.on('error', (error) => options.onError?.(error));
  }

  get hasSessions(): boolean {
    return this.#hasSessions;
  }

  /** For metrics. */
  get counts(): StoreConnections {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount, max: options.max };
  }

  /**
   * Finds out if connections have sessions of their own. Await it before the first statement if there can be a pooler.
   * Without sessions, every transaction sets its settings itself, and statements are prepared each time.
   */
  async learnPooling(): Promise<{ readonly hasSessions: boolean }> {
    this.#hasSessions = !(await isPooledByTransaction(this.#options));
    return { hasSessions: this.#hasSessions };
  }

  /** One statement, in its own transaction. */
  query<Row = unknown>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#alone((tx) => tx.query<Row>(text, values));
  }

  /** See {@link Transaction.queryBytes}. */
  queryBytes<Row = unknown>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#alone((tx) => tx.queryBytes<Row>(text, values));
  }

  /** Returns how many rows were written. */
  run(text: string, values: readonly Value[] = []): Promise<number> {
    return this.#alone((tx) => tx.run(text, values));
  }

  /**
   * Commits if the function resolves and all its statements succeeded; otherwise nothing is written. Statements are
   * sent at once, in order, so a caller only waits for the results that it needs. Rejects with the error of the first
   * statement that failed, as soon as it has failed: see {@link Transaction}.
   */
  transaction<Result>(
    run: (tx: Transaction) => Promise<Result>,
    kind: 'READ COMMITTED' | 'REPEATABLE READ READ ONLY' = 'READ COMMITTED',
  ): Promise<Result> {
    return this.#with(async (client) => {
      const tx = new Transaction(client, this.#hasSessions);
      try {
        return await tx.result(async () => {
          tx.begin(kind);
          const result = await run(tx);
          // COMMIT is sent together with the statements before it: rows are locked for one round trip less. If a
          // statement failed, COMMIT rolls back.
          await tx.commit();
          return result;
        });
      } catch (error) {
        // After a passing error the connection is closed instead, which ends the transaction: a dead one would not
        // respond.
        if (!isPassing(error)) await client.query('ROLLBACK').catch(() => {});
        throw error;
      }
    });
  }

  /** Repeatable. */
  close(): Promise<void> {
    return (this.#closed ??= this.#pool.end());
  }

  #alone<Result>(run: (tx: Transaction) => Promise<Result>): Promise<Result> {
    if (!this.#hasSessions) return this.transaction(run);
    return this.#with((client) => {
      const tx = new Transaction(client, true);
      return tx.result(() => run(tx));
    });
  }

  async #with<Result>(use: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    let failure: unknown;
    // An error of the connection reaches the caller through the query it waits for.
    const ignore = (): void => {};
    client.on('error', ignore);
    try {
      return await use(client);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.off('error', ignore);
      client.release(isPassing(failure));
    }
  }
}

/**
 * One transaction, or one statement, on a connection of its own.
 *
 * Statements are sent together and awaited in any order, so promises, and others derived from them, can be left that
 * nobody awaits. Node ends the process if one of these rejects. So none ever rejects: after a failure, the promises of
 * the failed statement and of all later ones stay pending, {@link result} rejects, and nothing more is sent. A function
 * that uses a transaction must therefore hold nothing that only it can release.
 */
export class Transaction {
  readonly #client: PoolClient;
  readonly #hasSession: boolean;
  /** Rejects with the first failure: the statements after it only fail because of it. */
  readonly #failed = Promise.withResolvers<never>();
  #hasEnded = false;

  constructor(client: PoolClient, hasSession: boolean) {
    this.#client = client;
    this.#hasSession = hasSession;
  }

  /** The result of a function that uses this transaction, which has then ended. Rejects when a statement fails. */
  async result<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await Promise.race([this.#failed.promise, run()]);
    } finally {
      this.#hasEnded = true;
    }
  }

  begin(kind: string): void {
    if (this.#hasSession) this.send(`BEGIN ISOLATION LEVEL ${kind}`);
    else void this.script(`BEGIN ISOLATION LEVEL ${kind}; ${localSettings}`);
  }

  /** The caller can await it later. */
  async query<Row = unknown>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return (await this.#ask<Row>(this.#statement(text, values))).rows;
  }

  /**
   * As {@link query}, for rows with bytes. All columns come in binary, so they can only have the types in
   * `binary-rows.ts`.
   */
  async queryBytes<Row = unknown>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    const config: QueryConfig & { readonly binary: true } = { ...this.#statement(text, values), binary: true };
    return (await this.#ask<Row>(config)).rows;
  }

  /** Returns how many rows were written. The caller can await it later. */
  async run(text: string, values: readonly Value[] = []): Promise<number> {
    return (await this.#ask(this.#statement(text, values))).rowCount ?? 0;
  }

  /** Several statements, without values and without a time limit. */
  async script(sql: string): Promise<void> {
    const config: QueryConfig & { readonly query_timeout: number } = { text: sql, query_timeout: scriptMs };
    await this.#ask(config);
  }

  /** Sends a statement whose result nobody needs. If it fails, the transaction fails before the commit. */
  send(text: string, values: readonly Value[] = []): void {
    void this.#ask(this.#statement(text, values));
  }

  /** Resolves if all statements have succeeded. */
  async commit(): Promise<void> {
    const { command } = await this.#ask({ text: 'COMMIT' });
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
  }

  /** Stays pending after a failure of this statement, or of an earlier one. */
  #ask<Row>(config: QueryConfig): Promise<QueryResult<Row & QueryResultRow>> {
    return new Promise((resolve) => {
      if (this.#hasEnded) return;
      this.#client.query<Row & QueryResultRow>(config).then(resolve, this.#failed.reject);
    });
  }

  /** Statements are prepared by name only if the connection keeps its session. */
  #statement(text: string, values: readonly Value[]): QueryConfig {
    return { text, values: values.map(storable), ...(this.#hasSession && { name: nameOf(text) }) };
  }
}

/** PostgreSQL text cannot contain U+0000. */
function storable(value: Value): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  return Array.isArray(value) ? value.map((item: Value) => (typeof item === 'string' ? storable(item) : item)) : value;
}

const names = new Map<string, string>();

/** The same statement has the same name on every connection, which plans it once. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
