// The main job against its peers: one site crawled whole and converted to Markdown, by each in turn, round after round.
// Each runs in its own process against a fresh nginx; pages are counted in nginx's log. hayrake commits to disk; its peers
// keep their results in memory.
//
//   node bench/main-job.ts [corpus, default postgresql-doc-15] [rounds, default 3] [peer...]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { corpusFolder, defaultCorpus, pagesDelivered, serveCorpus } from './corpus.ts';
import { crawl, startService } from './service.ts';
import { usageOf, type Usage } from './process-usage.ts';

/** From the order to crawl to the last page, without the time that the program takes to start. */
interface Measured {
  readonly seconds: number;
  readonly before: Usage;
  readonly after: Usage;
}

const peers: Readonly<Record<string, (startUrl: string) => Promise<Measured>>> = {
  hayrake: runHayrake,
  crawlee: (startUrl) => runCrawlee(startUrl, 'original'),
  'crawlee, joplin tables': (startUrl) => runCrawlee(startUrl, 'joplin'),
};
const comparedWith = 'crawlee';

async function runHayrake(startUrl: string): Promise<Measured> {
  const service = await startService();
  try {
    const before = usageOf(service.pid);
    const posted = Date.now();
    const job = await crawl(service, startUrl);
    const after = usageOf(service.pid);
    return { seconds: ((job.finishedAt ?? Number.NaN) - posted) / 1000, before, after };
  } finally {
    await service.stop();
  }
}

async function runCrawlee(startUrl: string, tables: 'original' | 'joplin'): Promise<Measured> {
  const script = fileURLToPath(new URL('crawlee.ts', import.meta.url));
  const child = spawn(process.execPath, [script, startUrl, '32', tables], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    await nextLine(lines);
    const before = usageOf(child.pid ?? 0);
    child.stdin.write('go\n');
    const result = await nextLine(lines);
    return { seconds: Number(/"seconds":([\d.]+)/.exec(result)?.[1]), before, after: usageOf(child.pid ?? 0) };
  } finally {
    child.stdin.end();
    await ended;
  }
}

async function nextLine(lines: AsyncIterator<string, unknown>): Promise<string> {
  const line = await lines.next();
  if (line.done === true) throw new Error('The peer ended before it said anything.');
  return line.value;
}

interface Figures {
  readonly pages: number;
  readonly pagesPerSecond: number;
  readonly cpuMsPerPage: number;
  readonly peakRssMb: number;
}

async function measure(corpus: string, run: (startUrl: string) => Promise<Measured>): Promise<Figures> {
  const server = await serveCorpus(corpus);
  try {
    const { seconds, before, after } = await run(server.startUrl);
    const pages = pagesDelivered(server.requestsLogged());
    return {
      pages,
      pagesPerSecond: pages / seconds,
      cpuMsPerPage: (after.cpuMs - before.cpuMs) / pages,
      peakRssMb: after.peakRssBytes / 1e6,
    };
  } finally {
    await server.close();
  }
}

const [corpus = defaultCorpus, roundsGiven = '3', ...named] = process.argv.slice(2);
const rounds = Number(roundsGiven);
const chosen = named.length > 0 ? named : Object.keys(peers);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('How many rounds? A whole number, 1 or more.');
corpusFolder(corpus);

const figures = new Map<string, Figures[]>(chosen.map((name) => [name, []]));
for (let round = 1; round <= rounds; round++) {
  for (const [name, soFar] of figures) {
    const run = peers[name];
    if (run === undefined) throw new Error(`There is no peer "${name}". There are: ${Object.keys(peers).join(', ')}`);
    const measured = await measure(corpus, run);
    soFar.push(measured);
    console.error(
      `round ${round} of ${rounds}: ${name}: ${measured.pages} pages, ${measured.pagesPerSecond.toFixed(1)}/s`,
    );
  }
}
printTable();

function printTable(): void {
  const base = middle(figures.get(comparedWith)?.map((one) => one.pagesPerSecond) ?? []);
  const columns = ['', 'pages', 'pages/s', '(from to)', 'CPU ms/page', 'peak RSS MB', `x ${comparedWith}`];
  const rows = Array.from(figures, ([name, all]) => {
    const speeds = all.map((one) => one.pagesPerSecond);
    return [
      name,
      String(middle(all.map((one) => one.pages))),
      middle(speeds).toFixed(1),
      `(${Math.min(...speeds).toFixed(1)} to ${Math.max(...speeds).toFixed(1)})`,
      middle(all.map((one) => one.cpuMsPerPage)).toFixed(2),
      middle(all.map((one) => one.peakRssMb)).toFixed(0),
      Number.isNaN(base) ? '' : (middle(speeds) / base).toFixed(2),
    ];
  });
  const table = [columns, ...rows];
  const widths = columns.map((_, index) => Math.max(...table.map((row) => row[index]?.length ?? 0)));
  console.log(`\n${corpus}, medians of ${rounds} rounds, Node ${process.versions.node}\n`);
  for (const row of table) {
    console.log(
      row
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join('  '),
    );
  }
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? Number.NaN)) / 2;
}
