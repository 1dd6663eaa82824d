// How fast several processes crawl with one PostgreSQL, all on this machine: one API and 1, 2 and 4 workers, with real commits.
// Each round begins with an empty database and new processes, which first crawl something else, so that they are compiled.
//
//   node bench/scale.ts [rounds, default 3] [shape...]
//
// WORKERS=1,2 measures with one and with two workers only. LOG=1 also prints the write-ahead log of each table and index
// (PostgreSQL 16 or newer).
import { Client } from 'pg';
import { createDatabase } from '../test/postgres/database.ts';
import { type PostgresServer, startPostgres } from '../test/postgres/server.ts';
import { cpuSecondsOf, parentOf, type ScaleService, startScaleService } from './scale-service.ts';
import { type ScaleSite, startScaleSite } from './scale-site.ts';

interface Shape {
  readonly jobs: number;
  readonly hostsOfAJob: number;
  readonly pagesOfAHost: number;
  /** Until a site answers. */
  readonly responseMs: number;
  /** Between two requests to a host, as its robots.txt asks for. */
  readonly delaySeconds?: number;
}

const shapes: Readonly<Record<string, Shape>> = {
  'many-jobs': { jobs: 40, hostsOfAJob: 5, pagesOfAHost: 60, responseMs: 0 },
  'slow-sites': { jobs: 40, hostsOfAJob: 5, pagesOfAHost: 40, responseMs: 250 },
  polite: { jobs: 20, hostsOfAJob: 10, pagesOfAHost: 15, responseMs: 0, delaySeconds: 2 },
  'one-job': { jobs: 1, hostsOfAJob: 200, pagesOfAHost: 60, responseMs: 0 },
  'one-host': { jobs: 1, hostsOfAJob: 1, pagesOfAHost: 6_000, responseMs: 0 },
};
const workerCounts = (process.env['WORKERS'] ?? '1,2,4').split(',').map(Number);
const warmUpJobs = 8;
const warmUpPages = 1_600;
/** Hosts of the warm-up, behind all others. */
const firstWarmUpHost = 1_000;
const sampleMs = 50;

/** What makes a difference to durability is as PostgreSQL has it by default: fsync and synchronous_commit are on. */
const settings = {
  fsync: 'on',
  shared_buffers: '1GB',
  max_wal_size: '4GB',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'off',
};

interface Sampled {
  /** Sessions that waited, on average, by what for. */
  readonly locks: number;
  readonly lightLocks: number;
  readonly disk: number;
}

interface Round extends Sampled {
  readonly pagesPerSecond: number;
  readonly pages: number;
  readonly cpu: Readonly<Record<string, number>>;
  readonly commitsPerSecond: number;
  readonly commitMs: number;
  /** Of the statement that waits for the rows of jobs. */
  readonly jobLockMs: number;
  readonly jobLocksPerSecond: number;
  readonly walKbPerPage: number;
  readonly statements: readonly Statement[];
}

interface Statement {
  readonly query: string;
  readonly calls: number;
  readonly ms: number;
}

const [roundsText = '3', ...asked] = process.argv.slice(2);
const rounds = Number(roundsText);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('How many rounds? A whole number.');
const chosen = asked.length > 0 ? asked : Object.keys(shapes);

const server = await startPostgres({ settings });
try {
  for (const name of chosen) {
    const shape = shapes[name];
    if (!shape) throw new Error(`There is no shape "${name}". There are: ${Object.keys(shapes).join(', ')}`);
    await measureShape(server, name, shape);
  }
} finally {
  await server.remove();
}

async function measureShape(on: PostgresServer, name: string, shape: Shape): Promise<void> {
  const { jobs, hostsOfAJob, pagesOfAHost, responseMs } = shape;
  const rows: Round[] = [];
  const found = new Map<number, Round[]>(workerCounts.map((workers) => [workers, []]));
  for (let round = 0; round < rounds; round++) {
    for (const workers of workerCounts) {
      const one = await measure(on, shape, workers);
      rows.push(one);
      found.get(workers)?.push(one);
      console.error(
        `${name}, ${workers} workers: ${one.pagesPerSecond.toFixed(0)} pages/s, load ${(await loadAverage()).trim()}`,
      );
    }
  }
  console.log(
    `\n### ${name}: ${jobs} jobs of ${hostsOfAJob} hosts of ${pagesOfAHost} pages, answers after ${responseMs} ms\n`,
  );
  console.log(
    '| workers | pages/s | from to | CPU s: each worker | API | PostgreSQL | site | CPU ms/page: workers | PostgreSQL | commits/s | pages a commit | commit ms | lock of a job: ms | waiting for locks | WAL KB/page |',
  );
  console.log('|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|');
  for (const [workers, all] of found) console.log(rowOf(workers, all));
  const last = rows.at(-1);
  if (!last) return;
  console.log(`\nStatements by their time in all, with ${workerCounts.at(-1)} workers, the last round:\n`);
  console.log('| ms in all | calls | ms each | |\n|--:|--:|--:|---|');
  for (const { query, calls, ms } of last.statements) {
    const text = query.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 110);
    console.log(`| ${ms.toFixed(0)} | ${calls} | ${(ms / calls).toFixed(3)} | \`${text}\` |`);
  }
}

