// The data that a change needs before it can be decided. It is read in one round trip.
import type { Settlement } from '../../../core/ports/frontier.ts';
import { hostKey } from '../../../core/host-key.ts';
import type { Link, RequestKind } from '../../../core/request.ts';
import type { EntryRow, KnownUrl } from '../../rules/frontier/crawl-tables.ts';
import { baselineSql, type BaselineRow, earlierColumns } from '../../rules/jobs/baseline-rows.ts';
import { commonKeys } from '../../rules/jobs/doubts.ts';
import { type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { ledgerKey, wasFound } from '../../rules/frontier/ledger.ts';
import type { SeenUrls } from '../../rules/frontier/seen-urls.ts';
import { movedKey, originalKeys } from '../../rules/frontier/settling.ts';
import { all, allEach, type Steps, timeOf } from '../../shared/operation.ts';
import { isIn, raw, type Sql, sql } from '../../shared/sql.ts';
import type { Transaction } from '../connection/connections.ts';
import { runSteps } from '../connection/run-steps.ts';
import type { KnownJob } from './job-facts.ts';

/** The rows to read before the outcome of requests can be decided. */
export interface Reading {
  /** The jobs that can change. Their rows are locked by number. */
  readonly jobs: readonly number[];
  /**
   * Also locked, but only if no other transaction holds them, since a transaction that holds locks does not wait for
   * these. The result leaves out the others.
   */
  readonly jobsIfFree?: readonly number[];
  /** Requests of the frontier. */
  readonly requests?: readonly number[];
  readonly urls?: readonly JobKey[];
  readonly pages?: readonly JobKey[];
  /** True if a URL template can have ended. */
  readonly templates?: boolean;
  /** How many webhook events the change can store: each needs a number. */
  readonly events?: number;
}

/** A key of a job: of a URL, or of a page. */
export interface JobKey {
  readonly job: number;
  readonly key: string;
}

export interface RequestRow extends Omit<EntryRow, 'earlier'>, BaselineRow {
  readonly host: number;
  /** Fence of the lease under which it is taken. */
  readonly fence: number | null;
}

interface UrlRow extends JobKey, KnownUrl, BaselineRow {
  readonly id: number;
}

interface PageKeyRow extends JobKey {
  /** That of the URL. */
  readonly of: string;
  readonly url: string;
  readonly id: number;
  /** See `KnownPage`. */
  readonly awaited: boolean;
}

interface TemplateRow {
  readonly job: number;
  readonly template: string;
}

/** Missing rows are left out. */
export type Rows = readonly [
  now: number,
  jobs: readonly StoredJobRow[],
  jobsIfFree: readonly StoredJobRow[],
  requests: readonly RequestRow[],
  urls: readonly UrlRow[],
  pages: readonly PageKeyRow[],
  /** Numbers that no other transaction receives. */
  events: readonly { readonly id: number }[],
  templates: readonly TemplateRow[],
];

/**
 * Reads all rows in one round trip; if it locks, it waits for the jobs first. All statements are sent before this
 * returns its promise, so that statements the caller sends next run after the locks.
 */
export function readRows(tx: Transaction, reading: Reading, isLocking: boolean): Promise<Rows> {
  const { jobs, jobsIfFree = [], requests = [], urls = [], pages = [], templates = false, events = 0 } = reading;
  const lock = (how: string): Sql => raw(isLocking ? `FOR NO KEY UPDATE ${how}` : '');
  const jobsIn = (seqs: readonly number[], how = ''): Steps<StoredJobRow[]> =>
    allIf(seqs, sql`SELECT * FROM job WHERE seq ${isIn(seqs)} ORDER BY seq ${lock(how)}`);
  const columns = { job: 'bigint', key: 'text' } as const;
  const ofTemplates = templates ? [...jobs, ...jobsIfFree] : [];
  return Promise.all([
    runSteps(tx, timeOf()),
    runSteps(tx, jobsIn(jobs)),
    runSteps(tx, jobsIn(jobsIfFree, 'SKIP LOCKED')),
    runSteps(tx, allIf<RequestRow>(requests, sql`SELECT ${requestColumns} WHERE f.id ${isIn(requests)}`)),
    runSteps(tx, allEach<UrlRow>({ rows: urls, columns, statement: urlOfKey })),
    runSteps(tx, allEach<PageKeyRow>({ rows: pages, columns, statement: pageOfKey })),
    runSteps(tx, eventIds(events)),
    runSteps(
      tx,
      allIf<TemplateRow>(ofTemplates, sql`SELECT job, template FROM ended_template WHERE job ${isIn(ofTemplates)}`),
    ),
  ]);
}

/** Of events: no other transaction receives them. */
function* eventIds(count: number): Steps<readonly { readonly id: number }[]> {
  return count === 0
    ? []
    : yield* all(sql`SELECT nextval('work_id') AS id FROM generate_series(1, CAST(${count} AS int))`);
}

function* allIf<Row>(of: readonly unknown[], statement: Sql): Steps<Row[]> {
  return of.length === 0 ? [] : yield* all<Row>(statement);
}

const requestColumns = raw(
  `f.id, f.host, f.fence, f.job, l.key, l.kind, l.url, l.depth, l.found_on AS "foundOn", ${earlierColumns} FROM frontier f JOIN ledger l ON l.job = f.job AND l.id = f.id`,
);
// One lookup per key, here and below: before new tables have statistics, the planner would join all rows with all.
const urlOfKey = (u: Sql): Sql => sql`
  SELECT u.job, u.key, l.id, l.state, l.reason, l.detail, l.depth + l.self_fed * 0.5::float8 AS rank, l.by_script = 1 AS "byScript", l.attempts, ${raw(baselineSql)}
  FROM ${u} CROSS JOIN LATERAL (SELECT * FROM ledger WHERE job = u.job AND key = u.key LIMIT 1) l`;
const pageOfKey = (u: Sql): Sql => sql`
  SELECT u.job, u.key, l.url, l.key AS of, k.entry AS id, l.text_of IS NOT NULL AND l.state = 'queued' AS awaited
  FROM ${u} CROSS JOIN LATERAL (SELECT entry FROM page_key WHERE job = u.job AND key = u.key LIMIT 1) k
  CROSS JOIN LATERAL (SELECT url, key, text_of, state FROM ledger WHERE job = u.job AND id BETWEEN k.entry AND k.entry ORDER BY id LIMIT 1) l`;

/** The rows needed to settle. */
export function readingOf(
  settlements: readonly Settlement[],
  jobOf: (id: string) => KnownJob | undefined,
  seen: SeenUrls,
): Reading {
  const [jobs, requests, urls, pages] = [new Set<number>(), [] as number[], [] as JobKey[], [] as JobKey[]];
  for (const { request, outcome, again = [] } of settlements) {
    const job = jobOf(request.jobId);
    if (!job) continue;
    jobs.add(job.seq);
    requests.push(request.id);
    for (const { kind, links } of linksOf(outcome)) addLinks(urls, job, kind, links, seen);
    addLinks(urls, job, 'page', again, undefined);
    const leftTo = outcome.kind === 'discarded' ? outcome.leftTo : undefined;
    for (const seq of leftTo === undefined ? [] : [job.seq, ...(job.since === null ? [] : [job.since])])
      urls.push({ job: seq, key: leftTo ?? '' });
    if (outcome.kind !== 'scraped') continue;
    for (const seq of [job.seq, ...job.earlier])
      for (const key of originalKeys(request, outcome.page)) pages.push({ job: seq, key });
    if (request.earlier)
      for (const key of commonKeys(request.earlier, outcome.page) ?? []) pages.push({ job: job.seq, key });
    if (job.since === null || request.earlier !== null) continue;
    const moved = movedKey(outcome.page);
    if (moved !== undefined) pages.push({ job: job.seq, key: moved });
    for (const seq of [job.seq, job.since]) urls.push({ job: seq, key: outcome.page.fetchedKey });
  }
  const templates = settlements.some(({ endedTemplate }) => endedTemplate !== undefined);
  return { jobs: [...jobs], requests, urls, pages, templates };
}

/** Adds the URLs that must be looked up: those that the job did not see recently. */
export function addLinks(
  urls: JobKey[],
  job: KnownJob,
  kind: RequestKind,
  links: readonly Link[],
  seen: SeenUrls | undefined,
): void {
  for (const link of links) {
    const key = ledgerKey(kind, link);
    if (seen && link.isAgain !== true && wasFound(seen, job.seq, key, link)) continue;
    const others = job.since === null ? job.earlier : [...job.earlier, job.since];
    for (const seq of [job.seq, ...others]) urls.push({ job: seq, key });
  }
}

/** Hosts that can get new requests. Their numbers must be known before the transaction writes. */
export function hostsOf(settlements: readonly Settlement[]): string[] {
  return settlements.flatMap(({ request, outcome, again = [] }) => {
    if (outcome.kind === 'moved') return [outcome.host];
    const own = outcome.kind === 'retry' && request.chain !== undefined ? [hostKey(new URL(request.url))] : [];
    return [
      ...own,
      ...again.map(({ host }) => host),
      ...linksOf(outcome).flatMap(({ links }) => links.map(({ host }) => host)),
    ];
  });
}

interface LinksOfKind {
  readonly kind: RequestKind;
  readonly links: readonly Link[];
}

function linksOf(outcome: Settlement['outcome']): readonly LinksOfKind[] {
  switch (outcome.kind) {
    case 'scraped':
    case 'discarded':
      return [
        { kind: 'page', links: outcome.links ?? [] },
        { kind: 'sitemap', links: outcome.sitemaps ?? [] },
      ];
    case 'sitemap':
      return [
        { kind: 'page', links: outcome.urls },
        { kind: 'sitemap', links: outcome.sitemaps },
      ];
    case 'unchanged':
    case 'retry':
    case 'moved':
    case 'failed':
      return [];
  }
}
