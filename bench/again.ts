// What a page costs a service that has crawled before: one site crawled again and again by the same service, with the
// processor time by kind of thread. What the first crawl costs more is compiling.
//
//   node bench/again.ts [corpus, default postgresql-doc-15] [crawls, default 3]
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { corpusFolder, defaultCorpus, serveCorpus } from './corpus.ts';
import { ticksPerSecond } from './process-usage.ts';
import { crawl, startService } from './service.ts';

const [corpus = defaultCorpus, crawlsGiven = '3'] = process.argv.slice(2);
const crawls = Number(crawlsGiven);
if (!Number.isInteger(crawls) || crawls < 1) throw new Error('How many crawls? A whole number, 1 or more.');
corpusFolder(corpus);

const kinds = ['main', 'converters and writer', "V8's helpers", 'others'] as const;
type Times = Record<(typeof kinds)[number], number>;

const server = await serveCorpus(corpus);
const service = await startService();
try {
  console.log(`| ${corpus} | pages | pages/s | CPU ms/page | ${kinds.join(' | ')} |\n|---|${'--:|'.repeat(7)}`);
  for (let number = 1; number <= crawls; number++) {
    const before = cpuMsOf(service.pid);
    const start = performance.now();
    const { progress } = await crawl(service, server.contentsUrl);
    const seconds = (performance.now() - start) / 1000;
    const after = cpuMsOf(service.pid);
    const pages = progress.scraped;
    const spent = kinds.map((kind) => (after[kind] - before[kind]) / pages);
    const all = spent.reduce((sum, ms) => sum + ms, 0);
    const cells = [pages, (pages / seconds).toFixed(1), ...[all, ...spent].map((ms) => ms.toFixed(2))];
    console.log(`| crawl ${number} | ${cells.join(' | ')} |`);
  }
} finally {
  await service.stop();
  await server.close();
}

/** Of each thread of the process so far. None of them ends while the service crawls. */
function cpuMsOf(pid: number): Times {
  const times: Times = { main: 0, 'converters and writer': 0, "V8's helpers": 0, others: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(path.join(`/proc/${pid}/task`, thread, 'stat'), 'utf8');
    // The name stands in parentheses and may contain anything; utime and stime are fields 14 and 15.
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    times[kindOf(Number(thread) === pid, name)] += (((user ?? 0) + (system ?? 0)) * 1000) / ticksPerSecond;
  }
  return times;
}

function kindOf(isMain: boolean, name: string): keyof Times {
  if (isMain) return 'main';
  if (name.startsWith('WorkerThread')) return 'converters and writer';
  return name.startsWith('V8Worker') ? "V8's helpers" : 'others';
}
