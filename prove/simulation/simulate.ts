// A crawl with injected clock, randomness, web, deaths and clock jumps: hours in milliseconds, the same for the same
// seed. After every commit and at every fetch it checks that nothing is lost, repeated or impolite.
import assert from 'node:assert/strict';
import { setImmediate as flushPromises } from 'node:timers/promises';
import { type Clock, install } from '@sinonjs/fake-timers';
import type { Fetcher } from '../../src/core/ports/fetcher.ts';
import type { Frontier } from '../../src/core/ports/frontier.ts';
import { judgeStart, scopeHostOf } from '../../src/url/scope.ts';
import { newJob } from '../../test/storage/test-data.ts';
import { runProcess } from './life-of-process.ts';
import { outlive } from './expiry.ts';
import { createRandom, type Random } from './random.ts';
import { createFrontier } from './simulated-frontier.ts';
import { SimulatedStore } from './simulated-store.ts';
import { createWorld, type World } from './world.ts';

const hourMs = 3_600_000;
/** Simulated time; a job that has not ended by then never will. */
const patienceMs = 12 * hourMs;
const hostConcurrency = 3;
const expirySeconds = [60, 3_600, 3 * 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400];

export interface SimulationReport {
  readonly deaths: number;
  readonly jumps: number;
  readonly fetches: number;
  readonly pages: number;
  readonly poisoned: number;
  readonly hours: number;
  /** Jobs whose results were deleted while the clock was wrong. */
  readonly sweptMeanwhile: number;
}

