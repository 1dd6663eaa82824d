// Raw bodies in the database against those in an object store that answers after 10 ms (OpenStack Swift behind a proxy).
//
//   node bench/objects.ts reads      answers a second, and GETs for 400 pages, of a service that has just started and of one that has not
//   node bench/objects.ts puts       PUTs a page at 100 polite pages a second, and after the end of the job
//   node bench/objects.ts postgres [rounds, default 2]     log, processor time and disk of PostgreSQL a page, in turns
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type FaultyProxy, startFaultyProxy } from '../test/objects/faulty-proxy.ts';
import { anyS3, startS3 } from '../test/objects/s3-servers.ts';
import { createDatabase } from '../test/postgres/database.ts';
import { type PostgresServer, startPostgres } from '../test/postgres/server.ts';
import { generatedPage } from './generated-pages.ts';
import { cpuSecondsOf, parentOf, startScaleService } from './scale-service.ts';
import { startScaleSite } from './scale-site.ts';
import { crawl, type Service, startService } from './service.ts';

const latencyMs = 10;
const sweepMs = 90_000;
/** What makes a difference to durability is as PostgreSQL has it by default: fsync and synchronous_commit are on. */
const settings = { fsync: 'on', shared_buffers: '1GB', max_wal_size: '4GB' };

const shapes = {
  'without `store_raw`, hasty': { storeRaw: false, isOutside: false, delaySeconds: 0 },
  'inside, hasty': { storeRaw: true, isOutside: false, delaySeconds: 0 },
  'outside, hasty': { storeRaw: true, isOutside: true, delaySeconds: 0 },
  'without `store_raw`, polite': { storeRaw: false, isOutside: false, delaySeconds: 1 },
  'inside, polite': { storeRaw: true, isOutside: false, delaySeconds: 1 },
  'outside, polite': { storeRaw: true, isOutside: true, delaySeconds: 1 },
} as const;

interface Outside {
  readonly proxy: FaultyProxy;
  /** Settings of a service that stores in a place of its own. */
  env(): Readonly<Record<string, string>>;
}

const program = anyS3();
if (program === undefined) throw new Error('No object store is installed: apt-get install python3-swift memcached');
process.env['HAYRAKE_BROWSER'] ??= 'off';
process.env['HAYRAKE_BLOBS_KEEP_DAYS'] = '0';
process.env['HAYRAKE_REQUESTS_PER_MINUTE'] = '0';
const server = await startS3(program);
const proxy = await startFaultyProxy(server.endpoint);
proxy.delayMs = latencyMs;
const bucket = await server.createBucket();
let places = 0;
const outside: Outside = {
  proxy,
  env: () => ({
    HAYRAKE_BLOBS: `s3://${bucket}/${++places}`,
    HAYRAKE_S3_ENDPOINT: proxy.origin,
    AWS_ACCESS_KEY_ID: server.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
  }),
};
console.log(`Load ${loadavg()[0]?.toFixed(1)}, ${program}.\n`);
try {
  const [part, roundsGiven = '2'] = process.argv.slice(2);
  if (part === 'reads') await measureReads();
  else if (part === 'puts') await measurePuts();
  else if (part === 'postgres') await measurePostgres(Number(roundsGiven));
  else throw new Error('What is to be measured? `reads`, `puts` or `postgres`.');
} finally {
  await proxy.close();
  await server.stop();
}

