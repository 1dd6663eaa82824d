// Pages rendered in a browser: hayrake and Crawlee's PlaywrightCrawler with the same binary on the same site, in turns,
// with the content of each page checked.
//
//   node bench/rendered.ts [pages, default 200] [rounds, default 3]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findUsableBrowser } from '../src/render/probe-browser.ts';
import { crawl, startService } from './service.ts';

const [pages = 200, rounds = 3] = process.argv.slice(2).map(Number);
const { path: binary, problem } = await findUsableBrowser({ browser: 'auto', sandbox: 'require' });
if (problem || binary === undefined) throw new Error(problem?.message ?? 'There is no browser.');

interface Run {
  readonly seconds: number;
  /** Pages with their content. */
  readonly right: number;
  /** Proportional set size of all processes together, in bytes. */
  readonly peakBytes: number;
}

/** An application: each page is a shell, a script of 250 kB, and one JSON answer. The last paragraph proves a page whole. */
const script = `${`// ${'x'.repeat(96)}\n`.repeat(2_500)}
fetch('/api' + location.pathname).then((r) => r.json()).then(({ rows, links }) => {
  const main = document.createElement('main');
  main.append(...rows.map((row) => Object.assign(document.createElement('p'), { textContent: row })));
  main.append(...links.map((href) => Object.assign(document.createElement('a'), { href, textContent: href })));
  document.getElementById('root').append(main);
});`;
const proof = (number: number): string => `The last row of page ${number} ends here.`;

function answer(url: string): readonly [type: string, body: string] {
  if (url === '/app.js') return ['text/javascript', script];
  const number = Number(/\d+/.exec(url)?.[0] ?? 0);
  if (!url.startsWith('/api')) {
    const shell = `<!doctype html><title>Page ${number}</title><div id="root"></div><script src="/app.js"></script>`;
    return ['text/html', shell];
  }
  const rows = Array.from({ length: 40 }, (_, at) => `Row ${at} of page ${number} has some words to read.`);
  const next = number === 0 ? Array.from({ length: pages - 1 }, (_, at) => `/page/${at + 1}`) : [];
  return ['application/json', JSON.stringify({ rows: [...rows, proof(number)], links: next })];
}

const site = createServer((request, response) => {
  const url = request.url ?? '/';
  const isMissing = url === '/robots.txt' || url === '/sitemap.xml' || url === '/favicon.ico';
  const [type, body] = answer(url);
  response.writeHead(isMissing ? 404 : 200, { 'content-type': type, 'cache-control': 'max-age=600' });
  response.end(isMissing ? '' : body);
});
await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
const startUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/page/0`;

const isRight = ({ url, text }: { readonly url: string; readonly text: string }): boolean =>
  text.includes(proof(Number(/\d+$/.exec(url)?.[0])));

async function measured(pid: number, work: () => Promise<number>): Promise<Run> {
  let peakBytes = 0;
  const done = new AbortController();
  const watching = (async () => {
    while (!done.signal.aborted) {
      peakBytes = Math.max(peakBytes, pssOf(pid));
      await sleep(500, undefined, { signal: done.signal }).catch(() => {});
    }
  })();
  const startedAt = performance.now();
  const right = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  done.abort();
  await watching;
  return { seconds, right, peakBytes };
}

/** Of a process and all that it started. One that has ended has none. */
function pssOf(pid: number): number {
  try {
    const kb = Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return kb * 1024 + children.reduce((sum, child) => sum + pssOf(Number(child)), 0);
  } catch {
    return 0;
  }
}

async function runHayrake(): Promise<Run> {
  const service = await startService();
  try {
    return await measured(service.pid, async () => {
      const { id } = await crawl(service, startUrl, pages, { use_browser: true, force_crawling_mode: 'link' });
      const lines = await service.ask(`/crawler/jobs/${id}/data`, { accept: 'application/x-ndjson' });
      const rows = lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { meta?: { url: string }; text?: string });
      return rows.filter(({ meta, text }) => meta && isRight({ url: meta.url, text: text ?? '' })).length;
    });
  } finally {
    await service.stop();
  }
}

async function runCrawlee(): Promise<Run> {
  const program = fileURLToPath(new URL('peers/crawlee-playwright.ts', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [program, startUrl, binary ?? ''], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  if (!child.stdout) throw new Error('Crawlee has no output.');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // Loading its modules is not measured.
  await lines.next();
  return measured(child.pid ?? 0, async () => {
    const urls = new Set<string>();
    child.stdin?.end('start\n');
    for await (const line of lines) {
      const page = JSON.parse(line) as { url: string; text: string };
      if (isRight(page)) urls.add(page.url);
    }
    await ended;
    return urls.size;
  });
}

console.log('| round | | pages/s | content right | peak PSS, MiB |\n|--:|---|--:|--:|--:|');
for (let round = 1; round <= rounds; round++) {
  for (const [name, run] of [
    ['hayrake', runHayrake],
    ['crawlee', runCrawlee],
  ] as const) {
    const { seconds, right, peakBytes } = await run();
    const cells = [round, name, (right / seconds).toFixed(1), `${right} of ${pages}`, (peakBytes / 2 ** 20).toFixed(0)];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
site.closeAllConnections();
site.close();
