// A crawl of a generated site that a fault is to hit, and what it must have come to in the end.
import { afterEach, expect } from 'vitest';
import { type GeneratedSite, startGeneratedSite } from '../e2e/generated-site.ts';
import { ledgerOf } from '../e2e/ledger.ts';
import { type ServiceOptions, startService, type TestService } from '../service/start-service.ts';

export interface Crawl {
  readonly site: GeneratedSite;
  readonly service: TestService;
  readonly id: string;
}

export interface Problem {
  readonly code: string;
  readonly status: number;
}

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Later ones first. */
export function afterTest(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Starts a crawl; resolves when some of its pages have been asked for. */
export async function startCrawl(
  pages: number,
  { delayMs = 10, words = 0, ...options }: ServiceOptions & { readonly delayMs?: number; readonly words?: number },
): Promise<Crawl> {
  const site = await startGeneratedSite({ pages, delayMs, words });
  afterTest(() => site.close());
  const service = await startService({
    ...options,
    env: { HAYRAKE_DISK_FREE_MB: '0', HAYRAKE_LOG_LEVEL: 'info', ...options.env },
  });
  afterTest(() => service.close());
  const { id } = await service.createJob({ urls: [`${site.origin}/`] });
  await site.morePages(20);
  return { site, service, id };
}

/** Resolves with the answer to a new job, once the service says that it takes none. */
export async function untilRefused({ service, site }: Crawl): Promise<{ problem: Problem; headers: Headers }> {
  await expect.poll(async () => (await service.api('/readyz')).status, { interval: 20, timeout: 30_000 }).toBe(503);
  const response = await service.api('/crawler/jobs', { json: { urls: [`${site.origin}/page/1`], page_limit: 1 } });
  return { problem: (await response.json()) as Problem, headers: response.headers };
}

/** Every page of the site exactly once, each at its first attempt. */
export async function expectWholeCrawl({ service, site, id }: Crawl, options = { attempts: 1 }): Promise<void> {
  const job = await service.untilEnded(id);
  const pages = site.paths.length;
  expect(job.progress).toEqual({
    discovered: pages,
    queued: 0,
    inFlight: 0,
    scraped: pages,
    discarded: 0,
    failed: 0,
    outside: 0,
  });
  const rows: { readonly meta: { readonly page: number; readonly url: string } }[] = [];
  let query = '';
  for (;;) {
    const answer = await service.ok<{ data: typeof rows; cursor?: string }>(`/crawler/jobs/${id}/data${query}`);
    rows.push(...answer.data);
    if (answer.cursor === undefined) break;
    query = `?${new URLSearchParams({ cursor: answer.cursor }).toString()}`;
  }
  expect(rows.map(({ meta }) => meta.page)).toEqual(rows.map((_, index) => index + 1));
  expect(rows.map(({ meta }) => meta.url).toSorted()).toEqual(site.paths.map((path) => site.origin + path).toSorted());
  const ledger = await ledgerOf(service, id);
  expect(Math.max(...ledger.map(({ attempts }) => attempts))).toBeLessThanOrEqual(options.attempts);
}
