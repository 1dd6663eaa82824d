// What every store promises about requests that the process may have died of: a part of the contract suite.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostLease, Suspect } from '../../src/core/ports/frontier.ts';
import { discovered } from '../../src/core/job.ts';
import type { Outcome } from '../../src/core/request.ts';
import { ledgerStatuses, type Store } from '../../src/core/ports/stores.ts';
import {
  crawl,
  createJob,
  getJob,
  hostA,
  hostB,
  lease,
  leaseAndTake,
  leaseHost,
  ledgerOf,
  link,
  links,
  listAll,
  org,
  pagesOf,
  settlement,
  type TestDatabase,
  tryLease,
  unreachable,
} from './test-data.ts';

const hourMs = 3_600_000;
const startLinks = links(3, '/', { depth: 0 });
const retryAtOnce = { kind: 'retry', afterMs: 0, error: unreachable } as const satisfies Outcome;

export function describeSuspects(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let store: Store;
  let wasDeath = false;

  beforeEach(async () => {
    database = await createDatabase();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0 });
  });
  afterEach(() => database.remove());

  /** Ends the process with whatever is taken, and starts another. Answers how many suspects there are. */
  const die = async (options: { readonly delayMs?: number; readonly onlyJob?: string } = {}): Promise<number> => {
    await store.close();
    store = await database.open({ crawling: true });
    const { suspects, isAfterDeath } = await store.frontier.recover({ delayMs: 0, ...options });
    wasDeath = isAfterDeath;
    return suspects;
  };

  /** Two deaths with all that the due hosts have. */
  const becomeSuspects = async (
    options: { readonly delayMs?: number; readonly onlyJob?: string } = {},
  ): Promise<number> => {
    await leaseAndTake(store);
    await die();
    await leaseAndTake(store);
    return die(options);
  };

  const takeSuspect = async (): Promise<Suspect> => {
    const suspect = await store.frontier.takeSuspect(2);
    if (typeof suspect === 'string') throw new Error(suspect);
    return suspect;
  };

  const leaseOf = async (host: string): Promise<HostLease> => {
    const held = await lease(store);
    if (held.host === host) return held;
    const wanted = await leaseOf(host);
    await store.frontier.release(held);
    return wanted;
  };

  const expectSum = async (id: string): Promise<void> => {
    const [{ progress }, entries] = [await getJob(store, id), await listAll(store, id)];
    expect(discovered(progress)).toBe(entries.length);
    for (const status of ledgerStatuses) {
      expect([status, progress[status]]).toEqual([status, entries.filter((entry) => entry.status === status).length]);
    }
  };

  /** Works as a worker does, and dies whenever it works on one of these paths. Answers the deaths. */
  const crawlAndDie = async (jobId: string, deadly: readonly string[]): Promise<number> => {
    const isDeadly = (url: string): boolean => deadly.includes(new URL(url).pathname);
    let deaths = 0;
    for (;;) {
      expect(deaths).toBeLessThan(20);
      await expectSum(jobId);
      const suspect = await store.frontier.takeSuspect(2);
      if (typeof suspect === 'object') {
        if (isDeadly(suspect.request.url)) {
          deaths++;
          await die();
          continue;
        }
        await store.frontier.settle(suspect.lease, [settlement(suspect.request)]);
        await store.frontier.release(suspect.lease);
        continue;
      }
      const held = await tryLease(store);
      if (!held && suspect === 'none') return deaths;
      if (!held) continue;
      const requests = await store.frontier.take(held, 100);
      if (requests.some(({ url }) => isDeadly(url))) {
        deaths++;
        await die();
        continue;
      }
      await store.frontier.settle(
        held,
        requests.map((request) => settlement(request)),
      );
      await store.frontier.release(held);
    }
  };

  describe('requests of a process that died', () => {
    it('takeSuspect: returns none after one death, and the requests are taken with others', async () => {
      const job = await createJob(store, { startLinks });
      await leaseAndTake(store);
      expect(await die()).toBe(0);
      expect(wasDeath).toBe(true);
      expect(await store.frontier.takeSuspect(2)).toBe('none');
      expect(await crawl(store)).toHaveLength(3);
      expect((await getJob(store, job.id)).status).toBe('succeeded');
    });

    it('takeSuspect: returns each request that was out at two deaths alone, and no lane takes it', async () => {
      const job = await createJob(store, { startLinks });
      await leaseAndTake(store, 2);
      await die();
      await leaseAndTake(store, 2);
      expect(await die()).toBe(2);
      await expectSum(job.id);
      expect(await crawl(store)).toEqual([startLinks[2]!.url]);
      await expectSum(job.id);
      for (const left of [1, 0]) {
        const { lease: held, request } = await takeSuspect();
        expect((await getJob(store, job.id)).progress).toMatchObject({ queued: left, inFlight: 1 });
        await expectSum(job.id);
        // Its host is taken with it.
        expect(await store.frontier.takeSuspect(2)).toBe(left === 1 ? 'later' : 'none');
        await store.frontier.settle(held, [settlement(request)]);
        await store.frontier.release(held);
      }
      expect(await store.frontier.takeSuspect(2)).toBe('none');
      expect(await getJob(store, job.id)).toMatchObject({ status: 'succeeded', progress: { scraped: 3 } });
    });

    it('poison: fails a request after two deaths with others and three alone, and no other request', async () => {
      const job = await createJob(store, { startLinks: links(6, '/', { depth: 0 }) });
      expect(await crawlAndDie(job.id, ['/4'])).toBe(5);
      expect(await getJob(store, job.id)).toMatchObject({
        status: 'succeeded',
        progress: { queued: 0, inFlight: 0, scraped: 5, discarded: 0, failed: 1, outside: 0 },
        reasons: { poison: 1 },
      });
      expect(await ledgerOf(store, job.id)).toMatchObject({ '/4': 'failed poison' });
      expect(Object.keys(await pagesOf(store, job.id))).toEqual(['1', '2', '3', '4', '5']);
      const poisoned = (await listAll(store, job.id)).find(({ status }) => status === 'failed');
      expect(poisoned?.detail).toMatch(/died 3 times .*https:\/\/a\.test\/4 and nothing else/);
    });

    it('poison: fails each of several deadly requests, and ends a job of nothing else as failed', async () => {
      const job = await createJob(store, { startLinks });
      expect(await crawlAndDie(job.id, ['/1', '/3'])).toBe(2 + 3 + 3);
      expect((await getJob(store, job.id)).progress).toMatchObject({ scraped: 1, failed: 2 });
      const lost = await createJob(store);
      expect(await crawlAndDie(lost.id, ['/'])).toBe(5);
      expect(await getJob(store, lost.id)).toMatchObject({ status: 'failed', progress: { failed: 1 } });
    }, 60_000);

    it('poison: fails a deadly sitemap request, and the job continues without it', async () => {
      const job = await createJob(store, { startLinks, origins: [link('/robots', { depth: 0 })] });
      expect(await crawlAndDie(job.id, ['/robots'])).toBe(5);
      expect(await getJob(store, job.id)).toMatchObject({ status: 'succeeded', progress: { scraped: 3, failed: 0 } });
    });

    it('takeSuspect: tries a suspect next to others until a death, then alone, at one more death', async () => {
      const job = await createJob(store, {
        startLinks: [link('/a', { depth: 0 }), link('/b', { depth: 0, host: hostB })],
      });
      for (let deaths = 0; deaths < 2; deaths++) {
        await store.frontier.take(await leaseOf(hostA), 10);
        await die();
      }
      const beside = await takeSuspect();
      expect([beside.request.url, beside.isAlone]).toEqual(['https://a.test/a', false]);
      await store.frontier.take(await leaseOf(hostB), 10);
      // The request next to it was out at its first death.
      expect(await die()).toBe(1);
      for (const isSuspect of [true, true, false]) {
        expect((await takeSuspect()).isAlone).toBe(true);
        expect(await die()).toBe(isSuspect ? 1 : 0);
      }
      expect(await ledgerOf(store, job.id)).toEqual({ '/a': 'failed poison', '/b': 'queued' });
    });

    it('takeSuspect: tries a suspect alone when another request killed the process next to it', async () => {
      const job = await createJob(store, {
        startLinks: [link('/a', { depth: 0 }), link('/b', { depth: 0, host: hostB })],
      });
      for (let deaths = 0; deaths < 2; deaths++) {
        await store.frontier.take(await leaseOf(hostA), 10);
        await die();
      }
      await takeSuspect();
      await store.frontier.take(await leaseOf(hostB), 10);
      await die();
      const { lease: held, request, isAlone } = await takeSuspect();
      expect([request.url, isAlone]).toEqual(['https://a.test/a', true]);
      await store.frontier.settle(held, [settlement(request)]);
      await store.frontier.release(held);
      expect(await crawlAndDie(job.id, ['/b'])).toBe(4);
      expect(await ledgerOf(store, job.id)).toEqual({ '/a': 'scraped', '/b': 'failed poison' });
    });

    it('poison: counts no death as alone when something else is out', async () => {
      const job = await createJob(store, {
        startLinks: [link('/a', { depth: 0 }), link('/b', { depth: 0, host: hostB })],
      });
      for (let deaths = 0; deaths < 2; deaths++) {
        await store.frontier.take(await leaseOf(hostA), 10);
        await die();
      }
      for (let deaths = 0; deaths < 8; deaths++) {
        const { request } = await takeSuspect();
        expect(request.url).toBe('https://a.test/a');
        // As a lane that was at work already; what it does is not to become a suspect itself.
        const other = await createJob(store, { startLinks: [link(`/${deaths}`, { depth: 0, host: 'c.test:443' })] });
        await store.frontier.take(await leaseOf('c.test:443'), 10);
        await die();
        await store.jobs.cancel(org, other.id, Date.now());
      }
      // It takes three deaths alone as if those had not been.
      for (const isSuspect of [true, true, false]) {
        await takeSuspect();
        expect(await die()).toBe(isSuspect ? 1 : 0);
      }
      expect(await ledgerOf(store, job.id)).toEqual({ '/a': 'failed poison', '/b': 'queued' });
    });

    it('takeSuspect: returns later until the process has lived long enough for the deaths alone', async () => {
      await createJob(store);
      await becomeSuspects();
      await takeSuspect();
      await die();
      for (const deaths of [1, 2]) {
        expect(await store.frontier.takeSuspect(deaths - 1)).toBe('later');
        expect(typeof (await store.frontier.takeSuspect(deaths))).toBe('object');
        await die();
      }
      expect(await store.frontier.takeSuspect(9)).toBe('none');
    });

    it('takeSuspect: treats a request like any other once it was survived', async () => {
      const job = await createJob(store);
      await becomeSuspects();
      const { lease: held, request } = await takeSuspect();
      await store.frontier.settle(held, [settlement(request, retryAtOnce)]);
      await store.frontier.release(held);
      await expectSum(job.id);
      expect(await store.frontier.takeSuspect(2)).toBe('none');
      expect((await leaseAndTake(store)).requests).toHaveLength(1);
      expect(await die()).toBe(0);
      expect((await leaseAndTake(store)).requests).toHaveLength(1);
      expect(await die()).toBe(1);
    });

    it('takeSuspect: returns none when the process ended in order', async () => {
      await createJob(store, { startLinks });
      for (let ends = 0; ends < 4; ends++) {
        const { held, requests } = await leaseAndTake(store);
        expect(requests).toHaveLength(3);
        await store.frontier.release(held);
        expect(await die()).toBe(0);
        expect(wasDeath).toBe(false);
      }
    });

    it('takeSuspect: keeps a suspect that is handed back, without another death', async () => {
      const job = await createJob(store);
      await becomeSuspects();
      for (let ends = 0; ends < 4; ends++) {
        const { lease: held } = await takeSuspect();
        await store.frontier.release(held);
        await expectSum(job.id);
        expect(await leaseHost(store.frontier)).toBeUndefined();
        expect(await die()).toBe(1);
      }
      expect(await crawlAndDie(job.id, [])).toBe(0);
      expect((await getJob(store, job.id)).progress.scraped).toBe(1);
    });

    it('takeSuspect: drops the suspects of a job that has ended', async () => {
      const job = await createJob(store, { startLinks });
      const other = await createJob(store, { startLinks });
      await becomeSuspects();
      const cancelled = await store.jobs.cancel(org, job.id, Date.now());
      const ledger = await listAll(store, job.id);
      expect(await crawlAndDie(other.id, [])).toBe(0);
      expect(await getJob(store, other.id)).toMatchObject({ status: 'succeeded', progress: { scraped: 3 } });
      expect(await getJob(store, job.id)).toEqual(cancelled);
      expect(await listAll(store, job.id)).toEqual(ledger);
      expect(await die()).toBe(0);
    });

    it('takeSuspect: ignores suspects of other jobs with onlyJob', async () => {
      const job = await createJob(store, { startLinks });
      const other = await createJob(store, { startLinks: [link('/b', { depth: 0, host: hostB })] });
      await store.frontier.take(await leaseOf(hostA), 10);
      await die();
      await store.frontier.take(await leaseOf(hostA), 10);
      expect(await die({ onlyJob: other.id })).toBe(0);
      expect(await store.frontier.takeSuspect(2)).toBe('none');
      expect(await crawl(store)).toEqual(['https://b.test/b']);
      expect(await die({ onlyJob: job.id })).toBe(3);
      expect(typeof (await store.frontier.takeSuspect(2))).toBe('object');
    });
  });

  describe('suspects that cannot be tried now', () => {
    it('takeSuspect: returns later until the host of the suspect is due', async () => {
      await createJob(store, { startLinks });
      expect(await becomeSuspects({ delayMs: hourMs })).toBe(3);
      expect(await store.frontier.takeSuspect(2)).toBe('later');
    });

    it('takeSuspect: returns later until the host is released and its pause is over', async () => {
      await createJob(store, { startLinks });
      await becomeSuspects();
      const { lease: held } = await takeSuspect();
      expect(await store.frontier.takeSuspect(2)).toBe('later');
      await store.frontier.release(held, { notBefore: Date.now() + hourMs });
      expect(await store.frontier.takeSuspect(2)).toBe('later');
    });

    it('takeSuspect: returns a suspect of another host when the first host has a pause', async () => {
      await createJob(store, { startLinks: [link('/a', { depth: 0 }), link('/b', { depth: 0, host: hostB })] });
      for (let deaths = 0; deaths < 2; deaths++) {
        await leaseAndTake(store);
        await leaseAndTake(store);
        await die();
      }
      const first = await takeSuspect();
      await store.frontier.release(first.lease, { notBefore: Date.now() + hourMs });
      const second = await takeSuspect();
      expect(second.lease.host).not.toBe(first.lease.host);
    });

    it('takeSuspect: returns later when fetchLimit has no room', async () => {
      const job = await createJob(store, {
        startLinks: [link('/a', { depth: 0 }), link('/b', { depth: 0, host: hostB })],
        spec: { fetchLimit: 1 },
      });
      for (let deaths = 0; deaths < 2; deaths++) {
        await store.frontier.take(await leaseOf(hostA), 10);
        await die();
      }
      const held = await leaseOf(hostB);
      const [request] = await store.frontier.take(held, 10);
      expect(await store.frontier.takeSuspect(2)).toBe('later');
      await store.frontier.settle(held, [settlement(request!)]);
      expect(await store.frontier.takeSuspect(2)).toBe('none');
      expect(await ledgerOf(store, job.id)).toEqual({ '/a': 'discarded fetch_limit', '/b': 'scraped' });
    });
  });

  it('giveUp: fails the suspects of the host', async () => {
    const job = await createJob(store, { startLinks });
    await becomeSuspects();
    const other = await createJob(store, { startLinks: [link('/other', { depth: 0 })] });
    const held = await lease(store);
    while (await store.frontier.giveUp(held, unreachable, { code: 'host_unreachable', message: 'Gone.' }));
    await store.frontier.release(held);
    expect(await store.frontier.takeSuspect(2)).toBe('none');
    for (const { id } of [job, other]) {
      expect((await getJob(store, id)).status).toBe('failed');
      await expectSum(id);
    }
    expect(await die()).toBe(0);
  });

  it('release: keeps the noted delay of a host when none is given', async () => {
    await createJob(store, { startLinks });
    await becomeSuspects();
    await store.frontier.noteDelay(hostA, hourMs);
    const { lease: held, request } = await takeSuspect();
    await store.frontier.settle(held, [settlement(request)]);
    await store.frontier.release(held);
    await takeSuspect();
    await die();
    expect(await store.frontier.takeSuspect(2)).toBe('later');
  });
}
