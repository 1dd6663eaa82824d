// Every statement of the store on PostgreSQL with a million queued URLs: how long it takes, what it reads, and by which plan.
// The statements are those that the store sends, seen by PostgreSQL's own auto_explain.
//
//   node bench/plans.ts [queued URLs, default 1000000] [--plans: print the plan of the slowest run of each]
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import type { Link, Request } from '../src/core/request.ts';
import type { NewJob } from '../src/core/ports/stores.ts';
import { openPostgresStore } from '../src/storage/postgres/postgres-store.ts';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import { link, newJob, org, page } from '../test/storage/test-data.ts';

const jobs = 100;
const hosts = 1_000;
/** Every fifth URL of each job is on one host. */
const hotEvery = 5;
const pagesToSweep = 20_000;
const cycles = 150;
const takeMax = 20;
const linksOfAPage = 20;

interface Run {
  readonly query: string;
  readonly ms: number;
  readonly buffers: number;
  readonly plan: string;
}

const isWithPlans = process.argv.includes('--plans');
const urls = Number(process.argv.slice(2).find((arg) => !arg.startsWith('-')) ?? 1_000_000);
const server = await startPostgres({
  settings: {
    fsync: 'on',
    shared_buffers: '1GB',
    max_wal_size: '4GB',
    log_line_prefix: '',
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
  },
});
try {
  const database = await createDatabase(server.url());
  const admin = new Client({ connectionString: database.url });
  // When something fails, the server is removed first.
  admin.on('error', () => {});
  await admin.connect();
  await fill(database.url, admin);
  const { rows } = await admin.query<{ data_directory: string }>('SHOW data_directory');
  const log = path.join(rows[0]?.data_directory ?? '', '../log');
  const before = readFileSync(log, 'utf8').length;
  await admin.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET auto_explain.log_min_duration = 0`);
  await work(database.url);
  await admin.end();
  report(runsOf(readFileSync(log, 'utf8').slice(before)));
} finally {
  await server.remove();
}

async function fill(url: string, admin: Client): Promise<void> {
  const store = await openPostgresStore({ url, connections: 4 });
  for (let number = 0; number <= jobs; number++) {
    // The first is the one that is swept.
    const startLinks: readonly Link[] = number === 0 ? [] : [link('/', { depth: 0, host: nameOf(number) })];
    const job: NewJob = newJob({ startLinks, spec: { pageLimit: 100_000 } });
    const made = await store.jobs.create({ ...job, id: `job-${String(number).padStart(4, '0')}` });
    if (typeof made === 'string') throw new Error(made);
  }
  await store.jobs.delete(org, 'job-0000', Date.now() - 1_000);
  await store.close();
  await admin.query(
    `WITH made AS (INSERT INTO host (name) SELECT 'h' || n || '.test:443' FROM generate_series(0, ${hosts - 1}) n ON CONFLICT DO NOTHING RETURNING id)
     INSERT INTO host_slot (host, slot) SELECT id, 0 FROM made`,
  );
  await admin.query(
    `WITH named AS (SELECT id, substring(name FROM 2 FOR position('.' IN name) - 2)::int AS n FROM host),
     url AS (
       SELECT j.seq AS job, u, 'https://h' || n || '.test/' || u AS url, named.id AS host
       FROM job j CROSS JOIN generate_series(1, ${Math.floor(urls / jobs)}) u
       JOIN named ON named.n = CASE WHEN u % ${hotEvery} = 0 THEN 0 ELSE (j.seq * 20 + u % 20) % ${hosts} END
       WHERE j.id <> 'job-0000'),
     stored AS (
       INSERT INTO ledger (job, key, kind, url, depth, state) SELECT job, 'key ' || url, 'page', url, 1 + u % 8, 'queued' FROM url RETURNING job, id, url, depth)
     INSERT INTO frontier (id, host, job, priority) SELECT s.id, url.host, s.job, s.depth FROM stored s JOIN url USING (job, url)`,
  );
  await admin.query(`UPDATE job SET queued = queued + ${Math.floor(urls / jobs)} WHERE id <> 'job-0000'`);
  await admin.query(`UPDATE host_slot SET ready_at = 0 WHERE host IN (SELECT host FROM frontier)`);
  const deflated = deflateRawSync('text '.repeat(100), { finishFlush: constants.Z_FULL_FLUSH });
  await admin.query(
    `INSERT INTO page (job, page, meta, crc, packed_crc, packed) SELECT seq, n, convert_to(repeat('meta ', 100), 'UTF8'), 0, 0, '' FROM job, generate_series(1, ${pagesToSweep}) n WHERE id = 'job-0000'`,
  );
  await admin.query(
    `INSERT INTO body (job, page, deflated, crc, length, packed_crc) SELECT seq, n, $1, $2, 500, 0 FROM job, generate_series(1, ${pagesToSweep}) n WHERE id = 'job-0000'`,
    [deflated, crc32(deflated)],
  );
  await admin.query('VACUUM ANALYZE');
}

function nameOf(host: number): string {
  return `h${host % hosts}.test:443`;
}

/** The life of a worker, and what the API asks for meanwhile. */
async function work(url: string): Promise<void> {
  const store = await openPostgresStore({ url, connections: 4 });
  const { frontier } = store;
  await frontier.recover({ delayMs: 0 });
  let settled = 0;
  let lastJob = '';
  for (let cycle = 0; cycle < cycles; cycle++) {
    const [leased] = await frontier.leaseHosts({ takes: true });
    if (!leased) throw new Error('no host is due');
    const { lease } = leased;
    const requests = [...leased.requests];
    if (requests.length < takeMax) requests.push(...(await frontier.take(lease, takeMax - requests.length)));
    const kept = requests.slice(0, -1);
    await frontier.settle(
      lease,
      kept.map((request, index) => ({
        request,
        fetched: true,
        outcome:
          index % 10 === 9
            ? { kind: 'retry', afterMs: 60_000, error: { reason: 'connect', message: 'No connection could be made.' } }
            : { kind: 'scraped', page: page(request.url), links: linksOf(request, index, lease.host) },
      })),
    );
    settled += kept.length;
    lastJob = kept[0]?.jobId ?? lastJob;
    await frontier.release(lease, { notBefore: performance.now() + 60_000 });
    if (cycle % 10 === 0) {
      await store.sweep();
      await store.crawlStatus.load();
      await store.crawlStatus.unfinished(1_000);
      await store.jobs.get(org, lastJob);
      await store.jobs.list(org, { limit: 20 });
      await store.jobs.listUrls(lastJob, { after: 0, limit: 400 });
      await store.pages.read({ org, jobId: lastJob, after: 0, limit: 400, withText: true, bytesMax: 2 ** 24 });
      await store.pages.read({ org, jobId: lastJob, after: 0, limit: 400, withText: false, bytesMax: 2 ** 24 });
      await store.outbox.claim({ max: 10, originMax: 10, busyUrls: [] });
    }
  }
  await store.close();
  console.error(`${settled} requests were settled in ${cycles} leases`);
}

function linksOf({ url }: Request, index: number, host: string): Link[] {
  return Array.from({ length: linksOfAPage }, (_, count) =>
    link(`/${count < 2 ? `${url.length}-${index}-${count}-new` : count * 20}`, {
      host: count === 0 ? nameOf(index + count) : host,
    }),
  );
}

function runsOf(log: string): Run[] {
  const runs: Run[] = [];
  for (const entry of log.split(/\n(?!\t)/)) {
    const found =
      /^LOG: {2}duration: ([\d.]+) ms {2}plan:\n\tQuery Text: ([^]*?)\n\t((?:\(|[A-Z][a-z]+ )[^]*\(cost=[^]*)$/.exec(
        entry,
      );
    if (!found) continue;
    const [, ms = '', query = '', plan = ''] = found;
    const top = /Buffers: ([^\n]+)/.exec(plan)?.[1] ?? '';
    const buffers = [...top.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    runs.push({
      query: query.replaceAll(/\s+/g, ' ').trim(),
      ms: Number(ms),
      buffers,
      plan: plan.replaceAll(/^\t/gm, ''),
    });
  }
  return runs;
}

function report(runs: readonly Run[]): void {
  const by = [...Map.groupBy(runs, ({ query }) => query)].map(([query, all]) => {
    const sorted = all.toSorted((a, b) => a.ms - b.ms);
    const slowest = sorted.at(-1);
    return {
      query,
      calls: all.length,
      median: sorted[all.length >> 1]?.ms ?? Number.NaN,
      slowest,
      buffers: all.map(({ buffers }) => buffers).toSorted((a, b) => a - b)[all.length >> 1] ?? 0,
      scans: new Set(all.flatMap(({ plan }) => [...plan.matchAll(/Seq Scan on (\w+)/g)].map(([, table]) => table))),
      indexes: new Set(
        all.flatMap(({ plan }) =>
          [...plan.matchAll(/Index(?: Only)? Scan(?: Backward)? (?:using|on) (\w+)/g)].map(([, index]) => index),
        ),
      ),
    };
  });
  console.log(
    '| median ms | slowest ms | buffers | calls | indexes | read as a whole | |\n|--:|--:|--:|--:|---|---|---|',
  );
  for (const { query, calls, median, slowest, buffers, scans, indexes } of by.toSorted((a, b) => b.median - a.median)) {
    const text = query.replaceAll('|', '\\|').slice(0, 100);
    console.log(
      `| ${median.toFixed(2)} | ${slowest?.ms.toFixed(2)} | ${buffers} | ${calls} | ${[...indexes].join(', ')} | ${[...scans].join(', ')} | \`${text}\` |`,
    );
  }
  if (!isWithPlans) return;
  for (const { query, slowest } of by) console.log(`\n${query}\n\n${slowest?.ms} ms\n${slowest?.plan}`);
}
