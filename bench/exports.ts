// Exports of a large job through the API: seconds, bytes, and the memory that the service grows by, per format.
//
//   node bench/exports.ts DIRECTORY [pages, default 1000000] [format...]
//
// The first run builds the job; nothing is fetched. Each format gets a service of its own.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { PageRecord } from '../src/core/page.ts';
import { formatNames } from '../src/export/formats.ts';
import { newJobId } from '../src/jobs/job-id.ts';
import { defaultOrg } from '../src/jobs/tokens.ts';
import { encodePage } from '../src/page/encode.ts';
import { packedChecksum } from '../src/storage/rules/pages/checksums.ts';
import { pageId } from '../src/storage/sqlite/file/schema.ts';
import { openSqliteStore } from '../src/storage/sqlite/sqlite-store.ts';
import { crawl, link, newJob, scraped } from '../test/storage/test-data.ts';

const [where, count = '1000000', ...formats] = process.argv.slice(2);
const pages = Number(count);
if (where === undefined || !Number.isInteger(pages) || pages < 1)
  throw new Error('Usage: node bench/exports.ts DIRECTORY [pages] [format...]');
const token = 'the-token-of-the-export-benchmark-0123456789';
const words = 'hay rake field meadow barn summer wagon scythe stack clover dry wind early late long short'.split(' ');
/** About 0.9 KB: what memory depends on is the number of pages. */
const wordsOfAPage = 150;

if (!existsSync(path.join(where, 'hayrake.db'))) await build(where);
const id = await jobIn(where);
console.log('format         seconds   MB   pages/s   RSS before   peak   growth (MB)');
for (const format of formats.length > 0 ? formats : formatNames) await measure(where, format);

/** A job of one page, to which texts are added: all that an export reads. */
async function build(directory: string): Promise<void> {
  const store = openSqliteStore(directory, { crawling: true, diskFreeMb: 0, jobUrlsMax: 1_000 });
  const spec = { pageLimit: pages, fetchLimit: pages, outputExpirySeconds: 31_536_000 };
  await store.jobs.create(newJob({ id: newJobId(Date.now()), org: defaultOrg, startLinks: [link('/')], spec }));
  await store.frontier.recover({ delayMs: 0 });
  await crawl(store, (request) => scraped(request, [], pageOf(1)));
  await store.close();
  const db = new DatabaseSync(path.join(directory, 'hayrake.db'));
  const insert = db.prepare('INSERT INTO body (id, deflated, crc, length, packed_crc) VALUES (?, ?, ?, ?, ?)');
  db.exec('BEGIN');
  for (let number = 2; number <= pages; number++) {
    const { body } = pageOf(number);
    insert.run(pageId(1, number), body.deflated, body.crc, body.length, packedChecksum(number, body));
  }
  db.exec(`UPDATE job SET scraped = ${pages}; COMMIT`);
  db.close();
}

function pageOf(number: number): Pick<PageRecord, 'meta' | 'packedMeta' | 'body'> {
  const url = `https://a.test${pathOf(number)}`;
  const metadata = { title: `Page ${number}`, description: textOf(number, 12), language: 'en', statusCode: 200 };
  return encodePage({ url, fetchedUrl: url, metadata, text: textOf(number, wordsOfAPage) });
}

function pathOf(number: number): string {
  return `/section-${number % 300}/topic-${Math.floor(number / 1_000)}/page-${number}`;
}

function textOf(seed: number, length: number): string {
  let state = seed + 1;
  let text = '';
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${words[state >>> 28] ?? ''}${state % 7 === 0 ? '.\n' : ' '}`;
  }
  return text;
}

async function jobIn(directory: string): Promise<string> {
  const store = openSqliteStore(directory, { crawling: false, diskFreeMb: 0, jobUrlsMax: pages + 1 });
  const {
    jobs: [job],
  } = await store.jobs.list(defaultOrg, { limit: 1 });
  await store.close();
  if (!job) throw new Error('no job was built');
  console.log(`${job.progress.scraped} pages, ${job.status}`);
  return job.id;
}

async function measure(directory: string, format: string): Promise<void> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '../src/main.ts'), 'api'], {
    env: {
      ...process.env,
      HAYRAKE_DATA: directory,
      HAYRAKE_PORT: '0',
      HAYRAKE_TOKEN: token,
      HAYRAKE_BROWSER: 'off',
      HAYRAKE_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const port = await portOf(child.stdout);
    // Everything that any request needs is loaded.
    await download(port, `/crawler/jobs/${id}/data?limit=400`);
    const before = rss(child.pid ?? 0);
    let peak = before;
    const over = new AbortController();
    const watch = (async () => {
      for (; !over.signal.aborted; await pause(50)) peak = Math.max(peak, rss(child.pid ?? 0));
    })();
    const startedAt = performance.now();
    const bytes = await download(port, `/crawler/jobs/${id}/export?format=${format}`);
    const seconds = (performance.now() - startedAt) / 1000;
    over.abort();
    await watch;
    const row = [
      seconds.toFixed(1),
      (bytes / 1e6).toFixed(0),
      (pages / seconds).toFixed(0),
      before,
      peak,
      peak - before,
    ];
    console.log([format.padEnd(14), ...row.map((cell) => String(cell).padStart(8))].join(' '));
  } finally {
    child.kill();
  }
}

async function portOf(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: output })) {
    const port = /http:\/\/[^/]+:(\d+)\//.exec(line)?.[1];
    if (port !== undefined) {
      output.resume();
      return Number(port);
    }
  }
  throw new Error('the service did not start');
}

/** MB of the process with all its threads. */
function rss(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** Reads a response to its end, and returns its length. */
function download(port: number, target: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ port, path: target, headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
      let bytes = 0;
      response
        .on('data', (chunk: Buffer) => (bytes += chunk.length))
        .on('end', () => (response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${response.statusCode}`))))
        .on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}
