// Whose host is leased next: what every store promises of turns.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostLease, LeaseOptions } from '../../src/core/ports/frontier.ts';
import type { Job } from '../../src/core/job.ts';
import type { Link } from '../../src/core/request.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import { createJob, leaseAndTake, leaseHost, link, type newJob, settlement, type TestDatabase } from './test-data.ts';

export function describeFairLeases(createDatabase: () => Promise<TestDatabase>): void {
  describe('order of leases', () => {
    let database: TestDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    });
    afterEach(() => database.remove());

    const startOn = (name: string): Link => ({
      ...link('/', { depth: 0, host: `${name}:80` }),
      url: `http://${name}/`,
      key: name,
    });
    /** A job with a start URL on each of so many hosts: `NAME-1.test:80` and so on. */
    const jobOn = (name: string, hosts: number, fields: Parameters<typeof newJob>[0] = {}): Promise<Job> =>
      createJob(store, {
        startLinks: Array.from({ length: hosts }, (_, index) => startOn(`${name}-${index + 1}.test`)),
        ...fields,
      });
    /** A job that is not new any more: nothing of it is urgent. */
    const runningJobOn = async (
      name: string,
      hosts: number,
      fields: Parameters<typeof newJob>[0] = {},
    ): Promise<Job> => {
      const job = await jobOn(name, hosts + 1, fields);
      const { held, requests } = await leaseAndTake(store);
      await store.frontier.settle(
        held,
        requests.map((request) => settlement(request)),
      );
      await store.frontier.release(held);
      return job;
    };
    const nameOf = (lease: HostLease | undefined): string => lease?.host.replace(/-.*/, '') ?? 'none';
    const leases = async (count: number, options?: LeaseOptions): Promise<string[]> => {
      const names: string[] = [];
      for (let lease = 0; lease < count; lease++) names.push(nameOf((await leaseHost(store.frontier, options))?.lease));
      return names;
    };

    it('leaseHost: leases the host of a new job first, however many hosts other jobs have', async () => {
      await runningJobOn('many', 300);
      expect(await leases(3)).toEqual(['many', 'many', 'many']);
      await jobOn('new', 1);
      expect(await leases(2)).toEqual(['new', 'many']);
    });

    it('leaseHost: leases only the first host of a new job before its turn', async () => {
      await runningJobOn('old', 5);
      await jobOn('new', 50);
      expect((await leases(6)).filter((name) => name === 'new')).toHaveLength(3);
    });

    it('leaseHost: leases all hosts of an interactive job first', async () => {
      await runningJobOn('old', 5);
      await runningJobOn('awaited', 2, { isInteractive: true });
      expect(await leases(3)).toEqual(['awaited', 'awaited', 'old']);
    });

    it('leaseHost: gives each org as many leases, however many hosts it has', async () => {
      await runningJobOn('large', 100);
      expect(await leases(3)).toEqual(['large', 'large', 'large']);
      await runningJobOn('small', 4, { org: 'other' });
      expect(await leases(3)).toEqual(['small', 'small', 'small']);
      const names = await leases(5);
      expect(names.filter((name) => name === 'small')).toHaveLength(1);
      expect(names.filter((name) => name === 'large')).toHaveLength(4);
    });

    it('leaseHost: gives each job of an org as many leases', async () => {
      await runningJobOn('large', 100);
      for (let job = 0; job < 9; job++) await runningJobOn(`small${job}`, 2);
      const names = await leases(20);
      for (const name of new Set(names)) expect([name, names.filter((one) => one === name).length]).toEqual([name, 2]);
    });

    it('leaseHost: rotates over the jobs when one host is leased at a time', async () => {
      for (let job = 0; job < 4; job++) await runningJobOn(`job${job}`, 3);
      const names: string[] = [];
      for (let turn = 0; turn < 8; turn++) {
        const { held, requests } = await leaseAndTake(store);
        names.push(nameOf(held));
        await store.frontier.settle(
          held,
          requests.map((request) => settlement(request)),
        );
        await store.frontier.release(held);
      }
      expect(new Set(names.slice(0, 4)).size).toBe(4);
      expect(names.slice(4)).toEqual(names.slice(0, 4));
    });

    it('leaseHost: leases a host of several jobs at the turn of the smallest job', async () => {
      await runningJobOn('large', 100);
      await createJob(store, {
        org: 'other',
        startLinks: [startOn('large-90.test')],
      });
      expect((await leaseHost(store.frontier))?.lease.host).toBe('large-90.test:80');
    });

    it('leaseHost: gives most turns to high priority, and some to low', async () => {
      for (const priority of ['low', 'high', 'normal'] as const)
        await runningJobOn(priority, 100, { spec: { priority } });
      const names = await leases(150);
      const count = (name: string): number => names.filter((one) => one === name).length;
      expect(count('high')).toBe(100);
      expect(count('normal')).toBeGreaterThan(count('low'));
    });

    it('leaseUrgentHosts: leases the host that a client waits for before those of new jobs of its org', async () => {
      for (const name of ['a', 'b', 'c', 'd']) await jobOn(name, 2);
      await jobOn('awaited', 1, { isInteractive: true });
      expect(await leases(1)).toEqual(['awaited']);
      await jobOn('another', 1, { isInteractive: true });
      expect(await store.frontier.leaseUrgentHosts(1)).toMatchObject([{ lease: { host: 'another-1.test:80' } }]);
    });

    it('leaseUrgentHosts: shares urgent leases among orgs, however many scrapes one of them has', async () => {
      for (let scrape = 0; scrape < 6; scrape++) await jobOn(`scrape${scrape}`, 1, { isInteractive: true });
      for (const name of ['x', 'y', 'z']) await jobOn(name, 1, { org: 'other' });
      const names = await leases(6);
      expect(names.filter((name) => name.startsWith('scrape'))).toHaveLength(3);
    });

    it('leaseHost: leases at most lanesPerOrg hosts of an org, except urgent ones', async () => {
      await runningJobOn('many', 10);
      expect(await leases(4, { lanesPerOrg: 3 })).toEqual(['many', 'many', 'many', 'none']);
      await jobOn('new', 1);
      expect(await leases(2, { lanesPerOrg: 3 })).toEqual(['new', 'none']);
      await runningJobOn('other', 1, { org: 'other' });
      expect(await leases(2, { lanesPerOrg: 3 })).toEqual(['other', 'none']);
    });

    it('leaseHosts: shares hosts that are leased together evenly among the jobs of an org', async () => {
      for (const name of ['a', 'b', 'c', 'd']) await runningJobOn(name, 20);
      await runningJobOn('other', 20, { org: 'other' });
      const names: string[] = [];
      for (let leases = 0; leases < 6; leases++) {
        const leased = await store.frontier.leaseHosts({ most: 8 });
        expect(leased.length).toBeGreaterThan(0);
        names.push(...leased.map(({ lease }) => nameOf(lease)));
      }
      const count = (name: string): number => names.filter((one) => one === name).length;
      const ofOrg = ['a', 'b', 'c', 'd'].map(count);
      expect(Math.max(...ofOrg) - Math.min(...ofOrg)).toBeLessThanOrEqual(2);
      expect(count('other')).toBeGreaterThanOrEqual(8);
    });

    it('leaseHosts: keeps lanesPerOrg, and leases no host twice', async () => {
      await runningJobOn('many', 20);
      const some = await store.frontier.leaseHosts({ most: 8, lanesPerOrg: 3 });
      expect(some).toHaveLength(3);
      expect(await store.frontier.leaseHosts({ most: 8, lanesPerOrg: 3 })).toEqual([]);
      const others = [];
      for (;;) {
        const more = await store.frontier.leaseHosts({ most: 8, takes: true });
        if (more.length === 0) break;
        others.push(...more);
      }
      const hosts = [...some, ...others].map(({ lease }) => lease.host);
      expect(new Set(hosts).size).toBe(hosts.length);
      const urls = others.flatMap(({ requests }) => requests.map(({ url }) => url));
      expect(new Set(urls).size).toBe(urls.length);
      expect(urls).toHaveLength(17);
    });

    it('leaseUrgentHosts: leases urgent hosts only, and returns `later` when others wait', async () => {
      expect(await store.frontier.leaseUrgentHosts(8)).toBe('none');
      await runningJobOn('old', 1);
      expect(await store.frontier.leaseUrgentHosts(8)).toBe('later');
      await jobOn('new', 1);
      expect(await store.frontier.leaseUrgentHosts(8)).toMatchObject([{ lease: { host: 'new-1.test:80' } }]);
      expect(await store.frontier.leaseUrgentHosts(8)).toBe('later');
    });

    it('leaseHost: gives hosts whose pause is over their normal turn', async () => {
      await runningJobOn('many', 20);
      const held = await Promise.all(Array.from({ length: 20 }, () => leaseHost(store.frontier)));
      for (const lease of held)
        if (lease) await store.frontier.release(lease.lease, { notBefore: performance.now() + 5 });
      await runningJobOn('late', 1, { org: 'other' });
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect((await leases(2)).toSorted()).toEqual(['late', 'many']);
    });
  });
}
