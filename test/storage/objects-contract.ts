// Raw bodies in objects outside the database: nothing that a page names is ever missing, and nothing is left over.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/core/ports/stores.ts';
import { Damage } from '../../src/core/ports/check.ts';
import type { Screenshot } from '../../src/core/page.ts';
import type { StoredSlice } from '../../src/core/ports/blobs.ts';
import { forwardFrontier } from '../../src/core/forward-frontier.ts';
import { packRawPages, SegmentReader } from '../../src/page/raw-segments.ts';
import { ObjectStoreError } from '../../src/core/ports/object-store.ts';
import { checkObjects } from '../../src/storage/objects/check-objects.ts';
import { ObjectMaintenance } from '../../src/storage/objects/maintain-objects.ts';
import { adoptObjects, claimObjects, refuseObjectsElsewhere } from '../../src/storage/objects/owner.ts';
import { SegmentReads } from '../../src/storage/objects/segment-reads.ts';
import { withObjects } from '../../src/storage/objects/with-objects.ts';
import { framesIn } from '../objects/frames.ts';
import { MemoryObjects } from '../objects/memory-objects.ts';
import { openInObjects } from './in-objects.ts';
import { rawPage, textIn } from './raw-pages.ts';
import { createJob, leaseAndTake, links, org, pagesOf, scraped, settlement, type OpenDatabase } from './test-data.ts';

const dayMs = 86_400_000;