function rowOf(workers: number, all: readonly Round[]): string {
  const sorted = all.toSorted((a, b) => a.pagesPerSecond - b.pagesPerSecond);
  const of = (value: (round: Round) => number): number =>
    all.map(value).toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
  const [slowest, fastest] = [sorted[0], sorted.at(-1)];
  const names = Array.from({ length: workers }, (_, index) => `worker ${index + 1}`);
  const ofWorkers = (round: Round): number => names.reduce((sum, name) => sum + (round.cpu[name] ?? 0), 0);
  const cells = [
    workers,
    of(({ pagesPerSecond }) => pagesPerSecond).toFixed(0),
    `${slowest?.pagesPerSecond.toFixed(0)} to ${fastest?.pagesPerSecond.toFixed(0)}`,
    names.map((name) => of(({ cpu }) => cpu[name] ?? 0).toFixed(1)).join(', '),
    of(({ cpu }) => cpu['api'] ?? 0).toFixed(1),
    of(({ cpu }) => cpu['postgres'] ?? 0).toFixed(1),
    of(({ cpu }) => cpu['site'] ?? 0).toFixed(1),
    of((round) => (ofWorkers(round) * 1000) / round.pages).toFixed(2),
    of(({ cpu, pages }) => ((cpu['postgres'] ?? 0) * 1000) / pages).toFixed(2),
    of(({ commitsPerSecond }) => commitsPerSecond).toFixed(0),
    of(({ pagesPerSecond, commitsPerSecond }) => pagesPerSecond / commitsPerSecond).toFixed(1),
    of(({ commitMs }) => commitMs).toFixed(1),
    of(({ jobLockMs }) => jobLockMs).toFixed(2),
    of(({ locks }) => locks).toFixed(2),
    of(({ walKbPerPage }) => walKbPerPage).toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

async function measure(on: PostgresServer, shape: Shape, workers: number): Promise<Round> {
  const database = await createDatabase(on.url());
  const watcher = new Client({ connectionString: database.url, application_name: 'bench' });
  await watcher.connect();
  await watcher.query('CREATE EXTENSION pg_stat_statements');
  const site = await startScaleSite({
    pages: shape.pagesOfAHost,
    responseMs: shape.responseMs,
    delaySeconds: shape.delaySeconds ?? 0,
  });
  const warmUpSite = await startScaleSite({ pages: warmUpPages / warmUpJobs / 2, responseMs: 0, delaySeconds: 0 });
  const service = await startScaleService(database.url, workers);
  try {
    for (let job = 0; job < warmUpJobs; job++) {
      await service.createJob({ urls: [0, 1].map((host) => warmUpSite.startUrl(firstWarmUpHost + 2 * job + host)) });
    }
    await untilDone(watcher);
    await watcher.query('VACUUM ANALYZE');
    await watcher.query('CHECKPOINT');
    const from = await walPosition(watcher);
    const answer = await round(shape, { service, site, watcher });
    if (process.env['LOG'] === '1') await printLog(watcher, from, answer.pages);
    const { requests, pages } = await site.asked();
    if (pages !== answer.pages) throw new Error(`${pages} pages were asked for, and not ${answer.pages}`);
    const { rows } = await watcher.query<{ retried: string }>(
      'SELECT count(*) AS retried FROM ledger WHERE attempts > 1',
    );
    const repeats = requests - pages;
    if (repeats > 0)
      console.error(`${repeats} requests were repeats; URLs that took more than one attempt: ${rows[0]?.retried}`);
    return answer;
  } finally {
    await service.stop();
    await site.close();
    await warmUpSite.close();
    await watcher.end();
    await database.remove();
  }
}

interface Running {
  readonly service: ScaleService;
  readonly site: ScaleSite;
  readonly watcher: Client;
}

async function round(shape: Shape, { service, site, watcher }: Running): Promise<Round> {
  const { rows } = await watcher.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pids = {
    ...Object.fromEntries(service.processes.map(({ name, pid }) => [name, pid])),
    postgres: parentOf(rows[0]?.pid ?? 0),
    site: site.pid,
  };
  await watcher.query('SELECT pg_stat_statements_reset()');
  const usage = (): Record<string, number> =>
    Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuSecondsOf(pid)]));
  const [before, commitsBefore, secondsBefore, walBefore] = [
    usage(),
    await service.metric('hayrake_commits_total'),
    await service.metric('hayrake_commit_seconds_sum'),
    await walPosition(watcher),
  ];
  const startedAt = await databaseNow(watcher);
  const ids: string[] = [];
  for (let job = 0; job < shape.jobs; job++) {
    const hosts = Array.from({ length: shape.hostsOfAJob }, (_, index) => job * shape.hostsOfAJob + index);
    ids.push(await service.createJob({ urls: hosts.map((host) => site.startUrl(host)), page_limit: 100_000 }));
  }
  const sampled = await untilDone(watcher);
  const after = usage();
  const commits = (await service.metric('hayrake_commits_total')) - commitsBefore;
  const commitSeconds = (await service.metric('hayrake_commit_seconds_sum')) - secondsBefore;
  const wal = (await walPosition(watcher)) - walBefore;
  const { rows: ends } = await watcher.query<{ pages: string; ended: string }>(
    'SELECT sum(scraped) AS pages, max(finished_at) AS ended FROM job WHERE id = ANY($1)',
    [ids],
  );
  const pages = Number(ends[0]?.pages);
  const expected = shape.jobs * shape.hostsOfAJob * shape.pagesOfAHost;
  if (pages !== expected) throw new Error(`${pages} pages were stored, and not ${expected}`);
  const seconds = (Number(ends[0]?.ended) - startedAt) / 1000;
  const statements = await statementsOf(watcher);
  const jobLock = statements.find(({ query }) => query.startsWith('SELECT * FROM job WHERE seq = ANY'));
  return {
    ...sampled,
    pages,
    pagesPerSecond: pages / seconds,
    cpu: Object.fromEntries(Object.entries(after).map(([name, cpu]) => [name, cpu - (before[name] ?? 0)])),
    commitsPerSecond: commits / seconds,
    commitMs: (commitSeconds * 1000) / commits,
    jobLockMs: jobLock ? jobLock.ms / jobLock.calls : Number.NaN,
    jobLocksPerSecond: (jobLock?.calls ?? 0) / seconds,
    walKbPerPage: wal / 1024 / pages,
    statements: statements.slice(0, 16),
  };
}