/** Throws an Error with the violation and the seed. */
export async function simulate(seed: number): Promise<SimulationReport> {
  const clock = install({ now: 1_700_000_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  try {
    return await new Simulation(clock, createRandom(seed)).run();
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    clock.uninstall();
  }
}

/** One for all: simulations run one after the other, since they also share the clock. */
const store = new SimulatedStore();

/** The crawling process, until it dies. */
interface Life {
  isOver: boolean;
  /** Requests in flight by host. */
  readonly inFlight: Map<string, number>;
}

class Simulation {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #world: World;
  readonly #store = store;
  readonly #startedAt = performance.now();
  readonly #lastStarts = new Map<string, number>();
  readonly #jobs = new Map<string, readonly string[]>();
  readonly #poisonous: ReadonlySet<string>;
  /** Random deaths stop after a while, so that the end can be seen. */
  #deathsLeft: number;
  #deaths = 0;
  #jumps = 0;
  #fetches = 0;
  #failure: Error | undefined;
  #life: Life | undefined;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    store.clear();
    this.#random = random;
    this.#world = createWorld(random);
    this.#deathsLeft = random.between(0, 5);
    this.#poisonous = new Set(
      this.#world.hosts.flatMap(({ name, pages }) =>
        Array.from(pages).flatMap(([path, { kind }]) => (kind === 'poison' ? [`http://${name}${path}`] : [])),
      ),
    );
  }

  async run(): Promise<SimulationReport> {
    this.#begin();
    for (let job = this.#random.between(1, 3); job > 0; job--) {
      setTimeout(() => this.#createJob(), this.#random.between(0, 5_000));
    }
    for (let jump = this.#random.between(0, 2); jump > 0; jump--) {
      setTimeout(() => this.#setTheClock(), this.#random.between(0, 60_000));
    }
    const jobs = this.#clock.countTimers();
    assert.ok(jobs > 0);
    while (this.#jobs.size === 0 || !this.#haveAllEnded()) {
      assert.ok(this.#elapsedMs < patienceMs, `a job has not ended: ${JSON.stringify(this.#store.jobs())}`);
      this.#clock.next();
      await flushPromises();
      if (this.#failure !== undefined) throw this.#failure;
    }
    const poisoned = this.#checkEnds();
    const hours = this.#elapsedMs / hourMs;
    const pages = this.#store.jobs().reduce((sum, { scraped }) => sum + scraped, 0);
    const sweptMeanwhile = this.#outlive();
    return {
      deaths: this.#deaths,
      jumps: this.#jumps,
      fetches: this.#fetches,
      pages,
      poisoned,
      hours,
      sweptMeanwhile,
    };
  }

  /** No process crawls any more: work in progress has no effect. */
  #outlive(): number {
    if (this.#life) this.#life.isOver = true;
    this.#clock.reset();
    return outlive(this.#store, this.#clock, this.#random);
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  #begin(): void {
    const life: Life = { isOver: false, inFlight: new Map() };
    this.#life = life;
    const never = new AbortController().signal;
    const options = { concurrency: 8, hostConcurrency, giveUpMs: 900_000 };
    runProcess(this.#frontier(life), this.#fetcher(life), options, never).catch((error: unknown) => {
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
    });
    if (this.#deathsLeft > 0) setTimeout(() => this.#die(life), this.#random.between(1, 30_000));
  }

  #die(life: Life): void {
    if (life.isOver) return;
    life.isOver = true;
    this.#deaths++;
    this.#deathsLeft--;
    setTimeout(() => this.#begin(), this.#random.between(100, 5_000));
  }

  #setTheClock(): void {
    this.#jumps++;
    this.#clock.setSystemTime(Date.now() + this.#random.of([-72, -1, 1, 72]) * hourMs);
  }

  #createJob(): void {
    const { starts } = this.#world;
    const urls = starts.filter(() => this.#random.chance(0.7));
    const chosen = urls.length > 0 ? urls : starts.slice(0, 1);
    const job = newJob({
      startLinks: chosen.map((url) => judgeStart(new URL(url))),
      scopeHosts: chosen.map((url) => scopeHostOf(new URL(url))),
      spec: { urls: chosen, timeLimitSeconds: 30 * 24 * 3600, outputExpirySeconds: this.#random.of(expirySeconds) },
    });
    this.#store.createJob(job);
    this.#jobs.set(job.id, chosen);
  }

  #haveAllEnded(): boolean {
    // Those that are still to be created have timers.
    return this.#clock.countTimers() > 0 && this.#store.haveAllEnded();
  }

  /** The same for changes of jobs. */
  #checked<Answer>(perform: () => Answer): Answer {
    const answer = perform();
    this.#store.checkInvariants();
    return answer;
  }

  /** The frontier over a connection that takes time, and can break before or after the commit. */
  #frontier(life: Life): Frontier {
    const call = async <Answer>(perform: () => Answer): Promise<Answer> => {
      await this.#wait(this.#random.between(0, 4));
      if (life.isOver) return never();
      const answer = perform();
      if (this.#deathsLeft > 0 && this.#random.chance(0.002)) this.#die(life);
      return life.isOver ? never() : answer;
    };
    return createFrontier(this.#store, {
      call: (operation, { changesJobs } = { changesJobs: false }) =>
        call(() => (changesJobs ? this.#checked(operation) : operation())),
      // A hint can be late: do not spend hours of waiting on polling.
      waitForWork: (maxMs) => this.#wait(40 * maxMs),
    });
  }

  #fetcher(life: Life): Fetcher {
    return {
      fetch: async (address) => {
        if (life.isOver) return never();
        const url = new URL(address);
        const host = url.hostname;
        this.#checkPoliteness(url, life);
        this.#fetches++;
        life.inFlight.set(host, (life.inFlight.get(host) ?? 0) + 1);
        await this.#wait(Math.ceil((this.#world.plan(url)?.latencyMs ?? 1) * (0.5 + this.#random.next())));
        if (life.isOver) return never();
        life.inFlight.set(host, (life.inFlight.get(host) ?? 1) - 1);
        const answer = this.#world.answer(url, this.#elapsedMs);
        if (this.#poisonous.has(url.href) && answer.kind === 'body' && answer.statusCode === 200) {
          this.#deathsLeft++;
          this.#die(life);
          return never();
        }
        return answer;
      },
    };
  }

  #checkPoliteness(url: URL, life: Life): void {
    const now = performance.now();
    const delayMs = (this.#world.plan(url)?.crawlDelaySeconds ?? 0) * 1000;
    const last = this.#lastStarts.get(url.hostname);
    // Before the first read of robots.txt, the delay is unknown.
    if (last !== undefined && url.pathname !== '/robots.txt') {
      assert.ok(now - last >= delayMs - 1, `${url.href} was fetched ${now - last} ms after the last, not ${delayMs}`);
    }
    this.#lastStarts.set(url.hostname, now);
    const inFlight = life.inFlight.get(url.hostname) ?? 0;
    assert.ok(inFlight < (delayMs > 0 ? 1 : hostConcurrency), `${inFlight + 1} requests to ${url.hostname} at a time`);
  }

  /**
   * Every URL has its correct outcome, and no other page paid for a page that kills. Returns the number of pages that
   * did.
   */
  #checkEnds(): number {
    let poisoned = 0;
    for (const [id, starts] of this.#jobs) {
      const expected = this.#world.expected(starts);
      const entries = this.#store.entries(id);
      // By chance a site can be too busy for every attempt; pages that are linked only from such a page are not found
      // then.
      const wasTooBusy = entries.some(({ reason }) => reason === 'http_503');
      for (const { url, state, reason } of entries) {
        if (reason === 'poison') poisoned++;
        if (reason === 'poison') assert.ok(this.#poisonous.has(url), `${url} is no poison`);
        if (reason === 'http_503') continue;
        assert.equal(state, expected.get(url), `${url} of ${id} (${reason ?? ''})`);
      }
      if (!wasTooBusy) assert.equal(entries.length, expected.size, `the URLs of ${id}`);
    }
    return poisoned;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}

/** The result of an operation whose process has died. */
function never<Answer>(): Promise<Answer> {
  return new Promise(() => {});
}
