// The three requests that create something from URLs, and the request that creates a job again.
import type { Finding, Job, List, UrlRow } from './api-types.ts';
import { call, query } from './api.ts';

export type Input = Readonly<Record<string, unknown>>;

export const kinds = ['crawl', 'batch', 'map'] as const;
export type Kind = (typeof kinds)[number];
export const kindPaths: Readonly<Record<Kind, string>> = {
  crawl: '/crawler/jobs',
  batch: '/scraper/batch',
  map: '/scraper/map',
};

/** The body of a request: a map takes one URL. */
export function bodyOf(kind: Kind, { urls, ...options }: Input): Input {
  return kind === 'map' ? { url: Array.isArray(urls) ? urls[0] : urls, ...options } : { urls, ...options };
}

/** What of a job is not an option of the request that created it; of headers and cookies it has only names. */
const computed = new Set(
  'id org status createdAt finishedAt stoppedAt expiresAt expired kind complete findings sitemapPageCount progress reasons notices webhookFails retryOf reextractOf schedule costCents fetchedBytes headers cookies'.split(
    ' ',
  ),
);

/** The limits of a job whose request has none. */
export function usualLimits({ page_limit: pages }: Pick<Job, 'page_limit'>): Input {
  return { page_limit: 10_000, fetch_limit: Math.max(1_000, 10 * pages), time_limit: 30 * 24 * 3600 };
}

/** The request wrote the limit that ended the job. */
export function isAsked(job: Job, { code }: Finding): boolean {
  const [name, usual] = Object.entries(usualLimits(job)).find(([each]) => code === `${each}_reached`) ?? [];
  return name !== undefined && Object.entries(job).some(([each, value]) => each === name && value !== usual);
}

export function requestOf(job: Job): Input {
  const { fetch_limit: fetchLimit } = usualLimits(job);
  return Object.fromEntries(
    Object.entries(job).filter(
      ([name, value]) =>
        !computed.has(name) &&
        value !== null &&
        // Shown with the value that follows from other options.
        !(name === 'fetch_limit' && value === fetchLimit) &&
        !(name === 'block_resources' && value === (job['screenshot'] === null)) &&
        !(name === 'include_elements' && value === '') &&
        !(name === 'exclude_elements' && value === '' && job['content'] === 'auto'),
    ),
  );
}

/** What a new job starts with that is to be as this one. */
export interface Origin {
  readonly kind: Kind;
  readonly input: Input;
  /** Names of headers and cookies that have to be given again. */
  readonly headers: readonly string[];
  readonly cookies: readonly string[];
}

export async function originOf(id: string, signal: AbortSignal): Promise<Origin> {
  const job = await call<Job>(`/crawler/jobs/${encodeURIComponent(id)}`, { signal });
  const { headers, cookies } = job;
  const input = requestOf(job);
  if (job.kind !== 'batch') return { kind: job.kind === 'map' ? 'map' : 'crawl', input, headers, cookies };
  return { kind: 'batch', input: { ...input, urls: await urlsOf(job, signal) }, headers, cookies };
}

/** A batch shows the first URL of each site only; the ledger has all. */
async function urlsOf({ id, urls, expired }: Job, signal: AbortSignal): Promise<readonly string[]> {
  if (expired) return urls;
  const all: string[] = [];
  for (let cursor: string | undefined; ;) {
    const path = `/crawler/jobs/${id}/urls${query({ limit: 400, wait: 0, cursor })}`;
    const list: List<UrlRow> = await call<List<UrlRow>>(path, { signal });
    all.push(...list.data.map(({ url }) => url));
    cursor = list.cursor;
    if (cursor === undefined || list.data.length === 0) return all;
  }
}
