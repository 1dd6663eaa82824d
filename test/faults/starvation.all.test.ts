// Too little of everything: a narrow line, no processor, few files, a slow disk. The crawl is slower, and nothing is lost.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { codesOf, ledgerOf } from '../e2e/ledger.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { htmlPage } from '../service/test-site.ts';
import { afterTest, expectWholeCrawl, startCrawl } from './crawl.ts';
import { canTrace, delayCalls } from './inject.ts';
import { canLimitMemory, limitMemory } from './memory-limit.ts';

test('a line of 64 kbit/s: every page at its first attempt, and memory does not grow', async () => {
  const paths = Array.from({ length: 30 }, (_, index) => `/page/${index}`);
  const filler = Array.from({ length: 600 }, (_, index) => `word${index}`).join(' ');
  const line = createLine(8_000);
  afterTest(line.close);
  let sentBytes = 0;
  const origin = await startSite((path, response) => {
    const body =
      path === '/' ? htmlPage({ text: 'The start.', links: paths }) : htmlPage({ text: `${path} ${filler}` });
    sentBytes += body.length;
    line.send(response, body);
  });
  const service = await startService();
  afterTest(() => service.close());
  const before = residentMiB(service);
  const startedAt = performance.now();
  const job = await service.crawl({ urls: [`${origin}/`], force_crawling_mode: 'link' });
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: 31, failed: 0, discarded: 0 } });
  expect(Math.max(...(await ledgerOf(service, job.id)).map(({ attempts }) => attempts))).toBe(1);
  // It was as slow as it had to be.
  expect(seconds).toBeGreaterThan(sentBytes / 8_000 - 2);
  console.info(`${Math.round(seconds)} s, where the line takes ${Math.round(sentBytes / 8_000)} s`);
  expect(residentMiB(service) - before).toBeLessThan(100);
});

test.skipIf(!canLimitMemory)(
  'memory that the kernel does not give: it kills the program, and the next one goes on (needs root for control groups)',
  async () => {
    const crawl = await startCrawl(60, { words: 100_000 });
    const { service } = crawl;
    const limit = limitMemory(service.pid!, 24 * 2 ** 20);
    // By a signal there is no exit code.
    expect(await service.exited).toBeNull();
    expect(limit.kills()).toBeGreaterThan(0);
    limit.remove();
    await service.start();
    await expectWholeCrawl(crawl, { attempts: 2 });
  },
);

test('four programs that want every processor: no page is fetched twice, and the API answers', async () => {
  const crawl = await startCrawl(300, { env: { HAYRAKE_REQUESTS_PER_MINUTE: '0' } });
  const { service, site, id } = crawl;
  for (let count = 0; count < 4; count++) {
    const loop = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    afterTest(() => loop.kill('SIGKILL'));
  }
  const tookMs: number[] = [];
  for (let isRunning = true; isRunning;) {
    const askedAt = performance.now();
    isRunning = (await service.job(id)).finishedAt === null;
    tookMs.push(performance.now() - askedAt);
  }
  tookMs.sort((a, b) => a - b);
  const p99 = tookMs[Math.floor(tookMs.length * 0.99)]!;
  console.info(`the API answered ${tookMs.length} times, p99 ${Math.round(p99)} ms`);
  await expectWholeCrawl(crawl);
  expect(Math.max(...site.paths.map((path) => site.asked.get(path) ?? 0))).toBe(1);
});

test('128 files that may be opened, and 100 hosts at a time: it is slower, and no URL pays for it', async () => {
  const paths = ['/a', '/b', '/c'];
  const origin = await startSite((path, response) => {
    const body = htmlPage({ text: `${path} of ${response.req.headers.host}`, links: path === '/' ? paths : [] });
    setTimeout(() => response.end(body), 500);
  });
  const starter = ['sh', '-c', 'ulimit -n 128 && exec "$@"', 'sh'];
  const env = { HAYRAKE_CONCURRENCY: '100', HAYRAKE_CONVERTER_THREADS: '1' };
  const service = await startService({ starter, env });
  afterTest(() => service.close());
  // A thread that is to start now would find no files for its modules.
  await service.crawl({ urls: [`${origin}/a`], page_limit: 1 });
  const urls = Array.from({ length: 100 }, (_, index) => `${origin.replace('127.0.0.1', `127.0.1.${index + 1}`)}/`);
  const { pid } = service;
  const job = await service.crawl({ urls, force_crawling_mode: 'link' });
  expect(job).toMatchObject({ status: 'succeeded', progress: { scraped: 400, failed: 0, discarded: 0 } });
  expect(service.stderr).toContain('"concurrency":32');
  expect(codesOf(job)).toEqual([]);
  expect(Math.max(...(await ledgerOf(service, job.id)).map(({ attempts }) => attempts))).toBe(1);
  expect(service.pid).toBe(pid);
  expect((await service.api('/readyz')).status).toBe(200);
});

test.skipIf(!canTrace)(
  'a disk that takes 200 ms for every fsync: the crawl is slower, and reading is not (needs strace)',
  async () => {
    const crawl = await startCrawl(300, { env: { HAYRAKE_REQUESTS_PER_MINUTE: '0' } });
    const { service, id } = crawl;
    afterTest(await delayCalls(service.pid!, 'fdatasync,fsync', 200));
    const tookMs: number[] = [];
    for (let isRunning = true; isRunning;) {
      const askedAt = performance.now();
      isRunning = (await service.job(id)).finishedAt === null;
      tookMs.push(performance.now() - askedAt);
    }
    tookMs.sort((a, b) => a - b);
    const [median = 0, p99 = 0] = [0.5, 0.99].map((part) => tookMs[Math.floor(tookMs.length * part)]);
    console.info(`the API answered ${tookMs.length} times, median ${Math.round(median)} ms, p99 ${Math.round(p99)} ms`);
    await expectWholeCrawl(crawl);
    // What waits for the disk takes longer.
    expect(median).toBeLessThan(200);
  },
);

async function startSite(answer: (path: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    response.setHeader('content-type', 'text/html');
    if (path === '/robots.txt') response.writeHead(404).end();
    else answer(path, response);
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  afterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Line {
  send(response: ServerResponse, body: string): void;
  readonly close: () => void;
}

/** So many bytes a second for all answers together, each in its turn. */
function createLine(bytesPerSecond: number): Line {
  const sliceMs = 100;
  const sliceBytes = (bytesPerSecond * sliceMs) / 1_000;
  const waiting: { readonly response: ServerResponse; rest: string }[] = [];
  const timer = setInterval(() => {
    const next = waiting.shift();
    if (next === undefined) return;
    next.response.write(next.rest.slice(0, sliceBytes));
    next.rest = next.rest.slice(sliceBytes);
    if (next.rest === '') next.response.end();
    else waiting.push(next);
  }, sliceMs);
  return {
    send: (response, body) => void waiting.push({ response, rest: body }),
    close: () => clearInterval(timer),
  };
}

function residentMiB({ pid }: TestService): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1_024;
}
