// Many hosts in one process of its own, on addresses of this machine: pages of about 10 KB with 20 links each, no two with the
// same text, and a count of what was asked for.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const pageBytes = 10_000;
const linksOfAPage = 20;
const words = 'hay rake field meadow barn summer wagon scythe stack clover dry wind early late long short'.split(' ');

interface SiteOptions {
  /** Of each host. */
  readonly pages: number;
  /** Until an answer is sent. */
  readonly responseMs: number;
  /** `Crawl-delay` of robots.txt; 0 for none. */
  readonly delaySeconds: number;
}

/** Requests for pages since it was last asked, and how many different pages they were for. */
export interface Asked {
  readonly requests: number;
  readonly pages: number;
}

export interface ScaleSite {
  readonly pid: number;
  /** Of the page from which all pages of the host can be reached. Hosts are numbered from 0. */
  startUrl(host: number): string;
  asked(): Promise<Asked>;
  close(): Promise<void>;
}

if (process.argv[2] === 'serve') {
  const [pages = 0, responseMs = 0, delaySeconds = 0] = process.argv.slice(3).map(Number);
  await serve({ pages, responseMs, delaySeconds });
}

export async function startScaleSite({ pages, responseMs, delaySeconds }: SiteOptions): Promise<ScaleSite> {
  const child = fork(import.meta.filename, ['serve', ...[pages, responseMs, delaySeconds].map(String)]);
  const [port] = (await once(child, 'message')) as [number];
  return {
    pid: child.pid ?? 0,
    startUrl: (host) => `http://${addressOf(host)}:${port}/0`,
    asked: () => ask(child),
    close: async () => {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}

/** 127.0.0.0/8 is this machine, all of it. */
function addressOf(host: number): string {
  return `127.1.${host >> 8}.${host & 255}`;
}

async function ask(child: ChildProcess): Promise<Asked> {
  const answer = once(child, 'message');
  child.send('asked');
  const [asked] = (await answer) as [Asked];
  return asked;
}

async function serve({ pages, responseMs, delaySeconds }: SiteOptions): Promise<void> {
  const sentences = Array.from({ length: 2_000 }, (_, index) => sentence(index));
  let requests = 0;
  let seen = new Set<string>();
  const server = createServer((request, response) => {
    const host = request.headers.host ?? '';
    if (request.url === '/robots.txt' && delaySeconds > 0) {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`User-agent: *\nCrawl-delay: ${delaySeconds}\n`);
      return;
    }
    const page = /^\/(\d+)$/.exec(request.url ?? '')?.[1];
    const send = (): void => {
      if (page === undefined || Number(page) >= pages) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf(host, Number(page), pages, sentences));
    };
    if (page !== undefined) {
      requests++;
      seen.add(host + page);
    }
    if (responseMs === 0) send();
    else setTimeout(send, responseMs);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  process.on('message', () => {
    process.send?.({ requests, pages: seen.size } satisfies Asked);
    requests = 0;
    seen = new Set();
  });
  // Whoever forked it may be gone.
  process.on('disconnect', () => process.exit());
  process.send?.((server.address() as AddressInfo).port);
}

function pageOf(host: string, page: number, pages: number, sentences: readonly string[]): string {
  let seed = page + 1;
  for (const character of host) seed = (Math.imul(seed, 31) + character.charCodeAt(0)) & 0x3f_ff_ff_ff;
  const targets = new Set([2 * page + 1, 2 * page + 2, 0, 1, 2, 3]);
  for (let step = 1; targets.size < linksOfAPage + 2 && step < 100; step++) targets.add((page + step * step) % pages);
  const list = [...targets]
    .filter((target) => target < pages)
    .slice(0, linksOfAPage)
    .map((target) => `<li><a href="/${target}">Page ${target}</a></li>`)
    .join('');
  let text = '';
  while (text.length < pageBytes - list.length - 200) {
    seed = (Math.imul(seed, 48_271) + 11) & 0x7f_ff_ff_ff;
    text += `<p>${sentences[seed % sentences.length]} ${sentences[(seed >> 8) % sentences.length]}</p>\n`;
  }
  return `<!doctype html><html lang="en"><title>Page ${page} of ${host}</title><main><h1>Page ${page} of ${host}</h1>
${text}</main><nav><ul>${list}</ul></nav></html>`;
}

function sentence(index: number): string {
  let seed = index + 1;
  const chosen = Array.from({ length: 18 }, () => {
    seed = (Math.imul(seed, 48_271) + 11) & 0x7f_ff_ff_ff;
    return words[(seed >> 4) % words.length];
  });
  return `${index} ${chosen.join(' ')}.`;
}
