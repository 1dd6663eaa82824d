// What it costs to be rid of results that have expired: deleted in steps, as the service does, against partitions by day that are
// dropped, and against rows that move to such a partition when their job ends.
//
//   node bench/expiry.ts [pages, default 100000] [rounds, default 3]
import { Client } from 'pg';
import { openPostgresStore } from '../src/storage/postgres/postgres-store.ts';
import type { Store } from '../src/core/ports/stores.ts';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import { newJob, org } from '../test/storage/test-data.ts';

const jobs = 10;
/** Deflated text of a page of about 15 KB of Markdown. */
const bodyBytes = 5_000;
const metaBytes = 400;

const [pages = 100_000, rounds = 3] = process.argv.slice(2).map(Number);
const pagesOfAJob = Math.floor(pages / jobs);

type Row = Readonly<Record<string, number>>;

const server = await startPostgres({ settings: { fsync: 'on', shared_buffers: '1GB', max_wal_size: '4GB' } });
try {
  const rows: Row[] = [];
  for (let round = 0; round < rounds; round++) {
    const database = await createDatabase(server.url());
    const client = new Client({ connectionString: database.url });
    client.on('error', () => {});
    await client.connect();
    const store = await openPostgresStore({ url: database.url, connections: 4 });
    rows.push({ ...(await bySteps(store, client)), ...(await byPartition(client)) });
    console.error(rows.at(-1));
    await store.close();
    await client.end();
    await database.remove();
  }
  console.log(`${pages} pages of ${bodyBytes} bytes, medians of ${rounds} rounds\n\n| | |\n|---|--:|`);
  for (const name of Object.keys(rows[0] ?? {})) {
    const values = rows.map((row) => row[name] ?? Number.NaN).toSorted((a, b) => a - b);
    console.log(`| ${name} | ${(values[values.length >> 1] ?? Number.NaN).toFixed(1)} |`);
  }
} finally {
  await server.remove();
}

async function bySteps(store: Store, client: Client): Promise<Row> {
  const ids = await jobsOf(store, 0);
  const fillMs = await timed(() => fill(client, ids));
  const full = await sizeOf(client, 'body');
  for (const id of ids) await store.jobs.delete(org, id, Date.now() - 1_000);
  const walBefore = await walPosition(client);
  const steps: number[] = [];
  for (;;) {
    const start = performance.now();
    const { more: isMoreLeft } = await store.sweep();
    steps.push(performance.now() - start);
    if (!isMoreLeft) break;
  }
  const wal = (await walPosition(client)) - walBefore;
  const swept = await sizeOf(client, 'body');
  const vacuumMs = await timed(async () => {
    for (const table of ['body', 'page', 'page_key', 'ledger']) await client.query(`VACUUM ${table}`);
  });
  const vacuumed = await sizeOf(client, 'body');
  const again = await jobsOf(store, jobs);
  const refillMs = await timed(() => fill(client, again));
  return {
    'filled: s': fillMs / 1000,
    'filled: body MB': full / 1e6,
    'steps: count': steps.length,
    'steps: s in all': steps.reduce((sum, ms) => sum + ms, 0) / 1000,
    'steps: median ms': steps.toSorted((a, b) => a - b)[steps.length >> 1] ?? 0,
    'steps: longest ms': Math.max(...steps),
    'steps: WAL MB': wal / 1e6,
    'steps: body MB after': swept / 1e6,
    'vacuum: s': vacuumMs / 1000,
    'vacuum: body MB after': vacuumed / 1e6,
    'filled again: s': refillMs / 1000,
    'filled again: body MB': (await sizeOf(client, 'body')) / 1e6,
  };
}

async function byPartition(client: Client): Promise<Row> {
  await client.query(`
    CREATE TABLE by_day (day int NOT NULL, job bigint NOT NULL, page int NOT NULL, deflated bytea NOT NULL, crc bigint NOT NULL, length int NOT NULL,
      PRIMARY KEY (day, job, page)) PARTITION BY RANGE (day);
    ALTER TABLE by_day ALTER deflated SET STORAGE EXTERNAL;
    CREATE TABLE by_day_0 PARTITION OF by_day FOR VALUES FROM (0) TO (1);
    CREATE TABLE by_day_1 PARTITION OF by_day FOR VALUES FROM (1) TO (2);`);
  const insertMs = await timed(() =>
    client.query(`INSERT INTO by_day SELECT 0, job, page, deflated, crc, length FROM body`),
  );
  let walBefore = await walPosition(client);
  // Only when a job ends is it known when it expires.
  const moveMs = await timed(() => client.query('UPDATE by_day SET day = 1 WHERE day = 0'));
  const moveWal = (await walPosition(client)) - walBefore;
  walBefore = await walPosition(client);
  const dropMs = await timed(() => client.query('DROP TABLE by_day_1'));
  return {
    'partition filled: s': insertMs / 1000,
    'moved at the end of the job: s': moveMs / 1000,
    'moved: WAL MB': moveWal / 1e6,
    'partition dropped: ms': dropMs,
    'dropped: WAL MB': ((await walPosition(client)) - walBefore) / 1e6,
  };
}

async function jobsOf(store: Store, from: number): Promise<string[]> {
  const ids = Array.from({ length: jobs }, (_, index) => `expiry-${from + index}`);
  for (const id of ids) await store.jobs.create({ ...newJob({ startLinks: [] }), id });
  return ids;
}

/** Everything that a job leaves, with the pages of all jobs mixed, 50 at a time, as in a crawl. */
async function fill(client: Client, ids: readonly string[]): Promise<void> {
  for (const table of ['page', 'body', 'page_key', 'ledger']) {
    const columns = {
      page: ['page, meta', `n, decode(substr(repeat(md5(n::text || j.id), 50), 1, ${metaBytes * 2}), 'hex')`],
      body: [
        'page, deflated, crc, length',
        `n, (SELECT string_agg(decode(md5(n::text || j.id || part), 'hex'), '') FROM generate_series(1, ${bodyBytes >> 4}) part), n, ${bodyBytes * 3}`,
      ],
      page_key: ['key, entry', `'u https://example.com/' || n || j.id, n`],
      ledger: ['key, kind, url, depth, state, page', `'k' || n, 'page', 'https://example.com/' || n, 3, 'scraped', n`],
    }[table];
    await client.query(
      `INSERT INTO ${table} (job, ${columns?.[0]}) SELECT j.seq, ${columns?.[1]} FROM generate_series(1, ${pagesOfAJob}) n CROSS JOIN job j
       WHERE j.id = ANY($1) ORDER BY n / 50, j.seq, n`,
      [ids],
    );
  }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function sizeOf(client: Client, table: string): Promise<number> {
  const { rows } = await client.query<{ size: string }>('SELECT pg_total_relation_size($1) AS size', [table]);
  return Number(rows[0]?.size);
}

async function walPosition(client: Client): Promise<number> {
  const { rows } = await client.query<{ at: string }>("SELECT pg_current_wal_lsn() - '0/0' AS at");
  return Number(rows[0]?.at);
}
