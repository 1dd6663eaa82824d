// Screenshots: stored with their page, read by its number, and gone with the results of the job.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Screenshot } from '../../src/core/page.ts';
import type { FoundScreenshot, Store } from '../../src/core/ports/stores.ts';
import { createJob, getJob, leaseAndTake, links, org, scraped, settlement, type OpenDatabase } from './test-data.ts';

const png: Screenshot = { type: 'image/png', bytes: Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7) % 251) };
const jpeg: Screenshot = { type: 'image/jpeg', bytes: new Uint8Array(10 * 2 ** 20).fill(3) };

export function describeScreenshots(createDatabase: () => Promise<OpenDatabase>): void {
  describe('screenshots', () => {
    let database: OpenDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0, hasBrowser: true });
    });
    afterEach(() => database.remove());

    const read = (jobId: string, page: number, of = org): Promise<FoundScreenshot | undefined> =>
      store.pages.screenshot({ org: of, jobId, page });
    /** A job of three pages: with a PNG, without any, with a JPEG of the largest size. */
    const pictured = async (): Promise<string> => {
      const { id } = await createJob(store, {
        startLinks: links(3, '/', { depth: 0 }),
        spec: { screenshot: { format: 'png', fullPage: false }, useBrowser: true },
      });
      const { held, requests } = await leaseAndTake(store);
      const pictures = [png, undefined, jpeg];
      await store.frontier.settle(
        held,
        requests.map((request, at) => {
          const screenshot = pictures[at];
          return settlement(request, scraped(request, [], screenshot && { screenshot }));
        }),
      );
      await store.frontier.release(held);
      return id;
    };

    it('pages.screenshot: returns each screenshot as it was stored', async () => {
      const id = await pictured();
      expect((await getJob(store, id)).progress.scraped).toBe(3);
      const [first, second, third] = [await read(id, 1), await read(id, 2), await read(id, 3)];
      expect([typeOf(first), typeOf(third)]).toEqual(['image/png', 'image/jpeg']);
      expect(second).toEqual({ areResultsGone: false });
      expect(Buffer.compare(bytesOf(first), png.bytes)).toBe(0);
      expect(Buffer.compare(bytesOf(third), jpeg.bytes)).toBe(0);
      expect(await read(id, 4)).toEqual({ areResultsGone: false });
    });

    it('pages.screenshot: returns undefined when the job is of another org or unknown', async () => {
      const id = await pictured();
      expect(await read(id, 1, 'another')).toBeUndefined();
      expect(await read('no such job', 1)).toBeUndefined();
    });

    it('pages.screenshot: returns none when the results are deleted, and a sweep removes all', async () => {
      const id = await pictured();
      await store.jobs.delete(org, id);
      expect(await read(id, 1)).toEqual({ areResultsGone: true });
      while ((await store.sweep()).more);
      expect(await database.count('screenshot')).toBe(0);
    });

    it('settle: stores no screenshot of a duplicate page', async () => {
      const { id } = await createJob(store, { startLinks: links(2, '/', { depth: 1 }), spec: { useBrowser: true } });
      const { held, requests } = await leaseAndTake(store);
      await store.frontier.settle(
        held,
        requests.map((request) => settlement(request, scraped(request, [], { text: 'the same', screenshot: png }))),
      );
      expect((await getJob(store, id)).progress).toMatchObject({ scraped: 1, discarded: 1 });
      expect(await database.count('screenshot')).toBe(1);
    });
  });
}

function typeOf(found: FoundScreenshot | undefined): string {
  return typeof found?.screenshot === 'object' ? found.screenshot.type : 'none';
}

function bytesOf(found: FoundScreenshot | undefined): Uint8Array {
  return typeof found?.screenshot === 'object' ? found.screenshot.bytes : new Uint8Array();
}
