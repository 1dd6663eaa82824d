// How much users notice of each other: one page beside 500 jobs, an org beside one with 10,000 hosts, interactive scrapes beside a
// full crawl and after a slow page. A service from the sources, in a process of its own, on a database of its own.
//
//   node bench/fairness.ts [sqlite | postgres] [scenario...]
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import { type ScaleSite, startScaleSite } from './scale-site.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const answerMs = 50;
const smallJobs = 500;
const pagesOfASmallJob = 40;
const hostsOfALargeOrg = 10_000;
/** Behind all others. */
const firstNewHost = 20_000;
const samples = 20;
const slowPageMs = 20_000;

interface Service {
  readonly orgs: readonly ApiClient[];
  stop(): Promise<void>;
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly progress: { readonly scraped: number };
}

type Scenario = (service: Service, site: ScaleSite) => Promise<readonly string[]>;

const scenarios: Readonly<Record<string, Scenario>> = {
  'one-page': onePage,
  'two-orgs': twoOrgs,
  scrapes: scrapesBesideACrawl,
  'slow-page': afterASlowPage,
};

const [kind = 'sqlite', ...names] = process.argv.slice(2);
console.log(`| ${kind} | |\n|---|--:|`);
for (const [name, run] of Object.entries(scenarios)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const site = await startScaleSite({ pages: pagesOfASmallJob, answerMs, delaySeconds: 0 });
  const service = kind === 'postgres' ? await onPostgres() : await onSqlite();
  try {
    for (const line of await run(service, site)) console.log(line);
  } finally {
    await service.stop();
    await site.close();
  }
}
console.log(`| processes that want to run | ${loadavg()[0]?.toFixed(1)} |`);

async function onePage({ orgs: [one] }: Service, site: ScaleSite): Promise<readonly string[]> {
  if (!one) return [];
  const idle = await repeat(5, (round) => crawlOnePage(one, site, firstNewHost + round));
  await startSmallJobs(one, site);
  await sleep(2_000);
  await site.asked();
  const began = performance.now();
  const busy = await repeat(5, async (round) => {
    const took = await crawlOnePage(one, site, firstNewHost + 100 + round);
    await sleep(500);
    return took;
  });
  const seconds = (performance.now() - began) / 1000;
  const { pages } = await site.asked();
  return [
    row('a job of one page on a new host, idle: median', `${ms(idle)} ms`),
    row(`the same beside ${smallJobs} jobs of ${pagesOfASmallJob} pages of the same org: median`, `${ms(busy)} ms`),
    row('the same, each', `${busy.map((took) => took.toFixed(0)).join(', ')} ms`),
    row('pages/s meanwhile', (pages / seconds).toFixed(0)),
  ];
}

async function twoOrgs({ orgs: [large, small] }: Service, site: ScaleSite): Promise<readonly string[]> {
  if (!large || !small) return [];
  const list: string[] = [];
  for (let host = 0; host < hostsOfALargeOrg; host += 1_000) {
    const urls = Array.from({ length: 1_000 }, (_, index) => site.startUrl(host + index));
    list.push(await create(large, { urls, max_depth: 0, force_crawling_mode: 'link' }));
  }
  await sleep(1_000);
  const began = performance.now();
  const urls = Array.from({ length: 20 }, (_, index) => site.startUrl(firstNewHost + index));
  const job = await create(small, { urls, page_limit: 400, force_crawling_mode: 'link' });
  const before = await scrapedOf(large, list);
  let firstMs = 0;
  for (;;) {
    const { status, progress } = await read(small, job);
    if (firstMs === 0 && progress.scraped > 0) firstMs = performance.now() - began;
    if (status === 'succeeded') break;
    if (status === 'failed' || status === 'cancelled') throw new Error(`The job ${job} ended as ${status}`);
    await sleep(50);
  }
  const tookMs = performance.now() - began;
  const meanwhile = (await scrapedOf(large, list)) - before;
  return [
    row(`an org beside one with ${hostsOfALargeOrg} hosts: first page after`, `${firstMs.toFixed(0)} ms`),
    row('the same: 400 pages of 20 hosts after', `${tookMs.toFixed(0)} ms`),
    row('the same: pages of the large org meanwhile', String(meanwhile)),
  ];
}

async function scrapesBesideACrawl({ orgs: [one, other] }: Service, site: ScaleSite): Promise<readonly string[]> {
  if (!one || !other) return [];
  await repeat(5, (round) => scrape(other, site.startUrl(firstNewHost + 500 + round)));
  const idle = await repeat(samples, (round) => scrape(other, site.startUrl(firstNewHost + round)));
  await startSmallJobs(one, site);
  await sleep(2_000);
  const busy = await repeat(samples, (round) => scrape(other, site.startUrl(firstNewHost + 100 + round)));
  return [
    row('a scrape, idle: median, slowest', `${ms(idle)}, ${Math.max(...idle).toFixed(0)} ms`),
    row('a scrape beside a full crawl: median, slowest', `${ms(busy)}, ${Math.max(...busy).toFixed(0)} ms`),
  ];
}

