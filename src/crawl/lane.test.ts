// A lane on a frontier in memory, with the clock in the test's hand.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Frontier,
  type HostLease,
  type Notice,
  type ReleaseOptions,
  type Settlement,
  unendingLife,
} from '../core/ports/frontier.ts';
import type { CrawlError, Request } from '../core/request.ts';
import { Concurrency } from './concurrency.ts';
import { Lane, type LaneParts } from './lane.ts';
import { Gathering } from './gathering.ts';
import { anyJob } from './pace/circuit-breaker.ts';
import type { JobPatience } from './pace/host-patience.ts';
import type { HostPace } from './pace/host-pace.ts';
import { Pacer } from './pace/politeness.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const lease: HostLease = { hostId: 1, host: 'site.example:80', fence: 7 };

interface Setup {
  /** Requests that come with the lease. */
  readonly taken?: number;
  /** None of the requests needs a fetch. */
  readonly unfetched?: boolean;
  readonly requests?: number;
  readonly concurrency?: number;
  readonly hostConcurrency?: number;
  readonly delayMs?: number;
  readonly crawlDelaySeconds?: number;
  readonly notedDelayMs?: number;
  /** How long a request and a commit take. */
  readonly requestMs?: number;
  readonly settleMs?: number;
  /** The host reports overload. */
  readonly isStrained?: boolean;
  /** The outcome of a request, by its id. */
  readonly abandoned?: readonly number[];
  /** Requests that are not tried, because the host must not be contacted. */
  readonly paused?: { readonly ids: readonly number[]; because(pace: HostPace, pacer: Pacer): void };
  /** A request that takes longer than the others. */
  readonly slow?: { readonly id: number; readonly ms: number };
  /** Requests that wait for something that is not the host's. */
  readonly aside?: { readonly ids: readonly number[]; readonly ms: number };
  /** Requests whose pages wait for the model. */
  readonly asked?: { readonly ids: readonly number[]; readonly ms: number };
  /** Hosts wait for a lane. @default false */
  readonly othersWait?: boolean;
  readonly urgentWait?: boolean;
  /** Until then there is no room over all hosts. */
  readonly fullForMs?: number;
  /** This many requests belong to a job of their own each. @default all belong to one */
  readonly requestsPerJob?: number;
  /** Shared with other lanes. @default its own */
  readonly room?: Concurrency;
  /** How often there is more to give up. */
  readonly giveUps?: number;
  /** How long the job of every request waits. */
  readonly patience?: Partial<JobPatience>;
  readonly failing?: 'take' | 'settle' | 'release' | 'giveUp';
  /** Shared with lanes of other hosts. @default its own */
  readonly gathering?: Gathering;
  /** @default false */
  readonly keepsHosts?: boolean;
  /** The host was leased before it may be asked, which is so for so long. */
  readonly restMs?: number;
  /** What its requests are besides. */
  readonly request?: Pick<Request, 'isUrgent' | 'isOnlyOne'>;
}

