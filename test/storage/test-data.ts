// Jobs, links and pages for tests of the store, and the shortest crawl that keeps to the frontier's contract.
import type { Frontier, HostLease, Leased, LeaseOptions, Settlement } from '../../src/core/ports/frontier.ts';
import type { Job, JobSpec } from '../../src/core/job.ts';
import type { PageRecord } from '../../src/core/page.ts';
import { metadataIn } from '../../src/page/decode.ts';
import type { CrawlError, Link, Outcome, Request } from '../../src/core/request.ts';
import type { LedgerEntry, NewJob, Store } from '../../src/core/ports/stores.ts';
import { fragmentOf } from '../fragment.ts';
import { jobSpec } from '../job-spec.ts';

/** One database, made for one test. */
export interface TestDatabase {
  /** Each answer is another store on the same database, as another process would have it. */
  open(options?: { readonly crawling?: boolean; readonly jobUrlsMax?: number }): Promise<Store>;
  /** Ends every store that is still open, and removes the database. */
  remove(): Promise<void>;
}

/** A database whose tables can be looked into. */
export interface OpenDatabase extends TestDatabase {
  /** Rows of a table. */
  count(table: string): Promise<number>;
  look(): Promise<DatabaseContent>;
}

/** Everything that is stored. */
export interface DatabaseContent {
  /** By table. */
  readonly rows: ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;
  /** All files that the store has written, by name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export const org = 'acme';
export const hostA = 'a.test:443';
export const hostB = 'b.test:443';

const spec = jobSpec({
  urls: ['https://a.test/'],
  outputExpirySeconds: 60,
  pageLimit: 1_000,
  fetchLimit: 10_000,
  timeLimitSeconds: 3_600,
});

let lastJob = 0;

/** A job with the start URL `https://a.test/`, where nothing else is said. Each has a smaller id than the one before. */
export function newJob(fields: Partial<Omit<NewJob, 'spec'>> & { readonly spec?: Partial<JobSpec> } = {}): NewJob {
  return {
    id: `job-${String(1_000_000 - ++lastJob)}`,
    org,
    createdAt: Date.now(),
    startLinks: [link('/', { depth: 0 })],
    origins: [],
    scopeHosts: ['a.test'],
    notices: [],
    headers: {},
    ...fields,
    spec: { ...spec, ...fields.spec },
  };
}

export async function createJob(store: Store, fields: Parameters<typeof newJob>[0] = {}): Promise<Job> {
  const job = await store.jobs.create(newJob(fields));
  if (typeof job === 'string') throw new Error(job);
  return job;
}

export function link(path: string, fields: Partial<Link> = {}): Link {
  const host = fields.host ?? hostA;
  const url = `https://${host.replace(':443', '')}${path}`;
  return { url, key: `key ${url}`, host, depth: 1, ...fields };
}

export function links(count: number, prefix = '/', fields: Partial<Link> = {}): Link[] {
  return Array.from({ length: count }, (_, index) => link(`${prefix}${index + 1}`, fields));
}

export function page(url: string, fields: Partial<PageRecord> & { readonly text?: string } = {}): PageRecord {
  const { text = `Text of ${url}`, ...rest } = fields;
  const meta = `"url":${JSON.stringify(url)},"fetchedUrl":${JSON.stringify(url)},"meta":{"title":""}}`;
  const body = fragmentOf(`${meta},"text":${JSON.stringify(text)}}`);
  return {
    meta: fragmentOf(meta),
    body,
    fetchedKey: `key ${url}`,
    contentKey: `content ${text}`,
    hash: `content ${text}`,
    statusCode: 200,
    ...rest,
  };
}

export function scraped(
  request: Request,
  found: readonly Link[] = [],
  fields: Parameters<typeof page>[1] = {},
): Outcome {
  return { kind: 'scraped', page: page(request.url, fields), links: found };
}

export const unreachable: CrawlError = { reason: 'connect', message: 'No connection could be made.' };

export function settlement(request: Request, outcome: Outcome = scraped(request), fetched = true): Settlement {
  return { request, outcome, fetched };
}

/** Leases one host that is due, if any. */
export async function leaseHost(frontier: Frontier, options: LeaseOptions = {}): Promise<Leased | undefined> {
  const [leased] = await frontier.leaseHosts({ ...options, most: 1 });
  return leased;
}

/** The same, without the requests that were taken. */
export async function tryLease(store: Store): Promise<HostLease | undefined> {
  return (await leaseHost(store.frontier))?.lease;
}

/** Leases a host that is or soon becomes due. */
export async function lease(store: Store): Promise<HostLease> {
  for (let tries = 0; tries < 500; tries++) {
    const leased = await tryLease(store);
    if (leased) return leased;
    await store.frontier.waitForWork(10, AbortSignal.timeout(1_000));
  }
  throw new Error('no host became due');
}

/** Leases a host and takes what it has. */
export async function leaseAndTake(
  store: Store,
  max = 100,
): Promise<{ held: HostLease; requests: readonly Request[] }> {
  const held = await lease(store);
  return { held, requests: await store.frontier.take(held, max) };
}

/** Works until no host is due; answers the URLs in the order in which they were taken. */
export async function crawl(
  store: Store,
  outcomeOf: (request: Request) => Outcome = (request) => scraped(request),
  takeMax = 100,
): Promise<string[]> {
  const urls: string[] = [];
  for (let held = await tryLease(store); held; held = await tryLease(store)) {
    for (;;) {
      const requests = await store.frontier.take(held, takeMax);
      if (requests.length === 0) break;
      urls.push(...requests.map(({ url }) => url));
      await store.frontier.settle(
        held,
        requests.map((request) => settlement(request, outcomeOf(request))),
      );
    }
    await store.frontier.release(held);
  }
  return urls;
}

export async function getJob(store: Store, id: string): Promise<Job> {
  const job = await store.jobs.get(org, id);
  if (!job) throw new Error(`there is no job ${id}`);
  return job;
}

export async function listAll(store: Store, jobId: string): Promise<readonly LedgerEntry[]> {
  return (await store.jobs.listUrls(jobId, { after: 0, limit: 100_000 })).entries;
}

/** The ledger as `path: status`, with the reason where there is one. */
export async function ledgerOf(store: Store, jobId: string): Promise<Record<string, string>> {
  const entries = await listAll(store, jobId);
  return Object.fromEntries(
    entries.map(({ url, status, reason }) => [new URL(url).pathname, reason === null ? status : `${status} ${reason}`]),
  );
}

export const wholeJob = { org, after: 0, limit: 10_000, withText: false, bytesMax: 2 ** 30 };

/** URLs of the pages of a job, by page number. */
export async function pagesOf(store: Store, jobId: string): Promise<Record<number, string>> {
  const slice = await store.pages.read({ ...wholeJob, jobId });
  return Object.fromEntries((slice?.pages ?? []).map((stored) => [stored.page, urlOf(metadataIn(stored))]));
}

export function urlOf(meta: Uint8Array): string {
  return (JSON.parse(`{${Buffer.from(meta).toString()}`) as { url: string }).url;
}
