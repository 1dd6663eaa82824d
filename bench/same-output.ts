// Whether two checkouts make the same of the same pages: hashes of text, Markdown, HTML, metadata and links of every page of the
// documentation that is installed, of the project's own test pages and hostile pages, and of the folders and files given.
// Beside it what extractPage costs: processor time in turns, each in a process of its own, and what is allocated.
//
//   node bench/same-output.ts [--write HASHES] [--against DIR|HASHES] [--cost ROUNDS] [--most N] [FOLDER | FILE.jsonl[.gz]]...
//
// A file has an object a line with `url` and `html`. Names each page that differs, and then exits with 1.
// With --most, reads that number of files of each folder, spread over it.
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { globSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type * as ExtractModule from '../src/extract/extract-page.ts';
import type { ExtractOptions } from '../src/extract/extract-page.ts';
import { hostilePages } from '../test/hostile-pages.ts';
import { corpusFolder, corpusNames } from './corpus.ts';

interface Page {
  readonly url: string;
  readonly html: string;
}

type Source = readonly [name: string, pages: () => Iterable<Page>];

const here = fileURLToPath(new URL('..', import.meta.url));
const self = fileURLToPath(import.meta.url);
/** Pages of a source whose cost is measured, spread over all of it. */
const costPagesMax = 420;
const warmUpPasses = 4;
const passes = 4;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'string' },
    against: { type: 'string' },
    cost: { type: 'string' },
    most: { type: 'string', default: '1000000' },
    // Of the processes that this program starts: the checkout to load, and what to print.
    of: { type: 'string' },
    source: { type: 'string' },
  },
});

function sources(): Source[] {
  const installed = corpusNames.flatMap((name): Source[] => {
    const folder = folderOf(name);
    return folder === undefined ? [] : [[name, () => pagesIn(folder)]];
  });
  return [
    ...installed,
    ['test pages', () => pagesIn(path.join(here, 'test/pages'))],
    ['hostile pages', () => hostilePages.map(([why, make]) => ({ url: `http://127.0.0.1/${why}`, html: make() }))],
    ...positionals.map((given): Source => {
      const isFolder = statSync(given).isDirectory();
      return [path.basename(given), () => (isFolder ? pagesIn(given) : pagesOfLines(given))];
    }),
  ];
}

function folderOf(corpus: string): string | undefined {
  try {
    return corpusFolder(corpus);
  } catch (error) {
    console.error(String(error));
    return undefined;
  }
}

function filesIn(folder: string): readonly string[] {
  // Parts of it may stand elsewhere.
  const parts = readdirSync(folder).map((name) => realpathSync(path.join(folder, name)));
  const files = parts.flatMap((part) => (/\.x?html?$/.test(part) ? [part] : globSync(`${part}/**/*.{html,htm,xhtml}`)));
  return spread(files.toSorted(), Number(values.most));
}

function spread<Item>(items: readonly Item[], most: number): readonly Item[] {
  const every = Math.ceil(items.length / most);
  return items.filter((_, at) => at % every === 0);
}

function* pagesIn(folder: string): Generator<Page> {
  // Test pages have the same addresses in every checkout.
  for (const file of filesIn(folder))
    yield { url: `http://127.0.0.1/${file.replace(here, '')}`, html: readFileSync(file, 'utf8') };
}

function* pagesOfLines(file: string): Generator<Page> {
  const bytes = readFileSync(file);
  const lines = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8').split('\n');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- given by the operator of the benchmark
  for (const line of lines) if (line !== '') yield JSON.parse(line) as Page;
}

/** The tree differs by output and selectors, and that of XML by its rules. */
const variants: readonly Partial<ExtractOptions>[] = [
  { outputFormat: 'markdown', formats: ['text'] },
  { outputFormat: 'html' },
  { outputFormat: 'markdown', content: 'full' },
  { outputFormat: 'markdown', excludeElements: 'nav, .sidebar, [hidden]' },
  { outputFormat: 'text', isXml: true },
];

function optionsOf(url: string, variant: Partial<ExtractOptions>): ExtractOptions {
  const headers = { link: '', refresh: '', contentLanguage: '' };
  const options = { headers, robotsTag: new Set<string>(), content: 'auto', excludeElements: null } as const;
  return { url, ...options, outputFormat: 'markdown', ...variant };
}

async function load(checkout: string): Promise<typeof ExtractModule.extractPage> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same file of another commit
  const module = (await import(path.join(checkout, 'src/extract/extract-page.ts'))) as typeof ExtractModule;
  return module.extractPage;
}

