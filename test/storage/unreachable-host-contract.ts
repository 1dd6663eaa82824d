// What every store promises about hosts that do not answer: a part of the contract suite.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Notice } from '../../src/core/ports/frontier.ts';
import type { Job } from '../../src/core/job.ts';
import type { CrawlError, Outcome } from '../../src/core/request.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import {
  crawl,
  createJob,
  getJob,
  hostA,
  hostB,
  lease,
  leaseAndTake,
  leaseHost,
  link,
  links,
  listAll,
  org,
  settlement,
  type TestDatabase,
  unreachable,
} from './test-data.ts';

const hourMs = 3_600_000;
const startLinks = links(3, '/', { depth: 0 });
const retryLater = { kind: 'retry', afterMs: hourMs, error: unreachable } as const satisfies Outcome;
const error: CrawlError = { reason: 'robots_unreachable', message: 'It responded with 503.', statusCode: 503 };
const gone: Notice = { code: 'host_unreachable', message: 'a.test does not answer.' };
const down: Notice = { code: 'host_unresponsive', message: 'a.test does not answer.' };

export function describeUnreachableHosts(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await createDatabase();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0 });
  });
  afterEach(() => database.remove());

  const restart = async (options: { readonly onlyJob?: string } = {}): Promise<void> => {
    await store.close();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0, ...options });
  };

  /** Gives up what is left of the host that is due; answers how many steps it took. */
  const giveUp = async (): Promise<number> => {
    const held = await lease(store);
    let steps = 1;
    while (await store.frontier.giveUp(held, error, gone)) steps++;
    await store.frontier.release(held);
    return steps;
  };

  const codesOf = (job: Job): string[] => [...job.notices, ...job.findings].map(({ code }) => code);

  describe('giveUp', () => {
    it('giveUp: with a job, fails only the URLs of that job', async () => {
      const [impatient, patient] = [await createJob(store, { startLinks }), await createJob(store, { startLinks })];
      const held = await lease(store);
      await store.frontier.take(held, 4);
      expect(await store.frontier.giveUp(held, error, gone, impatient.id)).toBe(false);
      await store.frontier.release(held);
      expect(await getJob(store, impatient.id)).toMatchObject({
        status: 'failed',
        progress: { failed: 3, inFlight: 0 },
      });
      expect(await getJob(store, patient.id)).toMatchObject({
        status: 'running',
        progress: { queued: 3, failed: 0 },
        findings: [],
      });
      const again = await lease(store);
      expect(await store.frontier.giveUp(again, error, gone, 'no-such-job')).toBe(false);
      await store.frontier.release(again);
      expect(await getJob(store, patient.id)).toMatchObject({ progress: { queued: 3 } });
    });

    it('giveUp: fails what is queued with the error and without an attempt', async () => {
      const job = await createJob(store, { startLinks });
      await giveUp();
      expect(await getJob(store, job.id)).toMatchObject({
        status: 'failed',
        progress: { queued: 0, inFlight: 0, scraped: 0, discarded: 0, failed: 3, outside: 0 },
        reasons: { robots_unreachable: 3 },
        notices: [],
        findings: [gone],
      });
      expect(await listAll(store, job.id)).toEqual(
        startLinks.map(({ url }) =>
          expect.objectContaining({
            url,
            status: 'failed',
            reason: 'robots_unreachable',
            detail: 'It responded with 503.',
            statusCode: 503,
            attempts: 0,
          }),
        ),
      );
      expect(await leaseHost(store.frontier)).toBeUndefined();
    });

    it('giveUp: counts URLs of a host that refuses as blocked only, and other failures as failed pages', async () => {
      const onB = links(2, '/b', { depth: 0, host: hostB });
      const job = await createJob(store, { startLinks: [...links(4, '/', { depth: 0 }), ...onB] });
      const refusal = { reason: 'http_error', message: 'It responded with 403.', statusCode: 403 } as const;
      const first = await leaseAndTake(store, 2);
      const refused = { kind: 'failed', error: refusal } as const;
      await store.frontier.settle(first.held, [
        settlement(first.requests[0]!),
        settlement(first.requests[1]!, refused),
      ]);
      const blocked: Notice = { code: 'blocked', message: 'a.test refuses.' };
      while (await store.frontier.giveUp(first.held, refusal, blocked));
      await store.frontier.release(first.held);
      const other = await leaseAndTake(store, 2);
      await store.frontier.settle(other.held, [
        settlement(other.requests[0]!),
        settlement(other.requests[1]!, refused),
      ]);
      const { findings, progress } = await getJob(store, job.id);
      expect(progress).toMatchObject({ scraped: 2, failed: 4 });
      expect(findings).toMatchObject([
        { code: 'blocked', count: 3 },
        { code: 'failed_pages', count: 1, example: other.requests[1]!.url },
      ]);
    });

    it('giveUp: names an HTTP error by its status', async () => {
      const job = await createJob(store);
      const held = await lease(store);
      await store.frontier.giveUp(held, { ...error, reason: 'http_error' }, gone);
      expect((await getJob(store, job.id)).reasons).toEqual({ http_503: 1 });
    });

    it('giveUp: fails requests in flight and postponed ones', async () => {
      const job = await createJob(store, { startLinks });
      const { held, requests } = await leaseAndTake(store, 2);
      await store.frontier.settle(held, [settlement(requests[0]!, retryLater)]);
      expect(await store.frontier.giveUp(held, error, gone)).toBe(false);
      expect(await getJob(store, job.id)).toMatchObject({
        status: 'failed',
        progress: { queued: 0, inFlight: 0, failed: 3 },
      });
      expect((await listAll(store, job.id)).map(({ attempts }) => attempts)).toEqual([1, 0, 0]);
      // It is over for them: a late outcome changes nothing.
      const ended = await getJob(store, job.id);
      await store.frontier.settle(held, [settlement(requests[1]!)]);
      expect(await getJob(store, job.id)).toEqual(ended);
    });

    it('giveUp: ends a job as succeeded when it has a page', async () => {
      const job = await createJob(store, { startLinks });
      const { held, requests } = await leaseAndTake(store, 1);
      await store.frontier.settle(held, [settlement(requests[0]!)]);
      await store.frontier.giveUp(held, error, gone);
      expect(await getJob(store, job.id)).toMatchObject({ status: 'succeeded', progress: { scraped: 1, failed: 2 } });
    });

    it('giveUp: leaves other hosts of the job alone', async () => {
      const job = await createJob(store, { startLinks: [...startLinks, link('/b', { depth: 0, host: hostB })] });
      const held = await lease(store);
      expect(held.host).toBe(hostA);
      await store.frontier.giveUp(held, error, gone);
      await store.frontier.release(held);
      expect(await getJob(store, job.id)).toMatchObject({ status: 'starting', progress: { queued: 1, failed: 3 } });
      expect(await crawl(store)).toEqual(['https://b.test/b']);
      expect((await getJob(store, job.id)).status).toBe('succeeded');
    });

    it('giveUp: ends sitemaps without listing or counting them, and then the job', async () => {
      const job = await createJob(store, { origins: [link('', { depth: 0 })] });
      const { held, requests } = await leaseAndTake(store);
      const [origin, start] = requests;
      const found: Outcome = {
        kind: 'sitemap',
        ending: { state: 'scraped' },
        urls: [],
        sitemaps: links(2, '/sitemap'),
      };
      await store.frontier.settle(held, [settlement(origin!, found), settlement(start!)]);
      expect((await getJob(store, job.id)).status).toBe('running');
      await store.frontier.giveUp(held, error, gone);
      expect(await getJob(store, job.id)).toMatchObject({
        status: 'succeeded',
        progress: { scraped: 1, failed: 0 },
        reasons: {},
      });
      expect(await listAll(store, job.id)).toHaveLength(1);
    });

    it('giveUp: fails a thousand URLs at a time, and returns whether there are more', async () => {
      const job = await createJob(store, { startLinks: links(2_500, '/', { depth: 0 }) });
      const held = await lease(store);
      const failed: number[] = [];
      const more: boolean[] = [];
      for (let step = 0; step < 3; step++) {
        more.push(await store.frontier.giveUp(held, error, gone));
        failed.push((await getJob(store, job.id)).progress.failed);
      }
      expect({ more, failed }).toEqual({ more: [true, true, false], failed: [1_000, 2_000, 2_500] });
      expect(codesOf(await getJob(store, job.id))).toEqual(['host_unreachable']);
    });

    it('giveUp: fails the URLs of all jobs on the host, with a finding for each', async () => {
      const jobs = [await createJob(store, { startLinks }), await createJob(store, { startLinks })];
      const elsewhere = await createJob(store, { startLinks: [link('/b', { depth: 0, host: hostB })] });
      await giveUp();
      for (const { id } of jobs) {
        const job = await getJob(store, id);
        expect(job).toMatchObject({ status: 'failed', progress: { failed: 3 } });
        expect(codesOf(job)).toEqual(['host_unreachable']);
      }
      expect(await getJob(store, elsewhere.id)).toEqual(elsewhere);
    });

    it('giveUp: changes only the job that onlyJob names', async () => {
      const other = await createJob(store, { startLinks });
      const job = await createJob(store, { startLinks });
      await restart({ onlyJob: job.id });
      await giveUp();
      expect(await getJob(store, job.id)).toMatchObject({ status: 'failed', progress: { failed: 3 } });
      expect(await getJob(store, other.id)).toEqual(other);
      await restart();
      expect(await crawl(store)).toHaveLength(3);
    });

    it('giveUp: changes no job that has ended', async () => {
      const job = await createJob(store, { startLinks });
      const other = await createJob(store, { startLinks });
      const { held } = await leaseAndTake(store);
      const cancelled = await store.jobs.cancel(org, job.id, Date.now());
      const ledger = await listAll(store, job.id);
      await store.frontier.giveUp(held, error, gone);
      expect(await getJob(store, job.id)).toEqual(cancelled);
      expect(await listAll(store, job.id)).toEqual(ledger);
      expect(await getJob(store, other.id)).toMatchObject({ status: 'failed', progress: { failed: 3 } });
    });

    it('giveUp: changes nothing under a released lease', async () => {
      const job = await createJob(store, { startLinks });
      const held = await lease(store);
      await store.frontier.release(held);
      expect(await store.frontier.giveUp(held, error, gone)).toBe(false);
      expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 3, failed: 0 });
    });

    it('giveUp: lets a later job try the host again', async () => {
      await createJob(store, { startLinks });
      await giveUp();
      const job = await createJob(store, { startLinks });
      expect(await crawl(store)).toHaveLength(3);
      expect((await getJob(store, job.id)).status).toBe('succeeded');
    });
  });

  describe('notices of release', () => {
    it('release: adds its notice to the jobs that wait for the host, and to no other', async () => {
      const waiting = [await createJob(store, { startLinks }), await createJob(store, { startLinks })];
      const cancelled = await createJob(store, { startLinks });
      const done = await createJob(store, { startLinks: [link('/done', { depth: 0 })] });
      const { held, requests } = await leaseAndTake(store);
      const elsewhere = await createJob(store, { startLinks: [link('/b', { depth: 0, host: hostB })] });
      await store.jobs.cancel(org, cancelled.id, Date.now());
      const last = requests.find(({ jobId }) => jobId === done.id);
      await store.frontier.settle(held, [settlement(last!)]);
      await store.frontier.release(held, { notice: down });
      for (const { id } of waiting) {
        expect((await getJob(store, id)).notices).toEqual([{ ...down, at: expect.any(Number) as number }]);
      }
      for (const { id } of [elsewhere, cancelled, done]) expect((await getJob(store, id)).notices).toEqual([]);
    });

    it('release: adds each notice once per message', async () => {
      const job = await createJob(store, { startLinks });
      for (const message of [down.message, down.message, 'Another host.', down.message]) {
        await store.frontier.release(await lease(store), { notice: { ...down, message } });
      }
      expect((await getJob(store, job.id)).notices.map(({ message }) => message)).toEqual([
        down.message,
        'Another host.',
      ]);
    });

    it('release: costs no URL an attempt when it has a notice', async () => {
      const job = await createJob(store, { startLinks });
      const { held } = await leaseAndTake(store);
      await store.frontier.release(held, { notice: down });
      expect((await listAll(store, job.id)).map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
      expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 3, inFlight: 0 });
    });
  });

  describe('a host that must rest', () => {
    it('leaseHosts: leases a host that must rest once for a batch, and for no other job', async () => {
      await createJob(store, { startLinks });
      await store.frontier.release(await lease(store), { notBefore: Date.now() + hourMs });
      await createJob(store, { startLinks });
      expect(await leaseHost(store.frontier)).toBeUndefined();
      const batch = await createJob(store, { startLinks, kind: 'batch' });
      const { held, requests } = await leaseAndTake(store);
      expect(held.mustRest).toBe(true);
      expect(requests.map(({ jobId }) => jobId)).toContain(batch.id);
      await store.frontier.giveUp(held, error, gone, batch.id);
      await store.frontier.release(held);
      expect((await getJob(store, batch.id)).progress).toMatchObject({ failed: 3 });
      expect(await leaseHost(store.frontier)).toBeUndefined();
    });

    it('leaseHosts: says nothing of a rest when a host may be asked', async () => {
      await createJob(store, { startLinks, kind: 'batch' });
      expect((await lease(store)).mustRest).not.toBe(true);
    });
  });

  describe('noteDelay', () => {
    it('noteDelay: keeps the host waiting after a crash', async () => {
      await createJob(store, { startLinks });
      const { held, requests } = await leaseAndTake(store, 1);
      await store.frontier.noteDelay(hostA, hourMs);
      await store.frontier.settle(held, [settlement(requests[0]!)]);
      await restart();
      expect(await leaseHost(store.frontier)).toBeUndefined();
      await createJob(store, { startLinks });
      expect(await leaseHost(store.frontier)).toBeUndefined();
    });

    it('noteDelay: keeps the host waiting after a second crash, and does not delay its own lease', async () => {
      await createJob(store, { startLinks });
      const held = await lease(store);
      await store.frontier.noteDelay(hostA, 20.5);
      expect(await store.frontier.take(held, 10)).toHaveLength(3);
      await restart();
      const again = await leaseAndTake(store);
      await store.frontier.noteDelay(hostA, hourMs);
      expect(again.requests).toHaveLength(3);
      await restart();
      expect(await leaseHost(store.frontier)).toBeUndefined();
    });

    it('noteDelay: delays its own host only', async () => {
      await createJob(store, { startLinks: [...startLinks, link('/b', { depth: 0, host: hostB })] });
      await store.frontier.noteDelay(hostA, hourMs);
      await store.frontier.noteDelay('never-seen.test:443', hourMs);
      await restart();
      expect(await crawl(store)).toEqual(['https://b.test/b']);
    });

    it('release: replaces the noted delay', async () => {
      await createJob(store, { startLinks });
      const held = await lease(store);
      await store.frontier.noteDelay(hostA, hourMs);
      await store.frontier.release(held, { delayMs: 0 });
      await restart();
      expect(await crawl(store)).toHaveLength(3);
    });
  });
}