export function describeObjectBlobs(createDatabase: () => Promise<OpenDatabase>): void {
  describe('raw bodies in objects', () => {
    let database: OpenDatabase;
    let plain: Store;
    let objects: MemoryObjects;
    let store: Store;

    beforeEach(async () => {
      ({ database, plain, objects, store } = await openInObjects(createDatabase));
    });
    afterEach(() => database.remove());

    /** Crawls the jobs page by page; all settle at the same time. */
    const crawled = (...jobs: readonly (readonly string[])[]): Promise<readonly string[]> => crawledWith(jobs);
    const crawledWith = async (
      jobs: readonly (readonly string[])[],
      screenshotOf?: (text: string) => Screenshot,
    ): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (const texts of jobs)
        ids.push((await createJob(store, { startLinks: links(texts.length, '/', { depth: 0 }) })).id);
      const { held, requests } = await leaseAndTake(store);
      const texts = new Map(ids.map((id, index) => [id, [...(jobs[index] ?? [])]]));
      const settling = requests.map(async (request) => {
        const text = texts.get(request.jobId)!.shift()!;
        const [slice] = await packRawPages([rawPage(text)]);
        const screenshot = screenshotOf?.(text);
        const page = { rawSlice: slice!, ...(screenshot && { screenshot }) };
        await store.frontier.settle(held, [settlement(request, scraped(request, [], page))]);
      });
      await Promise.all(settling);
      await store.frontier.release(held);
      return ids;
    };
    /** The same, with screenshots. */
    const pictured = async (...jobs: readonly (readonly string[])[]): Promise<readonly string[]> =>
      crawledWith(jobs, picture);
    const picture = (text: string): Screenshot => ({ type: 'image/png', bytes: Buffer.from(`picture of ${text}`) });
    const pictures = async (jobId: string, count: number): Promise<(string | undefined)[]> => {
      const found: (string | undefined)[] = [];
      for (let page = 1; page <= count; page++) {
        const one = await store.pages.screenshot({ org, jobId, page });
        found.push(
          typeof one?.screenshot === 'object' ? Buffer.from(one.screenshot.bytes).toString() : one?.screenshot,
        );
      }
      return found;
    };
    const bodies = async (jobId: string): Promise<(string | undefined)[]> => {
      const { segments, slices } = (await store.blobs.readRaw({
        org,
        jobId,
        after: 0,
        limit: 100,
        bytesMax: 2 ** 20,
      }))!;
      const reader = new SegmentReader(segments);
      const texts = await Promise.all(slices.map(async (slice) => textIn(await reader.read(slice))));
      return texts.toSorted((one = '', other = '') => one.localeCompare(other));
    };
    const rawByPage = async (jobId: string): Promise<(string | undefined)[]> => {
      const { segments, slices } = (await store.blobs.readRaw({
        org,
        jobId,
        after: 0,
        limit: 100,
        bytesMax: 2 ** 20,
      }))!;
      const reader = new SegmentReader(segments);
      return Promise.all(
        slices.map(async (slice) => (slice.length === 0 ? undefined : textIn(await reader.read(slice)))),
      );
    };
    /** A process whose commits go another way. */
    const withFrontier = (settle: Store['frontier']['settle']): Store =>
      withObjects({ ...plain, frontier: { ...forwardFrontier(plain.frontier), settle } }, objects, { keptMs: 0 });
    const swept = async (): Promise<void> => {
      while ((await store.sweep()).more);
    };
    const segments = (): string[] => [...objects.stored.keys()].filter((name) => name.startsWith('segments/'));
    const has = (text: string): boolean => segments().some((name) => objects.stored.get(name)!.bytes.includes(text));
    /** All that is in them, unpacked. */
    const all = (): string =>
      segments()
        .flatMap((name) => framesIn(objects.stored.get(name)!.bytes))
        .join();

    it('withObjects: stores segments of many commits with one PUT, and reads them back', async () => {
      objects.puts = 0;
      const [one, two] = await crawled(['a1', 'a2', 'a3'], ['b1', 'b2']);
      expect(objects.puts).toBe(1);
      expect(await bodies(one!)).toEqual(['a1', 'a2', 'a3']);
      expect(await bodies(two!)).toEqual(['b1', 'b2']);
      objects.gets = 0;
      await bodies(one!);
      expect(objects.gets).toBe(0);
    });

    it('withObjects: gathers the segments of ended jobs in objects of their own', async () => {
      const [one, two] = await crawled(['a1', 'a2'], ['b1']);
      await swept();
      expect(segments()).toHaveLength(2);
      expect([await bodies(one!), await bodies(two!)]).toEqual([['a1', 'a2'], ['b1']]);
      const before = segments();
      await swept();
      expect(segments()).toEqual(before);
      const [fresh, read] = [new SegmentReads(objects), (objects.gets = 0)];
      const found = (await plain.blobs.readRaw({ org, jobId: one!, after: 0, limit: 10, bytesMax: 2 ** 20 }))!;
      expect((await fresh.filled(found)).isMissing).toBe(false);
      expect(objects.gets).toBe(read + 1);
    });

    it('withObjects: leaves nothing of a deleted job in any object', async () => {
      const [one, two] = await crawled(['first'], ['other']);
      expect(all()).toContain('first');
      await store.jobs.delete(org, one!);
      expect(await store.blobs.readRaw({ org, jobId: one!, after: 0, limit: 1, bytesMax: 1 })).toMatchObject({
        areResultsGone: true,
        slices: [],
      });
      await swept();
      expect(all()).not.toContain('first');
      expect(await bodies(two!)).toEqual(['other']);
      await store.jobs.delete(org, two!);
      await swept();
      expect([segments(), await database.count('raw_object'), await database.count('raw_segment')]).toEqual([[], 0, 0]);
    });

    it('withObjects: leaves nothing of a deleted job in objects that it shares with one that runs', async () => {
      const running = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
      const deleted = await createJob(store, { startLinks: links(1, '/', { depth: 0 }) });
      const { held, requests } = await leaseAndTake(store);
      const ofRunning = requests.find(({ jobId }) => jobId === running.id)!;
      const ofDeleted = requests.find(({ jobId }) => jobId === deleted.id)!;
      const settle = async (request: typeof ofRunning, text: string): Promise<void> => {
        const [slice] = await packRawPages([rawPage(text)]);
        await store.frontier.settle(held, [settlement(request, scraped(request, [], { rawSlice: slice! }))]);
      };
      await Promise.all([settle(ofRunning, 'stays'), settle(ofDeleted, 'leaves')]);
      expect(segments()).toHaveLength(1);
      await store.jobs.delete(org, deleted.id);
      await swept();
      expect([all().includes('stays'), all().includes('leaves')]).toEqual([true, false]);
      expect(await bodies(running.id)).toEqual(['stays']);
    });

    it('withObjects: leaves nothing of an erased page in any object, and the pages next to it', async () => {
      const [one] = await crawled(['kept', 'erased']);
      await swept();
      const page = (await rawByPage(one!)).findIndex((text) => text === 'erased') + 1;
      expect(await store.erasures.erase({ org, jobId: one!, page, withUrl: false })).toMatchObject({ jobs: [one] });
      await swept();
      expect([all().includes('kept'), all().includes('erased')]).toEqual([true, false]);
      expect((await rawByPage(one!)).filter((text) => text !== undefined)).toEqual(['kept']);
      const damage = new Damage();
      expect(await checkObjects(store, objects, damage)).toMatchObject({ missing: 0, unnamed: 0 });
      expect(damage.damagedParts).toBe(0);
    });

    it('withObjects: leaves nothing of an erased page in the objects of a job that is made from its own', async () => {
      const [one] = await crawled(['kept', 'erased']);
      await swept();
      const page = (await rawByPage(one!)).findIndex((text) => text === 'erased') + 1;
      const url = (await pagesOf(store, one!))[page];
      const baseline = { of: one!, isSame: false };
      const { id } = await createJob(store, { startLinks: links(2, '/', { depth: 0 }), spec: { baseline } });
      const upTo = (await store.baselines.read(id, 9))?.urls.at(-1)?.entry ?? 0;
      await store.baselines.add(id, { after: 0, upTo, links: [], isLast: true });
      const { held, requests } = await leaseAndTake(store);
      const slices = await packRawPages(requests.map((request) => rawPage(request.url === url ? 'erased' : 'kept')));
      const settlements = requests.map((request, at) =>
        settlement(request, scraped(request, [], { rawSlice: slices[at]!, change: 'changed' })),
      );
      await store.frontier.settle(held, settlements);
      await store.frontier.release(held);
      await swept();
      await store.erasures.erase({ org, jobId: one!, page, withUrl: false });
      await swept();
      expect([all().includes('kept'), all().includes('erased')]).toEqual([true, false]);
      expect((await rawByPage(id)).filter((text) => text !== undefined)).toEqual(['kept']);
    });

    it('withObjects: gathers screenshots with the raw bodies of their job, and leaves none of a deleted job', async () => {
      const [one, two] = await pictured(['a1', 'a2'], ['b1']);
      expect(segments()).toHaveLength(1);
      expect(await database.count('screenshot')).toBe(3);
      await swept();
      expect(segments()).toHaveLength(2);
      expect(new Set(await pictures(one!, 3))).toEqual(new Set(['picture of a1', 'picture of a2', undefined]));
      expect(await bodies(one!)).toEqual(['a1', 'a2']);
      await store.jobs.delete(org, one!);
      expect(await store.pages.screenshot({ org, jobId: one!, page: 1 })).toEqual({ areResultsGone: true });
      await swept();
      expect([has('picture of a1'), has('picture of a2'), has('picture of b1')]).toEqual([false, false, true]);
      expect(await pictures(two!, 1)).toEqual(['picture of b1']);
      await store.jobs.delete(org, two!);
      await swept();
      expect([segments(), await database.count('raw_object'), await database.count('raw_segment')]).toEqual([[], 0, 0]);
    });

    it('withObjects: leaves nothing of the screenshot of an erased page in any object', async () => {
      const [one] = await pictured(['kept', 'erased']);
      await swept();
      const found = await pictures(one!, 2);
      await store.erasures.erase({ org, jobId: one!, page: found.indexOf('picture of erased') + 1, withUrl: false });
      await swept();
      expect([has('picture of kept'), has('picture of erased')]).toEqual([true, false]);
      await store.erasures.erase({ org, jobId: one!, page: found.indexOf('picture of kept') + 1, withUrl: false });
      await swept();
      expect(has('picture of kept')).toBe(false);
      expect(await pictures(one!, 2)).toEqual([undefined, undefined]);
    });

    it('withObjects: leaves nothing of an erased screenshot in an object that another job uses', async () => {
      const ids = await Promise.all([0, 1].map(() => createJob(store, { startLinks: links(2, '/', { depth: 0 }) })));
      const { held, requests } = await leaseAndTake(store);
      const settle = (request: (typeof requests)[number], text: string): Promise<void> =>
        store.frontier.settle(held, [settlement(request, scraped(request, [], { screenshot: picture(text) }))]);
      const firsts = ids.map(({ id }) => requests.find(({ jobId }) => jobId === id)!);
      await Promise.all(firsts.map((request, index) => settle(request, ['erased', 'stays'][index]!)));
      expect(segments()).toHaveLength(1);
      await store.erasures.erase({ org, jobId: ids[0]!.id, page: 1, withUrl: false });
      await swept();
      expect([has('picture of erased'), has('picture of stays')]).toEqual([false, true]);
      expect(await pictures(ids[1]!.id, 1)).toEqual(['picture of stays']);
    });

    it('pages.screenshot: reads it from its new object when it was moved after its place was read', async () => {
      const [one] = await pictured(['a1'], ['b1']);
      objects.beforeGet = async () => {
        objects.beforeGet = async () => {};
        const other = withObjects(plain, objects, { keptMs: 0 });
        while ((await other.sweep()).more);
      };
      expect(await pictures(one!, 1)).toEqual(['picture of a1']);
    });

    it('SegmentReads.read: shares the request of readers that miss the same segments at the same time', async () => {
      const [one] = await crawled(['a1', 'a2', 'a3']);
      await swept();
      const fresh = new SegmentReads(objects);
      const found = (await plain.blobs.readRaw({ org, jobId: one!, after: 0, limit: 10, bytesMax: 2 ** 20 }))!;
      objects.gets = 0;
      const reads = await Promise.all(Array.from({ length: 16 }, () => fresh.filled(found)));
      expect(objects.gets).toBe(1);
      for (const { found: filled } of reads)
        expect([...filled.segments.values()].every(({ bytes }) => bytes.length > 0)).toBe(true);
    });

    it('SegmentReads.read: fails for all readers when their request does, and asks again for the next', async () => {
      const [one] = await crawled(['a1']);
      const fresh = new SegmentReads(objects);
      const found = (await plain.blobs.readRaw({ org, jobId: one!, after: 0, limit: 10, bytesMax: 2 ** 20 }))!;
      objects.beforeGet = async () => {
        throw new ObjectStoreError('away', 'the store is away');
      };
      const settled = await Promise.allSettled([fresh.filled(found), fresh.filled(found)]);
      expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      objects.beforeGet = async () => {};
      expect((await fresh.filled(found)).isMissing).toBe(false);
    });

    it('settle: stores a segment again when a sweep gave its object up between PUT and commit', async () => {
      const { id } = await createJob(store);
      const { held, requests } = await leaseAndTake(store);
      const [slice] = await packRawPages([rawPage('late')]);
      let settles = 0;
      let lost: readonly string[] = [];
      const stopped = withFrontier(async (...args) => {
        if (settles++ === 0) {
          // Another process sweeps while this one is stopped for longer than an object may wait for its commit.
          await plain.objects.markDead(-1);
          lost = await plain.objects.lost(-1);
          await plain.objects.forget(lost);
        }
        return plain.frontier.settle(...args);
      });
      const request = requests[0]!;
      objects.puts = 0;
      await stopped.frontier.settle(held, [settlement(request, scraped(request, [], { rawSlice: slice! }))]);
      expect([settles, objects.puts, lost.length]).toEqual([2, 2, 1]);
      expect(await bodies(id)).toEqual(['late']);
    });

    describe('of a deleted job', () => {
      /** Two jobs: the first one, of two pages, is to be deleted; the second one, of three, does not end. */
      const twoJobs = async () => {
        const ids: string[] = [];
        for (const count of [2, 3])
          ids.push((await createJob(store, { startLinks: links(count, '/', { depth: 0 }) })).id);
        const [leaves = '', stays = ''] = ids;
        const { held, requests } = await leaseAndTake(store);
        const left = new Map(ids.map((id) => [id, requests.filter(({ jobId }) => jobId === id)]));
        const settle = async (id: string, text: string, to: Store = store): Promise<void> => {
          const request = left.get(id)!.shift()!;
          const [slice] = await packRawPages([rawPage(text)]);
          await to.frontier.settle(held, [settlement(request, scraped(request, [], { rawSlice: slice! }))]);
        };
        return { leaves, stays, settle };
      };
      const expectOnly = async (stays: string): Promise<void> => {
        expect([all().includes('leaves'), all().includes('stays')]).toEqual([false, true]);
        expect(await bodies(stays)).toEqual(['stays']);
      };

      it('withObjects: leaves nothing that a killed process had stored and not committed', async () => {
        const { leaves, stays, settle } = await twoJobs();
        const killed = withFrontier(() => Promise.reject(new Error('killed')));
        const died = await Promise.allSettled([settle(leaves, 'leaves', killed), settle(stays, 'stays', killed)]);
        expect(died.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
        expect(all()).toContain('leaves');
        await store.jobs.delete(org, leaves);
        await swept();
        expect(segments()).toEqual([]);
        await settle(stays, 'stays');
        await expectOnly(stays);
      });

      it('withObjects: leaves nothing of a job that was deleted before its pages are stored', async () => {
        const { leaves, stays, settle } = await twoJobs();
        await store.jobs.delete(org, leaves);
        await swept();
        await Promise.all([settle(leaves, 'leaves'), settle(stays, 'stays')]);
        await expectOnly(stays);
        expect(await database.count('raw_page')).toBe(1);
      });

      it('withObjects: leaves nothing of a job that was deleted while its object is stored', async () => {
        const { leaves, stays, settle } = await twoJobs();
        objects.beforePut = async () => {
          objects.beforePut = async () => {};
          await store.jobs.delete(org, leaves);
          await swept();
        };
        await Promise.all([settle(leaves, 'leaves'), settle(stays, 'stays')]);
        await expectOnly(stays);
      });

      it('withObjects: leaves nothing of a job that was deleted while its object waits for the commit', async () => {
        const { leaves, stays, settle } = await twoJobs();
        let settles = 0;
        const slow = withFrontier(async (...args) => {
          if (settles++ === 0) {
            await store.jobs.delete(org, leaves);
            await swept();
          }
          return plain.frontier.settle(...args);
        });
        await Promise.all([settle(leaves, 'leaves', slow), settle(stays, 'stays', slow)]);
        await swept();
        await expectOnly(stays);
      });

      it('withObjects: leaves nothing in an object that the job shared until it ended', async () => {
        const { leaves, stays, settle } = await twoJobs();
        await Promise.all([settle(leaves, 'leaves'), settle(leaves, 'leaves too'), settle(stays, 'stays')]);
        await swept();
        expect(await bodies(leaves)).toEqual(['leaves', 'leaves too']);
        expect(segments()).toHaveLength(2);
        await store.jobs.delete(org, leaves);
        await swept();
        await expectOnly(stays);
      });

      it('withObjects: leaves nothing of an erased page in an object that its job shared until it ended', async () => {
        const { leaves: erased, stays, settle } = await twoJobs();
        await Promise.all([settle(erased, 'leaves'), settle(erased, 'kept'), settle(stays, 'stays')]);
        await swept();
        const page = (await rawByPage(erased)).indexOf('leaves') + 1;
        await store.erasures.erase({ org, jobId: erased, page, withUrl: false });
        await swept();
        await expectOnly(stays);
        expect((await rawByPage(erased)).filter((text) => text !== undefined)).toEqual(['kept']);
      });
    });

    it('settle: fails when a row names a dead object, and stores nothing', async () => {
      await createJob(store);
      const { held, requests } = await leaseAndTake(store);
      const place = { object: 'segments/dead', at: 0, size: 3 };
      await plain.objects.register(place.object, 3, []);
      await plain.objects.markDead(-1);
      const placedScreenshot = { type: 'image/png', place, crc: 0 } as const;
      const rawSlice: StoredSlice = {
        segment: { bytes: new Uint8Array(), length: 3, place },
        at: 0,
        length: 3,
        crc: 0,
      };
      const request = requests[0]!;
      for (const fields of [{ rawSlice }, { placedScreenshot }]) {
        const settled = plain.frontier.settle(held, [settlement(request, scraped(request, [], fields))]);
        expect(await settled.catch(() => 'refused')).toBe('refused');
      }
      expect(await database.count('raw_segment')).toBe(0);
      expect(await database.count('page')).toBe(0);
    });

    it('sweep: marks objects dead that no page names, keeps them for a while, and never those that one names', async () => {
      const [id] = await crawled(['kept']);
      await swept();
      await plain.objects.register('segments/never-committed', 1, [id!]);
      await plain.objects.markDead(dayMs);
      expect(await plain.objects.lost(-1)).toEqual([]);
      await plain.objects.markDead(-1);
      expect([await plain.objects.lost(-1), await plain.objects.dead(-1)]).toEqual([['segments/never-committed'], []]);
      expect(await plain.objects.lost(dayMs)).toEqual([]);
      await plain.objects.forget(['segments/never-committed']);
      expect(await database.count('raw_object')).toBe(1);
      expect(await bodies(id!)).toEqual(['kept']);
    });

    it('ObjectMaintenance.step: deletes old objects that no row knows, and none of another database', async () => {
      await crawled(['kept']);
      await swept();
      const modifiedAt = Date.now() - 2 * dayMs;
      const rows = plain.objects;
      const step = (): Promise<boolean> =>
        new ObjectMaintenance({ objects, rows, reads: new SegmentReads(objects), keptMs: dayMs, log: undefined }).step(
          0,
        );
      objects.stored.set('segments/unknown', { bytes: Buffer.from('x'), modifiedAt });
      objects.stored.set('segments/unknown-and-new', { bytes: Buffer.from('x'), modifiedAt: Date.now() });
      const owner = objects.stored.get('owner.json')!;
      objects.stored.set('owner.json', { ...owner, bytes: Buffer.from('{"installation":"another"}') });
      await step();
      expect(segments()).toContain('segments/unknown');
      objects.stored.set('owner.json', owner);
      await step();
      expect(segments().filter((name) => name.includes('unknown'))).toEqual(['segments/unknown-and-new']);
      expect(segments()).toHaveLength(2);
    });

    it('claimObjects: refuses objects of another database, until they are adopted', async () => {
      await crawled(['kept']);
      await claimObjects(objects, plain.objects);
      const elsewhere = new MemoryObjects('s3://bucket/elsewhere');
      await expect(claimObjects(elsewhere, plain.objects)).rejects.toMatchObject({ exitCode: 2 });
      await expect(refuseObjectsElsewhere(plain.objects)).rejects.toMatchObject({ exitCode: 2 });
      const other = await createDatabase();
      try {
        const { objects: rows } = await other.open({ crawling: true });
        await refuseObjectsElsewhere(rows);
        await expect(claimObjects(objects, rows)).rejects.toMatchObject({
          exitCode: 2,
          message: expect.stringContaining('hayrake blobs adopt'),
        });
        await adoptObjects(objects, rows);
        await claimObjects(objects, rows);
        await expect(claimObjects(objects, plain.objects)).rejects.toMatchObject({ exitCode: 2 });
      } finally {
        await other.remove();
      }
    });

    it('checkObjects: names the pages whose object is missing or changed, and counts objects that no page names', async () => {
      const [one, two] = await pictured(['a1', 'a2'], ['b1']);
      await swept();
      const whole = new Damage();
      expect(await checkObjects(store, objects, whole)).toEqual({ objects: 2, missing: 0, unnamed: 0 });
      expect(whole.damagedParts).toBe(0);
      const [first] = segments();
      objects.stored.delete(first!);
      objects.stored.set('segments/extra', { bytes: Buffer.from('x'), modifiedAt: Date.now() });
      const fresh = withObjects(plain, objects, { keptMs: 0 });
      const damage = new Damage();
      expect(await checkObjects(fresh, objects, damage)).toEqual({ objects: 2, missing: 1, unnamed: 1 });
      expect(new Set(damage.damaged.map(({ part }) => part))).toEqual(new Set(['raw body', 'screenshot']));
      const jobs = new Set(damage.damaged.map(({ job }) => job));
      expect([jobs.size, jobs.has(one!) || jobs.has(two!)]).toEqual([1, true]);
    });
  });
}