async function printHashes(checkout: string): Promise<void> {
  const extractPage = await load(checkout);
  for (const [name, pages] of sources()) {
    let number = 0;
    for (const { url, html } of pages()) {
      const hashes = variants.map((variant) => {
        const page = extractPage(html, optionsOf(url, variant));
        const all = { ...page, images: page.images(), scriptSigns: page.scriptSigns() };
        return hash('sha256', JSON.stringify(all), 'base64url').slice(0, 16);
      });
      process.stdout.write(`${name} ${number++} ${url}\t${hashes.join(' ')}\n`);
    }
  }
}

/** Processor time of a page in microseconds, without the pages' own reading. */
async function printCost(checkout: string, source: string): Promise<void> {
  const extractPage = await load(checkout);
  const pages = samplesOf(source);
  const run = (count: number): void => {
    for (let pass = 0; pass < count; pass++)
      for (const { url, html } of pages) extractPage(html, optionsOf(url, { formats: ['text'] }));
  };
  run(warmUpPasses);
  // Lines of --trace-gc before this one are those of the start.
  process.stdout.write('measured\n');
  const before = process.cpuUsage();
  run(passes);
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`cost ${(user + system) / passes / pages.length} ${passes * pages.length}\n`);
}

function samplesOf(source: string): readonly Page[] {
  const all = sources().find(([name]) => name === source)?.[1]() ?? [];
  const pages = Array.from(all).filter(({ html }) => html.length < 2_000_000);
  return spread(pages, costPagesMax);
}

function compare(): void {
  const { against, write, cost } = values;
  const ours = hashesOf(here);
  const count = ours.split('\n').length - 1;
  if (write !== undefined) writeFileSync(write, ours);
  console.log(`${count} pages, ${hash('sha256', ours, 'base64url').slice(0, 16)}`);
  if (against === undefined) return;
  const isFolder = statSync(against).isDirectory();
  const theirs = isFolder ? hashesOf(path.resolve(against)) : readFileSync(against, 'utf8');
  const [ourLines, theirLines] = [ours, theirs].map((text) => text.split('\n').filter(Boolean));
  const known = new Set(theirLines);
  const different = (ourLines ?? []).filter((line) => !known.has(line));
  for (const line of different) console.log(`differs: ${line.split('\t')[0]}`);
  console.log(`${different.length} of ${count} pages differ`);
  if (known.size !== count) console.log(`The other has ${known.size} pages: compare with the same arguments.`);
  if (different.length > 0 || known.size !== count) process.exitCode = 1;
  if (cost !== undefined && isFolder) compareCost(path.resolve(against), Number(cost));
}

function hashesOf(checkout: string): string {
  return started(['--of', checkout]);
}

function started(args: readonly string[], flags: readonly string[] = []): string {
  const { stdout, status } = spawnSync(
    process.execPath,
    [...flags, self, ...args, '--most', values.most, ...positionals],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 2 ** 30,
    },
  );
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}.`);
  return stdout;
}

function compareCost(other: string, rounds: number): void {
  console.log('\n| source | us a page: other, this | ratio | KB a page: other, this | ratio |\n|---|--:|--:|--:|--:|');
  for (const [name] of sources().filter(([source]) => source !== 'hostile pages')) {
    const taken = [other, here].map((): { readonly us: number[]; readonly kb: number[] } => ({ us: [], kb: [] }));
    for (let round = 0; round < rounds; round++) {
      for (const [at, checkout] of [other, here].entries()) {
        const output = started(['--of', checkout, '--source', name], ['--trace-gc']);
        const [, us = '', pages = ''] = /^cost (\S+) (\S+)$/m.exec(output) ?? [];
        taken[at]?.us.push(Number(us));
        taken[at]?.kb.push(allocatedKb(output) / Number(pages));
      }
    }
    const [before = [0, 0], after = [0, 0]] = taken.map(({ us, kb }) => [Math.min(...us), Math.min(...kb)] as const);
    const pair = (at: 0 | 1): string =>
      `${before[at].toFixed(0)}, ${after[at].toFixed(0)} | ${(after[at] / before[at]).toFixed(2)}`;
    console.log(`| ${name} | ${pair(0)} | ${pair(1)} |`);
  }
}

/** What `--trace-gc` says that was allocated between collections: `Scavenge 20.1 (30.0) -> 12.3 (30.5) MB`. */
function allocatedKb(output: string): number {
  let kept: number | undefined;
  let sum = 0;
  for (const [, from, to] of output
    .slice(output.indexOf('measured\n'))
    .matchAll(/ms: .*? ([\d.]+) \([\d.]+\) -> ([\d.]+) \(/g)) {
    if (kept !== undefined) sum += Number(from) - kept;
    kept = Number(to);
  }
  return sum * 1024;
}

if (values.of === undefined) compare();
else if (values.source === undefined) await printHashes(values.of);
else await printCost(values.of, values.source);
