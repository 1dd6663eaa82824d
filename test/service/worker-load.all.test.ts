// What an autoscaler is shown: a worker that is full where hosts are due, and workers that wait for something else.
import { Client } from 'pg';
import { afterEach, expect, test } from 'vitest';
import { startGeneratedSite } from '../e2e/generated-site.ts';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';
import { startService, type TestService } from './start-service.ts';
import { postgresStore, type TestStore } from './test-store.ts';

const missing = await postgresMissing();
/** More than a worker with two requests at a time has lanes. */
const hosts = 20;
const waitMs = 120_000;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A service with two requests at a time, and a job over more hosts than that. */
async function startCrawl(
  delayMs: number,
  env: Readonly<Record<string, string>>,
  store?: TestStore,
): Promise<TestService> {
  const sites = await Promise.all(Array.from({ length: hosts }, () => startGeneratedSite({ pages: 500, delayMs })));
  for (const site of sites) cleanups.push(() => site.close());
  const settings = { HAYRAKE_CONCURRENCY: '2', HAYRAKE_HOST_CONCURRENCY: '1', ...env };
  const service = await startService({ env: settings, ...(store && { store }) });
  cleanups.push(() => service.close());
  await service.createJob({ urls: sites.map(({ origin }) => `${origin}/`) });
  await Promise.all(sites.map((site) => site.morePages(2)));
  return service;
}

async function metric(service: TestService, name: string): Promise<number> {
  const { body } = await service.raw('/metrics', { token: null });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body.toString())?.[1]);
}

const load = (service: TestService): Promise<number> => metric(service, 'hayrake_worker_load');
const oldestDue = (service: TestService): Promise<number> => metric(service, 'hayrake_oldest_due_host_seconds');

test('hayrake_worker_load: exceeds 0.7 when all requests are in flight and hosts are due', async () => {
  const service = await startCrawl(2_000, {});
  await expect.poll(() => load(service), { timeout: waitMs, interval: 500 }).toBeGreaterThan(0.7);
});

test('hayrake_worker_load: stays below 0.7 when hosts keep to a delay', async () => {
  const service = await startCrawl(0, { HAYRAKE_HOST_DELAY_MS: '4000' });
  // Three looks at least.
  await new Promise((resolve) => setTimeout(resolve, 16_000));
  expect(await load(service)).toBeLessThan(0.7);
});

test.skipIf(missing !== undefined)(
  'hayrake_worker_load: stays below 0.3 when lanes wait for a lock, however long hosts are due (needs PostgreSQL)',
  async () => {
    const database = await createTestDatabase();
    cleanups.push(database.remove);
    const service = await startCrawl(0, {}, postgresStore('/nowhere', database.url));
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    cleanups.push(() => holder.end());
    await holder.query('BEGIN; SELECT FROM job FOR UPDATE');
    await expect.poll(() => oldestDue(service), { timeout: waitMs, interval: 500 }).toBeGreaterThan(12);
    // Looks from before the lock leave the mean within a minute, and hosts are due all the while.
    await expect.poll(() => load(service), { timeout: waitMs, interval: 500 }).toBeLessThan(0.3);
    expect(await oldestDue(service)).toBeGreaterThan(12);
  },
);
