// Erasing a page: its row and number stay, and nothing else of it, in every job that shares its body.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Screenshot } from '../../src/core/page.ts';
import type { Erased } from '../../src/core/ports/erasures.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import type { ExtractedPage } from '../../src/core/ports/reextractions.ts';
import type { RawPage } from '../../src/core/raw-page.ts';
import { parsePage, type PageJson } from '../../src/page/decode.ts';
import { isErasedSlice, packRawPages, SegmentReader } from '../../src/page/raw-segments.ts';
import { fragmentOf } from '../fragment.ts';
import { rawPage, textIn } from './raw-pages.ts';
import { find } from './search-contract.ts';
import {
  crawl,
  createJob,
  getJob,
  leaseAndTake,
  link,
  listAll,
  newJob,
  org,
  type OpenDatabase,
  page,
  scraped,
  settlement,
} from './test-data.ts';

const png: Screenshot = { type: 'image/png', bytes: new Uint8Array(1_000).fill(7) };
const names = ['one', 'two', 'three'];
const urlOf = (name: string): string => `https://a.test/${name}`;

export function describeErasures(createDatabase: () => Promise<OpenDatabase>): void {
  describe('erasures', () => {
    let database: OpenDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0, hasBrowser: true });
    });
    afterEach(() => database.remove());

    /** A job of three pages with raw bodies in one segment, and pictures. `/copy` is a copy of the second. */
    const crawled = async ({ ends = true } = {}): Promise<string> => {
      const { id } = await createJob(store, {
        startLinks: [...names, 'copy', ...(ends ? [] : ['rest'])].map((name) => link(`/${name}`, { depth: 1 })),
        spec: { screenshot: { format: 'png', fullPage: false }, useBrowser: true, storeRaw: true, formats: ['links'] },
      });
      const { held, requests } = await leaseAndTake(store, 4);
      const slices = await packRawPages(names.map(rawPage));
      const settlements = requests.map((request, at) => {
        const name = names[at];
        if (name === undefined) return settlement(request, scraped(request, [], { contentKey: 'content two' }));
        const meta = `"url":"${request.url}","fetchedUrl":"${request.url}","meta":${JSON.stringify({ title: `title ${name}`, description: 'd', author: 'Ann', statusCode: 200 })}}`;
        return settlement(
          request,
          scraped(request, [], {
            meta: fragmentOf(meta),
            body: fragmentOf(`${meta},"text":"text of ${name}","formats":{"links":["https://b.test/"]}}`),
            contentKey: `content ${name}`,
            screenshot: png,
            rawSlice: slices[at]!,
          }),
        );
      });
      await store.frontier.settle(held, settlements);
      await store.frontier.release(held);
      return id;
    };
    const erase = (jobId: string, of: number, withUrl = false, own = org) =>
      store.erasures.erase({ org: own, jobId, page: of, withUrl });
    const rows = async (jobId: string): Promise<PageJson[]> =>
      (await store.pages.read({ org, jobId, after: 0, limit: 9, withText: true, bytesMax: 2 ** 20 }))!.pages.map(
        parsePage,
      );
    const raws = async (jobId: string): Promise<(string | undefined)[]> => {
      const { slices, segments } = (await store.blobs.readRaw({ org, jobId, after: 0, limit: 9, bytesMax: 2 ** 20 }))!;
      const reader = new SegmentReader(segments);
      return Promise.all(
        slices.map(async (slice) => (isErasedSlice(slice) ? 'erased' : textIn((await reader.read(slice)) as RawPage))),
      );
    };
    const extracted = (name: string): ExtractedPage => ({
      url: urlOf(name),
      key: `key ${urlOf(name)}`,
      depth: 1,
      page: page(urlOf(name), { text: `again ${name}` }),
    });
    /** A job that is made of the raw bodies of another. */
    const reextraction = async (of: string, only?: number): Promise<string> => {
      const reextract = { of, ...(only !== undefined && { page: only }) };
      const job = newJob({ kind: 'reextract', startLinks: [], spec: { reextract } });
      await store.jobs.create(job);
      return job.id;
    };

    /** What a later job finds where the second page was. */
    type Finding = 'changed' | 'same' | 'unchanged' | 'gone';
    const later = async (fields: Parameters<typeof createJob>[1], finding: Finding): Promise<string> => {
      const { id } = await createJob(store, { startLinks: names.map((name) => link(`/${name}`)), ...fields });
      const earlier = await store.baselines.read(id, 100);
      const upTo = earlier?.urls.at(-1)?.entry ?? 0;
      if (earlier) await store.baselines.add(id, { after: 0, upTo, links: [], isLast: true });
      const slices = await packRawPages(names.map((name) => rawPage(`${name} of ${id}`)));
      await crawl(store, (request) => {
        const at = names.findIndex((name) => request.url === urlOf(name));
        if (at === 1 && finding === 'unchanged') return { kind: 'unchanged', evidence: '304', statusCode: 304 };
        if (at === 1 && finding === 'gone')
          return { kind: 'failed', error: { reason: 'http_error', message: 'gone', statusCode: 404 } };
        const found = at === 1 && finding === 'same' ? 'unchanged' : 'changed';
        const change = request.earlier ? ({ change: found } as const) : {};
        return scraped(request, [], { text: `${names[at]} in ${id}`, rawSlice: slices[at]!, ...change });
      });
      return id;
    };
    const since = (of: string, finding: Finding): Promise<string> =>
      later({ spec: { storeRaw: true, baseline: { of, isSame: false } } }, finding);

    it.each([0, 1, 2, 3, 4, 5, 6])(
      'erasures.erase: reaches every job that is made from another, by whichever of them: %s',
      async (from) => {
        const one = await crawled();
        const changed = await since(one, 'changed');
        const same = await since(changed, 'same');
        const unchanged = await since(same, 'unchanged');
        const removed = await since(unchanged, 'gone');
        const added = await since(removed, 'changed');
        const again = await reextraction(same);
        await store.reextractions.commit(again, 0, names.map(extracted), true);
        const sibling = await since(one, 'same');
        const jobs = [one, changed, same, unchanged, added, again, sibling];
        const other = await crawled();
        const [before, ofOther] = [await Promise.all(jobs.map(rows)), await rows(other)];
        expect(before.map((of) => of.length)).toEqual(jobs.map(() => 3));
        const erased = (await erase(jobs[from]!, 2)) as Erased;
        expect(erased.jobs.toSorted()).toEqual(jobs.toSorted());
        const after = await Promise.all(jobs.map(rows));
        expect(after.map((of) => of[1]!.text)).toEqual(jobs.map(() => ''));
        expect(after.map((of) => [of[0], of[2]])).toEqual(before.map((of) => [of[0], of[2]]));
        expect((await Promise.all([one, changed, same, added, sibling].map(raws))).map((of) => of[1])).toEqual(
          [one, changed, same, added, sibling].map(() => 'erased'),
        );
        expect([await rows(other), await raws(other)]).toEqual([ofOther, ['one', 'two', 'three']]);
      },
    );

    it('erasures.erase: reaches the page in a retry, in other runs of the schedule, and in no other schedule', async () => {
      const first = await later({ schedule: 'nightly', spec: { storeRaw: true } }, 'gone');
      const retried = await store.jobs.retry(org, first, {
        id: newJob().id,
        spec: (await getJob(store, first)).spec,
        createdAt: Date.now(),
        headers: {},
      });
      if (typeof retried === 'string') throw new Error(retried);
      await crawl(store);
      const second = await later({ schedule: 'nightly' }, 'changed');
      const other = await later({ schedule: 'weekly' }, 'changed');
      const erased = (await erase(retried.id, 1)) as Erased;
      expect(erased.jobs.toSorted()).toEqual([retried.id, second].toSorted());
      expect((await rows(second)).map(({ text }) => text === '')).toEqual([false, true, false]);
      expect((await rows(other)).map(({ text }) => text === '')).toEqual([false, false, false]);
    });

    it('erasures.erase: with the URL, leaves it in no job that is made from another, whatever became of the page', async () => {
      const one = await crawled();
      const removed = await since(one, 'gone');
      const unchanged = await later({ spec: { baseline: { of: one, isSame: true }, deliver: 'changed' } }, 'unchanged');
      const queued = (
        await createJob(store, { startLinks: [link('/two')], spec: { baseline: { of: one, isSame: true } } })
      ).id;
      expect(await erase(one, 2, true)).toBe('running');
      await store.jobs.cancel(org, queued);
      expect(await erase(one, 2, true)).toMatchObject({ jobs: [one] });
      for (const id of [one, removed, unchanged, queued]) {
        const said = JSON.stringify([await listAll(store, id), await getJob(store, id)]);
        expect([said.includes(`"${urlOf('two')}"`), said.includes('about:erased')]).toEqual([false, true]);
      }
    });

    it('erasures.erase: removes what jobs of the org learned of its site', async () => {
      const one = await crawled();
      const two = (
        await createJob(store, { startLinks: [link('/two')], spec: { baseline: { of: one, isSame: true } } })
      ).id;
      const unrelated = (await createJob(store)).id;
      const foreign = (await createJob(store, { org: 'another' })).id;
      for (const id of [one, two, unrelated, foreign])
        for (const name of ['a.test', 'b.test']) await store.lessons.write(id, name, 0, new Uint8Array(1));
      await erase(one, 2);
      const left = await Promise.all([one, two, unrelated, foreign].map((id) => store.lessons.list(id)));
      expect(left.map((of) => of.map(({ site: name }) => name))).toEqual([
        ['b.test'],
        ['b.test'],
        ['b.test'],
        ['a.test', 'b.test'],
      ]);
    });

    it('erasures.erase: leaves an empty row with its number, and every other page as it was', async () => {
      const id = await crawled();
      const before = await rows(id);
      const erased = (await erase(id, 2)) as Erased;
      expect(erased).toEqual({ erasedAt: expect.any(Number), withUrl: false, jobs: [id] });
      const after = await rows(id);
      expect([after[0], after[2]]).toEqual([before[0], before[2]]);
      expect(after[1]).toEqual({
        meta: {
          page: 2,
          url: urlOf('two'),
          fetchedUrl: urlOf('two'),
          meta: { title: '', description: '', statusCode: 200, erasedAt: erased.erasedAt },
        },
        text: '',
        formats: {},
      });
      expect(await raws(id)).toEqual(['one', 'erased', 'three']);
      const pictures = await Promise.all([1, 2].map((of) => store.pages.screenshot({ org, jobId: id, page: of })));
      expect(pictures.map((found) => found!.screenshot && 'a picture')).toEqual(['a picture', undefined]);
      expect(await getJob(store, id)).toMatchObject({ progress: { scraped: 3 }, erasures: 1, complete: true });
      const { erasures } = (await store.pages.read({
        org,
        jobId: id,
        after: 9,
        limit: 1,
        withText: false,
        bytesMax: 1,
      }))!;
      expect(erasures).toBe(1);
    });

    it('erasures.erase: can be repeated, and the first time counts', async () => {
      const id = await crawled();
      const first = (await erase(id, 1)) as Erased;
      const again = (await erase(id, 1, true)) as Erased;
      expect(again).toEqual({ ...first, withUrl: true });
      for (const number of [2, 3]) await erase(id, number);
      expect(await raws(id)).toEqual(['erased', 'erased', 'erased']);
      expect((await rows(id)).map(({ text }) => text)).toEqual(['', '', '']);
    });

    it('erasures.erase: with the URL, leaves it in no row of the ledger and in nothing that the job says', async () => {
      const id = await crawled();
      const entries = await listAll(store, id);
      expect(entries.find(({ detail }) => detail === urlOf('two'))?.status).toBe('discarded');
      await store.jobs.addNotice(id, { code: 'trap', message: `See ${urlOf('two')}, ${urlOf('two')}x.`, at: 1 });
      await erase(id, 2, true);
      const [row] = (await rows(id)).slice(1);
      expect(row!.meta).toMatchObject({ url: 'about:erased', fetchedUrl: 'about:erased' });
      const left = await listAll(store, id);
      expect(left.map(({ entry, status, page: number }) => [entry, status, number])).toEqual(
        entries.map(({ entry, status, page: number }) => [entry, status, number]),
      );
      // Also where a copy was, since somebody who looks for the page looks there.
      expect(left.map(({ url }) => url)).toEqual([urlOf('one'), 'about:erased', urlOf('three'), 'about:erased']);
      const job = await getJob(store, id);
      expect(job.notices.map(({ message }) => message)).toEqual([`See about:erased, ${urlOf('two')}x.`]);
      expect(JSON.stringify([left, job.findings])).not.toContain(urlOf('two'));
      expect(await store.jobs.findUrl(id, `key ${urlOf('two')}`)).toBeUndefined();
      expect(await store.jobs.countTree(id, { depth: 1 })).toMatchObject({ groups: expect.any(Array) });
    });

    it('erasures.erase: refuses what cannot be erased, and changes nothing', async () => {
      const id = await crawled({ ends: false });
      expect(await erase(id, 1, false, 'another')).toBeUndefined();
      expect(await erase('no such job', 1)).toBeUndefined();
      expect(await erase(id, 4)).toBe('no_page');
      expect(await erase(id, 1, true)).toBe('running');
      expect((await getJob(store, id)).erasures).toBe(0);
      // The text can go while the job runs, and its copies are still copies.
      expect(await erase(id, 1)).toMatchObject({ jobs: [id] });
      await store.jobs.delete(org, id);
      expect(await erase(id, 2)).toBe('gone');
    });

    it('erasures.erase: reaches every job that was made of the same bodies, from whichever', async () => {
      for (const from of [0, 1, 2]) {
        const id = await crawled();
        const all = await reextraction(id);
        await store.reextractions.commit(all, 0, names.map(extracted), true);
        const [only, other] = [await reextraction(id, 2), await reextraction(id, 1)];
        await store.reextractions.commit(only, 0, [extracted('two')], true);
        await store.reextractions.commit(other, 0, [extracted('one')], true);
        const [job, number] = (
          [
            [id, 2],
            [all, 2],
            [only, 1],
          ] as const
        )[from]!;
        const erased = (await erase(job, number)) as Erased;
        expect(erased.jobs.toSorted()).toEqual([id, all, only].toSorted());
        expect((await rows(all)).map(({ text }) => text)).toEqual(['again one', '', 'again three']);
        expect((await rows(only)).map(({ text }) => text)).toEqual(['']);
        expect((await rows(other)).map(({ text }) => text)).toEqual(['again one']);
        expect(await raws(id)).toEqual(['one', 'erased', 'three']);
      }
    });

    it('reextractions.commit: refuses pages that were converted before it was erased', async () => {
      const id = await crawled();
      const all = await reextraction(id);
      expect(await store.reextractions.commit(all, 0, [extracted('one')], false)).toBe(true);
      await erase(id, 2);
      expect(await store.reextractions.commit(all, 1, [extracted('two'), extracted('three')], true)).toBe(false);
      const empty = { ...extracted('two'), problem: 'The page was erased.' };
      expect(await store.reextractions.commit(all, 1, [empty, extracted('three')], true)).toBe(true);
    });

    it('search: finds no word of a page that was erased, and those of all others', async () => {
      const id = await crawled();
      const numbers = async (words: string) => (await find(store, id, words)).hits.map(({ page: number }) => number);
      expect([await numbers('two'), await numbers('text')]).toEqual([[2], [1, 2, 3]]);
      await erase(id, 2);
      expect([await numbers('two'), await numbers('text')]).toEqual([[], [1, 3]]);
      await erase(id, 1);
      expect([await numbers('one'), await numbers('text')]).toEqual([[], [3]]);
    });
  });
}
