import { DatabaseError, Pool, type PoolClient, type PoolConfig, type QueryConfig, type QueryResultRow } from 'pg';
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

const inFailedTransaction = '25P02';
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
   * sent at once, in order, so a caller only waits for the results that it needs.
   */
  transaction<Result>(
    run: (tx: Transaction) => Promise<Result>,
    kind: 'READ COMMITTED' | 'REPEATABLE READ READ ONLY' = 'READ COMMITTED',
  ): Promise<Result> {
    return this.#with(async (client) => {
      const tx = new Transaction(client, this.#hasSessions);
      tx.begin(kind);
      let result: Result;
      try {
        result = await run(tx);
        // COMMIT is sent together with the statements before it: rows are locked for one round trip less. If a
        // statement failed, COMMIT rolls back.
        const committed = tx.commit();
        await tx.sent();
        await committed;
      } catch (error) {
        const cause = tx.causeOf(error);
        // After a passing error the connection is closed instead, which ends the transaction: a dead one would not
        // respond.
        if (!isPassing(cause)) await client.query('ROLLBACK').catch(() => {});
        throw cause;
      }
      return result;
    });
  }

  /** Repeatable. */
  close(): Promise<void> {
    return (this.#closed ??= this.#pool.end());
  }

  #alone<Result>(run: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.#hasSessions ? this.#with(async (client) => run(new Transaction(client, true))) : this.transaction(run);
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

/** One transaction, or one statement, on a connection of its own. */
export class Transaction {
  readonly #client: PoolClient;
  readonly #hasSession: boolean;
  readonly #sent: Promise<unknown>[] = [];
  /** The first: the statements after it only fail because of it. */
  #failure: { readonly error: unknown } | undefined;

  constructor(client: PoolClient, hasSession: boolean) {
    this.#client = client;
    this.#hasSession = hasSession;
  }

  begin(kind: string): void {
    if (this.#hasSession) this.send(`BEGIN ISOLATION LEVEL ${kind}`);
    else this.#note(this.script(`BEGIN ISOLATION LEVEL ${kind}; ${localSettings}`));
  }

  /** The caller can await it later: a failure is kept until then. */
  query<Row = unknown>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    const answer = this.#client.query<Row & QueryResultRow>(this.#statement(text, values));
    return this.#heldBack(answer.then(({ rows }) => rows));
  }

  /**
   * As {@link query}, for rows with bytes. All columns come in binary, so they can only have the types in
   * `binary-rows.ts`.
   */
  queryBytes<Row = unknown>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    const config: QueryConfig & { readonly binary: true } = { ...this.#statement(text, values), binary: true };
    return this.#heldBack(this.#client.query<Row & QueryResultRow>(config).then(({ rows }) => rows));
  }

  /** Returns how many rows were written. The caller can await it later, as with {@link query}. */
  run(text: string, values: readonly Value[] = []): Promise<number> {
    return this.#heldBack(this.#client.query(this.#statement(text, values)).then(({ rowCount }) => rowCount ?? 0));
  }

  /** Several statements, without values and without a time limit. */
  script(sql: string): Promise<void> {
    const config: QueryConfig & { readonly query_timeout: number } = { text: sql, query_timeout: scriptMs };
    return this.#heldBack(this.#client.query(config).then(() => {}));
  }

  /** Sends a statement whose result nobody needs. If it fails, the transaction fails before the commit. */
  send(text: string, values: readonly Value[] = []): void {
    this.#note(this.run(text, values));
  }

  #note(sent: Promise<unknown>): void {
    this.#sent.push(sent);
  }

  /** Resolves when all statements sent have succeeded. */
  async sent(): Promise<void> {
    const results = await Promise.allSettled(this.#sent.splice(0));
    // The first failure: later ones only report that the transaction has failed.
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** The original error, if a statement only failed because one sent before it had failed. */
  causeOf(error: unknown): unknown {
    const isConsequence = error instanceof DatabaseError && error.code === inFailedTransaction;
    return isConsequence && this.#failure ? this.#failure.error : error;
  }

  /** The caller can await it later, as with {@link query}. */
  commit(): Promise<void> {
    const answer = this.#client.query('COMMIT').then(({ command }) => {
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
    });
    return this.#heldBack(answer);
  }

  /**
   * Keeps a failure until somebody awaits the promise. Statements are sent together and awaited in any order: if one
   * fails, all later ones fail, and Node would end the process because of those that nobody awaits yet. None is lost:
   * COMMIT, sent last on the same connection, fails too.
   */
  #heldBack<Result>(promise: Promise<Result>): Promise<Result> {
    promise.catch((error: unknown) => {
      this.#failure ??= { error };
    });
    return promise;
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
