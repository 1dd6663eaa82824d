// Real input, end to end: crawls a documentation through a running service, reads it back in every way there is, and holds
// the answers against each other and against the job's ledger; that the ledger is right is for coverage.ts to prove. Exits
// with 1 when anything disagrees.
//
//   node bench/read-back.ts [corpus, default postgresql-doc-15]
import { isDeepStrictEqual } from 'node:util';
import path from 'node:path';
import { createChecks } from './checks.ts';
import { defaultCorpus, pagesDelivered, serveCorpus } from './corpus.ts';
import { crawl, readAll, readLedger, startService, type Service } from './service.ts';

interface Row {
  readonly meta: { readonly page: number; readonly url: string };
  readonly text?: string;
}

const corpus = process.argv[2] ?? defaultCorpus;
const checks = createChecks();

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
checks.conclude();

async function compare(service: Service): Promise<void> {
  const start = Date.now();
  const job = await crawl(service, server.startUrl);
  const { scraped, discarded, failed } = job.progress;
  console.log(`Job       ${job.id} ${job.status}: ${scraped} scraped, ${discarded} discarded, ${failed} failed`);
  console.log(
    `Time      ${(((job.finishedAt ?? 0) - start) / 1000).toFixed(1)} s, ${pagesDelivered(server.requestsLogged()).size} pages in nginx's log`,
  );

  const data = await readPages(service, `/crawler/jobs/${job.id}/data`);
  const meta = await readPages(service, `/crawler/jobs/${job.id}/meta`);
  const lines = await readLines(service, `/crawler/jobs/${job.id}/data`);

  checks.check('the job succeeded', job.status === 'succeeded');
  checks.check(
    'pages are numbered 1, 2, 3, ...',
    data.every((row, index) => row.meta.page === index + 1),
  );
  checks.check(
    'every row of /data has text',
    data.every((row) => typeof row.text === 'string'),
  );
  checks.check(
    '/meta is /data without text',
    isDeepStrictEqual(
      meta,
      data.map((row) => ({ meta: row.meta })),
    ),
  );
  checks.check('NDJSON is /data', isDeepStrictEqual(lines.rows, data));
  checks.check(
    'NDJSON ends with the number of pages',
    isDeepStrictEqual(lines.last, { end: true, pages: data.length }),
  );
  checks.check('each URL is there once', new Set(data.map((row) => row.meta.url)).size === data.length);
  checks.check('the job counts what it delivers', scraped === data.length);

  const scrapedRows = (await readLedger(service, job)).filter((row) => row.status === 'scraped');
  checks.check(
    'the pages are those that the ledger says were scraped, under its numbers',
    isDeepStrictEqual(
      data.map((row) => [row.meta.page, row.meta.url]),
      scrapedRows.map((row) => [row.page, row.url]).toSorted(([one], [other]) => Number(one) - Number(other)),
    ),
  );
}

async function readPages(service: Service, address: string): Promise<Row[]> {
  const answers = await readAll<Row>(service, `${address}?limit=400`);
  console.log(
    `${path.basename(address).padEnd(9)} ${answers.map((rows) => rows.length).join(' + ')} = ${answers.flat().length}`,
  );
  return answers.flat();
}

async function readLines(service: Service, address: string): Promise<{ rows: unknown[]; last: unknown }> {
  const text = await service.ask(address, { accept: 'application/x-ndjson' });
  const lines = text.split('\n').filter(Boolean);
  const last = lines.pop() ?? 'null';
  console.log(`NDJSON    ${lines.length} lines, then ${last}`);
  return { rows: lines.map((line): unknown => JSON.parse(line)), last: JSON.parse(last) as unknown };
}
