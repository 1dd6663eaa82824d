// Checks that orgs and jobs get equal shares: many jobs on many hosts, most hosts in one org, with injected clock and
// web. The real worker and lanes run on the real statements of the store, until half of all pages are stored.
import assert from 'node:assert/strict';
import { setImmediate as flushPromises } from 'node:timers/promises';
import { type Clock, install } from '@sinonjs/fake-timers';
import type { Fetcher } from '../../src/core/ports/fetcher.ts';
import type { Settlement } from '../../src/core/ports/frontier.ts';
import { turnMs } from '../../src/core/turn.ts';
import { judgeStart, scopeHostOf } from '../../src/url/scope.ts';
import { newJob } from '../../test/storage/test-data.ts';
import { runProcess } from './life-of-process.ts';
import { createRandom, type Random } from './random.ts';
import { createFrontier } from './simulated-frontier.ts';
import { SimulatedStore } from './simulated-store.ts';
import { body } from './world.ts';

/**
 * Measured: 9 to 20, if eight jobs share each request in flight and hosts with a delay of 5 s are not known from the
 * start.
 */
const turnsWithoutPageMax = 30;

interface Load {
  readonly orgs: number;
  readonly jobsPerOrg: number;
  /** Own hosts of a job of the first org, and of the others. Each job also crawls one host of a job of another org. */
  readonly hostsPerLargeJob: number;
  readonly hostsPerJob: number;
  readonly pagesPerJob: number;
  /** Requests in flight. */
  readonly concurrency: number;
  /** @default {@link hostKinds} */
  readonly kinds?: readonly HostKind[];
  /** A call of the store. @default 1 */
  readonly callMs?: number;
}

/** 10,000 hosts: 6,200 of one org, and 200 of each of 19 others. 500 jobs. */
export const largeLoad: Load = {
  orgs: 20,
  jobsPerOrg: 25,
  hostsPerLargeJob: 248,
  hostsPerJob: 8,
  pagesPerJob: 120,
  concurrency: 64,
};

interface Shares {
  readonly hosts: number;
  readonly jobs: number;
  /** Pages stored at half of all pages, and the simulated time until then. */
  readonly pages: number;
  readonly seconds: number;
  /** Jain's index of the pages of orgs, and of the pages of jobs in the org where it is lowest. */
  readonly jainOfOrgs: number;
  readonly jainOfJobs: number;
  /** The longest time that a job with URLs left had no page, in turns of a lane. */
  readonly turnsWithoutPage: number;
  /** Pages stored before the last job to begin had its first. */
  readonly pagesBeforeLastFirst: number;
}

interface HostKind {
  readonly crawlDelaySeconds: number;
  readonly pageMs: number;
}

interface SimulatedHost extends HostKind {
  readonly name: string;
  readonly pages: number;
}

const hostKinds: readonly HostKind[] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 5].flatMap((crawlDelaySeconds) =>
  [20, 50, 100, 200, 500, 1_500].map((pageMs) => ({ crawlDelaySeconds, pageMs })),
);

interface SimulatedJob {
  readonly org: string;
  /** All pages that it will have. */
  readonly demand: number;
  pages: number;
  lastPageAt: number;
}