async function afterASlowPage({ orgs: [one] }: Service): Promise<readonly string[]> {
  if (!one) return [];
  const server = createServer((request, response) => {
    const send = (): void => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>t</title><p>Page ${request.url ?? ''}</p>`);
    };
    if (request.url === '/slow') setTimeout(send, slowPageMs);
    else if (request.url === '/robots.txt') response.writeHead(404).end();
    else send();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The first page of a process waits for its converter threads.
  await scrape(one, `${origin}/0`);
  const slow = scrape(one, `${origin}/slow`, 2);
  await sleep(500);
  const during = await scrape(one, `${origin}/1`);
  await slow;
  const after = await scrape(one, `${origin}/2`);
  server.closeAllConnections();
  server.close();
  return [
    row('a scrape while another of the host waits for a page of 20 s', `${during.toFixed(0)} ms`),
    row('a scrape after that one has timed out', `${after.toFixed(0)} ms`),
  ];
}

async function startSmallJobs(client: ApiClient, site: ScaleSite): Promise<readonly string[]> {
  // Side by side: one after the other, the first jobs would have ended before the last began.
  const began = performance.now();
  const hosts = Array.from({ length: smallJobs }, (_, host) => host);
  const jobs = await Promise.all(
    hosts.map((host) => create(client, { urls: [site.startUrl(host)], force_crawling_mode: 'link' })),
  );
  console.log(row(`${smallJobs} jobs created in`, `${(performance.now() - began).toFixed(0)} ms`));
  return jobs;
}

async function crawlOnePage(client: ApiClient, site: ScaleSite, host: number): Promise<number> {
  const id = await create(client, { urls: [site.startUrl(host)], max_depth: 0, force_crawling_mode: 'link' });
  await untilAllEnded(client, [id]);
  const { createdAt, finishedAt } = await read(client, id);
  return (finishedAt ?? Number.NaN) - createdAt;
}

async function untilAllEnded(client: ApiClient, jobs: readonly string[]): Promise<void> {
  for (const id of jobs) while ((await read(client, id)).finishedAt === null) await sleep(100);
}

async function scrape(client: ApiClient, url: string, timeout = 60): Promise<number> {
  const began = performance.now();
  await client.ask('/scraper/scrape', { body: { url, timeout } });
  return performance.now() - began;
}

async function scrapedOf(client: ApiClient, jobs: readonly string[]): Promise<number> {
  let sum = 0;
  for (const id of jobs) sum += (await read(client, id)).progress.scraped;
  return sum;
}

async function create(client: ApiClient, body: object): Promise<string> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own service, and a benchmark
  return (JSON.parse(await client.ask('/crawler/jobs', { body })) as Job).id;
}

async function read(client: ApiClient, id: string): Promise<Job> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own service, and a benchmark
  return JSON.parse(await client.ask(`/crawler/jobs/${id}`)) as Job;
}

async function repeat(times: number, run: (round: number) => Promise<number>): Promise<readonly number[]> {
  const took: number[] = [];
  for (let round = 0; round < times; round++) took.push(await run(round));
  return took;
}

function ms(values: readonly number[]): string {
  return (values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN).toFixed(0);
}

function row(name: string, value: string): string {
  return `| ${name} | ${value} |`;
}

async function onSqlite(): Promise<Service> {
  const data = mkdtempSync(path.join(tmpdir(), 'hayrake-fairness-'));
  const service = await start({ HAYRAKE_DATA: data });
  return {
    ...service,
    stop: async () => {
      await service.stop();
      rmSync(data, { recursive: true });
    },
  };
}

async function onPostgres(): Promise<Service> {
  const server = await startPostgres({ settings: { fsync: 'on' } });
  const database = await createDatabase(server.url());
  const service = await start({ HAYRAKE_DATABASE_URL: database.url });
  return {
    ...service,
    stop: async () => {
      await service.stop();
      await server.remove();
    },
  };
}

async function start(place: Readonly<Record<string, string>>): Promise<Service> {
  const env = {
    HAYRAKE_ALLOW_PRIVATE: '127.0.0.0/8',
    HAYRAKE_REQUESTS_PER_MINUTE: '0',
    HAYRAKE_LOG_LEVEL: 'warn',
    ...process.env,
    ...place,
  };
  const tokens = ['one', 'two'].map((org) =>
    execFileSync(process.execPath, [main, 'token', 'create', '--org', org], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .toString()
      .trim(),
  );
  const child = spawn(process.execPath, [main, 'serve', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const origin = await originOf(child);
  return {
    orgs: tokens.map((token) => apiClient(origin, token)),
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** It says where it listens. */
async function originOf({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('the service has no standard output');
  for await (const line of createInterface({ input: stdout })) {
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (origin !== undefined) return origin;
  }
  throw new Error('the service said nothing of where it listens');
}
