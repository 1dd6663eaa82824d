// What `trust_lastmod` saves, and what it misses: crawls with `since` of a generated site with ETags whose sitemap tells the
// truth, lies from the start, or begins to lie. Before each run one page in a hundred changes.
//
//   node bench/lastmod.ts [pages, default 10000] [seeds, default 20]
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generatedPage } from './generated-pages.ts';
import { crawl, readAll, startService } from './service.ts';

const [pagesGiven = '10000', seedsGiven = '20'] = process.argv.slice(2);
const [pages, seeds] = [Number(pagesGiven), Number(seedsGiven)];
const site = { pages, bytes: 2_500 };
const changedOfRun = Math.round(pages / 100);

/** How often each page was changed, and what the sitemap says of it. */
let versions = new Uint32Array(pages);
let dates = new Float64Array(pages).fill(Date.UTC(2026, 0, 1));
/** The version of each page that the last run knows. */
let known = versions.slice();
let clock = Date.now() - 24 * 3_600_000;
/** All requests, those for robots.txt and the sitemap too. */
let requests = 0;

const server = createServer((request, response) => {
  requests++;
  if (request.url === '/sitemap.xml') {
    const urls = Array.from(
      dates,
      (date, page) => `<url><loc>${origin()}/${page}</loc><lastmod>${new Date(date).toISOString()}</lastmod></url>`,
    );
    return void response.writeHead(200, { 'content-type': 'application/xml' }).end(`<urlset>${urls.join('')}</urlset>`);
  }
  const page = Number((request.url ?? '').slice(1));
  if (!Number.isInteger(page) || page >= pages) return void response.writeHead(404).end();
  const etag = `"${page}-${versions[page] ?? 0}"`;
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
  const html = generatedPage(site, page, versions[page] ?? 0);
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(html);
});
await once(server.listen(0, '127.0.0.1'), 'listening');
function origin(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-bench-'));
const service = await startService(directory);

interface Run {
  readonly id: string;
  readonly requests: number;
  /** Pages whose text is not that of the site. */
  readonly missed: number;
  readonly codes: readonly string[];
}

async function run(options: Readonly<Record<string, unknown>> = {}): Promise<Run> {
  requests = 0;
  const { id, findings } = await crawl(service, `${origin()}/0`, pages * 2, options);
  const asked = requests;
  if (options['since'] !== undefined) {
    const rows = await readAll<{ url: string }>(service, `/crawler/jobs/${id}/changes?change=changed&limit=400`);
    for (const { url } of rows.flat()) {
      const page = Number(new URL(url).pathname.slice(1));
      known[page] = versions[page] ?? 0;
    }
  }
  const missed = versions.reduce((sum, version, page) => sum + Number(version !== known[page]), 0);
  return { id, requests: asked, missed, codes: findings.map(({ code }) => code) };
}
const again = (since: string): Promise<Run> => run({ since, trust_lastmod: true });

/** Numbers that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Changes one page in a hundred, but not the start page. `isSaid`: the sitemap says so. */
function change(seed: number, isSaid: boolean): void {
  const random = randomOf(seed);
  const some = new Set<number>();
  while (some.size < changedOfRun) some.add(1 + Math.floor(random() * (pages - 1)));
  clock += 60_000;
  for (const page of some) {
    versions[page] = (versions[page] ?? 0) + 1;
    if (isSaid) dates[page] = clock;
  }
}

console.log('| Site | Run | Requests | Share of the first run | Missed | Finding |\n|---|--:|--:|--:|--:|---|');
const first = await run();
const begin = copyOf({ versions, dates, known });
const print = (name: string, number: number, { requests: asked, missed, codes }: Run): void => {
  const share = (asked / first.requests).toFixed(4);
  console.log(`| ${name} | ${number} | ${asked} | ${share} | ${missed} | ${codes.join(', ')} |`);
};
print('', 1, first);

let last = first;
for (const number of [2, 3, 4]) {
  change(number, false);
  last = await again(last.id);
  print('lies from the start', number, last);
}

({ versions, dates, known } = copyOf(begin));
last = first;
for (const number of [2, 3]) {
  change(100 + number, true);
  last = await again(last.id);
  print('tells the truth', number, last);
}

const honest = copyOf({ versions, dates, known });
let noticed = 0;
for (let seed = 1; seed <= seeds; seed++) {
  ({ versions, dates, known } = copyOf(honest));
  change(1_000 + seed, false);
  const lying = await again(last.id);
  print(`begins to lie, seed ${seed}`, 4, lying);
  if (lying.codes.includes('lastmod_untrue')) noticed++;
  change(2_000 + seed, false);
  print(`begins to lie, seed ${seed}`, 5, await again(lying.id));
}
console.log(`\nBegan to lie in run 4: noticed in run 4 by ${noticed} of ${seeds}.`);
await service.stop();
server.close();
server.closeAllConnections();
rmSync(directory, { recursive: true });

interface State {
  readonly versions: Uint32Array<ArrayBuffer>;
  readonly dates: Float64Array<ArrayBuffer>;
  readonly known: Uint32Array<ArrayBuffer>;
}

function copyOf(state: State): State {
  return { versions: state.versions.slice(), dates: state.dates.slice(), known: state.known.slice() };
}