/** All jobs exist when the crawl starts. Throws an Error with the violation and the seed. */
export async function simulateShares(seed: number, load: Load): Promise<Shares> {
  const clock = install({
    now: 1_700_000_000_000,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  try {
    return await new FairSimulation(clock, createRandom(seed), load).run();
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    clock.uninstall();
  }
}

/** Throws if an org, or a job of an org, had too little. */
export function checkShares({ jainOfOrgs, jainOfJobs, turnsWithoutPage }: Shares): void {
  assert.ok(jainOfOrgs >= 0.95, `Jain's index over orgs is ${jainOfOrgs}`);
  assert.ok(jainOfJobs >= 0.9, `Jain's index over the jobs of an org is ${jainOfJobs}`);
  assert.ok(turnsWithoutPage <= turnsWithoutPageMax, `a job had no page for ${turnsWithoutPage} turns`);
}

/** Jain's index of fairness: 1 if all have the same, 1/n if one has everything. */
function jain(shares: readonly number[]): number {
  const sum = shares.reduce((all, share) => all + share, 0);
  return sum ** 2 / (shares.length * shares.reduce((all, share) => all + share ** 2, 0));
}

class FairSimulation {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #load: Load;
  readonly #store = new SimulatedStore();
  readonly #hosts = new Map<string, SimulatedHost>();
  readonly #jobs = new Map<string, SimulatedJob>();
  readonly #startedAt = performance.now();
  readonly #waiting = new Set<() => void>();
  #kinds: HostKind[] = [];
  #pages = 0;
  #longestMs = 0;
  #pagesBeforeLastFirst = 0;
  #failure: Error | undefined;

  constructor(clock: Clock, random: Random, load: Load) {
    this.#clock = clock;
    this.#random = random;
    this.#load = load;
  }

  async run(): Promise<Shares> {
    const demand = this.#createJobs();
    this.#store.onWork = () => {
      for (const wake of this.#waiting) wake();
    };
    this.#begin();
    while (this.#pages < demand / 2) {
      assert.ok(this.#clock.countTimers() > 0, 'nothing goes on');
      this.#clock.next();
      await flushPromises();
      if (this.#failure) throw this.#failure;
    }
    return this.#shares();
  }

  /** The large org is first. Returns the number of pages of all jobs. */
  #createJobs(): number {
    const { orgs, jobsPerOrg } = this.#load;
    const others = orgs === 1 ? 0 : 1;
    const own = Array.from({ length: orgs * jobsPerOrg }, (_, job) => this.#createHosts(job, job < jobsPerOrg));
    for (const [index, hosts] of own.entries()) {
      const shared = own[(index + jobsPerOrg) % own.length]?.slice(0, others) ?? [];
      const urls = [...hosts, ...shared].map(({ name }) => `http://${name}/`);
      const job = newJob({
        org: `org-${String(Math.floor(index / jobsPerOrg)).padStart(4, '0')}`,
        startLinks: urls.map((url) => judgeStart(new URL(url))),
        scopeHosts: urls.map((url) => scopeHostOf(new URL(url))),
        spec: { urls, timeLimitSeconds: 30 * 24 * 3600, pageLimit: 100_000, fetchLimit: 100_000 },
      });
      this.#store.createJob(job);
      this.#jobs.set(job.id, {
        org: job.org,
        demand: [...hosts, ...shared].reduce((sum, { pages }) => sum + pages, 0),
        pages: 0,
        lastPageAt: performance.now(),
      });
    }
    return [...this.#jobs.values()].reduce((sum, job) => sum + job.demand, 0);
  }

  #createHosts(job: number, isLarge: boolean): readonly SimulatedHost[] {
    const { hostsPerLargeJob, hostsPerJob, pagesPerJob } = this.#load;
    const count = isLarge ? hostsPerLargeJob : hostsPerJob;
    return Array.from({ length: count }, (_, index) => {
      const host = {
        name: `h${index}.job-${job}.test`,
        ...this.#nextKind(),
        pages: Math.ceil(pagesPerJob / count),
      };
      this.#hosts.set(host.name, host);
      return host;
    });
  }

  /**
   * All kinds are equally frequent, in random order: equal shares are equal numbers of pages only if hosts are equally
   * slow.
   */
  #nextKind(): HostKind {
    const { kinds = hostKinds } = this.#load;
    if (this.#kinds.length === 0) this.#kinds = kinds.toSorted(() => this.#random.next() - 0.5);
    return this.#kinds.pop() ?? { crawlDelaySeconds: 0, pageMs: 0 };
  }

  #begin(): void {
    const frontier = createFrontier(this.#store, {
      call: async (operation) => {
        await this.#wait(this.#load.callMs ?? 1);
        return operation();
      },
      waitForWork: (maxMs) => this.#waitForWork(maxMs),
    });
    const counting = {
      ...frontier,
      settle: async (...settlement: Parameters<typeof frontier.settle>) => {
        await frontier.settle(...settlement);
        this.#count(settlement[1]);
      },
    };
    const { concurrency } = this.#load;
    const options = { concurrency, hostConcurrency: 8, giveUpMs: 900_000 };
    runProcess(counting, this.#fetcher(), options, new AbortController().signal).catch((error: unknown) => {
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
    });
  }

  #count(settlements: readonly Settlement[]): void {
    for (const { request, outcome } of settlements) {
      const job = this.#jobs.get(request.jobId);
      assert.equal(outcome.kind, 'scraped', request.url);
      if (!job || request.kind !== 'page') continue;
      this.#noteWait(job);
      if (job.pages === 0) this.#pagesBeforeLastFirst = this.#pages;
      job.lastPageAt = performance.now();
      job.pages++;
      this.#pages++;
    }
  }

  #noteWait({ lastPageAt }: SimulatedJob): void {
    this.#longestMs = Math.max(this.#longestMs, performance.now() - lastPageAt);
  }

  #fetcher(): Fetcher {
    return {
      fetch: async (address) => {
        const { hostname, pathname } = new URL(address);
        const host = this.#hosts.get(hostname);
        assert.ok(host, address);
        const latencyMs = Math.ceil(host.pageMs * (0.5 + this.#random.next()));
        await this.#wait(latencyMs);
        if (pathname === '/robots.txt') return body(200, robotsOf(host));
        return { ...body(200, pathname === '/' ? linksOf(host) : ''), latencyMs };
      },
    };
  }

  #shares(): Shares {
    const jobs = [...this.#jobs.values()];
    for (const job of jobs) if (job.pages < job.demand) this.#noteWait(job);
    const stored = new Map(this.#store.jobs().map(({ id, scraped }) => [id, scraped]));
    for (const [id, { pages }] of this.#jobs) assert.equal(pages, stored.get(id), `pages of ${id}`);
    const orgs = [...Map.groupBy(jobs, ({ org }) => org).values()];
    const pagesOf = (some: readonly SimulatedJob[]): readonly number[] => some.map(({ pages }) => pages);
    return {
      hosts: this.#hosts.size,
      jobs: jobs.length,
      pages: this.#pages,
      seconds: Math.round((performance.now() - this.#startedAt) / 1000),
      jainOfOrgs: jain(orgs.map((some) => pagesOf(some).reduce((sum, pages) => sum + pages, 0))),
      jainOfJobs: Math.min(...orgs.map((some) => jain(pagesOf(some)))),
      turnsWithoutPage: this.#longestMs / turnMs,
      pagesBeforeLastFirst: this.#pagesBeforeLastFirst,
    };
  }

  #waitForWork(maxMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, maxMs);
      this.#waiting.add(done);
    });
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}

function robotsOf({ crawlDelaySeconds }: SimulatedHost): string {
  return crawlDelaySeconds > 0 ? `User-agent: *\nCrawl-delay: ${crawlDelaySeconds}` : '';
}

function linksOf({ name, pages }: SimulatedHost): string {
  return Array.from({ length: pages - 1 }, (_, page) => `http://${name}/${page + 1}`).join('\n');
}
