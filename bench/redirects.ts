// How fast redirects between hosts are followed. Each run is a new service on an empty store.
//
//   node bench/redirects.ts [rounds, default 3] [root of the tree to measure, default this one]
//
// `moved`: 1,000 links of one host that redirect to the same path of another port, 50 ms an answer, one process on SQLite.
// `each-other`: two hosts of 200 pages each, whose links all redirect to the other host, on PostgreSQL with one and with two workers.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import type * as Services from '../test/service/start-service.ts';
import type * as ScaleServices from './scale-service.ts';

const links = 1_000;
const answerMs = 50;
const pagesOfEach = 200;
const warmUpPages = 200;

interface Host {
  readonly origin: string;
  close(): void;
}

const [roundsText = '3', root = path.join(import.meta.dirname, '..')] = process.argv.slice(2);
const rounds = Number(roundsText);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('How many rounds? A whole number.');
// Of the tree that is measured, so that a change can be compared with the tree before it.
const { startService } = (await import(path.join(root, 'test/service/start-service.ts'))) as typeof Services;
const { startScaleService, cpuSecondsOf } = (await import(
  path.join(root, 'bench/scale-service.ts')
)) as typeof ScaleServices;

for (let round = 0; round < rounds; round++) console.log(await moved());
const server = await startPostgres({});
try {
  for (let round = 0; round < rounds; round++) {
    for (const workers of [1, 2]) {
      console.log(await eachOther(workers, server.url()));
    }
  }
} finally {
  await server.remove();
}

async function moved(): Promise<string> {
  const to = await startHost((at) => page(at));
  const paths = Array.from({ length: links }, (_, index) => `/p/${index}`);
  const from = await startHost((at) => (at === '/' ? page(at, paths) : `${to.origin}${at}`));
  const warmUp = await startHost((at) => page(at, at === '/' ? paths.slice(0, warmUpPages) : []));
  const service = await startService();
  try {
    await service.crawl({ urls: [`${warmUp.origin}/`], force_crawling_mode: 'link', page_limit: 100_000 });
    const [startedAt, cpuBefore] = [performance.now(), cpuSecondsOf(service.pid ?? 0)];
    const urls = [`${from.origin}/`, `${to.origin}/`];
    const job = await service.crawl({ urls, force_crawling_mode: 'link', page_limit: 100_000 });
    if (job.progress.scraped !== links + 2) throw new Error(`${job.progress.scraped} pages: ${JSON.stringify(job)}`);
    const perSecond = (links * 1000) / (performance.now() - startedAt);
    const cpuMs = ((cpuSecondsOf(service.pid ?? 0) - cpuBefore) * 1000) / links;
    return `moved: ${perSecond.toFixed(0)} pages/s, ${cpuMs.toFixed(2)} ms of processor a page`;
  } finally {
    await service.close();
    for (const host of [from, to, warmUp]) host.close();
  }
}

async function eachOther(workers: number, adminUrl: string): Promise<string> {
  const hosts: Host[] = [];
  const other = (index: number): string => hosts[1 - index]?.origin ?? '';
  const answer = (index: number) => (at: string) =>
    at === '/'
      ? page(
          `${index}/`,
          Array.from({ length: pagesOfEach }, (_, number) => `/go/${index}-${number}`),
        )
      : at.startsWith(`/go/${index}-`)
        ? `${other(index)}${at}`
        : page(at);
  for (const index of [0, 1]) hosts.push(await startHost(answer(index)));
  const database = await createDatabase(adminUrl);
  const service = await startScaleService(database.url, workers);
  try {
    await untilDone(service, await service.createJob({ urls: hosts.map(({ origin }) => `${origin}/warm-up`) }));
    const startedAt = performance.now();
    const urls = hosts.map(({ origin }) => `${origin}/`);
    const id = await service.createJob({ urls, force_crawling_mode: 'link', page_limit: 100_000 });
    const pages = await untilDone(service, id);
    if (pages !== 2 * pagesOfEach + 2) throw new Error(`${pages} pages`);
    return `each-other, ${workers} workers: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  } finally {
    await service.stop();
    await database.remove();
    for (const host of hosts) host.close();
  }
}

/** Pages of a job, when it has ended. */
async function untilDone(service: ScaleServices.ScaleService, id: string): Promise<number> {
  for (;;) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own service, and a benchmark
    const job = JSON.parse(await service.ask(`/crawler/jobs/${id}`)) as {
      readonly finishedAt: number | null;
      readonly progress: { readonly scraped: number };
    };
    if (job.finishedAt !== null) return job.progress.scraped;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A page, or the address that is redirected to. */
async function startHost(answer: (at: string) => string): Promise<Host> {
  const site = createServer((request, response) => {
    const at = request.url ?? '/';
    if (at === '/robots.txt') {
      response.writeHead(404).end();
      return;
    }
    setTimeout(() => {
      const given = answer(at);
      if (given.startsWith('http')) response.writeHead(301, { location: given }).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(given);
    }, answerMs);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { port } = site.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      site.close();
      site.closeAllConnections();
    },
  };
}

function page(title: string, hrefs: readonly string[] = []): string {
  const list = hrefs.map((href) => `<li><a href="${href}">${href}</a>`).join('');
  return `<!doctype html><title>${title}</title><main><p>This is what ${title} has to say.</main><ul>${list}</ul>`;
}
