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
import { Lane } from './lane.ts';
import type { HostPace } from './pace/host-pace.ts';
import { Pacer } from './pace/politeness.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const lease: HostLease = { hostId: 1, host: 'site.example:80', fence: 7, share: 1 };

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
  /** The lease's share of the host. @default 1 */
  readonly share?: number;
  /** The host asks for a pause with the answer to this request. */
  readonly asksForPause?: { readonly id: number; readonly ms: number };
  /** The holder of another part was asked for a pause at this time. */
  readonly othersPause?: { readonly from: number; readonly ms: number };
  /** Hosts wait for a lane. @default false */
  readonly othersWait?: boolean;
  readonly urgentWait?: boolean;
  /** Until then there is no room over all hosts. */
  readonly fullForMs?: number;
  /** This many requests belong to a job of their own each. @default all belong to one */
  readonly requestsPerJob?: number;
  /** How often there is more to give up. */
  readonly giveUps?: number;
  readonly failing?: 'take' | 'settle' | 'release' | 'giveUp';
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
  });
  const queue = Array.from({ length: requests }, (_, index) => requestOf(index + 1));
  const began = Date.now();
  const now = (): number => Date.now() - began;
  const starts: number[] = [];
  const settled: number[][] = [];
  const released: (ReleaseOptions & { at: number })[] = [];
  const givenUp: { error: CrawlError; notice: Notice; settled: number }[] = [];
  const takes: number[] = [];
  const sharedPauses: { readonly at: number; readonly pauseMs: number }[] = [];
  let [together, failures] = [0, 0];
  let [inFlight, most] = [0, 0];
  const broken = (what: string): Promise<void> =>
    setup.failing === what ? Promise.reject(new Error(`${what} failed`)) : Promise.resolve();

  const frontier: Frontier = {
    isShared: false,
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
    sharePause: (_, pauseMs) => {
      const { from = Number.POSITIVE_INFINITY, ms = 0 } = setup.othersPause ?? {};
      sharedPauses.push({ at: now(), pauseMs: Math.round(pauseMs) });
      return Promise.resolve(now() < from ? 0 : Math.max(0, from + ms - now()));
    },
    noteDelay: () => Promise.resolve(),
    noteNetworks: (_jobId, networks) => Promise.resolve(networks),
    crawlJob: () => Promise.resolve(undefined),
    knownUrl: () => Promise.resolve(undefined),
    endedJobs: () => Promise.resolve([]),
    waitForWork: () => Promise.resolve(),
  };
  const pacer = new Pacer({ concurrency: hostConcurrency, delayMs }, { giveUpMs: 900_000 });
  pacer.of(lease.host).notedDelayMs = setup.notedDelayMs ?? 0;
  const process = async (request: Request): Promise<Settlement | undefined> => {
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
    if (setup.asksForPause?.id === request.id) pace.pause(Date.now() + setup.asksForPause.ms);
    if (setup.abandoned?.includes(request.id) === true) throw new Error('stopped half-way');
    pacer.learn(lease.host, setup.crawlDelaySeconds);
    return { request, outcome: { kind: 'discarded', reason: 'nofollow' }, fetched: true };
  };
  const stop = new AbortController();
  const told: number[] = [];
  const parts = {
    frontier,
    concurrency: new Concurrency(concurrency),
    crowd: { othersWait: setup.othersWait ?? false, urgentWait: setup.urgentWait ?? false, mustEnd: false },
    pacer,
    process,
    settled: (processed: readonly Settlement[]): void => void told.push(...processed.map(({ request }) => request.id)),
    failed: () => void failures++,
    paceOf: () => Promise.resolve(undefined),
  };
  const other = { jobId: 'other' };
  for (let taken = 0; setup.fullForMs !== undefined && taken < concurrency; taken++) {
    parts.concurrency.tryEnter(other, () => {});
    setTimeout(() => parts.concurrency.leave(other), setup.fullForMs);
  }
  const held = { ...lease, share: setup.share ?? 1 };
  const requestsTaken = queue.splice(0, setup.taken ?? 0);
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
    sharedPauses,
    most: () => most,
    together: () => together,
    failures: () => failures,
  };
}

