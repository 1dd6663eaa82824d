// Proof that a crawl misses nothing and adds nothing: holds the ledger of a job, and what the server saw of it, against a
// walk of the same site that shares no code with hayrake. Exits with 1 when anything disagrees.
//
//   node bench/coverage.ts [corpus..., default all]
//   node bench/coverage.ts --workers 2 [corpus..., default all]
//
// With workers, so many of them on one PostgreSQL crawl all of them at the same time.
import { parseArgs } from 'node:util';
import { createDatabase } from '../test/postgres/database.ts';
import { startPostgres } from '../test/postgres/server.ts';
import type { ApiClient } from './api-client.ts';
import { createChecks, list } from './checks.ts';
import { corpusFolder, corpusNames, type LoggedRequest, type ServedCorpus, serveCorpus } from './corpus.ts';
import { readText } from './read-page.ts';
import { startScaleService } from './scale-service.ts';
import { crawl, type JobAnswer, type LedgerRow, readLedger, startService } from './service.ts';
import { fetchHtml, type Kind, type Reached, walk, walkUserAgent } from './walk.ts';

type Site = ReadonlyMap<string, Reached>;

/** What the walk finds, and how the ledger has to tell it. */
const kinds = new Map<Kind, { readonly what: string; readonly listedAs: (row: LedgerRow) => boolean }>([
  ['page', { what: 'pages', listedAs: (row) => row.status === 'scraped' || isDuplicate(row) }],
  ['broken', { what: 'broken links', listedAs: ({ reason }) => reason?.startsWith('http_') === true }],
  ['notHtml', { what: 'not HTML', listedAs: ({ reason }) => reason === 'content_type' }],
  ['forbidden', { what: 'forbidden by robots.txt', listedAs: ({ reason }) => reason === 'robots_disallowed' }],
  ['nofollow', { what: 'not to be followed', listedAs: ({ reason }) => reason === 'nofollow' }],
  ['offSite', { what: 'on other sites', listedAs: ({ reason }) => reason === 'off_host' }],
]);

const checks = createChecks();
const { values, positionals: named } = parseArgs({ options: { workers: { type: 'string' } }, allowPositionals: true });
const corpora = named.length > 0 ? named : corpusNames;
// Before the first takes its minutes.
for (const corpus of corpora) corpusFolder(corpus);
if (values.workers === undefined) for (const corpus of corpora) await cover([corpus]);
else await cover(corpora, Number(values.workers));
checks.conclude();

/** All at the same time, where they are several. */
async function cover(together: readonly string[], workers?: number): Promise<void> {
  const served: { readonly corpus: string; readonly server: ServedCorpus; readonly site: Site }[] = [];
  try {
    for (const corpus of together) {
      const server = await serveCorpus(corpus);
      served.push({ corpus, server, site: await walk(server.startUrl) });
    }
    const ledgers = await withService(workers, (service) =>
      Promise.all(
        served.map(async ({ server }) => {
          const job = await crawl(service, server.startUrl);
          return { job, rows: await readLedger(service, job) };
        }),
      ),
    );
    for (const [index, { corpus, server, site }] of served.entries()) {
      const ledger = ledgers[index];
      if (!ledger) throw new Error(`no ledger of ${corpus}`);
      console.log(corpus);
      console.log(
        `Walk      ${Array.from(kinds, ([kind, { what }]) => `${urlsOf(site, kind).length} ${what}`).join(', ')}`,
      );
      checkJob(ledger.job, ledger.rows);
      compareOutcomes(site, ledger.rows);
      await compareDuplicates(site, ledger.rows);
      compareRequests(
        site,
        server.requestsLogged().filter(({ userAgent }) => userAgent !== walkUserAgent),
      );
    }
  } finally {
    for (const { server } of served) await server.close();
  }
}

async function withService<Result>(
  workers: number | undefined,
  run: (service: ApiClient) => Promise<Result>,
): Promise<Result> {
  if (workers === undefined) {
    const service = await startService();
    try {
      return await run(service);
    } finally {
      await service.stop();
    }
  }
  const server = await startPostgres();
  try {
    const service = await startScaleService((await createDatabase(server.url())).url, workers);
    try {
      return await run(service);
    } finally {
      await service.stop();
    }
  } finally {
    await server.remove();
  }
}

function checkJob(job: JobAnswer, ledger: readonly LedgerRow[]): void {
  const rows = Map.groupBy(ledger, ({ status, reason }) => `${status} ${reason ?? ''}`.trimEnd());
  for (const [outcome, { length }] of rows) console.log(`Ledger    ${length} ${outcome}`);
  const { scraped, discarded, failed, outside } = job.progress;
  checks.check('the job succeeded', job.status === 'succeeded');
  checks.check('the job counts what its ledger lists', scraped + discarded + failed + outside === ledger.length);
  checks.check('the ledger lists each URL once', new Set(ledger.map(({ url }) => url)).size === ledger.length);
}

