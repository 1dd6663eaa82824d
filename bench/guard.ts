// Fails if a page costs 5 % more than at the anchor, the commit in bench/anchor.json. Both programs run in turns, each
// turn in a fresh service: postgresql-doc-15 twice, generated small pages, then reads of `/data`.
//
//   node bench/guard.ts [--small] [--report] [--against COMMIT] [rounds, default 4]
//
// --small needs nothing but the repository and its history, and is part of the check: generated small pages twice, then the
// reads. Other programs only make a run dearer, so the least of all rounds counts for each side; all rounds but one have
// to say the same. Where the two least of a side differ by more than 4 %, the measure is "not measured" and does not fail. What
// is too dear is measured in as many rounds again before it fails. Memory, start and responses a second are only printed.
// With --report, so is everything. The anchor moves in a commit of its own that says what the loss bought.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { builtAnchor, readAnchor } from './anchor.ts';
import { serveCorpus } from './corpus.ts';
import { threadsCpuMs, usageOf } from './process-usage.ts';
import { builtProgram, crawl, type JobAnswer, type Service, startService } from './service.ts';
import { startSmallPages } from './small-pages.ts';

const lossMax = 0.05;
const spreadMax = 0.04;
const roundsMin = 3;
const allSecondsMax = 150;
const smallPages = 2_000;
const rows = 400;

/** Their names are the rows of the table, in its order. */
const guarded = [
  'first crawl, CPU ms/page',
  'later crawl, CPU ms/page',
  'small pages, CPU ms/page',
  '/data gzip, CPU ms',
  '/data plain, CPU ms',
  'bytes/page',
] as const;
const printed = ['peak RSS MB', 'start ms', '/data gzip, responses/s'] as const;
const sides = ['head', 'anchor'] as const;
type Side = (typeof sides)[number];
type Figures = Readonly<Record<(typeof guarded)[number] | (typeof printed)[number], number>>;

const { values, positionals } = parseArgs({
  options: { report: { type: 'boolean' }, small: { type: 'boolean' }, against: { type: 'string' } },
  allowPositionals: true,
});
const rounds = Number(positionals[0] ?? 4);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('How many rounds? A whole number, 1 or more.');

const anchor = values.against === undefined ? readAnchor() : { commit: values.against, reason: 'as asked' };
const programs = { head: builtProgram(), anchor: builtAnchor(anchor) };
const small = await startSmallPages(smallPages);
const documentation = values.small === true ? undefined : await serveCorpus('postgresql-doc-15');
const measured: { readonly head: Figures; readonly anchor: Figures }[] = [];
const start = performance.now();
try {
  await measureRounds(rounds);
  if (values.report !== true && dearer().length > 0) await measureRounds(rounds);
} finally {
  await documentation?.close();
  await small.close();
}
printTable();

async function measureRounds(count: number): Promise<void> {
  for (let round = 1; round <= count; round++) {
    // The first of a round changes: neither has the advantage.
    const first = round % 2 === 1 ? 'head' : 'anchor';
    const one = await measure(programs[first]);
    const other = await measure(programs[first === 'head' ? 'anchor' : 'head']);
    measured.push(first === 'head' ? { head: one, anchor: other } : { head: other, anchor: one });
    const seconds = (performance.now() - start) / 1000;
    console.error(`round ${measured.length}: ${seconds.toFixed(0)} s`);
    if (values.report !== true && (seconds * (measured.length + 1)) / measured.length > allSecondsMax) break;
  }
}

