// A session of ours on PostgreSQL: with which settings, and whether there is one at all, which a pooler may deny.
import { Client, type ClientBase, type ClientConfig, type CustomTypesConfig, types as postgresTypes } from 'pg';

/** A statement takes no longer on the server; the client waits a little longer than that for the answer. */
const statementMs = 30_000;
const answerMs = 40_000;
/** Longer than any commit takes that holds a row. */
const lockMs = 15_000;
/** A process that was stopped in the middle of a transaction holds the rows of jobs: it loses them. */
const idleInTransactionMs = 10_000;
const connectMs = 5_000;
/** How often a pooler is given the chance to show that it pools transactions. */
const probes = 3;

export interface SessionOptions {
  readonly url: string;
  readonly applicationName: string;
}

/**
 * A peer that is gone without a word, with locks held, is noticed within half a minute. Each statement is small and has its
 * index: while tables grow faster than their statistics, the planner must not take to reading them as a whole, to helpers or to
 * compiling, which cost ten milliseconds each. So a plan does not depend on the values, and each session plans a statement once:
 * planning it at each call took a third of the server's time in polite crawls. Such a plan lasts until the tables' statistics
 * change, so it has to suit tables that grow: merging reads one side as a whole. Hashing does as well, but thousands of links that
 * are written in one statement need it.
 *
 * None of these is a start-up parameter: a pooler refuses those that it does not know, or drops them without a word.
 */
const settings = {
  statement_timeout: statementMs,
  lock_timeout: lockMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
  enable_seqscan: 'off',
  max_parallel_workers_per_gather: 0,
  jit: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
} as const;
const ofConnections = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 } as const;

/** The type of whole numbers of eight bytes, in the catalogue of every database. */
const int8 = 20;

/** Numbers, not strings: nothing counted here goes beyond 2^53. Bytes come as text, since the driver reads everything as such. */
const types: CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    oid === int8 ? Number : postgresTypes.getTypeParser(oid)) as CustomTypesConfig['getTypeParser'],
};

/** For every connection. Its session has its settings from {@link prepareSession}. */
export function clientConfig({ url, applicationName }: SessionOptions): ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    query_timeout: answerMs,
    types,
  };
}

/** Gives a new session its settings: rejects where the server does not take one of them. */
export async function prepareSession(client: ClientBase, changes: Partial<Record<keyof typeof settings, number>> = {}) {
  const calls = Object.entries({ ...settings, ...ofConnections, ...changes }).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  await client.query(`SELECT ${calls.join(', ')}`);
}

/** For the begin of a transaction whose session is another's before and after: the settings end with it. */
export const localSettings = Object.entries(settings)
  .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
  .join('; ');

/**
 * Whether a pooler gives each transaction any session that is free, such as PgBouncer with `pool_mode=transaction`: nothing that
 * belongs to a session is kept then.
 *
 * The server's own number of a connection differs from the one that it sent at the start only where a pooler is between. Two
 * clients have two sessions, except of a pooler that pools transactions.
 */
export async function isPooledByTransaction(options: SessionOptions): Promise<boolean> {
  const [one, other] = [new Client(clientConfig(options)), new Client(clientConfig(options))];
  // What breaks a connection is seen by the query that waits.
  for (const client of [one, other]) client.on('error', () => {});
  try {
    await one.connect();
    const first = await backendOf(one);
    if (first === (one as unknown as { readonly processID: number }).processID) return false;
    await other.connect();
    for (let probe = 0; probe < probes; probe++) {
      await other.query('BEGIN');
      if ((await backendOf(other)) === first || (await backendOf(one)) !== first) return true;
      await other.query('ROLLBACK');
    }
    return false;
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}
