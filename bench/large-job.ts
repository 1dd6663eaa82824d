// One job of millions of URLs through the store's own ports: what a queued URL and a stored page take on disk, table by table, what
// is dead and what vacuum did, and how long each endpoint takes on such a job. Nothing is fetched or converted.
//
//   node bench/large-job.ts DIRECTORY|postgres://...|postgres [urls, default 5000000]
//
// `postgres` starts a server that ends with the program. With a directory or a URL, a run that was ended is resumed. Ctrl-C ends a run
// with a report of what there is.
import { crc32, constants, deflateRawSync } from 'node:zlib';
import type { HostLease, Settlement } from '../src/core/ports/frontier.ts';
import type { PageRecord } from '../src/core/page.ts';
import type { Link, Request } from '../src/core/request.ts';
import type { Store } from '../src/core/ports/stores.ts';
import { newJobId } from '../src/jobs/job-id.ts';
import { defaultOrg } from '../src/jobs/tokens.ts';
import { dedupeKey } from '../src/url/dedupe-key.ts';
import { openPostgresStore } from '../src/storage/postgres/postgres-store.ts';
import { openSqliteStore } from '../src/storage/sqlite/sqlite-store.ts';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import { newJob } from '../test/storage/test-data.ts';
import { timeEndpoints } from './large-job-endpoints.ts';
import { sizesOf } from './large-job-sizes.ts';

const hosts = 20;
const lanes = 8;
const urlsOfAHub = 1_000;
const linksOfAPage = 10;
const takeMax = 50;
const turnsOfALease = 20;
const words = 'hay rake field meadow barn summer wagon scythe stack clover dry wind early late long short'.split(' ');

const [where, count = '5000000'] = process.argv.slice(2);
const urls = Number(count);
if (where === undefined || !Number.isInteger(urls) || urls < 10_000)
  throw new Error('Usage: node bench/large-job.ts DIRECTORY|postgres://...|postgres [urls, at least 10000]');
/** Ctrl-C ends the run with a report of what there is. */
let isStopped = false;
process.once('SIGINT', () => {
  isStopped = true;
});
const hubs = Math.ceil(urls / (urlsOfAHub + 1));

const server =
  where === 'postgres'
    ? await startPostgres({ settings: { fsync: 'on', shared_buffers: '1GB', max_wal_size: '4GB' } })
    : undefined;
try {
  await run(server ? (await createDatabase(server.url())).url : where);
} finally {
  await server?.remove();
}

async function run(place: string): Promise<void> {
  const store = await open(place);
  const id = await jobOf(store);
  const progress = async () => {
    const job = await store.jobs.get(defaultOrg, id);
    if (!job) throw new Error('the job is gone');
    return job;
  };
  const before = (await progress()).progress;
  await store.frontier.recover({ delayMs: 0 });
  if (before.scraped <= hubs && !isStopped) {
    await crawl(store, 'the queue is built', () => hubs + 1);
    await report(place, id, 'queued', (await progress()).progress);
  }
  await crawl(store, 'all are crawled', () => Number.POSITIVE_INFINITY, before.scraped);
  const { status, progress: after } = await progress();
  await report(place, id, status === 'succeeded' ? 'crawled' : 'as far as it went', after);
  await store.close();

  async function crawl(target: Store, what: string, until: () => number, from = 0): Promise<void> {
    const startedAt = performance.now();
    let settled = 0;
    const timer = setInterval(() => {
      const perSecond = (settled / (performance.now() - startedAt)) * 1000;
      console.error(`${new Date().toISOString()} ${from + settled} pages, ${perSecond.toFixed(0)} a second`);
    }, 30_000);
    const isOver = (): boolean => from + settled >= until() || isStopped;
    const lane = async (): Promise<void> => {
      for (;;) {
        const [held] = await target.frontier.leaseHosts();
        if (!held) return;
        const done = await turn(target, held.lease, isOver);
        settled += done;
        if (isOver()) return;
      }
    };
    while (!isOver() && (await progress()).status !== 'succeeded') {
      await Promise.all(Array.from({ length: lanes }, lane));
    }
    clearInterval(timer);
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `${what}: ${settled} pages in ${seconds.toFixed(0)} s, ${(settled / seconds).toFixed(0)} pages/s, peak RSS ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`,
    );
  }
}