async function measure(program: string): Promise<Figures> {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-guard-'));
  try {
    const startedAt = performance.now();
    const service = await startService(directory, program);
    const startMs = performance.now() - startedAt;
    const startUrls = documentation ? [documentation.contentsUrl] : small.startUrls;
    const first = await cost(service, startUrls);
    const later = await cost(service, startUrls);
    const generated = documentation ? await cost(service, small.startUrls) : later;
    if (generated.pages !== smallPages) throw new Error(`${generated.pages} of ${smallPages} small pages`);
    const gzip = await reads(service, first.job, { encoding: 'gzip', before: 50, count: 150 });
    const plain = await reads(service, first.job, { encoding: 'identity', before: 50, count: 60 });
    const { peakRssBytes } = usageOf(service.pid);
    await service.stop();
    const pages = [...new Set([first, later, generated])].reduce((sum, job) => sum + job.pages, 0);
    return {
      'first crawl, CPU ms/page': first.cpuMs,
      'later crawl, CPU ms/page': later.cpuMs,
      'small pages, CPU ms/page': generated.cpuMs,
      '/data gzip, CPU ms': gzip.cpuMs,
      '/data plain, CPU ms': plain.cpuMs,
      'bytes/page': bytesIn(directory) / pages,
      'peak RSS MB': peakRssBytes / 1e6,
      'start ms': startMs,
      '/data gzip, responses/s': gzip.perSecond,
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface Cost {
  readonly job: JobAnswer;
  readonly pages: number;
  readonly cpuMs: number;
}

async function cost(service: Service, startUrls: readonly string[]): Promise<Cost> {
  const before = threadsCpuMs(service.pid);
  const job = await crawl(service, startUrls);
  const pages = job.progress.scraped;
  return { job, pages, cpuMs: (threadsCpuMs(service.pid) - before) / pages };
}

/**
 * `before`: reads that are not measured. A plain response leaves a megabyte of garbage, and the first full collections
 * come after some dozens: 50 reads from the start said how many of them fell into it.
 */
async function reads(
  service: Service,
  { id, progress }: JobAnswer,
  { encoding, before, count }: { readonly encoding: string; readonly before: number; readonly count: number },
): Promise<{ readonly cpuMs: number; readonly perSecond: number }> {
  const read = async (nth: number): Promise<void> => {
    // Coprime to most numbers of pages: each read begins at another row.
    const after = (nth * 1_009) % (progress.scraped - rows);
    await service.ask(`/crawler/jobs/${id}/data?limit=${rows}&after=${after}`, { encoding });
  };
  for (let nth = 0; nth < before; nth++) await read(nth);
  const cpuBefore = threadsCpuMs(service.pid);
  const startedAt = performance.now();
  for (let nth = 0; nth < count; nth++) await read(before + nth);
  return {
    cpuMs: (threadsCpuMs(service.pid) - cpuBefore) / count,
    perSecond: (count * 1000) / (performance.now() - startedAt),
  };
}

function bytesIn(directory: string): number {
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { name }) => sum + statSync(path.join(directory, name)).size, 0);
}

function printTable(): void {
  console.log(`anchor ${anchor.commit.slice(0, 8)}: ${anchor.reason}\n`);
  console.log('| | anchor, least | now, least | ratio | of each round | |\n|---|--:|--:|--:|---|---|');
  for (const name of compared()) printRow(name, verdictOf(name));
  for (const name of printed) printRow(name, '');
  const found = dearer();
  if (found.length === 0) return;
  console.log(`\nMore than ${lossMax * 100} % above the anchor: ${found.join('; ')}.`);
  if (values.report !== true) process.exitCode = 1;
}

function compared(): readonly (keyof Figures)[] {
  return guarded.filter((name) => values.small !== true || name !== 'small pages, CPU ms/page');
}

function dearer(): readonly string[] {
  return compared().filter((name) => verdictOf(name) === 'too much');
}

function verdictOf(name: keyof Figures): string {
  const isSpread = sides.some((side) => {
    const [least = 0, next = 0] = sorted(side, name);
    return next > least * (1 + spreadMax);
  });
  if (measured.length < roundsMin || isSpread) return 'not measured';
  // One round can be anything.
  const [, second = Number.NaN] = ratiosOf(name).toSorted((one, other) => one - other);
  return Math.min(ratioOf(name), second) > 1 + lossMax ? 'too much' : 'ok';
}

function printRow(name: keyof Figures, verdict: string): void {
  const [then, now] = [least('anchor', name), least('head', name)].map((figure) => figure.toPrecision(4));
  const rounds = ratiosOf(name).map((ratio) => ratio.toFixed(2));
  console.log(`| ${name} | ${then} | ${now} | ${ratioOf(name).toFixed(3)} | ${rounds.join(', ')} | ${verdict} |`);
}

function ratiosOf(name: keyof Figures): readonly number[] {
  return measured.map(({ head, anchor: before }) => head[name] / before[name]);
}

function ratioOf(name: keyof Figures): number {
  return least('head', name) / least('anchor', name);
}

function least(side: Side, name: keyof Figures): number {
  return sorted(side, name)[0] ?? Number.NaN;
}

function sorted(side: Side, name: keyof Figures): readonly number[] {
  return measured.map((round) => round[side][name]).toSorted((one, other) => one - other);
}
