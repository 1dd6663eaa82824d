// What jobs learned from a model: replaced as a whole, by one process at a time, and gone with the results of the job.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/core/ports/stores.ts';
import { createJob, org, type OpenDatabase } from './test-data.ts';

export function describeLessons(createDatabase: () => Promise<OpenDatabase>): void {
  describe('lessons', () => {
    let database: OpenDatabase;
    let store: Store;
    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    });
    afterEach(() => database.remove());

    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

    it('write: replaces a revision once, and no other', async () => {
      const { id } = await createJob(store);
      expect(await store.lessons.read(id, 'a')).toBeUndefined();
      const writes = await Promise.all([1, 2].map((one) => store.lessons.write(id, 'a', 0, bytes(`first ${one}`))));
      expect(writes.filter(Boolean)).toHaveLength(1);
      expect(await store.lessons.write(id, 'a', 0, bytes('late'))).toBe(false);
      expect(await store.lessons.write(id, 'a', 1, bytes('second'))).toBe(true);
      expect(await store.lessons.write(id, 'a', 1, bytes('late'))).toBe(false);
      expect(await store.lessons.write(id, 'b', 0, bytes('other'))).toBe(true);
      const { revision, data } = (await store.lessons.read(id, 'a'))!;
      expect([revision, new TextDecoder().decode(data)]).toEqual([2, 'second']);
      expect((await store.lessons.list(id)).map(({ site }) => site)).toEqual(['a', 'b']);
    });

    it('knowing: lists ended jobs of the org that know the site, the newest first', async () => {
      const extract = {
        schema: null,
        fields: { name: { css: 'h1' } },
        declared: true,
        declared_things: false,
        when: [],
      };
      const known: string[] = [];
      for (const site of ['a', 'a', 'b']) {
        const { id } = await createJob(store, { spec: { extract } });
        await store.lessons.write(id, site, 0, bytes('first'));
        known.unshift(id);
      }
      const [ofB, second, first] = known;
      expect(await store.lessons.knowing(org, 'a')).toEqual([]);
      for (const id of [first, second, ofB]) await store.jobs.cancel(org, String(id));
      const [newest, ...others] = await store.lessons.knowing(org, 'a');
      expect([newest?.id, others.map(({ id }) => id)]).toEqual([second, [first]]);
      expect(newest?.extract).toEqual(extract);
      expect(await store.lessons.knowing('another', 'a')).toEqual([]);
    });

    it('write: returns false for a job that was deleted', async () => {
      const { id } = await createJob(store);
      await store.lessons.write(id, 'a', 0, bytes('first'));
      await store.jobs.delete(org, id);
      while ((await store.sweep(Date.now() + 1_000)).more);
      expect(await store.lessons.read(id, 'a')).toBeUndefined();
      expect(await store.lessons.list(id)).toEqual([]);
      expect(await store.lessons.write(id, 'a', 0, bytes('late'))).toBe(false);
    });

    it('countCall: counts for the job and for the day of its org, up to both limits', async () => {
      const [one, other] = [await createJob(store), await createJob(store)];
      const call = { jobId: one.id, org, day: '2026-11-27', jobMax: 3, dayMax: 4 };
      const calls = await Promise.all(Array.from({ length: 5 }, () => store.lessons.countCall(call)));
      expect(calls.filter(Boolean)).toHaveLength(3);
      const others = { ...call, jobId: other.id };
      expect([await store.lessons.countCall(others), await store.lessons.countCall(others)]).toEqual([true, false]);
      expect(await store.lessons.countCall({ ...others, day: '2026-11-28' })).toBe(true);
      expect(await store.lessons.countCall({ ...others, dayMax: 0 })).toBe(true);
    });
  });
}
