// How many requests a crawl keeps in flight on sites whose pages take a while: sites of 500 pages on 127.0.0.1, with a static
// robots.txt that answers at once, as most content management systems have it.
//
//   node bench/pace.ts [pages] [hayrake|crawlee]...
//
// In flight is the mean over time at the site, from the 20th page on. hayrake allows 8 a host, Crawlee is as it comes.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ordered, runProgram } from './run-program.ts';

const root = path.join(import.meta.dirname, '..');
const [pagesGiven = '500', ...named] = process.argv.slice(2);
const pages = Number(pagesGiven);
const peers = named.length > 0 ? named : ['hayrake', 'crawlee'];

/** How long a page takes with so many requests in flight; undefined for a 503 at once. */
type LatencyOf = (inFlight: number) => number | undefined;

const sites: readonly (readonly [string, LatencyOf])[] = [
  ...[50, 300, 600, 1_000].map((ms) => [`${ms} ms`, () => ms] as const),
  ['600 ms, one in ten 6 s', () => (Math.random() < 0.1 ? 6_000 : 600)],
  ['two workers of 200 ms', (inFlight) => 200 * Math.max(1, inFlight / 2)],
  ['503 beyond 4', (inFlight) => (inFlight > 4 ? undefined : 200)],
];

interface Site {
  readonly origin: string;
  /** Since the 20th page, and how many answers were errors. */
  figures(): { readonly inFlight: number; readonly errors: number };
  close(): void;
}

async function startSite(latencyOf: LatencyOf): Promise<Site> {
  let [open, done, errors, busyMs, at, since] = [0, 0, 0, 0, 0, 0];
  const count = (change: number): void => {
    const now = performance.now();
    if (done >= 20) busyMs += open * (now - at);
    else since = now;
    at = now;
    open += change;
  };
  const server = createServer((request, response) => {
    const asked = request.url ?? '/';
    if (asked === '/robots.txt') {
      response.setHeader('content-type', 'text/plain').end('User-agent: *\nAllow: /\n');
      return;
    }
    const index = asked === '/' ? 0 : Number(/^\/page\/(\d+)$/.exec(asked)?.[1] ?? Number.NaN);
    if (!(index < pages)) {
      response.writeHead(404).end();
      return;
    }
    count(1);
    response.once('close', () => {
      count(-1);
      done++;
    });
    const ms = latencyOf(open);
    if (ms === undefined) {
      errors++;
      response.writeHead(503).end();
      return;
    }
    const links = Array.from({ length: 40 }, (_, link) => (index * 7 + link * 13 + 1) % pages);
    const list = links.map((link) => `<li><a href="/page/${link}">${link}</a>`).join('');
    const html = `<!doctype html><title>Page ${index}</title><main><p>This is page ${index} of a site.</p></main><ul>${list}</ul>`;
    setTimeout(() => response.setHeader('content-type', 'text/html').end(html), ms);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    figures: () => ({ inFlight: busyMs / (at - since), errors }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function commandOf(peer: string, origin: string, data: string): readonly string[] {
  if (peer === 'crawlee') {
    return [process.execPath, path.join(import.meta.dirname, 'peers/crawlee.ts'), `${origin}/`, 'default'];
  }
  const crawl = [
    'crawl',
    `${origin}/`,
    '--json',
    '--data',
    data,
    '--allow-private',
    '127.0.0.1/32',
    '--log-level',
    'silent',
  ];
  // Some pages may fail.
  return ordered([process.execPath, path.join(root, 'dist/main.js'), ...crawl], [0, 3]);
}

if (peers.includes('hayrake')) spawnSync('npm', ['run', 'build'], { cwd: root, stdio: 'inherit' });
if (peers.includes('crawlee') && !existsSync(path.join(import.meta.dirname, 'node_modules/@crawlee/cheerio'))) {
  spawnSync('npm', ['install', '--no-save'], { cwd: import.meta.dirname, stdio: 'inherit' });
}
const rows: string[][] = [];
for (const [name, latencyOf] of sites) {
  for (const peer of peers) {
    const data = mkdtempSync(path.join(tmpdir(), 'hayrake-pace-'));
    const site = await startSite(latencyOf);
    const { seconds } = await runProgram({ command: commandOf(peer, site.origin, data) });
    const { inFlight, errors } = site.figures();
    rows.push([name, peer, seconds.toFixed(1), (pages / seconds).toFixed(1), inFlight.toFixed(1), String(errors)]);
    console.error(rows.at(-1)?.join('  '));
    site.close();
    rmSync(data, { recursive: true });
  }
}
console.log('| Pages take | Peer | s | pages/s | in flight | 503s |\n|---|---|---|---|---|---|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
