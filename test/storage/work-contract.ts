// What every store promises about durable work, whatever its kind. What is said of events for webhooks is in `outbox-contract.ts`.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../src/core/job.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import type { ClaimedWork, WorkResult } from '../../src/core/ports/work.ts';
import type { OutboxDatabase } from './outbox-contract.ts';
import { crawl, createJob, org } from './test-data.ts';

const done: WorkResult = { kind: 'done', code: 7 };
const failed = (retryAt: number | null): WorkResult => ({ kind: 'failed', message: 'It did not work.', retryAt });
const everything = { after: 0, limit: 1_000 };

export function describeWorkContract(name: string, createDatabase: () => Promise<OutboxDatabase>): void {
  describe(`durable work on ${name}`, () => {
    let database: OutboxDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    });
    afterEach(() => database.remove());

    /** A crawled job stores three pieces of work, each with this key. */
    const workFor = async (...keys: readonly string[]): Promise<Job[]> => {
      const jobs: Job[] = [];
      for (const webhookUrl of keys) jobs.push(await createJob(store, { webhookUrl }));
      await crawl(store);
      return jobs;
    };
    const claim = (
      fields: Partial<Parameters<Store['work']['claim']>[0]> = {},
      from: Store = store,
    ): Promise<readonly ClaimedWork[]> =>
      from.work.claim({ kind: 'webhook', max: 16, originMax: 16, busyKeys: [], ...fields });
    const idsOf = (claimed: readonly ClaimedWork[]): number[] => claimed.map(({ id }) => id);

    it('work.claim: gives each piece to one process when several claim at once', async () => {
      const keys = Array.from({ length: 8 }, (_, n) => `https://receiver.test/${n}`);
      await workFor(...keys);
      const others = [store, await database.open(), await database.open()];
      const claimed = (await Promise.all(others.map((other) => claim({ max: 5 }, other)))).flat();
      expect(new Set(idsOf(claimed)).size).toBe(claimed.length);
      const rest = await claim({ busyKeys: claimed.map(({ key }) => key) });
      const ofKey = (key: string): number => [...claimed, ...rest].filter((one) => one.key === key).length;
      for (const key of keys) expect(ofKey(key)).toBeGreaterThan(0);
      expect(new Set(idsOf([...claimed, ...rest])).size).toBe(claimed.length + rest.length);
    });

    it('work.claim: keeps the payload of the first claim', async () => {
      const [job] = await workFor('https://receiver.test/');
      const [first] = await claim();
      expect(JSON.parse(first!.payload)).toMatchObject({ status: 'succeeded' });
      await store.work.settle(first!.id, failed(Date.now() - 60_000));
      await store.jobs.delete(org, job!.id);
      expect(await claim()).toEqual([{ ...first, attempts: 2 }]);
    });

    /** Settles all pieces but one, which is returned. */
    const onePending = async (): Promise<ClaimedWork> => {
      await workFor('https://receiver.test/');
      for (const _ of [1, 2]) {
        const [one] = await claim();
        await store.work.settle(one!.id, done);
      }
      const [last] = await claim();
      return last!;
    };

    it('work.recover: makes the claims of a closed process due at once', async () => {
      const last = await onePending();
      await store.close();
      const next = await database.open({ crawling: true });
      await next.frontier.recover({ delayMs: 0 });
      await next.work.recover();
      expect(await claim({}, next)).toEqual([{ ...last, attempts: 2 }]);
    });

    it('work.claim: returns a piece again after a minute when nobody settles it', async () => {
      const last = await onePending();
      expect(await claim()).toEqual([]);
      await database.pass(61_000);
      expect(await claim()).toEqual([{ ...last, attempts: 2 }]);
    });

    it('work.recover: keeps the claims of a process that lives', async () => {
      await workFor('https://receiver.test/');
      const [first] = await claim();
      if (!store.frontier.isShared) return;
      const other = await database.open({ crawling: true });
      await other.frontier.recover({ delayMs: 0 });
      await other.work.recover();
      expect(await claim({}, other)).toEqual([]);
      await store.work.settle(first!.id, done);
      expect((await claim({}, other)).map(({ attempts }) => attempts)).toEqual([1]);
    });

    it('work.settle: settles a piece once as done, postponed or failed', async () => {
      const [job] = await workFor('https://receiver.test/');
      const later = Date.now() + 3_600_000;
      for (const result of [done, failed(later), failed(null)]) {
        const [one] = await claim();
        await store.work.settle(one!.id, result);
      }
      const list = await store.work.list('webhook', job!.id, everything);
      expect(list.map(({ status, code, error, nextAt }) => ({ status, code, error, nextAt }))).toEqual(
        expect.arrayContaining([
          { status: 'delivered', code: 7, error: null, nextAt: null },
          { status: 'pending', code: null, error: 'It did not work.', nextAt: later },
          { status: 'failed', code: null, error: 'It did not work.', nextAt: null },
        ]),
      );
      const settled = list.find(({ status }) => status === 'delivered');
      await store.work.settle(settled!.id, failed(Date.now()));
      await store.work.settle(1_000_000, done);
      expect(await store.work.list('webhook', job!.id, everything)).toEqual(list);
    });

    it('work.settle: fails the other pieces of the job with endsOthers, and none of other jobs', async () => {
      const [job, other] = await workFor('https://receiver.test/a', 'https://receiver.test/b');
      const claimed = await claim();
      const one = claimed.find(({ owner }) => owner === job!.id);
      await store.work.settle(one!.id, {
        kind: 'failed',
        message: 'Gone.',
        code: 410,
        retryAt: null,
        endsOthers: true,
      });
      const statuses = async (id: string): Promise<Set<string>> =>
        new Set((await store.work.list('webhook', id, everything)).map(({ status }) => status));
      expect(await statuses(job!.id)).toEqual(new Set(['failed']));
      expect(await statuses(other!.id)).toEqual(new Set(['pending']));
    });

    it('work.list and work.repeat: filter by position and status, and repeat from the first attempt', async () => {
      const [job, other] = await workFor('https://receiver.test/a', 'https://receiver.test/b');
      const [one] = await claim({ max: 1 });
      const mine = one!.owner === job!.id ? job! : other!;
      await store.work.settle(one!.id, failed(null));
      const list = await store.work.list('webhook', mine.id, everything);
      expect(await store.work.list('webhook', mine.id, { after: list[0]!.id, limit: 1 })).toEqual([list[1]]);
      expect(idsOf((await store.work.list('webhook', mine.id, { ...everything, status: 'failed' })) as never)).toEqual([
        one!.id,
      ]);
      const notMine = mine === job ? other! : job!;
      expect(await store.work.repeat('webhook', notMine.id, one!.id)).toBeUndefined();
      expect(await store.work.repeat('webhook', mine.id, one!.id)).toMatchObject({ status: 'pending', attempts: 0 });
      const claimed: ClaimedWork[] = [];
      for (let next = await claim(); next.length > 0; next = await claim()) {
        claimed.push(...next);
        for (const { id } of next) await store.work.settle(id, done);
      }
      expect(claimed).toContainEqual(one);
    });

    it('work.waitUntilDue: returns when work is stored or the signal aborts', async () => {
      const waiting = store.work.waitUntilDue(30_000, new AbortController().signal);
      await workFor('https://receiver.test/');
      await waiting;
      const stop = new AbortController();
      const stopped = store.work.waitUntilDue(30_000, stop.signal);
      stop.abort();
      await stopped;
      expect(await claim()).toHaveLength(1);
    });
  });
}
