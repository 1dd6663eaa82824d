// Fails if a page costs 5 % more than at the anchor, the commit in bench/anchor.json. Both programs run in turns, each
// turn in a fresh service: postgresql-doc-15 twice, generated small pages, then reads of `/data`.
//
//   node bench/guard.ts [--small] [--report] [--against COMMIT] [rounds, default 3]
//
// --small needs nothing but the repository and its history, and takes 40 s: generated small pages twice, then the reads.
// A measure fails if it is above in every round: other programs make single rounds dearer and cheaper. Rounds on both sides
// of the bound are "unclear" and do not fail. Memory, start and responses a second are only printed. With --report, so is
// everything. The anchor moves in a commit of its own that says what the loss bought.
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
type Figures = Readonly<Record<(typeof guarded)[number] | (typeof printed)[number], number>>;

const { values, positionals } = parseArgs({
  options: { report: { type: 'boolean' }, small: { type: 'boolean' }, against: { type: 'string' } },
  allowPositionals: true,
});
const rounds = Number(positionals[0] ?? 3);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('How many rounds? A whole number, 1 or more.');

const anchor = values.against === undefined ? readAnchor() : { commit: values.against, reason: 'as asked' };
const programs = { head: builtProgram(), anchor: builtAnchor(anchor) };
const small = await startSmallPages(smallPages);
const documentation = values.small === true ? undefined : await serveCorpus('postgresql-doc-15');
const measured: { readonly head: Figures; readonly anchor: Figures }[] = [];
const start = performance.now();
try {
  for (let round = 1; round <= rounds; round++) {
    // The first of a round changes: neither has the advantage.
    const first = round % 2 === 1 ? 'head' : 'anchor';
    const one = await measure(programs[first]);
    const other = await measure(programs[first === 'head' ? 'anchor' : 'head']);
    measured.push(first === 'head' ? { head: one, anchor: other } : { head: other, anchor: one });
    const seconds = (performance.now() - start) / 1000;
    console.error(`round ${round} of ${rounds}: ${seconds.toFixed(0)} s`);
    if ((seconds * (round + 1)) / round > allSecondsMax) break;
  }
} finally {
  await documentation?.close();
  await small.close();
}
printTable();

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
    const gzip = await reads(service, first.job, { encoding: 'gzip', before: 50, count: 200 });
    const plain = await reads(service, first.job, { encoding: 'identity', before: 100, count: 150 });
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
  console.log('| | anchor | now | ratio by round | |\n|---|--:|--:|---|---|');
  const compared = guarded.filter((name) => values.small !== true || name !== 'small pages, CPU ms/page');
  const dearer = compared.filter((name) => printRow(name, verdictOf(name)) === 'too much');
  for (const name of printed) printRow(name, '');
  if (dearer.length === 0) return;
  console.log(`\nMore than ${lossMax * 100} % above the anchor: ${dearer.join('; ')}.`);
  if (values.report !== true) process.exitCode = 1;
}

function verdictOf(name: keyof Figures): string {
  const ratios = ratiosOf(name);
  if (ratios.length < 2) return 'not measured';
  const most = 1 + lossMax;
  if (Math.min(...ratios) > most) return 'too much';
  return Math.max(...ratios) > most ? 'unclear' : 'ok';
}

function printRow(name: keyof Figures, verdict: string): string {
  const [then, now] = (['anchor', 'head'] as const).map((who) =>
    median(measured.map((round) => round[who][name])).toPrecision(4),
  );
  const ratios = ratiosOf(name).map((ratio) => ratio.toFixed(3));
  console.log(`| ${name} | ${then} | ${now} | ${ratios.join(', ')} | ${verdict} |`);
  return verdict;
}

function ratiosOf(name: keyof Figures): readonly number[] {
  return measured.map(({ head, anchor: then }) => head[name] / then[name]);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
