// Texts of ended jobs in objects outside the database: they read as they did in it, and nothing is left over.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ObjectStoreError } from '../../src/core/ports/object-store.ts';
import { Damage } from '../../src/core/ports/check.ts';
import type { Link, Outcome, Request } from '../../src/core/request.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import { parsePage } from '../../src/page/decode.ts';
import { checkObjects } from '../../src/storage/objects/check-objects.ts';
import { withObjects } from '../../src/storage/objects/with-objects.ts';
import { framesIn } from '../objects/frames.ts';
import type { MemoryObjects } from '../objects/memory-objects.ts';
import { openInObjects } from './in-objects.ts';
import { crawl, createJob, link, links, org, scraped, type OpenDatabase } from './test-data.ts';

const later = { outputExpirySeconds: 3_600 };

export function describeTextsInObjects(createDatabase: () => Promise<OpenDatabase>): void {
  describe('texts in objects', () => {
    let database: OpenDatabase;
    let plain: Store;
    let objects: MemoryObjects;
    let store: Store;

    beforeEach(async () => {
      ({ database, plain, objects, store } = await openInObjects(createDatabase, { textsMin: 0 }));
    });
    afterEach(() => database.remove());

    const swept = async (): Promise<void> => {
      while ((await store.sweep()).more);
    };
    const segments = (): string[] => [...objects.stored.keys()].filter((name) => name.startsWith('segments/'));
    /** All pages of a job, some at a time. */
    const texts = async (jobId: string, from: Store = store, limit = 400): Promise<readonly (string | undefined)[]> => {
      const read: (string | undefined)[] = [];
      for (let isMore = true; isMore;) {
        const slice = (await from.pages.read({
          org,
          jobId,
          after: read.length,
          limit,
          bytesMax: 2 ** 20,
          withText: true,
        }))!;
        isMore = slice.more;
        read.push(...slice.pages.map((page) => parsePage(page).text));
        if (slice.damagedPage !== undefined) read.push(undefined);
      }
      return read;
    };
    /** Packed texts that the database has. */
    const inside = async (jobId: string, pages: number): Promise<number> => {
      const parts = await plain.objects.pageTexts({ jobId, after: 0, limit: pages, bytesMax: 2 ** 30 });
      return parts.filter(({ place }) => place === undefined).length;
    };
    /** True if any object has it, whether a row names it or not. */
    const hasText = (text: string): boolean =>
      segments().some((name) => framesIn(objects.stored.get(name)!.bytes).join('').includes(text));
    const textOf = ({ url }: Pick<Request, 'url'>): string => `text of ${new URL(url).pathname}.`;
    const site = (request: Request): Outcome => scraped(request, [], { text: textOf(request) });
    const crawled = async (pages = 5, answer = site): Promise<string> => {
      const { id } = await createJob(store, { startLinks: links(pages, '/', { depth: 0 }), spec: later });
      await crawl(store, answer);
      return id;
    };
    const since = async (
      of: string,
      startLinks: readonly Link[],
      answer: (request: Request) => Outcome,
    ): Promise<string> => {
      const { id } = await createJob(store, { startLinks, spec: { ...later, baseline: { of, isSame: true } } });
      for (;;) {
        const earlier = await store.baselines.read(id, 100);
        if (!earlier) break;
        const { after, urls } = earlier;
        const found = urls.map(({ url, depth }) => link(new URL(url).pathname, { depth }));
        await store.baselines.add(id, {
          after,
          upTo: urls.at(-1)?.entry ?? after,
          links: found,
          isLast: urls.length < 100,
        });
      }
      await crawl(store, answer);
      return id;
    };
    const unchanged = { kind: 'unchanged', evidence: '304', statusCode: 304 } as const satisfies Outcome;
    const same = (path: string): string => expect.stringContaining(path) as string;

    it('withObjects: moves the texts of a job that has ended, and reads them as before', async () => {
      const id = await crawled(40);
      const before = await texts(id);
      expect([await inside(id, 40), segments()]).toEqual([40, []]);
      await swept();
      expect([await inside(id, 40), segments().length]).toEqual([0, 1]);
      expect(await texts(id)).toEqual(before);
      expect(await texts(id, store, 7)).toEqual(before);
      expect(new Set(before)).toEqual(new Set(links(40).map(textOf)));
      const objectsBefore = segments();
      await swept();
      expect(segments()).toEqual(objectsBefore);
    });

    it('withObjects: reads many neighbours with few requests, and then none', async () => {
      const id = await crawled(100, (request) => {
        const text = randomBytes(3_000).toString('base64');
        return scraped(request, [], { text, contentKey: request.url, hash: request.url });
      });
      await swept();
      const fresh = withObjects(plain, objects, { keptMs: 0 });
      objects.gets = 0;
      expect(await texts(id, fresh)).toHaveLength(100);
      expect(objects.gets).toBeLessThanOrEqual(2);
      objects.gets = 0;
      await texts(id, fresh);
      expect(objects.gets).toBe(0);
    });

    it('withObjects: leaves the texts of a job that has few of them in the database', async () => {
      const id = await crawled();
      const usual = withObjects(plain, objects, { keptMs: 0 });
      while ((await usual.sweep()).more);
      await swept();
      expect([await inside(id, 5), segments()]).toEqual([5, []]);
    });

    it('withObjects: moves nothing of a job that has not ended', async () => {
      const { id } = await createJob(store, { startLinks: links(2, '/', { depth: 0 }), spec: later });
      const held = (await store.frontier.leaseHosts({ most: 1 }))[0]!;
      const [first] = held.requests.length > 0 ? held.requests : await store.frontier.take(held.lease, 1);
      await store.frontier.settle(held.lease, [{ request: first!, outcome: site(first!), fetched: true }]);
      await swept();
      expect([await inside(id, 1), segments()]).toEqual([1, []]);
    });

    it('withObjects: keeps texts in the database while the object store is away, and moves them when it is back', async () => {
      const id = await crawled();
      objects.beforePut = () => Promise.reject(new ObjectStoreError('away', 'The store is away.'));
      await swept();
      expect([await inside(id, 5), segments()]).toEqual([5, []]);
      expect(await texts(id)).toHaveLength(5);
      objects.beforePut = async () => {};
      await swept();
      expect(await inside(id, 5)).toBe(0);
    });

    it('pages.read: is unavailable while the object store is away, and never empty', async () => {
      const id = await crawled();
      await swept();
      const fresh = withObjects(plain, objects, { keptMs: 0 });
      objects.beforeGet = () => Promise.reject(new ObjectStoreError('away', 'The store is away.'));
      await expect(texts(id, fresh)).rejects.toMatchObject({ problem: 'unavailable' });
      const metas = await fresh.pages.read({ org, jobId: id, after: 0, limit: 9, bytesMax: 2 ** 20, withText: false });
      expect(metas?.pages).toHaveLength(5);
      objects.beforeGet = async () => {};
      expect(await texts(id, fresh)).not.toContain(undefined);
    });

    it('pages.read: reads a text from its new object when it was moved after its place was read', async () => {
      const id = await crawled();
      await swept();
      const before = await texts(id);
      const fresh = withObjects(plain, objects, { keptMs: 0, textsMin: 0 });
      objects.beforeGet = async () => {
        objects.beforeGet = async () => {};
        await store.erasures.erase({ org, jobId: id, page: 5, withUrl: false });
        while ((await store.sweep()).more);
      };
      expect((await texts(id, fresh)).slice(0, 4)).toEqual(before.slice(0, 4));
    });

    it('withObjects: leaves nothing of a deleted job in any object', async () => {
      const [id, other] = [
        await crawled(),
        await crawled(3, (request) => scraped(request, [], { text: `other ${request.url}` })),
      ];
      await swept();
      expect(hasText('text of /1.')).toBe(true);
      await store.jobs.delete(org, id);
      const slice = await store.pages.read({ org, jobId: id, after: 0, limit: 9, bytesMax: 2 ** 20, withText: true });
      expect(slice?.areResultsGone).toBe(true);
      await swept();
      expect([hasText('text of /1.'), hasText('other ')]).toEqual([false, true]);
      expect(await texts(other)).toHaveLength(3);
      await store.jobs.delete(org, other);
      await swept();
      expect([segments(), await database.count('raw_object'), await database.count('raw_segment')]).toEqual([[], 0, 0]);
    });

    it('withObjects: leaves nothing of the text of an erased page in any object, and the pages next to it', async () => {
      const id = await crawled();
      await swept();
      const page = (await texts(id)).indexOf('text of /3.') + 1;
      await store.erasures.erase({ org, jobId: id, page, withUrl: false });
      expect((await texts(id))[page - 1]).toBe('');
      await swept();
      expect([hasText('text of /3.'), hasText('text of /2.')]).toEqual([false, true]);
      expect((await texts(id)).filter((text) => text !== '')).toHaveLength(4);
      const damage = new Damage();
      expect(await checkObjects(store, objects, damage)).toEqual({ objects: 1, missing: 0, unnamed: 0 });
      expect(damage.damagedParts).toBe(0);
    });

    it('withObjects: leaves nothing of an erased text in the object that it shares with other segments of its job', async () => {
      const id = await crawled(60, (request) => {
        const text = `${textOf(request)} ${randomBytes(3_000).toString('base64')}`;
        return scraped(request, [], { text, contentKey: request.url, hash: request.url });
      });
      await swept();
      expect(await database.count('raw_segment')).toBeGreaterThan(1);
      const before = await texts(id);
      const page = before.findIndex((text) => text?.startsWith('text of /3.')) + 1;
      await store.erasures.erase({ org, jobId: id, page, withUrl: false });
      await swept();
      expect([hasText('text of /3.'), hasText('text of /2.')]).toEqual([false, true]);
      expect(await texts(id)).toEqual(before.with(page - 1, ''));
    });

    it('withObjects: keeps texts that a later job names, and leaves no texts that no job names', async () => {
      const one = await crawled();
      await swept();
      const two = await since(one, [link('/1', { depth: 0 })], (request) => {
        const { pathname } = new URL(request.url);
        return pathname === '/2' ? scraped(request, [], { text: 'another text', change: 'changed' }) : unchanged;
      });
      await swept();
      const before = await texts(two);
      expect(new Set(before)).toEqual(new Set(['another text', same('/1.'), same('/3.'), same('/4.'), same('/5.')]));
      await store.jobs.delete(org, one);
      await swept();
      // The text that has changed is named as the one before.
      expect([hasText('text of /2.'), hasText('text of /3.')]).toEqual([true, true]);
      expect(await texts(two)).toEqual(before);
      const three = await since(two, [], () => unchanged);
      await store.jobs.delete(org, two);
      await swept();
      expect([hasText('text of /2.'), hasText('text of /3.')]).toEqual([false, true]);
      expect(new Set(await texts(three))).toEqual(new Set(before));
      const damage = new Damage();
      expect(await checkObjects(store, objects, damage)).toMatchObject({ missing: 0, unnamed: 0 });
      expect(damage.damagedParts).toBe(0);
      await store.jobs.delete(org, three);
      await swept();
      expect([segments(), await database.count('body'), await database.count('raw_segment')]).toEqual([[], 0, 0]);
    });

    it('withObjects: leaves nothing of texts of a job that is deleted while they are moved', async () => {
      const id = await crawled();
      objects.beforePut = async () => {
        objects.beforePut = async () => {};
        await store.jobs.delete(org, id);
        while ((await plain.sweep()).more);
      };
      await swept();
      expect([segments(), await database.count('raw_segment')]).toEqual([[], 0]);
    });

    it('withObjects: leaves nothing of the text of a page that is erased while it is moved', async () => {
      const id = await crawled();
      const page = (await texts(id)).indexOf('text of /3.') + 1;
      objects.beforePut = async () => {
        objects.beforePut = async () => {};
        await store.erasures.erase({ org, jobId: id, page, withUrl: false });
      };
      await swept();
      expect([hasText('text of /3.'), hasText('text of /2.')]).toEqual([false, true]);
      expect((await texts(id))[page - 1]).toBe('');
    });

    it('withObjects: leaves nothing of a job that a killed process had stored and not named', async () => {
      const id = await crawled();
      const killed = withObjects(
        { ...plain, objects: { ...plain.objects, placeTexts: () => Promise.reject(new Error('killed')) } },
        objects,
        { keptMs: 0, textsMin: 0 },
      );
      await expect(killed.sweep()).rejects.toThrow('killed');
      expect(hasText('text of /3.')).toBe(true);
      await store.jobs.delete(org, id);
      await swept();
      expect(segments()).toEqual([]);
    });

    it('placeTexts: changes nothing when another process was faster', async () => {
      const id = await crawled();
      const move = (await plain.objects.nextTexts(2 ** 23))!;
      await swept();
      const before = await texts(id);
      await plain.objects.register('segments/late', 1, [id]);
      const placed = { object: 'segments/late', segments: [{ at: 0, size: 1, texts: [] }] };
      expect(await plain.objects.placeTexts(move, placed)).toBe(false);
      expect(await texts(id)).toEqual(before);
    });

    it('search: finds the texts that are in objects', async () => {
      const id = await crawled(3, (request) =>
        scraped(request, [], { text: `word${new URL(request.url).pathname.slice(1)} here` }),
      );
      await swept();
      expect(await inside(id, 3)).toBe(0);
      const query = { org, jobId: id, offset: 0, limit: 10, waitMs: 10_000 };
      const found = await store.search.search({ ...query, phrases: [{ words: ['word2'], isPrefix: false }] });
      expect(found?.hits.map(({ url, snippet }) => [url, snippet.map(({ text }) => text).join('')])).toEqual([
        [expect.stringMatching(/\/2$/), 'word2 here'],
      ]);
      expect(found?.damagedPages).toBe(0);
    });

    it('checkObjects: names the pages whose texts are missing, also those of a job that is gone', async () => {
      const one = await crawled(3);
      await swept();
      const two = await since(one, [], () => unchanged);
      await swept();
      await store.jobs.delete(org, one);
      await swept();
      objects.stored.delete(segments()[0]!);
      const damage = new Damage();
      expect(await checkObjects(withObjects(plain, objects, { keptMs: 0 }), objects, damage)).toMatchObject({
        missing: 1,
      });
      expect(damage.damaged.map(({ job, part }) => [job, part])).toEqual([1, 2, 3].map(() => [two, 'text']));
    });
  });
}
