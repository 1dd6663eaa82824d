// What every store promises about events for webhooks.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../src/core/job.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import type { Delivery, DeliveryResult, DueDelivery } from '../../src/core/webhook.ts';
import {
  crawl,
  createJob,
  getJob,
  leaseAndTake,
  link,
  links,
  org,
  scraped,
  settlement,
  type TestDatabase,
} from './test-data.ts';

const webhookUrl = 'https://receiver.test/hook';
const delivered: DeliveryResult = { kind: 'delivered', statusCode: 204 };
const refused = (retryAt: number | null): DeliveryResult => ({
  kind: 'failed',
  message: 'The webhook responded with 500.',
  statusCode: 500,
  retryAt,
});
const gone: DeliveryResult = { kind: 'gone', message: 'The webhook responded with 410.', statusCode: 410 };
const everything = { after: 0, limit: 1_000 };
const hourMs = 3_600_000;

const pagesOf = (facts: DueDelivery['facts']): unknown => ('pages' in facts ? facts.pages : undefined);

/** A database whose outbox can be made older: no test waits for as long as a webhook may be down. */
export interface OutboxDatabase extends TestDatabase {
  /** Takes so much from every time in the outbox and of its keys. */
  pass(ms: number): void | Promise<void>;
}

export function describeOutboxContract(name: string, createDatabase: () => Promise<OutboxDatabase>): void {
  describe(`outbox on ${name}`, () => {
    let database: OutboxDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    });
    afterEach(() => database.remove());

    const create = (fields: Parameters<typeof createJob>[1] = {}): Promise<Job> =>
      createJob(store, { webhookUrl, ...fields });
    const list = (job: Job): Promise<readonly Delivery[]> => store.outbox.list(job.id, everything);
    const claim = (fields: Partial<Parameters<Store['outbox']['claim']>[0]> = {}): Promise<readonly DueDelivery[]> =>
      store.outbox.claim({ max: 16, originMax: 4, busyUrls: [], ...fields });
    const claimOne = async (): Promise<DueDelivery> => {
      const [due, ...others] = await claim();
      if (!due || others.length > 0) throw new Error(`${others.length + (due ? 1 : 0)} deliveries are due`);
      return due;
    };
    /** Claims and settles until nothing is due; answers what was claimed. */
    const deliverAll = async (result: DeliveryResult = delivered): Promise<DueDelivery[]> => {
      const all: DueDelivery[] = [];
      for (let due = await claim(); due.length > 0; due = await claim()) {
        all.push(...due);
        for (const { id } of due) await store.outbox.settle(id, result);
      }
      return all;
    };
    /** Scrapes the start URLs of so many jobs; each has so many links. */
    const begin = async (count: number, jobs = 1): Promise<void> => {
      const { held, requests } = await leaseAndTake(store, jobs);
      await store.frontier.settle(
        held,
        requests.map((request) => settlement(request, scraped(request, links(count)))),
      );
      await store.frontier.release(held);
    };
    /** Scrapes one more page of what is queued. */
    const scrapeOne = async (): Promise<void> => {
      const { held, requests } = await leaseAndTake(store, 1);
      await store.frontier.settle(
        held,
        requests.map((request) => settlement(request)),
      );
      await store.frontier.release(held);
    };
    const afterMs = async <Result>(ms: number, run: () => Promise<Result>): Promise<Result> => {
      await database.pass(ms);
      return run();
    };
    const open = async (job: Job): Promise<string[]> =>
      (await list(job)).filter(({ status }) => status === 'pending').map(({ event }) => event);

    describe('events', () => {
      it('outbox: stores events when a job starts, has pages, and ends', async () => {
        const job = await create();
        expect(await list(job)).toEqual([]);
        await crawl(store);
        const events = await list(job);
        expect(events.map(({ event }) => event)).toEqual(['job.started', 'job.progress', 'job.finished']);
        expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).toSorted((a, b) => a - b));
        for (const event of events) {
          expect(event).toMatchObject({
            status: 'pending',
            attempts: 0,
            settledAt: null,
            statusCode: null,
            error: null,
          });
        }
      });

      it('outbox: stores no event when the job has no webhook', async () => {
        const job = await createJob(store);
        await crawl(store);
        expect(await list(job)).toEqual([]);
        expect(await claim()).toEqual([]);
      });

      it('outbox: stores no job.started when the job is cancelled before its first request', async () => {
        const job = await create();
        await store.jobs.cancel(org, job.id, Date.now());
        const [only, ...others] = await deliverAll();
        expect(others).toEqual([]);
        expect(only).toMatchObject({ event: 'job.finished', facts: { status: 'cancelled' } });
      });

      it('outbox.list: returns new events to another process at once', async () => {
        const job = await create();
        await crawl(store);
        const other = await database.open();
        expect(await other.outbox.list(job.id, everything)).toEqual(await list(job));
      });

      it('outbox.waitForDue: returns when an event is stored', async () => {
        const waiting = store.outbox.waitForDue(30_000, new AbortController().signal);
        await create();
        await crawl(store);
        await waiting;
        expect(await claim()).toHaveLength(1);
      });
    });

    describe('progress', () => {
      it('outbox: postpones job.progress for more pages, and sends it at once when the job ends', async () => {
        const job = await create();
        await begin(2);
        expect((await deliverAll()).map(({ event }) => event)).toEqual(['job.started']);
        const [, waiting] = await list(job);
        expect(waiting).toMatchObject({ event: 'job.progress', status: 'pending' });
        expect(waiting?.nextAt).toBeGreaterThan(Date.now());
        await crawl(store);
        const [progress, finished, ...others] = await deliverAll();
        expect(others).toEqual([]);
        expect(progress).toMatchObject({ event: 'job.progress', facts: { pages: { from: 1, to: 3 } } });
        expect(finished).toMatchObject({ event: 'job.finished', facts: { status: 'succeeded' } });
      });

      it('outbox: reports every page once, in consecutive job.progress events', async () => {
        const job = await create();
        await begin(5);
        for (let n = 0; n < 3; n++) {
          await scrapeOne();
          await afterMs(6_000, () => deliverAll());
        }
        await crawl(store);
        await deliverAll();
        const told: unknown[] = [];
        for (const { id, event } of await list(job)) {
          if (event !== 'job.progress') continue;
          await store.outbox.replay(job.id, id);
          const { facts } = await claimOne();
          await store.outbox.settle(id, delivered);
          told.push(pagesOf(facts));
        }
        expect(told).toEqual([
          { from: 1, to: 2 },
          { from: 3, to: 3 },
          { from: 4, to: 4 },
          { from: 5, to: 6 },
        ]);
      });

      it('outbox: keeps one pending job.progress of a webhook that is down, and its next one covers all pages since', async () => {
        const job = await create();
        await begin(20);
        await deliverAll();
        await afterMs(6_000, () => deliverAll(refused(Date.now() + hourMs)));
        for (let n = 0; n < 10; n++) {
          await scrapeOne();
          await afterMs(6_000, () => deliverAll(refused(Date.now() + hourMs)));
        }
        expect(await open(job)).toEqual(['job.progress']);
        await crawl(store);
        expect(await open(job)).toEqual(['job.progress', 'job.finished']);
        const late = await afterMs(2 * hourMs, () => deliverAll());
        expect(late.map(({ event, facts }) => [event, pagesOf(facts)])).toEqual([
          ['job.finished', undefined],
          ['job.progress', { from: 1, to: 1 }],
          ['job.progress', { from: 2, to: 21 }],
        ]);
        expect(await open(job)).toEqual([]);
      });
    });

    describe('outbox.claim', () => {
      it("outbox.claim: returns the job's state of the first attempt at every attempt", async () => {
        const job = await create();
        await begin(3);
        const first = await claimOne();
        expect(first).toMatchObject({
          owner: job.id,
          org,
          url: webhookUrl,
          event: 'job.started',
          attempts: 1,
          facts: {
            status: 'running',
            progress: { queued: 3, inFlight: 0, scraped: 1, discarded: 0, failed: 0, outside: 0 },
            finishedAt: null,
          },
        });
        await crawl(store);
        await store.outbox.settle(first.id, refused(Date.now() - 60_000));
        const second = await claimOne();
        expect(second).toEqual({ ...first, attempts: 2 });
      });

      it('outbox.claim: returns the delivery that is due longest, and one per URL', async () => {
        const job = await create();
        await crawl(store);
        const first = await claimOne();
        expect(first.event).toBe('job.started');
        expect(await claim({ busyUrls: [webhookUrl] })).toEqual([]);
        expect((await store.crawlStatus.load()).deliveries).toBe(3);
        await store.outbox.settle(first.id, delivered);
        expect((await store.crawlStatus.load()).deliveries).toBe(2);
        expect((await claimOne()).event).not.toBe('job.started');
        expect(await list(job)).toHaveLength(3);
      });

      it('outbox.claim: returns up to `max` deliveries, one per URL', async () => {
        const urls = Array.from({ length: 5 }, (_, index) => `https://receiver-${index}.test/`);
        for (const url of urls) await create({ webhookUrl: url });
        await crawl(store);
        const due = await claim({ max: 3 });
        expect(new Set(due.map(({ url }) => url)).size).toBe(3);
        const others = await claim({ busyUrls: due.map(({ url }) => url) });
        expect([...due, ...others].map(({ url }) => url).toSorted()).toEqual(urls);
        expect(await claim({ max: 0 })).toEqual([]);
      });

      it('outbox.claim: returns at most originMax deliveries per origin', async () => {
        const paths = Array.from({ length: 6 }, (_, index) => `https://receiver.test/${index}`);
        const others = ['https://receiver.test:444/', 'https://receiver.test.other.test/', 'https://a/'];
        for (const url of [...paths, ...others]) await create({ webhookUrl: url });
        await crawl(store);
        const due = await claim({ originMax: 4, busyUrls: ['https://receiver.test/busy'] });
        const urls = due.map(({ url }) => url);
        expect(urls.filter((url) => paths.includes(url))).toHaveLength(3);
        expect(urls).toEqual(expect.arrayContaining(others));
      });

      it('outbox.claim: returns a delivery again after a minute when nobody settles it', async () => {
        await create();
        await crawl(store);
        const first = await claimOne();
        const again = await afterMs(61_000, () => deliverAll());
        expect(again.filter(({ id }) => id === first.id)).toEqual([{ ...first, attempts: 2 }]);
      });
    });

    describe('outbox.settle', () => {
      it('outbox.settle: keeps the status code and the time of a delivery', async () => {
        const job = await create();
        await crawl(store);
        const { id } = await claimOne();
        await store.outbox.settle(id, delivered);
        const [settled] = await list(job);
        expect(settled).toMatchObject({
          id,
          status: 'delivered',
          attempts: 1,
          nextAt: null,
          statusCode: 204,
          error: null,
        });
        expect(settled?.settledAt).toBeLessThanOrEqual(Date.now());
        expect((await getJob(store, job.id)).webhookFails).toEqual([]);
      });

      it('outbox.settle: postpones a failed delivery, and notes the failure in the job', async () => {
        const job = await create();
        await crawl(store);
        const { id } = await claimOne();
        const retryAt = Date.now() + hourMs;
        await store.outbox.settle(id, refused(retryAt));
        expect((await list(job))[0]).toMatchObject({
          status: 'pending',
          nextAt: retryAt,
          settledAt: null,
          statusCode: 500,
          error: 'The webhook responded with 500.',
        });
        const [fail, ...others] = (await getJob(store, job.id)).webhookFails;
        expect(others).toEqual([]);
        expect(fail).toMatchObject({
          event: 'job.started',
          message: 'The webhook responded with 500.',
          statusCode: 500,
        });
      });

      it('outbox.settle: fails a delivery when retryAt is null', async () => {
        const job = await create();
        await crawl(store);
        await deliverAll(refused(null));
        expect((await list(job)).map(({ status, nextAt }) => [status, nextAt])).toEqual([
          ['failed', null],
          ['failed', null],
          ['failed', null],
        ]);
      });

      it('jobs.get: shows the last twenty failures of the webhook', async () => {
        const job = await create();
        await crawl(store);
        for (let n = 1; n <= 25; n++) {
          const [due] = await claim();
          if (due) await store.outbox.settle(due.id, { kind: 'failed', message: `${n}`, retryAt: Date.now() });
        }
        const { webhookFails } = await getJob(store, job.id);
        expect(webhookFails.map(({ message }) => Number(message))).toEqual(Array.from({ length: 20 }, (_, n) => n + 6));
      });

      it('outbox.settle: changes nothing the second time', async () => {
        const job = await create();
        await crawl(store);
        const { id } = await claimOne();
        await store.outbox.settle(id, delivered);
        const before = await list(job);
        await store.outbox.settle(id, refused(Date.now()));
        await store.outbox.settle(1_000_000, delivered);
        expect(await list(job)).toEqual(before);
        expect((await getJob(store, job.id)).webhookFails).toEqual([]);
      });

      it('outbox.settle: fails all present and later events of a job when its webhook is gone, and none of other jobs', async () => {
        const job = await create();
        const other = await create({ webhookUrl: 'https://other.test/', startLinks: [link('/other', { depth: 0 })] });
        await begin(2, 2);
        const due = await claim();
        for (const { id, owner } of due) await store.outbox.settle(id, owner === job.id ? gone : delivered);
        await crawl(store);
        await deliverAll(gone);
        for (const { status } of await list(job)) expect(status).toBe('failed');
        expect((await list(job)).map(({ event }) => event)).not.toContain('job.finished');
        expect((await list(other)).map(({ event }) => event)).toContain('job.finished');
        expect(await claim()).toEqual([]);
      });
    });

    describe('outbox.list', () => {
      it('outbox.list: continues after a position, and filters by status', async () => {
        const job = await create();
        await crawl(store);
        const { id } = await claimOne();
        await store.outbox.settle(id, delivered);
        const all = await list(job);
        expect(await store.outbox.list(job.id, { after: 0, limit: 2 })).toEqual(all.slice(0, 2));
        expect(await store.outbox.list(job.id, { after: all[1]?.id ?? 0, limit: 2 })).toEqual(all.slice(2));
        expect(await store.outbox.list(job.id, { ...everything, status: 'delivered' })).toEqual(all.slice(0, 1));
        expect(await store.outbox.list('unknown', everything)).toEqual([]);
      });
    });

    describe('outbox.replay', () => {
      it('outbox.replay: sends the same event again from its first attempt', async () => {
        const job = await create();
        await crawl(store);
        const [first] = await deliverAll();
        if (!first) throw new Error('nothing was due');
        const replayed = await store.outbox.replay(job.id, first.id);
        expect(replayed).toMatchObject({ id: first.id, status: 'pending', attempts: 0, settledAt: null });
        expect(await claimOne()).toEqual(first);
      });

      it('outbox.replay: sends a failed or postponed event at once', async () => {
        const job = await create();
        await crawl(store);
        const first = await claimOne();
        await store.outbox.settle(first.id, refused(null));
        await store.outbox.replay(job.id, first.id);
        const due = await deliverAll(refused(Date.now() + hourMs));
        expect(due.map(({ id }) => id)).toContain(first.id);
        expect(await claim()).toEqual([]);
        await store.outbox.replay(job.id, first.id);
        expect((await claimOne()).id).toBe(first.id);
      });

      it('outbox.replay: returns undefined when the event is not of this job', async () => {
        const [job, other] = [await create(), await create()];
        await crawl(store);
        const [mine] = await list(job);
        expect(await store.outbox.replay(other.id, mine?.id ?? 0)).toBeUndefined();
        expect(await store.outbox.replay(job.id, 1_000_000)).toBeUndefined();
        expect(await store.outbox.replay('unknown', mine?.id ?? 0)).toBeUndefined();
      });
    });

    describe('signing keys', () => {
      it('outbox.keys: returns 32 bytes per org that never change', async () => {
        const keys = await store.outbox.keys(org);
        expect(keys.current).toHaveLength(32);
        expect(keys.previous).toBeUndefined();
        expect(await store.outbox.keys(org)).toEqual(keys);
        expect((await store.outbox.keys('other')).current).not.toEqual(keys.current);
        expect(await (await database.open()).outbox.keys(org)).toEqual(keys);
      });

      it('outbox.rotateKey: keeps the previous key for a day', async () => {
        const { current: first } = await store.outbox.keys(org);
        const rotated = await store.outbox.rotateKey(org);
        expect(rotated.previous).toEqual(first);
        expect(rotated.current).not.toEqual(first);
        expect(await store.outbox.keys(org)).toEqual(rotated);
        expect((await store.outbox.rotateKey(org)).previous).toEqual(rotated.current);
        await database.pass(25 * hourMs);
        expect(Object.keys(await store.outbox.keys(org))).toEqual(['current']);
      });
    });
  });
}