async function untilDone(watcher: Client): Promise<Sampled> {
  const sums = { locks: 0, lightLocks: 0, disk: 0 };
  for (let samples = 1; ; samples++) {
    const { rows } = await watcher.query<{ open: number; locks: number; light_locks: number; disk: number }>(
      `SELECT (SELECT count(*)::int FROM job WHERE finished_at IS NULL) AS open,
         count(*) FILTER (WHERE wait_event_type = 'Lock')::int AS locks,
         count(*) FILTER (WHERE wait_event_type = 'LWLock')::int AS light_locks,
         count(*) FILTER (WHERE wait_event_type = 'IO')::int AS disk
       FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
    );
    const [row] = rows;
    if (!row || row.open === 0)
      return { locks: sums.locks / samples, lightLocks: sums.lightLocks / samples, disk: sums.disk / samples };
    sums.locks += row.locks;
    sums.lightLocks += row.light_locks;
    sums.disk += row.disk;
    await new Promise((resolve) => setTimeout(resolve, sampleMs));
  }
}

async function statementsOf(watcher: Client): Promise<Statement[]> {
  const { rows } = await watcher.query<{ query: string; calls: string; ms: number }>(
    `SELECT query, calls, total_exec_time AS ms FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE d.datname = current_database() ORDER BY total_exec_time DESC`,
  );
  return rows.map(({ query, calls, ms }) => ({ query: query.trim(), calls: Number(calls), ms }));
}

async function walPosition(watcher: Client): Promise<number> {
  const { rows } = await watcher.query<{ at: string }>("SELECT pg_current_wal_lsn() - '0/0' AS at");
  return Number(rows[0]?.at);
}

async function printLog(watcher: Client, from: number, pages: number): Promise<void> {
  await watcher.query('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
  const { rows } = await watcher.query<{ name: string; records: number; bytes: number; images: number }>(
    `WITH record AS (
       SELECT min(relfilenode) FILTER (WHERE block_id = 0) AS file, min(record_length) AS bytes, sum(block_fpi_length) AS images
       FROM pg_get_wal_block_info('0/0'::pg_lsn + $1::numeric, pg_current_wal_lsn(), false) GROUP BY start_lsn)
     SELECT coalesce(c.relname, 'other') AS name, count(*)::float8 AS records, sum(bytes)::float8 AS bytes, sum(images)::float8 AS images
     FROM record LEFT JOIN pg_class c ON pg_relation_filenode(c.oid) = record.file GROUP BY 1 ORDER BY bytes DESC LIMIT 30`,
    [from],
  );
  console.log('\n| log of | bytes a page | of these page images | records a page |\n|---|--:|--:|--:|');
  for (const { name, records, bytes, images } of rows) {
    const cells = [bytes, images].map((value) => (value / pages).toFixed(0));
    console.log(`| ${name} | ${cells.join(' | ')} | ${(records / pages).toFixed(2)} |`);
  }
}

async function databaseNow(watcher: Client): Promise<number> {
  const { rows } = await watcher.query<{ now: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
  return Number(rows[0]?.now);
}

async function loadAverage(): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return (await readFile('/proc/loadavg', 'utf8')).split(' ').slice(0, 1).join(' ');
}