async function measureReads(): Promise<void> {
  const shape = { pages: 400, bytes: 5_000 };
  const site = createServer((request, response) => {
    const page = Number((request.url ?? '').slice(1));
    if (!(page < shape.pages)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html' }).end(generatedPage(shape, page, 0));
  });
  await once(site.listen(0, '127.0.0.1'), 'listening');
  Object.assign(process.env, outside.env());
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-bench-'));
  let service = await startService(directory);
  const { id, progress } = await crawl(service, `http://127.0.0.1:${(site.address() as AddressInfo).port}/0`, 1_000, {
    store_raw: true,
  });
  if (progress.scraped !== shape.pages) throw new Error(`${progress.scraped} pages of ${shape.pages}`);
  const job = `/crawler/jobs/${id}`;
  const pages = Array.from({ length: shape.pages }, (_, index) => `${job}/pages/${index + 1}/raw`);
  const reads: Readonly<Record<string, () => Promise<number>>> = {
    '`/raw` of each page, one after the other': () => inTurn(service, pages, 1),
    '`/raw` of each page, 16 at a time': () => inTurn(service, pages, 16),
    '`export?format=warc`': () => inTurn(service, [`${job}/export?format=warc`], 1),
  };
  console.log('| 400 pages of 5 KB | answers/s, cold | GETs | answers/s, warm | GETs |\n|---|--:|--:|--:|--:|');
  for (const [name, read] of Object.entries(reads)) {
    await service.stop();
    service = await startService(directory);
    await untilQuiet();
    const cells: (string | number)[] = [];
    for (let pass = 0; pass < 2; pass++) {
      const before = countOf('GET');
      const perSecond = await read();
      cells.push(perSecond.toFixed(1), countOf('GET') - before);
    }
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
  await service.stop();
  site.close();
  site.closeAllConnections();
  rmSync(directory, { recursive: true });
}

/** Answers a second. */
async function inTurn(service: Service, addresses: readonly string[], atOnce: number): Promise<number> {
  const left = [...addresses];
  const startedAt = performance.now();
  const one = async (): Promise<void> => {
    for (let address = left.shift(); address !== undefined; address = left.shift()) await service.ask(address);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return (addresses.length * 1e3) / (performance.now() - startedAt);
}

/** Requests for segments; others look whether the store is there. */
function countOf(method: string): number {
  return proxy.requests.filter((request) => request.method === method && request.path.includes('/segments/')).length;
}

/** Resolves when a sweep has gathered what is to be gathered, or 90 s later. */
async function untilQuiet(): Promise<void> {
  const until = performance.now() + sweepMs;
  for (let [before, quiet] = [-1, 0]; quiet < 8 && performance.now() < until; await sleep(250)) {
    quiet = proxy.requests.length === before ? quiet + 1 : 0;
    before = proxy.requests.length;
  }
}

async function measurePuts(): Promise<void> {
  const [hosts, pagesOfAHost] = [100, 30];
  const site = await startScaleSite({ pages: pagesOfAHost, responseMs: 0, delaySeconds: 1 });
  Object.assign(process.env, outside.env());
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-bench-'));
  const service = await startService(directory);
  const urls = Array.from({ length: hosts }, (_, host) => site.startUrl(host));
  const startedAt = performance.now();
  const { progress } = await crawl(service, urls, 100_000, { store_raw: true });
  const seconds = (performance.now() - startedAt) / 1e3;
  const during = countOf('PUT');
  await service.stop();
  const again = await startService(directory);
  await untilQuiet();
  await again.stop();
  const after = countOf('PUT') - during;
  console.log('| pages | pages/s | PUTs a page | PUTs a page after the end |\n|--:|--:|--:|--:|');
  const cells = [progress.scraped, (progress.scraped / seconds).toFixed(0)];
  console.log(`| ${[...cells, during / progress.scraped, after / progress.scraped].join(' | ')} |`);
  await site.close();
  rmSync(directory, { recursive: true });
}

interface Cost {
  readonly pages: number;
  readonly seconds: number;
  readonly logBytes: number;
  readonly diskBytes: number;
  readonly databaseMs: number;
  readonly workerMs: number;
}

async function measurePostgres(rounds: number): Promise<void> {
  const postgres = await startPostgres({ settings });
  const costs = new Map<string, Cost[]>();
  try {
    for (let round = 0; round < rounds; round++)
      for (const [name, shape] of Object.entries(shapes))
        costs.set(name, [...(costs.get(name) ?? []), await costOnPostgres(postgres, shape)]);
  } finally {
    await postgres.remove();
  }
  console.log('| bodies | pages | pages/s | WAL KB/page | disk KB/page | CPU ms/page: PostgreSQL | worker |');
  console.log('|---|--:|--:|--:|--:|--:|--:|');
  for (const [name, all] of costs) {
    const of = (figure: (cost: Cost) => number): string => {
      const sorted = all.map(figure).toSorted((one, other) => one - other);
      return (sorted[sorted.length >> 1] ?? Number.NaN).toFixed(2);
    };
    const cells = [
      all[0]?.pages,
      of(({ pages, seconds }) => pages / seconds),
      of(({ logBytes, pages }) => logBytes / pages / 1e3),
      of(({ diskBytes, pages }) => diskBytes / pages / 1e3),
      of(({ databaseMs, pages }) => databaseMs / pages),
      of(({ workerMs, pages }) => workerMs / pages),
    ];
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}

async function costOnPostgres(
  postgres: PostgresServer,
  { storeRaw, isOutside, delaySeconds }: (typeof shapes)[keyof typeof shapes],
): Promise<Cost> {
  const [hosts, pagesOfAHost] = delaySeconds > 0 ? [100, 20] : [20, 150];
  const database = await createDatabase(postgres.url());
  for (const name of Object.keys(outside.env())) delete process.env[name];
  if (isOutside) Object.assign(process.env, outside.env());
  const site = await startScaleSite({ pages: pagesOfAHost, responseMs: 0, delaySeconds });
  const service = await startScaleService(database.url, 1);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const one = async (expression: string): Promise<number> =>
    Number((await client.query<{ value: string }>(`SELECT ${expression} AS value`)).rows[0]?.value);
  try {
    // To have the code compiled.
    const warmUp = Array.from({ length: 4 }, (_, host) => site.startUrl(1_000 + host));
    await ended(client, await service.createJob({ urls: warmUp, store_raw: storeRaw, time_limit: 20 }));
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
    const parent = parentOf(await one('pg_backend_pid()'));
    const worker = service.processes.find(({ name }) => name.startsWith('worker'))?.pid ?? 0;
    const usage = async (): Promise<readonly number[]> => [
      await one("pg_current_wal_lsn() - '0/0'"),
      await one('pg_database_size(current_database())'),
      cpuSecondsOf(parent) * 1e3,
      cpuSecondsOf(worker) * 1e3,
      performance.now() / 1e3,
    ];
    const before = await usage();
    const urls = Array.from({ length: hosts }, (_, host) => site.startUrl(host));
    const id = await service.createJob({ urls, store_raw: storeRaw, page_limit: 100_000 });
    await ended(client, id);
    const [logBytes = 0, diskBytes = 0, databaseMs = 0, workerMs = 0, seconds = 0] = (await usage()).map(
      (value, index) => value - (before[index] ?? 0),
    );
    const pages = await one(`(SELECT scraped FROM job WHERE id = '${id}')`);
    return { pages, seconds, logBytes, diskBytes, databaseMs, workerMs };
  } finally {
    await service.stop();
    await client.end();
    await site.close();
    await database.remove();
  }
}

async function ended(client: Client, id: string): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT 1 FROM job WHERE id = $1 AND finished_at IS NOT NULL', [id]);
    if (rows.length > 0) return;
    await sleep(100);
  }
}
