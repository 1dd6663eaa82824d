// One process answers clients, another crawls: they have only the database in common.
import { afterEach, expect, test } from 'vitest';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';
import { eventsOf } from '../service/cut-stream.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { postgresStore } from '../service/test-store.ts';
import { startGeneratedSite } from './generated-site.ts';

const pages = 120;

interface Answer {
  readonly data: readonly { readonly meta: { readonly page: number } }[];
  readonly cursor?: string;
}

const missing = await postgresMissing();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Reads on as soon as there is more. Answers the pages, and how many answers had some while the job ran. */
async function poll(api: TestService, id: string): Promise<{ numbers: number[]; whileRunning: number }> {
  const numbers: number[] = [];
  let whileRunning = 0;
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const query = new URLSearchParams({ wait: '60', ...(cursor !== undefined && { cursor }) });
    const response = await api.api(`/crawler/jobs/${id}/meta?${query.toString()}`);
    const answer = (await response.json()) as Answer;
    numbers.push(...answer.data.map(({ meta }) => meta.page));
    if (answer.data.length > 0 && response.headers.get('x-job-status') === 'running') whileRunning++;
    ({ cursor } = answer);
  }
  return { numbers, whileRunning };
}

test.skipIf(missing !== undefined)(
  'what a worker crawls is seen in another process as it comes: by long polls, events and lines (needs PostgreSQL)',
  async () => {
    const database = await createTestDatabase();
    cleanups.push(database.remove);
    const store = postgresStore('/nowhere', database.url);
    const site = await startGeneratedSite({ pages, delayMs: 20 });
    cleanups.push(() => site.close());
    const api = await startService({ store, role: 'api' });
    cleanups.push(() => api.close());
    const { id } = await api.createJob({ urls: [`${site.origin}/`] });
    // Nobody crawls yet.
    expect(await api.ok('/readyz')).toEqual({ status: 'ready', database: true });
    expect((await api.job(id)).status).toBe('starting');
    const read = async (path: string): Promise<Buffer> => Buffer.from(await (await api.api(path)).arrayBuffer());
    const reading = Promise.all([
      poll(api, id),
      read(`/crawler/jobs/${id}/events`),
      read(`/crawler/jobs/${id}/events?text=false`),
    ]);
    const worker = await startService({ store, role: 'worker' });
    cleanups.push(() => worker.close());
    expect(await worker.ok('/readyz')).toEqual({ status: 'ready', database: true, worker: true });
    expect((await worker.api('/crawler/jobs')).status).toBe(404);

    const [{ numbers, whileRunning }, events, metaEvents] = await reading;
    const all = Array.from({ length: pages }, (_, index) => index + 1);
    expect(numbers).toEqual(all);
    expect(whileRunning).toBeGreaterThan(1);
    for (const body of [events, metaEvents]) {
      const parsed = eventsOf(body);
      expect(parsed.filter(({ event }) => event === 'page').map(({ id: number }) => Number(number))).toEqual(all);
      expect(parsed.filter(({ event }) => event === 'progress').length).toBeGreaterThan(1);
      expect(parsed.at(-1)).toMatchObject({ event: 'end', data: JSON.stringify({ status: 'succeeded', pages }) });
    }
    expect((await api.job(id)).progress).toMatchObject({ discovered: pages, scraped: pages });
    // A token that is made beside them is good in both at once, and a job that is cancelled here ends there.
    const { token } = await api.createToken({ org: 'elsewhere', permissions: 'read,metrics' });
    expect((await api.raw('/crawler/jobs', { token })).status).toBe(200);
    const again = await api.createJob({ urls: [`${site.origin}/`] });
    await site.morePages(10);
    await api.ok(`/crawler/jobs/${again.id}/cancel`, { method: 'POST' });
    expect((await api.untilEnded(again.id)).status).toBe('cancelled');
    expect((await worker.raw('/metrics', { token: null })).body.toString()).toContain(
      'hayrake_jobs{status="running"} 0',
    );
  },
);
