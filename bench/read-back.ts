// Real input, end to end: crawls a documentation through a running service, reads it back in every way there is, and holds
// the answers against the files themselves, walked by a scan of its own. Exits with 1 when anything disagrees.
//
//   node bench/read-back.ts [corpus, default postgresql-doc-15]
import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import path from 'node:path';
import { corpusFolder, defaultCorpus, pagesDelivered, serveCorpus } from './corpus.ts';
import { crawl, startService, type Service } from './service.ts';

interface Row {
  readonly meta: { readonly page: number; readonly url: string };
  readonly text?: string;
}
interface LedgerRow {
  readonly url: string;
  readonly reason?: string;
}

const corpus = process.argv[2] ?? defaultCorpus;
const folder = corpusFolder(corpus);
let disagreements = 0;

const server = await serveCorpus(corpus);
try {
  const service = await startService();
  try {
    await compare(service);
  } finally {
    await service.stop();
  }
} finally {
  await server.close();
}
console.log(disagreements === 0 ? 'All agree.' : `${disagreements} disagreements.`);
process.exitCode = disagreements === 0 ? 0 : 1;

async function compare(service: Service): Promise<void> {
  const files = walkFiles(server.startUrl);
  console.log(`Files     ${files.pages.length} pages reachable from /index.html, ${files.broken.length} broken links`);

  const start = Date.now();
  const job = await crawl(service, server.startUrl);
  const { scraped, discarded, failed } = job.progress;
  console.log(`Job       ${job.id} ${job.status}: ${scraped} scraped, ${discarded} discarded, ${failed} failed`);
  console.log(
    `Time      ${(((job.finishedAt ?? 0) - start) / 1000).toFixed(1)} s, ${pagesDelivered(server.requestsLogged())} pages in nginx's log`,
  );

  const data = await readPages(service, `/crawler/jobs/${job.id}/data`);
  const meta = await readPages(service, `/crawler/jobs/${job.id}/meta`);
  const lines = await readLines(service, `/crawler/jobs/${job.id}/data`);

  check('the job succeeded', job.status === 'succeeded');
  check(
    'pages are numbered 1, 2, 3, ...',
    data.every((row, index) => row.meta.page === index + 1),
  );
  check(
    'every row of /data has text',
    data.every((row) => typeof row.text === 'string'),
  );
  check(
    '/meta is /data without text',
    isDeepStrictEqual(
      meta,
      data.map((row) => ({ meta: row.meta })),
    ),
  );
  check('NDJSON is /data', isDeepStrictEqual(lines.rows, data));
  check('NDJSON ends with the number of pages', isDeepStrictEqual(lines.last, { end: true, pages: data.length }));
  check('each URL is there once', new Set(data.map((row) => row.meta.url)).size === data.length);
  check('the job counts what it delivers', scraped === data.length);

  const failures = await readLedger(service, `/crawler/jobs/${job.id}/urls?status=failed`);
  for (const row of failures) console.log(`Failed    ${row.url} ${row.reason ?? ''}`);
  checkSame(
    'pages',
    files.pages,
    data.map((row) => row.meta.url),
  );
  checkSame(
    'failures',
    files.broken,
    failures.map((row) => row.url),
  );
}

async function readPages(service: Service, address: string): Promise<Row[]> {
  const answers = await readAll<Row>(service, `${address}?limit=400`);
  console.log(
    `${path.basename(address).padEnd(9)} ${answers.map((rows) => rows.length).join(' + ')} = ${answers.flat().length}`,
  );
  return answers.flat();
}

async function readLedger(service: Service, address: string): Promise<LedgerRow[]> {
  return (await readAll<LedgerRow>(service, address)).flat();
}

/** Follows the cursor until there is none. */
async function readAll<T>(service: Service, address: string): Promise<T[][]> {
  const answers: T[][] = [];
  let cursor: string | undefined;
  do {
    const next = cursor === undefined ? '' : `${address.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own service, and all that it says is compared
    const answer = JSON.parse(await service.ask(address + next)) as { data: T[]; cursor?: string };
    answers.push(answer.data);
    cursor = answer.cursor;
  } while (cursor !== undefined);
  return answers;
}

async function readLines(service: Service, address: string): Promise<{ rows: unknown[]; last: unknown }> {
  const text = await service.ask(address, { accept: 'application/x-ndjson' });
  const lines = text.split('\n').filter(Boolean);
  const last = lines.pop() ?? 'null';
  console.log(`NDJSON    ${lines.length} lines, then ${last}`);
  return { rows: lines.map((line): unknown => JSON.parse(line)), last: JSON.parse(last) as unknown };
}

/** Breadth first over the files: every `<a href>`, without a parser and without a crawler. */
function walkFiles(startUrl: string): { pages: string[]; broken: string[] } {
  const pages: string[] = [];
  const broken: string[] = [];
  const seen = new Set([startUrl]);
  for (const url of seen) {
    const file = path.join(folder, decodeURIComponent(new URL(url).pathname));
    if (!existsSync(file)) {
      broken.push(url);
      continue;
    }
    if (!file.endsWith('.html')) continue;
    pages.push(url);
    const html = readFileSync(file, 'utf8').replaceAll(/<!--.*?-->|<script\b.*?<\/script>/gs, '');
    for (const [, href = ''] of html.matchAll(/<a\s[^>]*?\bhref="([^"]*)"/g)) {
      const target = URL.parse(href.replaceAll('&amp;', '&').trim(), url);
      if (!target) continue;
      target.hash = '';
      if (target.origin === new URL(startUrl).origin) seen.add(target.href);
    }
  }
  return { pages, broken };
}

function checkSame(what: string, expected: readonly string[], actual: readonly string[]): void {
  const expectedSet = new Set(expected);
  const actualSet = new Set(actual);
  const missing = expected.filter((url) => !actualSet.has(url));
  const extra = actual.filter((url) => !expectedSet.has(url));
  for (const url of missing) console.log(`Missing   ${url}`);
  for (const url of extra) console.log(`Extra     ${url}`);
  check(`the ${what} are those of the files`, missing.length === 0 && extra.length === 0);
}

function check(what: string, holds: boolean): void {
  if (!holds) disagreements++;
  console.log(`${holds ? 'ok       ' : 'NOT SO   '} ${what}`);
}