function compareOutcomes(site: Site, ledger: readonly LedgerRow[]): void {
  const rows = new Map(ledger.map((row) => [row.url, row]));
  const about = (url: string): string => {
    const [reached, row] = [site.get(url), rows.get(url)];
    const walked =
      reached === undefined ? 'not in the walk' : `walk: ${reached.kind}, from ${reached.foundOn ?? 'the start'}`;
    if (row === undefined) return `(${walked}; not in the ledger)`;
    return `(${walked}; ledger: ${row.status} ${row.reason ?? ''}, from ${row.foundOn ?? 'the start'})`;
  };
  for (const [kind, { what, listedAs }] of kinds) {
    const listed = ledger.filter((row) => listedAs(row)).map(({ url }) => url);
    checks.checkSame(`${what}: the same in the walk and in the ledger`, urlsOf(site, kind), listed, about);
  }
  const unexpected = ledger.filter((row) => ![...kinds.values()].some(({ listedAs }) => listedAs(row)));
  checks.checkSame(
    'the ledger has no other outcome',
    [],
    unexpected.map(({ url }) => url),
    about,
  );
}

/** Whoever is called a duplicate has to be one, and of a page that was delivered. */
async function compareDuplicates(site: Site, ledger: readonly LedgerRow[]): Promise<void> {
  const scraped = new Set(ledger.filter(({ status }) => status === 'scraped').map(({ url }) => url));
  const originals = new Map(ledger.filter(isDuplicate).map(({ url, detail = '' }) => [url, detail]));
  const about = (url: string): string => `of ${originals.get(url)}`;
  const reasons = new Map<string, string | undefined>();
  for (const [url, original] of originals) reasons.set(url, await whyDuplicate(site, url, original));

  for (const [reason = 'nothing that the walk sees', entries] of Map.groupBy(reasons, ([, reason]) => reason))
    console.log(`Duplicate ${entries.length} by ${reason}`);
  const undelivered = [...originals].filter(([, original]) => !scraped.has(original)).map(([url]) => url);
  list('Lost', undelivered, about);
  checks.check('each duplicate is of a page that was scraped', undelivered.length === 0);
  const unexplained = [...reasons].filter(([, reason]) => reason === undefined).map(([url]) => url);
  list('No reason', unexplained, about);
  checks.check('each duplicate says what the page says that it is a duplicate of', unexplained.length === 0);
}

async function whyDuplicate(site: Site, url: string, originalUrl: string): Promise<string | undefined> {
  const [page, original] = [site.get(url), site.get(originalUrl)];
  if (page === undefined || original === undefined) return undefined;
  if (page.finalUrl === original.finalUrl) return 'a redirect to the same page';
  if (page.canonical === originalUrl || page.canonical === original.finalUrl) return 'its canonical link';
  const [html, originalHtml] = [await fetchHtml(url), await fetchHtml(originalUrl)];
  if (html === originalHtml) return 'the same bytes';
  const [target, originalTarget] = [refreshOf(html, url) ?? url, refreshOf(originalHtml, originalUrl) ?? originalUrl];
  if (target === originalTarget) return 'an immediate refresh to the same page';
  const [text, originalText] = [readText(html), readText(originalHtml)];
  if (text.whole === originalText.whole) return 'the same text';
  return text.main === originalText.main ? 'the same title and main part' : undefined;
}

/** Where a page without a text of its own sends its reader at once. */
function refreshOf(html: string, url: string): string | undefined {
  const [, target] = /http-equiv=["']?refresh["']?\s+content=["']?[01]\s*;\s*url=([^"'\s>]+)/i.exec(html) ?? [];
  return target === undefined
    ? undefined
    : (URL.parse(target.replaceAll('&amp;', '&'), url)?.href.split('#')[0] ?? undefined);
}

function compareRequests(site: Site, logged: readonly LoggedRequest[]): void {
  const expected = counted([...site.values()].flatMap(({ requests }) => requests));
  const beside = new Set(['/robots.txt', '/sitemap.xml']);
  const actual = counted(logged.map((request) => request.path).filter((path) => !beside.has(path)));
  const about = (path: string): string => `(walk: ${expected.get(path) ?? 0}, job: ${actual.get(path) ?? 0} requests)`;
  console.log(`Requests  ${logged.length}, for ${actual.size} paths beside ${[...beside].join(' and ')}`);
  checks.checkSame(
    'what the job asked the server for is what the walk asked for',
    expected.keys(),
    actual.keys(),
    about,
  );
  const repeated = [...actual.keys()].filter((path) => expected.has(path) && expected.get(path) !== actual.get(path));
  list('Repeated', repeated, about);
  checks.check('and as often: each URL once', repeated.length === 0);
}

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function urlsOf(site: Site, kind: Kind): string[] {
  return [...site].filter(([, reached]) => reached.kind === kind).map(([url]) => url);
}

function isDuplicate({ reason }: LedgerRow): boolean {
  return reason === 'duplicate_of';
}
