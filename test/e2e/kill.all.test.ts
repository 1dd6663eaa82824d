// What a crash may cost: a few fetches. Never a URL, never a page twice.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { isOnPostgres } from '../service/test-store.ts';
import { type GeneratedSite, startGeneratedSite } from './generated-site.ts';

/** A start takes longer with PostgreSQL, which others kill more thoroughly. */
const kills = isOnPostgres() ? 5 : 10;
const pages = 300;
const hostConcurrency = 4;

interface Row {
  readonly meta: { readonly page: number; readonly url: string };
}

interface Answer {
  readonly data: readonly Row[];
  readonly cursor?: string;
}

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(env: Record<string, string> = {}): Promise<{ site: GeneratedSite; service: TestService }> {
  // Slow enough that the job outlives all kills, also where this process gets little time between two of them.
  const site = await startGeneratedSite({ pages, delayMs: 50 });
  cleanups.push(() => site.close());
  const service = await startService({ env: { HAYRAKE_HOST_CONCURRENCY: String(hostConcurrency), ...env } });
  cleanups.push(() => service.close());
  return { site, service };
}

describe('SIGKILL in mid-crawl', () => {
  test(`${kills} times in a row: the job ends with every page exactly once`, async () => {
    const seed = Number(process.env['KILL_SEED'] ?? randomInt(2 ** 31));
    console.log(`KILL_SEED=${seed}`);
    const random = randomFrom(seed);
    const { site, service } = await start();
    const { id } = await service.createJob({ urls: [`${site.origin}/`] });

    const bookmarks: { readonly cursor: string; readonly page: number }[] = [];
    for (let kill = 0; kill < kills; kill++) {
      await site.morePagesOrAll(2 + Math.floor(random() * 20));
      const { data, cursor } = await service.ok<Answer>(`/crawler/jobs/${id}/data?limit=3&wait=0`);
      if (cursor !== undefined) bookmarks.push({ cursor, page: data.at(-1)?.meta.page ?? 0 });
      // The moment itself is left to chance: between two packets, in a conversion, in a commit.
      await sleep(random() * 20);
      await service.kill();
      await service.start();
    }

    const job = await service.untilEnded(id);
    expect(job.status).toBe('succeeded');
    expect(job.progress).toEqual({
      discovered: pages,
      queued: 0,
      inFlight: 0,
      scraped: pages,
      discarded: 0,
      failed: 0,
      outside: 0,
    });

    const { data } = await service.ok<Answer>(`/crawler/jobs/${id}/data`);
    expect(data.map(({ meta }) => meta.page)).toEqual(data.map((_, index) => index + 1));
    expect(data.map(({ meta }) => meta.url).toSorted()).toEqual(
      site.paths.map((path) => site.origin + path).toSorted(),
    );

    for (const { cursor, page } of bookmarks) {
      const rest = await service.ok<Answer>(`/crawler/jobs/${id}/data?${new URLSearchParams({ cursor }).toString()}`);
      expect(rest.data).toEqual(data.slice(page));
    }

    const times = site.paths.map((path) => site.asked.get(path) ?? 0);
    const refetches = times.reduce((sum, count) => sum + count - 1, 0);
    console.log(`${kills} kills, ${refetches} of ${pages} pages fetched again, ${bookmarks.length} old cursors read`);
    expect(Math.min(...times)).toBe(1);
    // In flight is what is being fetched, and as much again that is being converted or written.
    expect(refetches).toBeLessThanOrEqual(kills * 2 * hostConcurrency);
  });
});

describe('SIGTERM in mid-crawl', () => {
  test('finishes what is in flight and exits 0; the job goes on after the restart, nothing is fetched twice', async () => {
    const { site, service } = await start();
    const { id } = await service.createJob({ urls: [`${site.origin}/`] });
    await site.morePages(60);
    expect(await service.stop()).toBe(0);
    expect(service.stderr).not.toContain('given up');

    await service.start();
    const job = await service.untilEnded(id);
    expect(job.progress).toMatchObject({ discovered: pages, scraped: pages });
    expect(Math.max(...site.paths.map((path) => site.asked.get(path) ?? 0))).toBe(1);
  });

  test('a second SIGTERM does not wait for what is in flight', async () => {
    const site = await startGeneratedSite({ pages: 2, delayMs: 60_000 });
    cleanups.push(() => site.close());
    const service = await startService({ env: { HAYRAKE_LOG_LEVEL: 'info' } });
    cleanups.push(() => service.close());
    await service.createJob({ urls: [`${site.origin}/`] });
    await site.morePages(1);

    process.kill(service.pid!, 'SIGTERM');
    await expect.poll(() => service.stderr, { interval: 10 }).toContain('"stopping"');
    process.kill(service.pid!, 'SIGTERM');
    expect(await service.exited).not.toBe(0);
    expect(service.stderr).not.toContain('given up');
  });
});

/** mulberry32: small, and the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
