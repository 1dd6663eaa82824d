// Fails if a page costs more than at the anchor, the commit in bench/anchor.json: 10 % more processor time, or with
// `--bound` another share; 5 % more bytes. Both programs crawl at the same time, so other load hits both, and the median of
// the pairs counts. Each pair has fresh services: generated small pages, the same with `since`, then reads of `/data`.
//
//   node bench/guard.ts [--small] [--report] [--against COMMIT] [--bound 1.10] [pairs, default 3]
//
// --small needs nothing but the repository and its history, and is part of the check; without it, postgresql-doc-15 is
// crawled twice as well. What is too dear is measured in as many pairs again before it fails. Memory is only printed. With
// --report, so is everything. The anchor moves down only, in a commit of its own.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { builtAnchor, readAnchor } from './anchor.ts';
import { serveCorpus } from './corpus.ts';
import { threadsCpuMs, usageOf } from './process-usage.ts';
import { builtProgram, crawl, type JobAnswer, type Service, startService } from './service.ts';
import { startSmallPages } from './small-pages.ts';

const smallPages = 2_000;
const rows = 400;
const bytesBound = 1.05;
/** Some dozens of reads: whether one more collection falls into them makes a difference. */
const readsBound = 1.2;

const sides = ['head', 'anchor'] as const;
type Side = (typeof sides)[number];
type Pair = Readonly<Record<Side, number>>;

interface Running {
  readonly service: Service;
  readonly directory: string;
  /** The last crawl. */
  job?: JobAnswer;
}

const { values, positionals } = parseArgs({
  options: {
    report: { type: 'boolean' },
    small: { type: 'boolean' },
    against: { type: 'string' },
    bound: { type: 'string', default: '1.10' },
  },
  allowPositionals: true,
});
const pairs = Number(positionals[0] ?? 3);
if (!Number.isInteger(pairs) || pairs < 1) throw new Error('How many pairs? A whole number, 1 or more.');
const cpuBound = Number(values.bound);

const anchor = values.against === undefined ? readAnchor() : { commit: values.against, reason: 'as asked' };
const programs: Readonly<Record<Side, string>> = { head: builtProgram(), anchor: builtAnchor(anchor) };
const small = await startSmallPages(smallPages);
const documentation = values.small === true ? undefined : await serveCorpus('postgresql-doc-15');

/** What is measured, in this order, on both sides at once. */
const measures: Readonly<Record<string, { readonly bound?: number; readonly of: (one: Running) => Promise<number> }>> =
  {
    ...(documentation && {
      'first crawl, CPU ms/page': { bound: cpuBound, of: (one) => costOf(one, { urls: [documentation.contentsUrl] }) },
      'later crawl, CPU ms/page': { bound: cpuBound, of: (one) => costOf(one, { urls: [documentation.contentsUrl] }) },
    }),
    'small pages, CPU ms/page': { bound: cpuBound, of: (one) => costOf(one, { urls: small.startUrls }) },
    'with since, CPU ms/page': { bound: cpuBound, of: (one) => costOf(one, { urls: undefined, since: one.job?.id }) },
    '/data gzip, CPU ms': { bound: readsBound, of: (one) => readsOf(one, { encoding: 'gzip', before: 25, count: 50 }) },
    '/data plain, CPU ms': {
      bound: readsBound,
      of: (one) => readsOf(one, { encoding: 'identity', before: 25, count: 30 }),
    },
    'bytes/page': { bound: bytesBound, of: ({ directory }) => Promise.resolve(bytesIn(directory) / smallPages) },
    'peak RSS MB': { of: ({ service }) => Promise.resolve(usageOf(service.pid).peakRssBytes / 1e6) },
  };
const measured: Readonly<Record<string, Pair>>[] = [];
try {
  await measurePairs(pairs);
  if (values.report !== true && dearer().length > 0) await measurePairs(pairs);
} finally {
  await documentation?.close();
  await small.close();
}
printTable();

