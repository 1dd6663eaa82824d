import {
  type ClientConfig,
  type CustomTypesConfig,
  DatabaseError,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  type QueryResultRow,
  types as postgresTypes,
} from 'pg';
import type { StoreConnections } from '../../core/stores.ts';
import { isPassing } from './faults.ts';

/** A statement takes no longer on the server; the client waits a little longer than that for the answer. */
const statementMs = 30_000;
const answerMs = 40_000;
/** Longer than any commit takes that holds a row. */
const lockMs = 15_000;
/** A process that was stopped in the middle of a transaction holds the rows of jobs: it loses them. */
const idleInTransactionMs = 10_000;
const connectMs = 5_000;
const idleMs = 30_000;

export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | boolean | null)[];

export interface ConnectionsOptions {
  readonly url: string;
  /** Connections at most; one more is opened for what has to be told at once. */
  readonly max: number;
  readonly applicationName: string;
  /** Told of connections that broke while nobody used them. */
  readonly onError?: (error: Error) => void;
}

const inFailedTransaction = '25P02';
/**
 * A peer that is gone without a word, with locks held, is noticed within half a minute. Each statement is small and has its
 * index: while tables grow faster than their statistics, the planner must not take to reading them as a whole, to helpers or to
 * compiling, which cost ten milliseconds each.
 */
const sessionSettings = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  enable_seqscan: 'off',
  max_parallel_workers_per_gather: 0,
  jit: 'off',
};

/** The type of whole numbers of eight bytes, in the catalogue of every database. */
const int8 = 20;

/** Numbers, not strings: nothing counted here goes beyond 2^53. Bytes come as text, since the driver reads everything as such. */
const types: CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    oid === int8 ? Number : postgresTypes.getTypeParser(oid)) as CustomTypesConfig['getTypeParser'],
};

export function clientConfig(options: Pick<ConnectionsOptions, 'url' | 'applicationName'>): ClientConfig {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    options: Object.entries(sessionSettings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    query_timeout: answerMs,
    types,
  };
}

/** A bounded pool of connections on which statements are sent without waiting for the answer to the one before. */
export class Connections {
  readonly #pool: Pool;
  #closed: Promise<void> | undefined;

  constructor(options: ConnectionsOptions) {
    const config: PoolConfig = {
      ...clientConfig(options),
      pipeline: true,
      max: options.max,
      idleTimeoutMillis: idleMs,
    };
    this.#pool = new Pool(config);
    this.#pool.on('error', (error) => options.onError?.(error));
  }

  /** For metrics. */
  get counts(): StoreConnections {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount, max: options.max };
  }

  /** One statement, which is its own transaction. */
  async query<Row = unknown>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#with(async (client) => new Transaction(client).query<Row>(text, values));
  }

  /** Answers how many rows were written. */
  async run(text: string, values: readonly Value[] = []): Promise<number> {
    return this.#with(async (client) => new Transaction(client).run(text, values));
  }

  /**
   * Commits when the function resolves and everything that it asked for succeeded; else nothing is written. Statements are
   * sent at once, in order: whoever needs no answer yet need not wait for one.
   */
  transaction<Result>(
    run: (tx: Transaction) => Promise<Result>,
    kind: 'READ COMMITTED' | 'REPEATABLE READ READ ONLY' = 'READ COMMITTED',
  ): Promise<Result> {
    return this.#with(async (client) => {
      const tx = new Transaction(client);
      tx.send(`BEGIN ISOLATION LEVEL ${kind}`);
      let result: Result;
      try {
        result = await run(tx);
        await tx.sent();
      } catch (error) {
        const cause = await tx.causeOf(error);
        // Else the connection is given up, and the transaction with it: on one that is silent, nobody would answer.
        if (!isPassing(cause)) await client.query('ROLLBACK').catch(() => {});
        throw cause;
      }
      await tx.commit();
      return result;
    });
  }

  /** Repeatable. */
  close(): Promise<void> {
    return (this.#closed ??= this.#pool.end());
  }

  async #with<Result>(use: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    let failure: unknown;
    // What breaks the connection is seen by whoever waits for an answer.
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
  readonly #sent: Promise<unknown>[] = [];

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async query<Row = unknown>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return (await this.#client.query<Row & QueryResultRow>(statement(text, values))).rows;
  }

  /** Answers how many rows were written. */
  async run(text: string, values: readonly Value[] = []): Promise<number> {
    return (await this.#client.query(statement(text, values))).rowCount ?? 0;
  }

  /** Several statements, without values. */
  async script(sql: string): Promise<void> {
    await this.#client.query(sql);
  }

  /** Sends a statement whose answer nobody needs: what becomes of it shows before the commit. */
  send(text: string, values: readonly Value[] = []): void {
    const sent = this.run(text, values);
    sent.catch(() => {});
    this.#sent.push(sent);
  }

  /** Resolves when all that was sent has succeeded. */
  async sent(): Promise<void> {
    const results = await Promise.allSettled(this.#sent.splice(0));
    // The first: what follows it only says that the transaction has failed.
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** A statement may fail only because one that was sent before it had failed. */
  async causeOf(error: unknown): Promise<unknown> {
    if (!(error instanceof DatabaseError) || error.code !== inFailedTransaction) return error;
    return this.sent().then(
      () => error,
      (first: unknown) => first,
    );
  }

  async commit(): Promise<void> {
    const { command } = await this.#client.query('COMMIT');
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
  }
}

function statement(text: string, values: readonly Value[]): QueryConfig {
  return { text, values: values.map(storable), name: nameOf(text) };
}

/** Text of PostgreSQL holds every character but U+0000. */
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
