// Raw bodies: stored with their page, read by its number, and gone with the results of the job.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FoundSlices, StoredSlice } from '../../src/core/ports/blobs.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import { archiveOf } from '../../src/jobs/read-raw.ts';
import { packRawPages, SegmentReader } from '../../src/page/raw-segments.ts';
import { rawPage, textIn } from './raw-pages.ts';
import { createJob, leaseAndTake, links, org, scraped, settlement, type OpenDatabase } from './test-data.ts';

export function describeRawBodies(createDatabase: () => Promise<OpenDatabase>): void {
  describe('raw bodies', () => {
    let database: OpenDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    });
    afterEach(() => database.remove());

    const read = (jobId: string, after: number, limit: number, of = org): Promise<FoundSlices | undefined> =>
      store.blobs.readRaw({ org: of, jobId, after, limit, bytesMax: 2 ** 20 });
    const bodies = async (jobId: string, after: number, limit: number): Promise<(string | undefined)[]> => {
      const { segments, slices } = (await read(jobId, after, limit))!;
      const reader = new SegmentReader(segments);
      return Promise.all(slices.map(async (slice) => textIn(await reader.read(slice))));
    };

    /** A job of pages with these raw bodies, committed in groups; undefined is a page without. */
    const crawled = async (...groups: readonly (readonly (string | undefined)[])[]): Promise<string> => {
      const { id } = await createJob(store, { startLinks: links(groups.flat().length, '/', { depth: 0 }) });
      const { held, requests } = await leaseAndTake(store);
      let at = 0;
      for (const group of groups) {
        const slices = [...(await packRawPages(group.flatMap((text) => (text === undefined ? [] : [rawPage(text)]))))];
        const settlements = group.map((text) => {
          const rawSlice = text === undefined ? undefined : (slices.shift() as StoredSlice);
          const request = requests[at++]!;
          return settlement(request, scraped(request, [], rawSlice && { rawSlice }));
        });
        await store.frontier.settle(held, settlements);
      }
      await store.frontier.release(held);
      return id;
    };

    it('blobs.readRaw: returns each raw body as it was stored, whatever shares its segment', async () => {
      const id = await crawled(['one', undefined, 'three'], ['four']);
      expect(await bodies(id, 0, 10)).toEqual(['one', 'three', 'four']);
      expect(await bodies(id, 2, 1)).toEqual(['three']);
      expect(await bodies(id, 1, 1)).toEqual([]);
      expect((await read(id, 0, 10))!.slices.map(({ page }) => page)).toEqual([1, 3, 4]);
      expect((await read(id, 0, 2))!.upTo).toBe(2);
      expect(await database.count('raw_segment')).toBe(2);
    });

    it('blobs.readRaw: ends before the first page that exceeds the size, never before one', async () => {
      const large = (first: string): string => first + 'x'.repeat(700_000);
      const id = await crawled([large('a'), large('b'), 'c']);
      const first = (await read(id, 0, 10))!;
      expect([first.slices.length, first.upTo, first.segments.size]).toEqual([1, 1, 1]);
      const next = (await read(id, 1, 10))!;
      expect([next.slices.length, next.upTo]).toEqual([2, 3]);
    });

    it('blobs.readRaw: returns undefined when the job is of another org or unknown', async () => {
      const id = await crawled(['one']);
      expect(await read(id, 0, 1, 'another')).toBeUndefined();
      expect(await read('no such job', 0, 1)).toBeUndefined();
    });

    it('blobs.readRaw: returns none when the results are deleted, and a sweep removes all', async () => {
      const id = await crawled(['one', 'two']);
      const other = await crawled(['three']);
      await store.jobs.delete(org, id);
      expect(await read(id, 0, 10)).toMatchObject({ areResultsGone: true, slices: [] });
      while ((await store.sweep()).more);
      expect([await database.count('raw_page'), await database.count('raw_segment')]).toEqual([1, 1]);
      expect(await bodies(other, 0, 10)).toEqual(['three']);
    });

    it('archiveOf: rejects when the job is deleted after its pages were read', async () => {
      const id = await crawled(['one', 'two']);
      const job = { ...(await store.jobs.get(org, id))! };
      const open = () =>
        archiveOf(store, { ...job, spec: { ...job.spec, storeRaw: true } }, 2, new AbortController().signal);
      const { pages, entries } = open();
      expect(await all(pages)).toHaveLength(2);
      expect((await all(open().entries)).map(({ page }) => page)).toEqual([1, 2]);
      await store.jobs.delete(org, id);
      while ((await store.sweep()).more);
      await expect(all(entries)).rejects.toThrow('deleted or have expired');
    });

    it('settle: stores no raw body of a duplicate page, and keeps those that share its segment', async () => {
      const { id } = await createJob(store, { startLinks: links(3, '/', { depth: 1 }) });
      const { held, requests } = await leaseAndTake(store);
      const slices = await packRawPages(['copy', 'same', 'other'].map(rawPage));
      const texts = ['the same', 'the same', 'another'];
      await store.frontier.settle(
        held,
        requests.map((request, at) =>
          settlement(request, scraped(request, [], { text: texts[at]!, rawSlice: slices[at]! })),
        ),
      );
      expect(await bodies(id, 0, 10)).toEqual(['copy', 'other']);
      expect(await database.count('raw_page')).toBe(2);
    });

    it('SegmentReader.read: returns undefined when a piece differs from what was stored', async () => {
      const id = await crawled(['one', 'two']);
      const { segments, slices } = (await read(id, 0, 10))!;
      const [first, second] = slices;
      expect(textIn(await new SegmentReader(segments).read({ ...first!, crc: first!.crc ^ 1 }))).toBeUndefined();
      const [[name, segment] = [0, undefined]] = segments;
      const cut = { bytes: segment!.bytes.subarray(0, 20), length: segment!.length };
      expect(await new SegmentReader(new Map([[name, cut]])).read(second!)).toBeUndefined();
      expect(await new SegmentReader(new Map()).read(second!)).toBeUndefined();
    });
  });
}

async function all<One>(ones: AsyncIterable<One>): Promise<One[]> {
  const found: One[] = [];
  for await (const one of ones) found.push(one);
  return found;
}