async function measurePairs(count: number): Promise<void> {
  const start = performance.now();
  for (let pair = 1; pair <= count; pair++) {
    measured.push(await measurePair());
    console.error(`pair ${measured.length}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
}

async function measurePair(): Promise<Readonly<Record<string, Pair>>> {
  const running = await onBoth(async (side): Promise<Running> => {
    const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-guard-'));
    return { directory, service: await startService(directory, programs[side]) };
  });
  const figures: Record<string, Pair> = {};
  try {
    for (const [name, { of }] of Object.entries(measures)) figures[name] = await onBoth((side) => of(running[side]));
  } finally {
    await onBoth((side) => running[side].service.stop());
    for (const side of sides) rmSync(running[side].directory, { recursive: true });
  }
  return figures;
}

async function onBoth<T>(act: (side: Side) => Promise<T>): Promise<Readonly<Record<Side, T>>> {
  const [head, before] = await Promise.all([act('head'), act('anchor')]);
  return { head, anchor: before };
}

async function costOf(one: Running, options: Readonly<Record<string, unknown>>): Promise<number> {
  const before = threadsCpuMs(one.service.pid);
  one.job = await crawl(one.service, [], 100_000, options);
  return (threadsCpuMs(one.service.pid) - before) / one.job.progress.scraped;
}

/** `before`: reads that are not measured. */
async function readsOf(
  { service, job }: Running,
  { encoding, before, count }: { readonly encoding: string; readonly before: number; readonly count: number },
): Promise<number> {
  if (!job) throw new Error('nothing was crawled');
  const { id, progress } = job;
  const read = async (nth: number): Promise<void> => {
    // Coprime to most numbers of pages: each read begins at another row.
    const after = (nth * 1_009) % (progress.scraped - rows);
    await service.ask(`/crawler/jobs/${id}/data?limit=${rows}&after=${after}`, { encoding });
  };
  for (let nth = 0; nth < before; nth++) await read(nth);
  const cpuBefore = threadsCpuMs(service.pid);
  for (let nth = 0; nth < count; nth++) await read(before + nth);
  return (threadsCpuMs(service.pid) - cpuBefore) / count;
}

function bytesIn(directory: string): number {
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { name }) => sum + statSync(path.join(directory, name)).size, 0);
}

function printTable(): void {
  console.log(`anchor ${anchor.commit.slice(0, 8)}: ${anchor.reason}\n`);
  console.log('| | anchor | now | ratio | of each pair | |\n|---|--:|--:|--:|---|---|');
  for (const [name, { bound = Number.POSITIVE_INFINITY }] of Object.entries(measures)) {
    const [then, now] = (['anchor', 'head'] as const).map((side) =>
      medianOf(name, (pair) => pair[side]).toPrecision(4),
    );
    const ratios = measured.map((pair) => ratioOf(pair[name]).toFixed(2)).join(', ');
    const verdict = isDearer(name) ? 'too much' : bound < Number.POSITIVE_INFINITY ? 'ok' : '';
    console.log(`| ${name} | ${then} | ${now} | ${medianOf(name, ratioOf).toFixed(3)} | ${ratios} | ${verdict} |`);
  }
  if (dearer().length === 0) return;
  console.log(`\nDearer than the anchor: ${dearer().join('; ')}.`);
  if (values.report !== true) process.exitCode = 1;
}

function dearer(): readonly string[] {
  return Object.keys(measures).filter(isDearer);
}

function isDearer(name: string): boolean {
  return medianOf(name, ratioOf) > (measures[name]?.bound ?? Number.POSITIVE_INFINITY);
}

function ratioOf(pair: Pair | undefined): number {
  return pair ? pair.head / pair.anchor : Number.NaN;
}

function medianOf(name: string, figureOf: (pair: Pair) => number): number {
  const figures = measured.flatMap((pair) => (pair[name] ? [figureOf(pair[name])] : [])).toSorted((a, b) => a - b);
  const middle = figures.length / 2;
  return ((figures[Math.ceil(middle) - 1] ?? Number.NaN) + (figures[Math.floor(middle)] ?? Number.NaN)) / 2;
}
