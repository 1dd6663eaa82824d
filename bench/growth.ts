// Measures the cost of a page as jobs grow: one job of each size, in a fresh service. Counts only the processor time and
// memory of the service.
//
//   node bench/growth.ts [pages, default 1000 10000 100000...]
//   node bench/growth.ts --corpus rust-doc [--hosts 20] [pages, default 1000 10000 40000...]
//
// Without a corpus, pages are generated and small, from 16 words. With a corpus, pages are real: `--hosts` hosts serve a
// copy each. The heading of each page names its host, because equal pages on two hosts are duplicates.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { serveCorpus } from './corpus.ts';
import { type Site, startSmallPages } from './small-pages.ts';
import { usageOf } from './process-usage.ts';
import { crawl, type Service, startService } from './service.ts';

const reads = 40;

interface Growth {
  readonly pages: number;
  readonly pagesPerSecond: number;
  readonly cpuMsPerPage: number;
  readonly peakRssMb: number;
  readonly bytesPerPage: number;
  readonly startMs: number;
  readonly firstReadMs: number;
  readonly lastReadMs: number;
}

const { values, positionals } = parseArgs({
  options: { corpus: { type: 'string' }, hosts: { type: 'string', default: '20' } },
  allowPositionals: true,
});
const { corpus } = values;
const hosts = Number(values.hosts);
if (!Number.isInteger(hosts) || hosts < 1 || hosts > 10_000)
  throw new Error('How many hosts? A whole number from 1 to 10000.');
const sizesDefault = corpus === undefined ? [1_000, 10_000, 100_000] : [1_000, 10_000, 40_000];
const sizes = positionals.length > 0 ? positionals.map(Number) : sizesDefault;
if (!sizes.every((pages) => Number.isInteger(pages) && pages >= 200 && pages <= 10_000_000))
  throw new Error('How many pages? Whole numbers from 200 to 10000000.');

const rows: Growth[] = [];
for (const pages of sizes) {
  const row = await measure(pages);
  rows.push(row);
  console.error(`${pages} pages: ${row.pagesPerSecond.toFixed(0)} pages/s, ${row.cpuMsPerPage.toFixed(3)} ms/page`);
}
console.log(`\nNode ${process.versions.node}\n`);
console.log(
  '| pages | pages/s | CPU ms/page | peak RSS MB | bytes/page | start ms | first 100 rows ms | last 100 rows ms |',
);
console.log('|--:|--:|--:|--:|--:|--:|--:|--:|');
for (const row of rows) {
  const { pages, pagesPerSecond, cpuMsPerPage, peakRssMb, bytesPerPage, startMs, firstReadMs, lastReadMs } = row;
  console.log(
    `| ${pages} | ${pagesPerSecond.toFixed(0)} | ${cpuMsPerPage.toFixed(3)} | ${peakRssMb.toFixed(0)} | ${bytesPerPage.toFixed(0)} | ${startMs.toFixed(0)} | ${firstReadMs.toFixed(1)} | ${lastReadMs.toFixed(1)} |`,
  );
}

async function measure(pages: number): Promise<Growth> {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-growth-'));
  const site = corpus === undefined ? await startSmallPages(pages) : await serveHosts(corpus);
  try {
    const service = await startService(directory);
    const before = usageOf(service.pid);
    const postedAt = Date.now();
    const job = await crawl(service, site.startUrls, pages);
    const { scraped } = job.progress;
    if (job.status !== 'succeeded' || scraped !== pages)
      throw new Error(`${job.status} with ${scraped} of ${pages} pages`);
    const seconds = ((job.finishedAt ?? Number.NaN) - postedAt) / 1000;
    const after = usageOf(service.pid);
    await service.stop();

    const startedAt = performance.now();
    const again = await startService(directory);
    const startMs = performance.now() - startedAt;
    const firstReadMs = await timeOfRead(again, job.id, 0);
    const lastReadMs = await timeOfRead(again, job.id, pages - 100);
    await again.stop();
    return {
      pages,
      pagesPerSecond: pages / seconds,
      cpuMsPerPage: (after.cpuMs - before.cpuMs) / pages,
      peakRssMb: after.peakRssBytes / 1e6,
      bytesPerPage: statSync(path.join(directory, 'hayrake.db')).size / pages,
      startMs,
      firstReadMs,
      lastReadMs,
    };
  } finally {
    await site.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The median of many. */
async function timeOfRead(service: Service, id: string, after: number): Promise<number> {
  const times: number[] = [];
  for (let read = 0; read < reads; read++) {
    const startedAt = performance.now();
    await service.ask(`/crawler/jobs/${id}/data?limit=100&after=${after}`);
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((a, b) => a - b)[reads / 2] ?? Number.NaN;
}

async function serveHosts(name: string): Promise<Site> {
  const server = await serveCorpus(name, hosts);
  return { startUrls: server.contentsUrls, close: () => server.close() };
}
