// Checks that must hold for a job, whatever happened to the process. They use only the API.
import assert from 'node:assert/strict';
import type { JobAnswer, TestService } from '../test/service/start-service.ts';

/** A client that does not care which process responds, or when. */
export interface Asker {
  persist<Answer>(call: (to: Pick<TestService, 'ok' | 'job'>) => Promise<Answer>): Promise<Answer>;
}

export interface Row {
  readonly meta: {
    readonly page: number;
    readonly url: string;
    readonly fetchedUrl: string;
    readonly meta: Readonly<Record<string, unknown>>;
  };
  readonly text: string;
}

interface UrlEntry {
  readonly url: string;
  readonly status: string;
  readonly reason?: string;
  readonly page?: number;
}

interface Slice<Entry> {
  readonly data: readonly Entry[];
  readonly cursor?: string;
}

/** Every URL is in exactly one place, and their sum is the number of discovered URLs. */
export function checkSums({ id, progress }: JobAnswer): void {
  const { discovered, queued, inFlight, scraped, discarded, failed, outside } = progress;
  assert.equal(
    discovered,
    queued + inFlight + scraped + discarded + failed + outside,
    `the sums of ${id}: ${JSON.stringify(progress)}`,
  );
}

/** Reads a job to its end, like a client that does not know of any restart: every page once, in order, without gaps. */
export async function readToEnd(service: Asker, id: string, limit: number): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(limit), wait: '2', ...(cursor !== undefined && { cursor }) });
    const slice = await service.persist((to) => to.ok<Slice<Row>>(`/crawler/jobs/${id}/data?${query.toString()}`));
    rows.push(...slice.data);
    cursor = slice.cursor;
    checkSums(await service.persist((to) => to.job(id)));
  } while (cursor !== undefined);
  checkPages(rows);
  return rows;
}

export function checkPages(rows: readonly Row[]): void {
  assert.deepEqual(
    rows.map(({ meta }) => meta.page),
    rows.map((_, index) => index + 1),
    'page numbers without gaps or repeats',
  );
  const urls = rows.map(({ meta }) => meta.url);
  assert.equal(new Set(urls).size, urls.length, 'no URL twice');
}

/** The ledger names each URL once, agrees with the counters of the job, and with the pages. */
export async function checkLedger(service: Asker, job: JobAnswer, rows: readonly Row[]): Promise<UrlEntry[]> {
  checkSums(job);
  const entries: UrlEntry[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ ...(cursor !== undefined && { cursor }) });
    const slice = await service.persist((to) =>
      to.ok<Slice<UrlEntry>>(`/crawler/jobs/${job.id}/urls?${query.toString()}`),
    );
    entries.push(...slice.data);
    cursor = slice.cursor;
  } while (cursor !== undefined);
  assert.equal(new Set(entries.map(({ url }) => url)).size, entries.length, 'no URL twice in the ledger');
  assert.equal(entries.length, job.progress.discovered);
  for (const status of ['queued', 'inFlight', 'scraped', 'discarded', 'failed', 'outside'] as const) {
    assert.equal(entries.filter((entry) => entry.status === status).length, job.progress[status], status);
  }
  const pages = entries.filter(({ status }) => status === 'scraped').map(({ url, page }) => `${page} ${url}`);
  assert.deepEqual(pages.toSorted(), rows.map(({ meta }) => `${meta.page} ${meta.url}`).toSorted(), 'ledger and pages');
  return entries;
}

/** The paths of URLs on a site, sorted. */
export function pathsOf(urls: Iterable<string>): string[] {
  return Array.from(urls, (url) => new URL(url).pathname).toSorted();
}
