// A PostgreSQL session: its settings, and the test that a pooler keeps one at all.
import { Client, type ClientBase, type ClientConfig, type CustomTypesConfig, types as postgresTypes } from 'pg';
import { binaryParser, int8, readBinaryRows } from './binary-rows.ts';

/** Time limit of a statement on the server. The client waits a little longer for the response. */
const statementMs = 30_000;
const responseMs = 40_000;
/** Longer than any commit that holds a row. */
const lockMs = 15_000;
/** A process that is suspended during a transaction holds job rows. After this time it loses them. */
const idleInTransactionMs = 10_000;
const connectMs = 5_000;
/** How often a pooler gets the chance to show that it pools transactions. */
const probes = 3;

export interface SessionOptions {
  readonly url: string;
  readonly applicationName: string;
}

/**
 * A peer that disappears while it holds locks is noticed within half a minute. Each statement is small and has its
 * index. While tables grow faster than their statistics, the planner must not choose full scans, parallel workers or
 * JIT, which cost ten milliseconds each. So a plan does not depend on the values, and each session plans a statement
 * once: planning it at each call took a third of the server's time in polite crawls. Such a plan lasts until the
 * statistics change, so it must suit growing tables. Merge joins are off because they read one side as a whole. Hash
 * joins do too, but a statement that writes thousands of links needs them.
 *
 * None of these is a startup parameter: a pooler refuses parameters that it does not know, or drops them silently.
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

/** Numbers, not strings: nothing counted here exceeds 2^53. */
const types: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: string) => {
    if (format === 'binary') return binaryParser(oid);
    return oid === int8 ? Number : postgresTypes.getTypeParser(oid);
  }) as CustomTypesConfig['getTypeParser'],
};

readBinaryRows();

/** For every connection. {@link prepareSession} gives its session the settings. */
export function clientConfig({ url, applicationName }: SessionOptions): ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    query_timeout: responseMs,
    types,
  };
}

/** Gives a new session its settings. Rejects if the server refuses one of them. */
export async function prepareSession(client: ClientBase, changes: Partial<Record<keyof typeof settings, number>> = {}) {
  const calls = Object.entries({ ...settings, ...ofConnections, ...changes }).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  await client.query(`SELECT ${calls.join(', ')}`);
}

/** For the start of a transaction whose session is shared with other clients: the settings end with the transaction. */
export const localSettings = Object.entries(settings)
  .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
  .join('; ');

/**
 * True if a pooler assigns a free session to each transaction, such as PgBouncer with `pool_mode=transaction`. Then
 * nothing that belongs to a session is kept.
 *
 * The server's process id for a connection differs from the one sent at its start only if a pooler is in between. Two
 * clients have two sessions, unless a pooler pools transactions.
 */
export async function isPooledByTransaction(options: SessionOptions): Promise<boolean> {
  const [one, other] = [new Client(clientConfig(options)), new Client(clientConfig(options))];
  // An error of a connection reaches the caller through the query it waits for.
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