const idsOf = (settled: readonly number[][]): number[] => settled.flat().toSorted((a, b) => a - b);
const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('a lane', () => {
  test('works on all that its host has, settles each once, and gives the host back', async () => {
    const lane = startLane({ requests: 130 });
    await vi.advanceTimersByTimeAsync(2_000);
    await lane.done;
    expect(idsOf(lane.settled)).toEqual(oneTo(130));
    expect(lane.released).toHaveLength(1);
  });

  test('tells of what was settled, and only of that', async () => {
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

  test('that the store failed ends when what was in flight has ended, and stores nothing more', async () => {
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

  test('gives a host without work back at once', async () => {
    const lane = startLane();
    await vi.advanceTimersByTimeAsync(0);
    await lane.done;
    expect(lane.released).toEqual([expect.objectContaining({ at: 0 })]);
  });

  test.each([1, 3, 8])('has never more than %i in flight, and as many as that', async (hostConcurrency) => {
    const lane = startLane({ requests: 60, hostConcurrency });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lane.most()).toBe(hostConcurrency);
    expect(idsOf(lane.settled)).toEqual(oneTo(60));
  });

  test('has one at a time in flight at a host that shows strain', async () => {
    const lane = startLane({ requests: 5, isStrained: true });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lane.most()).toBe(1);
    expect(idsOf(lane.settled)).toEqual(oneTo(5));
    // The host cannot bear even one at a time: the delay doubles.
    const gaps = lane.starts.map((at, index) => at - (lane.starts[index - 1] ?? 0)).slice(2);
    expect(gaps).toEqual([250, 500, 1_000]);
  });

  test('never has more in flight than there is room over all hosts', async () => {
    const lane = startLane({ requests: 30, concurrency: 2 });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lane.most()).toBe(2);
    expect(idsOf(lane.settled)).toEqual(oneTo(30));
  });

  test('keeps the delay between starts', async () => {
    const lane = startLane({ requests: 5, delayMs: 100 });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lane.starts).toEqual([0, 100, 200, 300, 400]);
    expect(lane.released[0]).toMatchObject({ notBefore: lane.began + 500, delayMs: 100 });
  });

  test('gives a host back that wants a long pause, and says until when', async () => {
    const lane = startLane({ requests: 5, crawlDelaySeconds: 30 });
    await vi.advanceTimersByTimeAsync(100);
    await lane.done;
    expect(lane.starts).toEqual([0]);
    expect(lane.settled).toEqual([[1]]);
    expect(lane.released).toEqual([{ notBefore: lane.began + 30_000, delayMs: 30_000, at: expect.any(Number) }]);
  });

  test('takes no more of a polite host than it can begin, and gives it back with what came of it', async () => {
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

  test('takes many of a polite host where nobody is asked for any of them', async () => {
    const lane = startLane({ requests: 200, taken: 1, delayMs: 2_000, unfetched: true });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(idsOf(lane.settled)).toEqual(oneTo(200));
    expect(Math.max(...lane.takes)).toBe(50);
    expect(lane.takes.length).toBeLessThan(50);
  });

  test('does not forget a delay that was noted before the first page was fetched', async () => {
    const lane = startLane({ requests: 1, notedDelayMs: 7_000 });
    await vi.advanceTimersByTimeAsync(100);
    await lane.done;
    expect(lane.released).toMatchObject([{ delayMs: 7_000 }]);
  });

  test('lets hosts that wait for a lane have their turn after one to two seconds', async () => {
    const lane = startLane({ requests: 10_000, hostConcurrency: 1, requestMs: 50, othersWait: true });
    await vi.advanceTimersByTimeAsync(11_000);
    await lane.done;
    expect(lane.released[0]!.at).toBeGreaterThanOrEqual(1_000);
    expect(lane.released[0]!.at).toBeLessThan(2_000);
    expect(idsOf(lane.settled)).toEqual(oneTo(lane.starts.length));
  });

  test('ends its turn soon while urgent requests wait for a lane', async () => {
    const crowd = { othersWait: true, urgentWait: true };
    const lane = startLane({ requests: 10_000, hostConcurrency: 1, requestMs: 50, ...crowd });
    await vi.advanceTimersByTimeAsync(2_000);
    await lane.done;
    expect(lane.released[0]!.at).toBeGreaterThanOrEqual(250);
    expect(lane.released[0]!.at).toBeLessThan(600);
    expect(lane.settled.flat()).toContain(1);
  });

  test('keeps its place while there is no room for any of its requests, and has a page before its turn ends', async () => {
    const lane = startLane({ requests: 1_000, concurrency: 1, fullForMs: 5_000, requestMs: 100, othersWait: true });
    await vi.advanceTimersByTimeAsync(4_900);
    expect(lane.released).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);
    await lane.done;
    expect(lane.starts[0]).toBe(5_000);
    expect(lane.settled.flat()).toContain(1);
    expect(lane.released).toHaveLength(1);
  });

  test('jobs that share a host alternate, so that each has pages before the turn ends', async () => {
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

  test('keeps a host that has work while nobody waits for a lane', async () => {
    const lane = startLane({ requests: 400, hostConcurrency: 1, requestMs: 50 });
    await vi.advanceTimersByTimeAsync(30_000);
    await lane.done;
    expect(lane.starts).toHaveLength(400);
    expect(lane.released).toHaveLength(1);
  });

  test('works on when its turn is over while a slow page keeps the host', async () => {
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

  test('finds what was queued while a slow page keeps the host', async () => {
    const lane = startLane({ requests: 2, hostConcurrency: 2, slow: { id: 2, ms: 20_000 } });
    await vi.advanceTimersByTimeAsync(2_000);
    lane.add(3);
    await vi.advanceTimersByTimeAsync(500);
    expect(lane.starts).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(40_000);
    await lane.done;
  });

  test('settles together what came in during the last commit', async () => {
    const lane = startLane({ requests: 40, settleMs: 100 });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(idsOf(lane.settled)).toEqual(oneTo(40));
    expect(lane.settled.length).toBeLessThan(8);
  });

  test('gathers for a moment after a commit while more is in flight, and keeps nothing back when nothing is', async () => {
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

  test('has no more in flight and waiting for a slow store than twice what may be in flight', async () => {
    const lane = startLane({ requests: 100, hostConcurrency: 4, requestMs: 1, settleMs: 300 });
    await vi.advanceTimersByTimeAsync(250);
    expect(lane.starts).toHaveLength(2 * 4);
    expect(lane.settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(20_000);
    await lane.done;
    expect(idsOf(lane.settled)).toEqual(oneTo(100));
  });

  test('does not gather more than a commit is to hold', async () => {
    const lane = startLane({ requests: 400, hostConcurrency: 100, requestMs: 1 });
    await vi.advanceTimersByTimeAsync(2_000);
    await lane.done;
    expect(idsOf(lane.settled)).toEqual(oneTo(400));
    expect(Math.max(...lane.settled.map((batch) => batch.length))).toBeLessThanOrEqual(32 + 100);
  });
});

describe('a lane that is stopped', () => {
  test('finishes and settles what is in flight, starts nothing more, and then gives the host back with the rest', async () => {
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

  test('does not settle a request that was abandoned: it goes back with the host', async () => {
    const lane = startLane({ requests: 3, hostConcurrency: 3, abandoned: [2] });
    await vi.advanceTimersByTimeAsync(15);
    lane.stop.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    await lane.done;
    expect(idsOf(lane.settled)).not.toContain(2);
    expect(lane.released).toHaveLength(1);
  });

  test('that waits for the delay ends without waiting', async () => {
    const lane = startLane({ requests: 3, delayMs: 900 });
    await vi.advanceTimersByTimeAsync(100);
    lane.stop.abort();
    await vi.advanceTimersByTimeAsync(0);
    await lane.done;
    expect(lane.released[0]!.at).toBe(100);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a lane whose host must not be contacted now', () => {
  const error = { reason: 'http_error', message: 'The site responded with 503.', statusCode: 503 } as const;
  /** The circuit is open for a minute, after failures for `forMs`. */
  const down =
    (forMs: number) =>
    (pace: HostPace): void => {
      const now = Date.now();
      const since = {
        failures: 5,
        isGone: false,
        timesOpened: 1,
        hasFailedPages: true,
        firstPauseMs: 30_000,
        failingSince: now - forMs,
        lastFailureAt: now,
      };
      pace.circuit = { ...since, openUntil: now + 60_000, error };
    };

  test('hands back what was taken, starts nothing more, and says why and until when', async () => {
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
          code: 'host_unreachable',
          message: expect.stringMatching(
            /^site\.example:80: The site responded with 503\. Nothing is fetched from it/,
          ) as string,
        },
        at: expect.any(Number) as number,
      },
    ]);
    expect(lane.givenUp).toEqual([]);
  });

  test('settles first what was in flight', async () => {
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

  test('has nothing to tell where the site only asked for a pause', async () => {
    const because = (pace: HostPace): void => pace.pause(Date.now() + 20_000);
    const lane = startLane({ requests: 5, hostConcurrency: 1, paused: { ids: [2], because } });
    await vi.advanceTimersByTimeAsync(1_000);
    await lane.done;
    expect(lane.released).toEqual([
      { notBefore: lane.began + lane.starts[1]! + 20_000, delayMs: 0, at: expect.any(Number) as number },
    ]);
  });

  test('gives up what is left of one that was down for too long, step by step, before it gives the host back', async () => {
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
      notice: { code: 'host_given_up', message: `site.example:80: ${told} Its URLs have failed.` },
      // Nothing is in flight any more.
      settled: lane.settled.flat().length,
    };
    expect(lane.givenUp).toEqual([step, step, step]);
    expect(lane.released).toHaveLength(1);
  });

  test('does not give up on one that was down for a little less', async () => {
    const lane = startLane({ requests: 2, paused: { ids: [1], because: down(899_999) } });
    await vi.advanceTimersByTimeAsync(1_000);
    await lane.done;
    expect(lane.givenUp).toEqual([]);
    expect(lane.released).toMatchObject([{ notice: { code: 'host_unreachable' } }]);
  });

  test('does not give up on anybody while nobody can be reached, and tells the jobs that', async () => {
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

  test('ends with the error of a store that cannot give up', async () => {
    const lane = startLane({ requests: 2, failing: 'giveUp', paused: { ids: [1], because: down(900_000) } });
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(lane.done).rejects.toThrow('giveUp failed');
  });
});

describe('a lane on a part of a host', () => {
  const part = { share: 0.5, requests: 1_000, taken: 50, requestMs: 50 };

  test('stops what it holds soon after the holder of another part was asked for a pause', async () => {
    const lane = startLane({ ...part, othersPause: { from: 300, ms: 60_000 } });
    await vi.advanceTimersByTimeAsync(2_000);
    await lane.done;
    expect(lane.starts.length).toBeGreaterThan(5);
    expect(lane.starts.at(-1)).toBeLessThanOrEqual(300 + 250);
    expect(lane.released.map(({ notBefore = 0 }) => notBefore - lane.began)).toEqual([60_300]);
  });

  test('tells the others of a pause at once, and once', async () => {
    const lane = startLane({ ...part, asksForPause: { id: 3, ms: 60_000 }, slow: { id: 4, ms: 3_000 } });
    await vi.advanceTimersByTimeAsync(5_000);
    await lane.done;
    const told = lane.sharedPauses.filter(({ pauseMs }) => pauseMs > 0);
    expect(told).toEqual([{ at: 100, pauseMs: 60_000 }]);
  });

  test('passes on no pause that it was told', async () => {
    const lane = startLane({ ...part, othersPause: { from: 300, ms: 600 } });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lane.sharedPauses.every(({ pauseMs }) => pauseMs === 0)).toBe(true);
    // A short pause is waited for.
    expect(lane.starts.some((at) => at >= 900)).toBe(true);
    expect(lane.starts.filter((at) => at > 300 + 250 && at < 900)).toEqual([]);
  });

  test('asks nobody if the host is leased as a whole', async () => {
    const lane = startLane({ ...part, share: 1, requests: 100 });
    await vi.advanceTimersByTimeAsync(5_000);
    await lane.done;
    expect(lane.sharedPauses).toEqual([]);
  });
});

test.each(['take', 'settle', 'release'] as const)(
  'a store that fails to %s ends the lane with its error',
  async (failing) => {
    const lane = startLane({ requests: 3, failing });
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(lane.done).rejects.toThrow(`${failing} failed`);
  },
);

test('a request that is abandoned though nobody asked to stop ends the lane: the store could not be read', async () => {
  const lane = startLane({ requests: 3, abandoned: [2] });
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(lane.done).rejects.toThrow('stopped half-way');
});
