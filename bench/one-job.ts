// What several processes cost each other that settle for one job, without fetching and converting: each leases, takes and settles as fast
// as it can. Sessions that wait for locks are sampled, since on a small machine pages a second say more about its processors.
//
//   node bench/one-job.ts [rounds, default 3] [processes, default 1,2]
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Outcome, Request } from '../src/core/request.ts';
import { openPostgresStore } from '../src/storage/postgres/postgres-store.ts';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import { crawl, link, newJob, scraped } from '../test/storage/test-data.ts';

const hosts = 100;
const pagesOfAHost = 60;
/** Lanes of a process. */
const lanes = 8;
const sampleMs = 10;

interface Round {
  readonly pagesPerSecond: number;
  readonly waiting: number;
}

const [mode = '3', second = '1,2'] = process.argv.slice(2);
if (mode === 'work') await work(second);
else await measure(Number(mode), second.split(',').map(Number));

async function measure(rounds: number, counts: readonly number[]): Promise<void> {
  const server = await startPostgres({ settings: { fsync: 'on', shared_buffers: '256MB' } });
  try {
    console.log('| processes | pages/s | sessions that wait for locks |\n|--:|--:|--:|');
    for (let round = 0; round < rounds; round++) {
      for (const processes of counts) {
        const { pagesPerSecond, waiting } = await one(server.url(), processes);
        console.log(`| ${processes} | ${pagesPerSecond.toFixed(0)} | ${waiting.toFixed(2)} |`);
      }
    }
  } finally {
    await server.remove();
  }
}

async function one(url: string, processes: number): Promise<Round> {
  const database = await createDatabase(url);
  const watcher = new Client({ connectionString: database.url });
  await watcher.connect();
  const store = await openPostgresStore({ url: database.url, connections: 2 });
  const workers = Array.from({ length: processes }, () => fork(import.meta.filename, ['work', database.url]));
  try {
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    const startLinks = Array.from({ length: hosts }, (_, host) => link('/0', { depth: 0, host: nameOf(host) }));
    const spec = { pageLimit: 1_000_000, fetchLimit: 1_000_000 };
    const startedAt = performance.now();
    const job = await store.jobs.create(newJob({ startLinks, spec }));
    if (typeof job === 'string') throw new Error(job);
    let [samples, waits] = [0, 0];
    for (;;) {
      const { rows } = await watcher.query<{ open: number; scraped: number; waiting: number }>(
        `SELECT (SELECT count(*)::int FROM job WHERE finished_at IS NULL) AS open, (SELECT sum(scraped)::int FROM job) AS scraped,
           (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock') AS waiting`,
      );
      const { open = 0, scraped: pages = 0, waiting = 0 } = rows[0] ?? {};
      samples++;
      waits += waiting;
      if (open === 0) {
        if (pages !== hosts * pagesOfAHost) throw new Error(`${pages} pages, and not ${hosts * pagesOfAHost}`);
        return { pagesPerSecond: (pages * 1000) / (performance.now() - startedAt), waiting: waits / samples };
      }
      await sleep(sampleMs);
    }
  } finally {
    await Promise.all(workers.map(end));
    await store.close();
    await watcher.end();
    await database.remove();
  }
}

async function end(worker: ChildProcess): Promise<void> {
  const exited = once(worker, 'exit');
  worker.send('end');
  await exited;
}

async function work(url: string): Promise<void> {
  const store = await openPostgresStore({ url, connections: 10 });
  await store.frontier.recover({ delayMs: 0 });
  const ending = new AbortController();
  process.on('message', () => ending.abort());
  process.send?.('ready');
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (!ending.signal.aborted) {
        await crawl(store, outcomeOf, 20);
        await sleep(10);
      }
    }),
  );
  await store.close();
  process.disconnect?.();
}

/** Each page leads to two others of its host, every tenth to another host. */
function outcomeOf(request: Request): Outcome {
  const { hostname, pathname } = new URL(request.url);
  const [host, page] = [Number(hostname.slice(1, hostname.indexOf('.'))), Number(pathname.slice(1))];
  const next = [2 * page + 1, 2 * page + 2].filter((to) => to < pagesOfAHost);
  const found = next.map((to) => link(`/${to}`, { depth: request.depth + 1, host: nameOf(host) }));
  if (page % 10 === 0) found.push(link(`/${page}`, { depth: request.depth + 1, host: nameOf((host + 1) % hosts) }));
  return scraped(request, found, { text: `${request.url} ${'word '.repeat(400)}` });
}

function nameOf(host: number): string {
  return `h${host}.test:443`;
}
