// Measures the search in a crawled job: how long its index takes, how large it is, and how long a query takes.
//
//   node bench/search.ts [--corpus rust-doc] [--postgres] [data directory with a crawled job]
//
// Without a directory, a service crawls the corpus first. With `--postgres`, the directory is copied to a PostgreSQL server
// of its own. Processor time is that of this process with its threads, and, for PostgreSQL, not that of the server. On a busy
// machine compare processor time; the load is printed.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { moveToPostgres } from '../src/storage/move/move-to-postgres.ts';
import { openPostgresStore } from '../src/storage/postgres/postgres-store.ts';
import { openSqliteStore } from '../src/storage/sqlite/sqlite-store.ts';
import type { SearchSlice } from '../src/core/ports/search.ts';
import type { Store } from '../src/core/ports/stores.ts';
import { parseQuery } from '../src/search/query.ts';
import { textOf } from '../src/core/page.ts';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import { serveCorpus } from './corpus.ts';
import { crawl, startService } from './service.ts';

const org = 'default';
const rounds = 21;
/** One word, rare and common ones, phrases, parts of a word, beginnings. */
const queries = [
  'deadlock',
  'hash map',
  '"hash map"',
  'std::collections::hash_map',
  'iterator',
  'str',
  'st',
  'the',
  'how to read a file into a string',
  '"returns the number of elements"',
  'nosuchwordanywhere',
];

const { values, positionals } = parseArgs({
  options: { corpus: { type: 'string', default: 'rust-doc' }, postgres: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [given] = positionals;
const directory = given ?? mkdtempSync(path.join(tmpdir(), 'hayrake-search-bench-'));
try {
  if (given === undefined) await crawlInto(directory);
  await (values.postgres ? onPostgres() : onSqlite());
} finally {
  if (given === undefined) rmSync(directory, { recursive: true, force: true });
}

async function crawlInto(data: string): Promise<void> {
  const site = await serveCorpus(values.corpus);
  try {
    const service = await startService(data);
    await crawl(service, site.contentsUrls);
    await service.stop();
  } finally {
    await site.close();
  }
}

async function onSqlite(): Promise<void> {
  const file = path.join(directory, 'search.db');
  rmSync(file, { force: true });
  const store = openSqliteStore(directory, { crawling: false });
  await measure(store, () => Promise.resolve(statSync(file).size));
  await store.close();
}

async function onPostgres(): Promise<void> {
  const server = await startPostgres({ settings: { fsync: 'on', shared_buffers: '512MB', max_wal_size: '4GB' } });
  try {
    const database = await createDatabase(server.url());
    await moveToPostgres({ from: directory, url: database.url, onStep: () => {} });
    const store = await openPostgresStore({ url: database.url, connections: 4 });
    const { Client } = await import('pg');
    await measure(store, async () => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query<{ size: string }>("SELECT pg_total_relation_size('search_page') AS size");
      await client.end();
      return Number(rows[0]?.size);
    });
    await store.close();
    await database.remove();
  } finally {
    await server.remove();
  }
}

async function measure(store: Store, sizeOfIndex: () => Promise<number>): Promise<void> {
  const {
    jobs: [job],
  } = await store.jobs.list(org, { limit: 1 });
  if (!job) throw new Error('There is no job in the directory.');
  const { pages, bytes } = await textBytes(store, job.id);
  const search = async (text: string): Promise<SearchSlice> => {
    const query = { org, jobId: job.id, phrases: parseQuery(text), offset: 0, limit: 20, waitMs: 3_600_000 };
    const found = await store.search.search(query);
    if (!found) throw new Error('The job is gone.');
    return found;
  };
  const load = loadavg();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const { upToPage } = await search('anything');
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = process.cpuUsage(before);
  const size = await sizeOfIndex();
  console.log(
    `Node ${process.versions.node}, SQLite ${process.versions['sqlite'] ?? ''}, ${cpus().length} processors, load ${load.map((each) => each.toFixed(1)).join(' ')}\n`,
  );
  console.log(`${upToPage} of ${pages} pages, ${(bytes / 1e6).toFixed(1)} MB of text`);
  console.log(`indexed in ${seconds.toFixed(1)} s, ${((cpu.user + cpu.system) / 1e6).toFixed(1)} s of processor time`);
  console.log(`index ${(size / 1e6).toFixed(1)} MB, ${((100 * size) / bytes).toFixed(0)} % of the text\n`);
  console.log('| query | hits of 20 | median ms | slowest ms | CPU ms | first hit |\n|---|--:|--:|--:|--:|---|');
  for (const text of queries) {
    const times: number[] = [];
    const cpuBefore = process.cpuUsage();
    let found = await search(text);
    for (let round = 0; round < rounds; round++) {
      const at = performance.now();
      found = await search(text);
      times.push(performance.now() - at);
    }
    const used = process.cpuUsage(cpuBefore);
    const sorted = times.toSorted((a, b) => a - b);
    const [median = Number.NaN, slowest = Number.NaN] = [sorted[rounds >> 1], sorted.at(-1)];
    console.log(
      `| \`${text}\` | ${found.hits.length} | ${median.toFixed(1)} | ${slowest.toFixed(1)} | ${((used.user + used.system) / 1000 / (rounds + 1)).toFixed(1)} | ${found.hits[0]?.title ?? ''} |`,
    );
  }
}

async function textBytes(store: Store, jobId: string): Promise<{ readonly pages: number; readonly bytes: number }> {
  let [pages, bytes] = [0, 0];
  for (let more = true; more;) {
    const slice = await store.pages.read({ org, jobId, after: pages, limit: 400, withText: true, bytesMax: 2 ** 26 });
    for (const page of slice?.pages ?? []) bytes += textOf(page).length;
    pages += slice?.pages.length ?? 0;
    more = slice?.more ?? false;
    slice?.release();
  }
  return { pages, bytes };
}
