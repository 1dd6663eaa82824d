import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../test/postgres/test-database.ts';
import { createJob, getJob, ledgerOf, links } from '../../test/storage/test-data.ts';
import type { Store } from '../core/ports/stores.ts';
import { openPostgresStore } from '../storage/postgres/postgres-store.ts';
import { giveUpForBrowserRegularly } from './regular-work.ts';

const missing = await postgresMissing();
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe.skipIf(missing !== undefined)('giveUpForBrowserRegularly (needs PostgreSQL)', () => {
  test('giveUpForBrowserRegularly: fails jobs only after no live process had a browser for missingMs', async () => {
    const database = await createTestDatabase({ keepsSchema: true });
    cleanups.push(database.remove);
    const open = async (hasBrowser: boolean): Promise<Store> => {
      const store = await openPostgresStore({ url: database.url, connections: 4 });
      await store.frontier.recover({ delayMs: 0, hasBrowser });
      return store;
    };
    const [plain, rich] = [await open(false), await open(true)];
    cleanups.push(() => plain.close());
    const job = await createJob(plain, { startLinks: links(3, '/', { depth: 0 }), spec: { useBrowser: true } });
    const stop = new AbortController();
    const missingMs = 4_000;
    const watching = giveUpForBrowserRegularly(plain, { missingMs, checkMs: 20 }, stop.signal, log);
    const queued = async (): Promise<number> => (await getJob(plain, job.id)).progress.queued;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await queued()).toBe(3);
    await rich.close();
    // Another one comes in time.
    const next = await open(true);
    await new Promise((resolve) => setTimeout(resolve, missingMs));
    expect(await queued()).toBe(3);
    const goneAt = performance.now();
    await next.close();
    while ((await queued()) > 0 && performance.now() - goneAt < 20_000)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(performance.now() - goneAt).toBeGreaterThan(missingMs - 100);
    expect((await getJob(plain, job.id)).status).toBe('failed');
    expect(await ledgerOf(plain, job.id)).toEqual({
      '/1': 'failed browser_missing',
      '/2': 'failed browser_missing',
      '/3': 'failed browser_missing',
    });
    stop.abort();
    await watching;
  }, 30_000);
});
