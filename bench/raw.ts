// What `store_raw` costs on real documentations: disk and processor time of a page against the same crawl without, in turns. And
// how fast pages are made again from their raw bodies, against the crawl that fetched them.
//
//   node bench/raw.ts [rounds, default 3] [corpus...]
//   node bench/raw.ts reextract [pages, default 20000] [bytes of a page, default 10000]
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { corpusNames, serveCorpus } from './corpus.ts';
import { generatedPage } from './generated-pages.ts';
import { threadsCpuMs } from './process-usage.ts';
import { crawl, type JobAnswer, type Service, startService } from './service.ts';

/** Of a corpus. */
const pagesMax = 2_000;

interface Cost {
  readonly pages: number;
  readonly cpuMs: number;
  readonly diskBytes: number;
  readonly seconds: number;
}

process.env['HAYRAKE_BROWSER'] ??= 'off';
const [first, ...rest] = process.argv.slice(2);
await (first === 'reextract' ? measureReextraction(rest) : measureStoring(first, rest));

async function measureStoring(roundsGiven = '3', corpora: readonly string[] = []): Promise<void> {
  console.log(
    `Load ${loadavg()[0]?.toFixed(1)}, ${roundsGiven} rounds; medians, and the smallest and largest ratio.\n`,
  );
  console.log('| | pages | CPU ms/page | with `store_raw` | ratio | disk KB/page | with `store_raw` |');
  console.log('|---|--:|--:|--:|--:|--:|--:|');
  for (const corpus of corpora.length > 0 ? corpora : corpusNames) {
    const site = await serveCorpus(corpus);
    const costs: { readonly without: Cost; readonly with: Cost }[] = [];
    try {
      for (let round = 0; round < Number(roundsGiven); round++) {
        // The one that runs second finds the files in memory, so they take turns in this too.
        const [one, other] = [
          await costOf(site.contentsUrl, round % 2 === 1),
          await costOf(site.contentsUrl, round % 2 === 0),
        ];
        costs.push(round % 2 === 0 ? { without: one, with: other } : { without: other, with: one });
      }
    } finally {
      await site.close();
    }
    const of = (figure: (cost: (typeof costs)[number]) => number): number => median(costs.map(figure));
    const ratios = costs.map(({ without, with: kept }) => kept.cpuMs / kept.pages / (without.cpuMs / without.pages));
    const cells = [
      corpus,
      of(({ with: { pages } }) => pages),
      of(({ without: { cpuMs, pages } }) => cpuMs / pages).toFixed(2),
      of(({ with: { cpuMs, pages } }) => cpuMs / pages).toFixed(2),
      `${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)})`,
      of(({ without: { diskBytes, pages } }) => diskBytes / pages / 1e3).toFixed(2),
      of(({ with: { diskBytes, pages } }) => diskBytes / pages / 1e3).toFixed(2),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

/** Of the first crawl of a new service. */
async function costOf(url: string, storeRaw: boolean): Promise<Cost> {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-bench-'));
  const service = await startService(directory);
  const cost = await costOfJob(service, directory, () => crawl(service, url, pagesMax, { store_raw: storeRaw }));
  await service.stop();
  const diskBytes = statSync(path.join(directory, 'hayrake.db')).size;
  rmSync(directory, { recursive: true });
  return { ...cost, diskBytes };
}

async function costOfJob(
  service: Service,
  directory: string,
  run: () => Promise<JobAnswer>,
): Promise<Cost & { readonly id: string }> {
  const before = threadsCpuMs(service.pid);
  const startedAt = performance.now();
  const { progress, id } = await run();
  return {
    id,
    pages: progress.scraped,
    cpuMs: threadsCpuMs(service.pid) - before,
    seconds: (performance.now() - startedAt) / 1e3,
    diskBytes: statSync(path.join(directory, 'hayrake.db')).size,
  };
}

async function measureReextraction([pagesGiven = '20000', bytesGiven = '10000']: readonly string[]): Promise<void> {
  const [pages, bytes] = [Number(pagesGiven), Number(bytesGiven)];
  let requests = 0;
  const server = createServer((request, response) => {
    const page = Number((request.url ?? '').slice(1));
    if (!Number.isInteger(page) || page >= pages) return void response.writeHead(404).end();
    requests++;
    response.writeHead(200, { 'content-type': 'text/html' }).end(generatedPage({ pages, bytes }, page, 0));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-bench-'));
  const service = await startService(directory);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/0`;
  const crawled = await costOfJob(service, directory, () => crawl(service, url, 2 * pages, { store_raw: true }));
  const asked = requests;
  const again = await costOfJob(service, directory, () => reextracted(service, crawled.id));
  console.log('| | pages | pages/s | CPU ms/page | requests to the site |\n|---|--:|--:|--:|--:|');
  for (const [name, cost, sent] of [
    ['crawl', crawled, asked],
    ['`reextract`', again, requests - asked],
  ] as const)
    console.log(
      `| ${name} | ${cost.pages} | ${(cost.pages / cost.seconds).toFixed(0)} | ${(cost.cpuMs / cost.pages).toFixed(2)} | ${sent} |`,
    );
  await service.stop();
  server.close();
  server.closeAllConnections();
  rmSync(directory, { recursive: true });
}

async function reextracted(service: Service, id: string): Promise<JobAnswer> {
  let job = jobIn(await service.ask(`/crawler/jobs/${id}/reextract`, { body: { content: 'full' } }));
  while (job.finishedAt === null) {
    await sleep(50);
    job = jobIn(await service.ask(`/crawler/jobs/${job.id}`));
  }
  return job;
}

function jobIn(text: string): JobAnswer {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own service, and a benchmark
  return JSON.parse(text) as JobAnswer;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
