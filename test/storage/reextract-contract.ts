// Jobs whose pages are made of raw bodies: committed in order and once, also by several processes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExtractedPage } from '../../src/core/ports/reextractions.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import { createJob, getJob, listAll, newJob, org, page, pagesOf, type OpenDatabase } from './test-data.ts';

export function describeReextractions(createDatabase: () => Promise<OpenDatabase>): void {
  describe('re-extractions', () => {
    let database: OpenDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    });
    afterEach(() => database.remove());

    const reextraction = async (): Promise<string> => {
      const job = newJob({ kind: 'reextract', startLinks: [], spec: { reextract: { of: 'earlier' } } });
      await store.jobs.create(job);
      return job.id;
    };
    const extracted = (name: string, problem?: string): ExtractedPage => {
      const url = `https://a.test/${name}`;
      return { url, key: `key ${url}`, depth: 1, page: page(url, { text: 'one text' }), ...(problem && { problem }) };
    };

    it('reextractions.commit: adds pages in order with their entries, and ends the job with the last', async () => {
      const id = await reextraction();
      expect(await getJob(store, id)).toMatchObject({ status: 'starting', complete: null });
      expect(await store.reextractions.due()).toEqual([{ id, org }]);
      // Pages with one text do not join.
      expect(await store.reextractions.commit(id, 0, [extracted('a'), extracted('b')], false)).toBe(true);
      expect(await getJob(store, id)).toMatchObject({ status: 'running', progress: { scraped: 2 } });
      expect(await store.reextractions.commit(id, 2, [extracted('c', 'It is lost.')], true)).toBe(true);
      const job = await getJob(store, id);
      expect(job).toMatchObject({ status: 'succeeded', complete: false, progress: { scraped: 3, discarded: 0 } });
      expect(job.findings).toMatchObject([{ code: 'no_raw', count: 1, example: 'https://a.test/c' }]);
      expect(Object.values(await pagesOf(store, id))).toEqual(['a', 'b', 'c'].map((name) => `https://a.test/${name}`));
      const entries = await listAll(store, id);
      expect(entries.map((entry) => [entry.page, entry.status, entry.reason, entry.detail])).toEqual([
        [1, 'scraped', null, null],
        [2, 'scraped', null, null],
        [3, 'scraped', 'no_raw', 'It is lost.'],
      ]);
      expect(await store.reextractions.due()).toEqual([]);
    });

    it('reextractions.commit: counts the words left out of its pages, by rule, the most first', async () => {
      const id = await reextraction();
      const dropping = (name: string, droppedWords?: Record<string, number>): ExtractedPage => {
        const one = extracted(name);
        return { ...one, page: { ...one.page, ...(droppedWords && { droppedWords }) } };
      };
      await store.reextractions.commit(id, 0, [dropping('a', { nav: 3, footer: 5 }), dropping('b')], false);
      // More than 32 bits have.
      await store.reextractions.commit(id, 2, [dropping('c', { aside: 5_000_000_000, footer: 1 })], false);
      await store.reextractions.commit(id, 3, [dropping('d', { aside: 1 })], true);
      const { droppedWords } = await getJob(store, id);
      expect(Object.entries(droppedWords)).toEqual([
        ['aside', 5_000_000_001],
        ['footer', 6],
        ['nav', 3],
      ]);
    });

    it('reextractions.commit: counts what a conversion remarks on pages', async () => {
      const id = await reextraction();
      const remarks = ['extract_incomplete', 'truncated'] as const;
      await store.reextractions.commit(id, 0, [extracted('a'), { ...extracted('b'), remarks }], false);
      await store.reextractions.commit(id, 2, [{ ...extracted('c'), remarks: ['truncated'] }], true);
      const { complete, findings } = await getJob(store, id);
      expect(complete).toBe(false);
      expect(findings.map(({ code, count, example }) => [code, count, example])).toEqual([
        ['truncated', 2, 'https://a.test/b'],
        ['extract_incomplete', 1, 'https://a.test/b'],
      ]);
    });

    it('reextractions.commit: changes nothing when another process has committed the pages', async () => {
      const id = await reextraction();
      const other = await database.open();
      expect(await store.reextractions.commit(id, 0, [extracted('a')], false)).toBe(true);
      expect(await store.reextractions.commit(id, 0, [extracted('x')], false)).toBe(false);
      expect(Object.values(await pagesOf(other, id))).toEqual(['https://a.test/a']);
    });

    it('reextractions.commit: changes nothing when the job was cancelled, stopped or deleted', async () => {
      const id = await reextraction();
      await store.jobs.stop(org, id);
      expect(await store.reextractions.due()).toEqual([]);
      expect(await store.reextractions.commit(id, 0, [extracted('a')], true)).toBe(false);
      await store.jobs.resume(org, id);
      expect(await store.reextractions.due()).toEqual([{ id, org }]);
      await store.jobs.cancel(org, id);
      expect(await store.reextractions.commit(id, 0, [extracted('a')], true)).toBe(false);
      expect(await store.reextractions.commit('no such job', 0, [extracted('a')], true)).toBe(false);
      expect(await getJob(store, id)).toMatchObject({ status: 'cancelled', progress: { scraped: 0 } });
    });

    it('reextractions.due: leaves out jobs of other kinds, and gives the oldest first', async () => {
      await createJob(store);
      const [first, second] = [await reextraction(), await reextraction()];
      expect((await store.reextractions.due()).map(({ id }) => id)).toEqual([first, second]);
    });
  });
}