/** A lane that was set to work, and what it did. */
function startLane(setup: Setup = {}) {
  const { requests = 0, concurrency = 100, hostConcurrency = 8, delayMs = 0, requestMs = 10, settleMs = 0 } = setup;
  const requestOf = (id: number): Request => ({
    id,
    jobId: `job ${Math.floor((id - 1) / (setup.requestsPerJob ?? 1e6))}`,
    jobVersion: 1,
    kind: 'page',
    url: `http://site.example/${id}`,
    depth: 0,
    selfFed: false,
    attempts: 0,
    ...setup.request,
  });
  const queue = Array.from({ length: requests }, (_, index) => requestOf(index + 1));
  const began = Date.now();
  const now = (): number => Date.now() - began;
  const starts: number[] = [];
  const settled: number[][] = [];
  const released: (ReleaseOptions & { at: number })[] = [];
  const givenUp: { error: CrawlError; notice: Notice; settled: number }[] = [];
  const takes: number[] = [];
  let [together, failures] = [0, 0];
  let [inFlight, most] = [0, 0];
  const broken = (what: string): Promise<void> =>
    setup.failing === what ? Promise.reject(new Error(`${what} failed`)) : Promise.resolve();

  const frontier: Frontier = {
    isShared: false,
    mayKeepHosts: () => setup.keepsHosts ?? false,
    recover: () => Promise.resolve({ suspects: 0, isAfterDeath: false, ...unendingLife }),
    takeSuspect: () => Promise.resolve('none'),
    leaseHosts: () => Promise.resolve([]),
    leaseUrgentHosts: () => Promise.resolve('none'),
    take: async (_, max) => {
      takes.push(max);
      await broken('take');
      return queue.splice(0, max);
    },
    settle: async (_, settlements, release) => {
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      await broken('settle');
      settled.push(settlements.map(({ request }) => request.id));
      if (!release) return;
      await broken('release');
      together++;
      released.push({ ...release, at: now() });
    },
    release: async (_, options = {}) => {
      await broken('release');
      released.push({ ...options, at: now() });
    },
    giveUp: async (_, error, notice) => {
      await broken('giveUp');
      givenUp.push({ error, notice, settled: settled.flat().length });
      return givenUp.length < (setup.giveUps ?? 1);
    },
    giveUpForBrowser: () => Promise.resolve(false),
    noteDelay: () => Promise.resolve(),
    noteNetworks: (_jobId, networks) => Promise.resolve(networks),
    crawlJob: () => Promise.resolve(undefined),
    knownUrl: () => Promise.resolve(undefined),
    endedJobs: () => Promise.resolve([]),
    waitForWork: () => Promise.resolve(),
  };
  const pacer = new Pacer({ concurrency: hostConcurrency, delayMs }, { giveUpMs: 900_000 });
  pacer.of(lease.host).notedDelayMs = setup.notedDelayMs ?? 0;
  const process: LaneParts['process'] = async (request, { aside, untilAnswered }) => {
    const pace = pacer.of(lease.host);
    starts.push(now());
    if (setup.paused?.ids.includes(request.id) === true) {
      setup.paused.because(pace, pacer);
      return undefined;
    }
    if (setup.unfetched === true) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return { request, outcome: { kind: 'discarded', reason: 'robots_disallowed' }, fetched: false };
    }
    most = Math.max(most, ++inFlight);
    await pace.enter(new AbortController().signal);
    await new Promise((resolve) => setTimeout(resolve, setup.slow?.id === request.id ? setup.slow.ms : requestMs));
    pace.observe({
      latencyMs: requestMs,
      inFlight: pace.inFlight,
      isStrained: setup.isStrained === true,
      isDown: setup.isStrained === true,
    });
    pace.leave();
    inFlight--;
    if (setup.aside?.ids.includes(request.id) === true)
      await aside(new Promise((resolve) => setTimeout(resolve, setup.aside?.ms)));
    if (setup.asked?.ids.includes(request.id) === true)
      await untilAnswered(new Promise((resolve) => setTimeout(resolve, setup.asked?.ms)), new AbortController().signal);
    if (setup.abandoned?.includes(request.id) === true) throw new Error('stopped half-way');
    pacer.learn(lease.host, setup.crawlDelaySeconds);
    return { request, outcome: { kind: 'discarded', reason: 'nofollow' }, fetched: true };
  };
  const stop = new AbortController();
  const told: number[] = [];
  const parts = {
    frontier,
    concurrency: setup.room ?? new Concurrency(concurrency),
    gathering: setup.gathering ?? new Gathering(),
    pressure: { othersWait: setup.othersWait ?? false, urgentWait: setup.urgentWait ?? false, mustEnd: false },
    pacer,
    process,
    settled: (processed: readonly Settlement[]): void => void told.push(...processed.map(({ request }) => request.id)),
    failed: () => void failures++,
    wishesOf: () => Promise.resolve({ pace: undefined, patience: { ...anyJob, ...setup.patience } }),
  };
  const other = { jobId: 'other' };
  for (let taken = 0; setup.fullForMs !== undefined && taken < concurrency; taken++) {
    parts.concurrency.tryEnter(other, () => {});
    setTimeout(() => parts.concurrency.leave(other), setup.fullForMs);
  }
  const requestsTaken = queue.splice(0, setup.taken ?? 0);
  const { restMs } = setup;
  if (restMs !== undefined) pacer.of(lease.host).pause(Date.now() + restMs);
  const held = { ...lease, mustRest: restMs !== undefined };
  const lane = new Lane({ lease: held, requests: requestsTaken, mayHaveMore: true }, parts, stop.signal);
  const done = lane.run();
  done.catch(() => {});
  return {
    done,
    add: (id: number) => queue.push(requestOf(id)),
    stop,
    starts,
    settled,
    told,
    released,
    givenUp,
    queue,
    began,
    takes,
    pressure: parts.pressure,
    most: () => most,
    together: () => together,
    failures: () => failures,
  };
}