async function turn(store: Store, lease: HostLease, isOver: () => boolean): Promise<number> {
  let settled = 0;
  for (let turns = 0; turns < turnsOfALease && !isOver(); turns++) {
    const requests = await store.frontier.take(lease, takeMax);
    if (requests.length === 0) break;
    await store.frontier.settle(
      lease,
      requests.map((request): Settlement => ({ request, fetched: true, outcome: outcomeOf(request) })),
    );
    settled += requests.length;
  }
  await store.frontier.release(lease);
  return settled;
}

function open(place: string): Promise<Store> | Store {
  const jobUrlsMax = 50_000_000;
  return place.startsWith('postgres://')
    ? openPostgresStore({ url: place, connections: 10, jobUrlsMax })
    : openSqliteStore(place, { crawling: true, jobUrlsMax });
}

/** The job that the store has, or a new one. */
async function jobOf(store: Store): Promise<string> {
  const [known] = (await store.jobs.list(defaultOrg, { limit: 1 })).jobs;
  if (known) return known.id;
  const job = newJob({
    org: defaultOrg,
    startLinks: [linkTo(0)],
    scopeHosts: Array.from({ length: hosts }, (_, host) => nameOf(host)),
    spec: { pageLimit: 10_000_000, fetchLimit: 100_000_000, timeLimitSeconds: 864_000, outputExpirySeconds: 864_000 },
  });
  const made = await store.jobs.create({ ...job, id: newJobId(Date.now()) });
  if (typeof made === 'string') throw new Error(made);
  return made.id;
}

/** Page 0 leads to the hubs, each hub to its URLs, each of them to some that are known. */
function outcomeOf(request: Request): Settlement['outcome'] {
  const number = Number(/-(\d+)\.html$/.exec(request.url)?.[1]);
  return { kind: 'scraped', page: pageOf(request.url, number), links: targetsOf(number).map(linkTo) };
}

function targetsOf(number: number): number[] {
  if (number === 0) return Array.from({ length: hubs }, (_, hub) => hub + 1);
  const first = hubs + 1 + (number - 1) * urlsOfAHub;
  if (number <= hubs)
    return Array.from({ length: urlsOfAHub }, (_, index) => first + index).filter((target) => target <= urls);
  return Array.from({ length: linksOfAPage }, (_, index) => (number * (index + 3)) % urls);
}

function linkTo(number: number): Link {
  const depth = number === 0 ? 0 : number <= hubs ? 1 : 2;
  const name = nameOf(number % hosts);
  const url = `https://${name}/articles/${words[number % 16]}-${words[(number >> 4) % 16]}-${words[(number >> 8) % 16]}-${number}.html`;
  return { url, key: dedupeKey(new URL(url)), host: `${name}:443`, depth };
}

function nameOf(host: number): string {
  return `site${host}.example`;
}

function pageOf(url: string, number: number): PageRecord {
  const meta = `"url":"${url}","fetchedUrl":"${url}","meta":{"title":"Article ${number}","description":""}}`;
  return {
    meta: Buffer.from(meta),
    packedMeta: packed(meta),
    body: packed(`${meta},"text":"# Article ${number}\\n\\n${words.join(' ')}"}`),
    fetchedKey: dedupeKey(new URL(url)),
    contentKey: `content of ${number}`.padEnd(22),
    statusCode: 200,
  };
}

function packed(fragment: string): PageRecord['body'] {
  const bytes = Buffer.from(fragment);
  const deflated = deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH, level: 1 });
  return { deflated, crc: crc32(bytes), length: bytes.length };
}

async function report(place: string, id: string, stage: string, progress: object): Promise<void> {
  console.log(`\n## ${stage}: ${JSON.stringify(progress)}\n`);
  console.log(await sizesOf(place));
  console.log(await timeEndpoints(place, id));
}
