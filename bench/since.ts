// What a crawl with `since` costs as a share of the first one: requests, bytes, processor time, disk. A site of generated
// pages with ETags, in this process, of which one in a hundred changes between two runs.
//
//   node bench/since.ts [pages, default 10000] [bytes of a page, default 14000]
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generatedPage } from './generated-pages.ts';
import { threadsCpuMs } from './process-usage.ts';
import { crawl, startService } from './service.ts';

const [pagesGiven = '10000', bytesGiven = '14000'] = process.argv.slice(2);
const [pages, bytesOfAPage] = [Number(pagesGiven), Number(bytesGiven)];

/** How often each page was changed. */
const versions = new Uint32Array(pages);
const sent = { requests: 0, bytes: 0 };

const server = createServer((request, response) => {
  const page = Number((request.url ?? '').slice(1));
  if (!Number.isInteger(page) || page >= pages) return void response.writeHead(404).end();
  sent.requests++;
  // As long as that of nginx.
  const etag = `"${(0x67_45_f0_c1 + (versions[page] ?? 0)).toString(16)}-${(page + 9_000).toString(16)}"`;
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
  const html = generatedPage({ pages, bytes: bytesOfAPage }, page, versions[page] ?? 0);
  sent.bytes += html.length;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(html);
});
await once(server.listen(0, '127.0.0.1'), 'listening');

const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-bench-'));
const database = path.join(directory, 'hayrake.db');
const sizeOf = (): number => statSync(database).size;

interface Run {
  readonly id: string;
  readonly requests: number;
  readonly bytes: number;
  readonly cpuMs: number;
  readonly disk: number;
}

/** A run of a service that has just been started, so that all runs compile alike. */
async function run(options: Readonly<Record<string, unknown>>): Promise<Run> {
  await (await startService(directory)).stop();
  const before = sizeOf();
  const service = await startService(directory);
  Object.assign(sent, { requests: 0, bytes: 0 });
  const cpuBefore = threadsCpuMs(service.pid);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/0`;
  const job = await crawl(service, url, pages * 2, options);
  const cpuMs = threadsCpuMs(service.pid) - cpuBefore;
  await service.stop();
  return { id: job.id, ...sent, cpuMs, disk: sizeOf() - before };
}

function change(from: number): void {
  for (let page = from; page < pages; page += 100) versions[page] = (versions[page] ?? 0) + 1;
}

console.log('| | requests | bytes | CPU | disk | CPU ms/page | disk bytes/page |\n|---|--:|--:|--:|--:|--:|--:|');
const first = await run({});
print('first', first);
change(1);
const second = await run({ since: first.id });
print('`deliver: all`', second);
change(2);
print('`deliver: changed`', await run({ since: second.id, deliver: 'changed' }));
server.close();
server.closeAllConnections();
rmSync(directory, { recursive: true });

function print(name: string, { requests, bytes, cpuMs, disk }: Run): void {
  const shares = [requests / first.requests, bytes / first.bytes, cpuMs / first.cpuMs, disk / first.disk];
  const cells = [...shares.map((share) => share.toFixed(3)), (cpuMs / pages).toFixed(2), Math.round(disk / pages)];
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}