const idsOf = (settled: readonly number[][]): number[] => settled.flat().toSorted((a, b) => a - b);
const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('Lane', () => {
  test('Lane: settles each request of its host once, and then releases the host', async () => {
    const lane = startLane({ requests: 130 });
    await vi.advanceTimersByTimeAsync(2_000);
    await lane.done;
    expect(idsOf(lane.settled)).toEqual(oneTo(130));
    expect(lane.released).toHaveLength(1);
  });

  test('Lane: reports only settled requests', async () => {
    const lane = startLane({ requests: 20, settleMs: 30, abandoned: [20] });
    await vi.advanceTimersByTimeAsync(35);
    expect(lane.told).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lane.told).toEqual(lane.settled.flat());
    expect(lane.told.length).toBeGreaterThan(0);

    const failing = startLane({ requests: 5, failing: 'settle' });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(failing.told).toEqual([]);
  });

  test('Lane: stores nothing after a failed commit, and rejects when the requests in flight have ended', async () => {
    const lane = startLane({ requests: 8, hostConcurrency: 4, requestMs: 300, failing: 'settle' });
    let isOver = false;
    lane.done.catch(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(450);
    expect(lane.failures()).toBe(1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(300);
    expect(isOver).toBe(true);
    expect([lane.settled, lane.released, lane.most()]).toEqual([[], [], 2]);
  });

  test('Lane: releases a host without work at once', async () => {
    const lane = startLane();
    await vi.advanceTimersByTimeAsync(0);
    await lane.done;
    expect(lane.released).toEqual([expect.objectContaining({ at: 0 })]);
  });

  test.each([1, 3, 8])('Lane: keeps %i requests in flight, and never more', async (hostConcurrency) => {
    const lane = startLane({ requests: 60, hostConcurrency });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lane.most()).toBe(hostConcurrency);
    expect(idsOf(lane.settled)).toEqual(oneTo(60));
  });

  test('Lane: keeps one request in flight and doubles the delay when the host is strained', async () => {
    const lane = startLane({ requests: 5, isStrained: true });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lane.most()).toBe(1);
    expect(idsOf(lane.settled)).toEqual(oneTo(5));
    // The host cannot bear even one at a time: the delay doubles.
    const gaps = lane.starts.map((at, index) => at - (lane.starts[index - 1] ?? 0)).slice(2);
    expect(gaps).toEqual([250, 500, 1_000]);
  });

  test('Lane: keeps no more requests in flight than the global concurrency', async () => {
    const lane = startLane({ requests: 30, concurrency: 2 });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lane.most()).toBe(2);
    expect(idsOf(lane.settled)).toEqual(oneTo(30));
  });

  test('Lane: continues with other requests while many wait for a browser that starts', async () => {
    const lane = startLane({ requests: 500, hostConcurrency: 4, aside: { ids: oneTo(40), ms: 3_600_000 } });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(idsOf(lane.settled)).toEqual(oneTo(500).slice(40));
    expect([lane.released.length, lane.most()]).toEqual([0, 4]);
    await vi.advanceTimersByTimeAsync(3_600_000);
    await lane.done;
    expect(idsOf(lane.settled)).toEqual(oneTo(500));
  });

  test('Lane: lets no more requests wait for a browser than may be in flight, besides those', async () => {
    const lane = startLane({ requests: 60, concurrency: 6, hostConcurrency: 4, aside: { ids: oneTo(60), ms: 10_000 } });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lane.starts.length).toBeGreaterThan(6);
    expect(lane.starts.length).toBeLessThanOrEqual(6 + 4);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(idsOf(lane.settled)).toEqual(oneTo(60));
  });

  test('Lane: fetches no further page while several wait for the model', async () => {
    const lane = startLane({ requests: 60, asked: { ids: oneTo(60), ms: 10_000 } });
    await vi.advanceTimersByTimeAsync(9_000);
    // Four that wait, and those that were in flight when the last of them began to.
    expect(lane.starts.length).toBeGreaterThanOrEqual(4);
    expect(lane.starts.length).toBeLessThanOrEqual(4 + 8);
    expect(lane.settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(idsOf(lane.settled)).toEqual(oneTo(60));
  });

  test('Lane: leaves three quarters of all places to hosts that learn nothing', async () => {
    const concurrency = new Concurrency(8);
    const learning = startLane({ requests: 30, room: concurrency, asked: { ids: oneTo(30), ms: 60_000 } });
    await vi.advanceTimersByTimeAsync(1_000);
    const other = startLane({ requests: 40, room: concurrency, requestMs: 100 });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(other.most()).toBeGreaterThanOrEqual(6);
    expect(idsOf(other.settled)).toEqual(oneTo(40));
    await vi.advanceTimersByTimeAsync(900_000);
    expect(idsOf(learning.settled)).toEqual(oneTo(30));
  });

  test('Lane: gives back the pages that wait for the model when the worker stops', async () => {
    const lane = startLane({ requests: 3, asked: { ids: [1, 2], ms: 50_000 } });
    await vi.advanceTimersByTimeAsync(1_000);
    lane.stop.abort();
    await vi.advanceTimersByTimeAsync(100);
    await lane.done;
    expect([idsOf(lane.settled), lane.released.length, lane.failures()]).toEqual([[3], 1, 0]);
  });

  test('Lane: keeps the delay between starts', async () => {
    const lane = startLane({ requests: 5, delayMs: 100 });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lane.starts).toEqual([0, 100, 200, 300, 400]);
    expect(lane.released[0]).toMatchObject({ notBefore: lane.began + 500, delayMs: 100 });
  });

  test('Lane: releases a host with a long delay, with the time when it may be requested again', async () => {
    const lane = startLane({ requests: 5, crawlDelaySeconds: 30 });
    await vi.advanceTimersByTimeAsync(500);
    await lane.done;
    expect(lane.starts).toEqual([0]);
    expect(lane.settled).toEqual([[1]]);
    expect(lane.released).toEqual([{ notBefore: lane.began + 30_000, delayMs: 30_000, at: expect.any(Number) }]);
  });

  test('Lane: takes no more requests of a host with a delay than it can start in its turn', async () => {
    const lane = startLane({ requests: 20, taken: 1, delayMs: 2_000 });
    await vi.advanceTimersByTimeAsync(500);
    await lane.done;
    expect(lane.takes).toEqual([]);
    expect(lane.settled).toEqual([[1]]);
    expect(lane.together()).toBe(1);
    expect(lane.released).toEqual([{ notBefore: lane.began + 2_000, delayMs: 2_000, at: expect.any(Number) }]);

    const quicker = startLane({ requests: 50, delayMs: 400, othersWait: true });
    await vi.advanceTimersByTimeAsync(20_000);
    await quicker.done;
    expect(quicker.starts).toHaveLength(4);
    // Two for a host that was never contacted; then what the rest of the turn can use.
    expect(quicker.takes[0]).toBe(2);
    expect(Math.max(...quicker.takes)).toBeLessThanOrEqual(4);
    expect(quicker.queue.length).toBeGreaterThanOrEqual(50 - 4 - 2);
  });

  test('Lane: settles together with the lanes of other hosts that rest', async () => {
    const gathering = new Gathering();
    const first = startLane({ requests: 1, taken: 1, delayMs: 2_000, gathering });
    await vi.advanceTimersByTimeAsync(300);
    const second = startLane({ requests: 1, taken: 1, delayMs: 2_000, gathering });
    await vi.advanceTimersByTimeAsync(100);
    expect([first.settled, second.settled]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(20);
    expect([first.settled, second.settled]).toEqual([[[1]], [[1]]]);
    await Promise.all([first.done, second.done]);
    // A commit that comes later does not make the host rest longer.
    expect(first.released).toEqual([{ notBefore: first.began + 2_000, delayMs: 2_000, at: expect.any(Number) }]);
  });

  test.each([
    ['its request is the first of a job, or one that a client waits for', { request: { isUrgent: true } }],
    ['its job had nothing else queued', { request: { isOnlyOne: true } }],
    ['its host rests for less than 800 ms', { delayMs: 700 }],
    ['other hosts wait for a lane', { othersWait: true }],
    ['urgent requests wait for a lane', { urgentWait: true }],
  ])('Lane: settles at once when %s', async (_, setup) => {
    const lane = startLane({ requests: 1, taken: 1, delayMs: 2_000, ...setup });
    await vi.advanceTimersByTimeAsync(20);
    expect(lane.settled).toEqual([[1]]);
  });

  test('Lane: settles at once when the worker stops while it waits for other lanes', async () => {
    const gathering = new Gathering();
    const lane = startLane({ requests: 1, taken: 1, delayMs: 2_000, gathering });
    await vi.advanceTimersByTimeAsync(50);
    expect(lane.settled).toEqual([]);
    lane.stop.abort();
    gathering.flush();
    await vi.advanceTimersByTimeAsync(1);
    await lane.done;
    expect(lane.settled).toEqual([[1]]);
    expect(lane.together()).toBe(1);
  });

  test('Lane: fails when the store fails after it has waited for other lanes', async () => {
    const lane = startLane({ requests: 1, taken: 1, delayMs: 2_000, failing: 'settle' });
    await vi.advanceTimersByTimeAsync(500);
    await expect(lane.done).rejects.toThrow('settle failed');
    expect(lane.failures()).toBe(1);
  });

  test('Gathering: lets everybody settle at once when two hundred outcomes wait', async () => {
    const gathering = new Gathering();
    let settled = 0;
    for (const outcomes of [100, 99]) void gathering.join(outcomes).then(() => settled++);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toBe(0);
    void gathering.join(1).then(() => settled++);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toBe(3);
    void gathering.join(1).then(() => settled++);
    await vi.advanceTimersByTimeAsync(399);
    expect(settled).toBe(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toBe(4);
  });

  test('Lane: takes many requests of a host with a delay when none of them needs a fetch', async () => {
    const lane = startLane({ requests: 200, taken: 1, delayMs: 2_000, unfetched: true });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(idsOf(lane.settled)).toEqual(oneTo(200));
    expect(Math.max(...lane.takes)).toBe(50);
    expect(lane.takes.length).toBeLessThan(50);
  });

  test('Lane: keeps a delay that was noted before the first page was fetched', async () => {
    const lane = startLane({ requests: 1, notedDelayMs: 7_000 });
    await vi.advanceTimersByTimeAsync(100);
    await lane.done;
    expect(lane.released).toMatchObject([{ delayMs: 7_000 }]);
  });

  test('Lane: releases the host after one to two seconds when other hosts wait for a lane', async () => {
    const lane = startLane({ requests: 10_000, hostConcurrency: 1, requestMs: 50, othersWait: true });
    await vi.advanceTimersByTimeAsync(11_000);
    await lane.done;
    expect(lane.released[0]!.at).toBeGreaterThanOrEqual(1_000);
    expect(lane.released[0]!.at).toBeLessThan(2_000);
    expect(idsOf(lane.settled)).toEqual(oneTo(lane.starts.length));
  });

  test('Lane: releases the host after its first page when urgent requests wait for a lane', async () => {
    const pressure = { othersWait: true, urgentWait: true };
    const lane = startLane({ requests: 10_000, hostConcurrency: 1, requestMs: 50, ...pressure });
    await vi.advanceTimersByTimeAsync(2_000);
    await lane.done;
    expect(lane.settled.flat()).toEqual([1]);
    expect(lane.released).toHaveLength(1);
  });

  test('Lane: starts all urgent requests of its host when others wait for a lane', async () => {
    const pressure = { othersWait: true, urgentWait: true, request: { isUrgent: true } };
    const lane = startLane({ requests: 3, taken: 3, hostConcurrency: 1, requestMs: 50, ...pressure });
    await vi.advanceTimersByTimeAsync(2_000);
    await lane.done;
    expect(lane.settled.flat()).toEqual([1, 2, 3]);
  });

  test('Lane: keeps its host while the global concurrency is used up, and settles a page before its turn ends', async () => {
    const lane = startLane({ requests: 1_000, concurrency: 1, fullForMs: 5_000, requestMs: 100, othersWait: true });
    await vi.advanceTimersByTimeAsync(4_900);
    expect(lane.released).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);
    await lane.done;
    expect(lane.starts[0]).toBe(5_000);
    expect(lane.settled.flat()).toContain(1);
    expect(lane.released).toHaveLength(1);
  });

  test('Lane: alternates between jobs of the same host, so that each has pages before the turn ends', async () => {
    const lane = startLane({
      requests: 20,
      taken: 20,
      requestsPerJob: 10,
      requestMs: 400,
      hostConcurrency: 1,
      othersWait: true,
    });
    await vi.advanceTimersByTimeAsync(10_000);
    await lane.done;
    expect(idsOf(lane.settled)).toEqual([1, 2, 11, 12]);
  });

  test('Lane: keeps a host that has work when no other host waits for a lane', async () => {
    const lane = startLane({ requests: 400, hostConcurrency: 1, requestMs: 50 });
    await vi.advanceTimersByTimeAsync(30_000);
    await lane.done;
    expect(lane.starts).toHaveLength(400);
    expect(lane.released).toHaveLength(1);
  });

  test('Lane: continues after its turn while a slow page keeps the host', async () => {
    const lane = startLane({
      requests: 300,
      hostConcurrency: 2,
      requestMs: 100,
      slow: { id: 2, ms: 20_000 },
      othersWait: true,
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(lane.starts.length).toBeGreaterThan(40);
    await vi.advanceTimersByTimeAsync(40_000);
    await lane.done;
  });

  test('Lane: finds newly queued requests while a slow page keeps the host', async () => {
    const lane = startLane({ requests: 2, hostConcurrency: 2, slow: { id: 2, ms: 20_000 } });
    await vi.advanceTimersByTimeAsync(2_000);
    lane.add(3);
    await vi.advanceTimersByTimeAsync(500);
    expect(lane.starts).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(40_000);
    await lane.done;
  });

  test('Lane: settles in one commit what ended during the last commit', async () => {
    const lane = startLane({ requests: 40, settleMs: 100 });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(idsOf(lane.settled)).toEqual(oneTo(40));
    expect(lane.settled.length).toBeLessThan(8);
  });

  test('Lane: gathers outcomes while more requests are in flight, and settles at once when none are', async () => {
    // From two to eight at a time: nine rounds of 10 ms, of which all but the first and the last have one commit each.
    const lane = startLane({ requests: 48 });
    await vi.advanceTimersByTimeAsync(500);
    await lane.done;
    expect(idsOf(lane.settled)).toEqual(oneTo(48));
    expect(lane.settled.length).toBeLessThanOrEqual(10);

    // One at a time: each is settled before the next is in flight.
    const slow = startLane({ requests: 5, crawlDelaySeconds: 0.5, requestMs: 10 });
    await vi.advanceTimersByTimeAsync(520);
    expect(slow.settled).toEqual([[1], [2]]);
    slow.stop.abort();
  });

  test('Lane: limits requests in flight and unsettled to twice the concurrency when the store is slow', async () => {
    const lane = startLane({ requests: 100, hostConcurrency: 4, requestMs: 1, settleMs: 300 });
    await vi.advanceTimersByTimeAsync(250);
    expect(lane.starts).toHaveLength(2 * 4);
    expect(lane.settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(20_000);
    await lane.done;
    expect(idsOf(lane.settled)).toEqual(oneTo(100));
  });

  test('Lane: limits the outcomes in one commit', async () => {
    const lane = startLane({ requests: 400, hostConcurrency: 100, requestMs: 1 });
    await vi.advanceTimersByTimeAsync(2_000);
    await lane.done;
    expect(idsOf(lane.settled)).toEqual(oneTo(400));
    expect(Math.max(...lane.settled.map((batch) => batch.length))).toBeLessThanOrEqual(32 + 100);
  });
});

describe('Lane when it is stopped', () => {
  test('Lane: settles what is in flight when it is stopped, starts nothing more, and releases the host', async () => {
    const lane = startLane({ requests: 40, hostConcurrency: 4, requestMs: 100 });
    await vi.advanceTimersByTimeAsync(150);
    const started = lane.starts.length;
    lane.stop.abort();
    expect(lane.released).toEqual([]);
    await vi.advanceTimersByTimeAsync(500);
    await lane.done;
    expect(lane.starts).toHaveLength(started);
    expect(idsOf(lane.settled)).toEqual(oneTo(started));
    expect(lane.released).toHaveLength(1);
  });

  test('Lane: does not settle a request that was aborted, and releases the host with it', async () => {
    const lane = startLane({ requests: 3, hostConcurrency: 3, abandoned: [2] });
    await vi.advanceTimersByTimeAsync(15);
    lane.stop.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    await lane.done;
    expect(idsOf(lane.settled)).not.toContain(2);
    expect(lane.released).toHaveLength(1);
  });

  test('Lane: ends at once when it is stopped during the delay', async () => {
    const lane = startLane({ requests: 3, delayMs: 900 });
    await vi.advanceTimersByTimeAsync(100);
    lane.stop.abort();
    await vi.advanceTimersByTimeAsync(0);
    await lane.done;
    expect(lane.released[0]!.at).toBe(100);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('Lane that keeps a polite host', () => {
  const polite = { delayMs: 2_000, taken: 1, keepsHosts: true };

  test.each([2_000, 1_200, 9_000])('Lane: keeps a host that rests for %i ms between its pages', async (delayMs) => {
    const lane = startLane({ ...polite, delayMs, requests: 3 });
    await vi.advanceTimersByTimeAsync(2.5 * delayMs);
    expect(lane.starts).toEqual([0, delayMs, 2 * delayMs]);
    expect(lane.released).toEqual([]);
    await vi.advanceTimersByTimeAsync(delayMs);
    await lane.done;
    expect(lane.settled).toEqual([[1], [2], [3]]);
    expect(lane.takes).toEqual([1, 1, 1]);
    expect(lane.released).toEqual([{ notBefore: lane.began + 3 * delayMs, delayMs, at: expect.any(Number) }]);
  });

  test('Lane: takes the next request only shortly before its time, together with lanes of other hosts', async () => {
    const gathering = new Gathering();
    const first = startLane({ ...polite, requests: 2, gathering });
    await vi.advanceTimersByTimeAsync(300);
    const second = startLane({ ...polite, requests: 2, gathering });
    await vi.advanceTimersByTimeAsync(1_499);
    expect([first.takes, second.takes]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(2);
    expect([first.takes, second.takes]).toEqual([[1], [1]]);
    await vi.advanceTimersByTimeAsync(600);
    expect([first.starts, second.starts]).toEqual([
      [0, 2_000],
      [0, 2_000],
    ]);
  });

  test.each(['othersWait', 'urgentWait', 'mustEnd'] as const)(
    'Lane: gives a host that rests back when %s becomes true',
    async (what) => {
      const lane = startLane({ ...polite, requests: 5 });
      await vi.advanceTimersByTimeAsync(700);
      expect(lane.released).toEqual([]);
      lane.pressure[what] = true;
      await vi.advanceTimersByTimeAsync(300);
      await lane.done;
      expect(lane.starts).toEqual([0]);
      expect(lane.released).toMatchObject([{ notBefore: lane.began + 2_000 }]);
    },
  );

  test('Lane: gives a host back half a minute after its lease, so that other processes get it', async () => {
    const lane = startLane({ ...polite, requests: 100 });
    await vi.advanceTimersByTimeAsync(33_000);
    await lane.done;
    expect(lane.starts).toHaveLength(15);
    // It took nothing that it could not begin.
    expect(lane.queue).toHaveLength(85);
    expect(lane.released).toMatchObject([{ notBefore: lane.began + 30_000 }]);
    expect(idsOf(lane.settled)).toEqual(oneTo(15));
  });

  test('Lane: gives a host that rests for too long back after each page', async () => {
    const lane = startLane({ ...polite, delayMs: 12_000, requests: 5 });
    await vi.advanceTimersByTimeAsync(500);
    await lane.done;
    expect(lane.released).toMatchObject([{ notBefore: lane.began + 12_000 }]);
  });

  test('Lane: gives a host that rests back at once when the worker stops', async () => {
    const lane = startLane({ ...polite, requests: 5 });
    await vi.advanceTimersByTimeAsync(700);
    lane.stop.abort();
    await vi.advanceTimersByTimeAsync(0);
    await lane.done;
    expect(lane.released).toMatchObject([{ at: 700 }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('Lane when its host must not be contacted', () => {
  const error = { reason: 'http_error', message: 'The site responded with 503.', statusCode: 503 } as const;
  /** The circuit is open for a minute, after failures for `forMs`. */
  const down =
    (forMs: number) =>
    (pace: HostPace): void => {
      const now = Date.now();
      const since = {
        ...pace.circuit,
        failures: 5,
        isGone: false,
        isRefusing: false,
        timesOpened: 1,
        hasFailedPages: true,
        firstPauseMs: 30_000,
        failingSince: now - forMs,
        lastFailureAt: now,
      };
      pace.circuit = { ...since, openUntil: now + 60_000, error };
    };

  test('Lane: releases the host with a notice and the time of its next request when the circuit is open', async () => {
    const lane = startLane({ requests: 40, hostConcurrency: 1, paused: { ids: [3], because: down(10) } });
    await vi.advanceTimersByTimeAsync(2_000);
    await lane.done;
    expect(lane.starts).toHaveLength(3);
    expect(idsOf(lane.settled)).toEqual([1, 2]);
    expect(lane.released).toEqual([
      {
        notBefore: lane.began + lane.starts[2]! + 60_000,
        delayMs: 0,
        notice: {
          code: 'host_unresponsive',
          message: expect.stringMatching(
            /^site\.example:80: The site responded with 503\. Nothing is fetched from it/,
          ) as string,
        },
        at: expect.any(Number) as number,
      },
    ]);
    expect(lane.givenUp).toEqual([]);
  });

  test('Lane: settles what is in flight before it releases a host with an open circuit', async () => {
    const lane = startLane({
      requests: 40,
      hostConcurrency: 4,
      requestMs: 500,
      paused: { ids: [6], because: down(10) },
    });
    await vi.advanceTimersByTimeAsync(5_000);
    await lane.done;
    expect(idsOf(lane.settled)).toEqual([1, 2, 3, 4, 5, 7].filter((id) => id <= lane.starts.length));
    expect(lane.released).toHaveLength(1);
  });

  test('Lane: releases the host without a notice when the site asked for a pause', async () => {
    const because = (pace: HostPace): void => pace.pause(Date.now() + 20_000);
    const lane = startLane({ requests: 5, hostConcurrency: 1, paused: { ids: [2], because } });
    await vi.advanceTimersByTimeAsync(1_000);
    await lane.done;
    expect(lane.released).toEqual([
      { notBefore: lane.began + lane.starts[1]! + 20_000, delayMs: 0, at: expect.any(Number) as number },
    ]);
  });

  test('Lane: gives up the requests of a host that was down for 15 minutes, in steps, and then releases the host', async () => {
    const lane = startLane({
      requests: 5,
      hostConcurrency: 2,
      requestMs: 50,
      giveUps: 3,
      paused: { ids: [3, 4], because: down(900_000) },
    });
    await vi.advanceTimersByTimeAsync(2_000);
    await lane.done;
    const told = 'The site responded with 503. It was retried for 15 minutes.';
    const step = {
      error: { ...error, message: told },
      notice: {
        code: 'host_unreachable',
        message: `site.example:80: ${told} Its URLs have failed.`,
        reason: 'http_503',
      },
      // Nothing is in flight any more.
      settled: lane.settled.flat().length,
    };
    expect(lane.givenUp).toEqual([step, step, step]);
    expect(lane.released).toHaveLength(1);
  });

  test('Lane: gives a host that has never answered the time that its job wants, and then forgets its failures', async () => {
    let pace: HostPace | undefined;
    const because = (of: HostPace): void => {
      pace = of;
      down(30_000)(of);
    };
    const patience = { unansweredMs: 30_000 };
    const lane = startLane({ requests: 2, patience, paused: { ids: [1], because } });
    await vi.advanceTimersByTimeAsync(1_000);
    await lane.done;
    expect(lane.givenUp).toMatchObject([{ error: { message: expect.stringContaining('for 30 seconds.') as string } }]);
    expect(pace?.circuit).toMatchObject({ failures: 0, openUntil: 0 });
  });

  test('Lane: waits for the host of a URL that the job found as for one that has answered', async () => {
    const patience = { isFound: true, unansweredMs: 30_000 };
    const lane = startLane({ requests: 2, patience, paused: { ids: [1], because: down(30_000) } });
    await vi.advanceTimersByTimeAsync(1_000);
    await lane.done;
    expect(lane.givenUp).toEqual([]);
  });

  test.each([
    ['ends URLs without a turn in their time', 5_000, 10_000, 1],
    ['ends no URL that gets a turn in its time', 15_000, 10_000, 0],
    ['ends no URL where only another process knows why', 5_000, 0, 0],
  ])('Lane: sends nothing to a host that must rest, and %s', async (_, urlTimeoutMs, restMs, ended) => {
    const lane = startLane({ requests: 3, taken: 1, patience: { urlTimeoutMs }, restMs });
    await vi.advanceTimersByTimeAsync(1_000);
    await lane.done;
    expect([lane.starts, lane.givenUp.length, lane.queue.length]).toEqual([[], ended, 0]);
    expect(lane.released).toHaveLength(1);
  });

  test('Lane: does not give up a host that was down for less than 15 minutes', async () => {
    const lane = startLane({ requests: 2, paused: { ids: [1], because: down(899_999) } });
    await vi.advanceTimersByTimeAsync(1_000);
    await lane.done;
    expect(lane.givenUp).toEqual([]);
    expect(lane.released).toMatchObject([{ notice: { code: 'host_unresponsive' } }]);
  });

  test('Lane: does not give up any host during a network outage, and adds the notice network_down', async () => {
    const noName = { reason: 'dns', message: 'The host name could not be resolved for now.' } as const;
    const because = (pace: HostPace, pacer: Pacer): void => {
      const failure = { kind: 'failure', error: noName, retryable: true, isLocal: true } as const;
      pacer.note(failure);
      vi.setSystemTime(Date.now() + 60_000);
      vi.advanceTimersByTime(60_000);
      pacer.note(failure);
      down(900_000)(pace);
    };
    const lane = startLane({ requests: 2, paused: { ids: [1], because } });
    await vi.advanceTimersByTimeAsync(1_000);
    await lane.done;
    expect(lane.givenUp).toEqual([]);
    expect(lane.released).toMatchObject([{ notice: { code: 'network_down' } }]);
  });

  test('Lane: rejects with the error of a store that fails to give up', async () => {
    const lane = startLane({ requests: 2, failing: 'giveUp', paused: { ids: [1], because: down(900_000) } });
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(lane.done).rejects.toThrow('giveUp failed');
  });
});

test.each(['take', 'settle', 'release'] as const)(
  'Lane: rejects with the error of a store that fails to %s',
  async (failing) => {
    const lane = startLane({ requests: 3, failing });
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(lane.done).rejects.toThrow(`${failing} failed`);
  },
);

test('Lane: rejects when a request is aborted and nobody stopped the lane', async () => {
  const lane = startLane({ requests: 3, abandoned: [2] });
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(lane.done).rejects.toThrow('stopped half-way');
});
