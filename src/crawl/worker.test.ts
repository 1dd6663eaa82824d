import { describe, expect, test } from 'vitest';
import {
  type Frontier,
  type HostLease,
  type ReleaseOptions,
  type Settlement,
  type Suspect,
  unendingLife,
} from '../core/ports/frontier.ts';
import type { Log } from '../core/ports/log.ts';
import type { Request } from '../core/request.ts';
import { anyJob, closedCircuit } from './pace/circuit-breaker.ts';
import { Pacer } from './pace/politeness.ts';
import type { RequestProcessor } from './path/process-request.ts';
import { runWorker } from './worker.ts';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** This many hosts with a page each; the `failing` method throws on every call. */
function frontierOf(
  hosts: number,
  failing?: keyof Frontier,
): { frontier: Frontier; settled: string[]; released: string[] } {
  const left = Array.from({ length: hosts }, (_, index) => index + 1);
  const taken = new Set<number>();
  const settled: string[] = [];
  const released: string[] = [];
  const requestOf = ({ hostId, host }: HostLease): Request => ({
    id: hostId,
    jobId: 'job',
    jobVersion: 1,
    kind: 'page',
    url: `http://${host}/`,
    depth: 0,
    selfFed: false,
    attempts: 0,
  });
  const may = (name: keyof Frontier): void => {
    if (name === failing) throw new Error(`${name} failed`);
  };
  const frontier: Frontier = {
    isShared: false,
    mayKeepHosts: () => true,
    recover: () => Promise.resolve({ suspects: 0, isAfterDeath: false, ...unendingLife }),
    takeSuspect: () => Promise.resolve('none'),
    giveUpForBrowser: () => Promise.resolve(false),
    leaseHosts: async ({ most = 1 } = {}) => {
      may('leaseHosts');
      return left.splice(0, most).map((hostId) => ({
        lease: { hostId, host: `h${hostId}:80`, fence: 1 },
        requests: [],
        mayHaveMore: true,
      }));
    },
    leaseUrgentHosts: () => Promise.resolve('none'),
    take: async (lease) => {
      may('take');
      if (taken.has(lease.hostId)) return [];
      taken.add(lease.hostId);
      return [requestOf(lease)];
    },
    settle: async ({ host }, _, release) => {
      may('settle');
      settled.push(host);
      if (release) released.push(host);
    },
    release: async ({ host }) => void released.push(host),
    giveUp: () => Promise.resolve(false),
    noteDelay: () => Promise.resolve(),
    noteNetworks: (_jobId, networks) => Promise.resolve(networks),
    crawlJob: () => Promise.resolve(undefined),
    knownUrl: () => Promise.resolve(undefined),
    endedJobs: () => Promise.resolve([]),
    waitForWork: (_, signal) =>
      new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve()))),
  };
  return { frontier, settled, released };
}

const options = {
  concurrency: 3,
  suspects: 0,
  pacer: new Pacer({ concurrency: 1, delayMs: 0 }, { giveUpMs: 900_000 }),
  abort: () => {},
};

function processorOf(process: RequestProcessor['process']): RequestProcessor {
  return {
    process,
    wishesOf: () => Promise.resolve({ pace: undefined, patience: anyJob }),
    areTrapped: () => Promise.resolve(false),
    settled: () => {},
  };
}

describe('runWorker', () => {
  test('runWorker: aborts and awaits the requests in flight when the store fails, settles none, and rejects', async () => {
    const { frontier, settled } = frontierOf(3);
    const aborting = new AbortController();
    let underWay = 0;
    const leaseHosts: Frontier['leaseHosts'] = async (wish) => {
      // As soon as a page is being worked on.
      if (underWay > 0) throw new Error('the store failed');
      return frontier.leaseHosts(wish);
    };
    const process = async (request: Request): Promise<Settlement> => {
      underWay++;
      await new Promise((resolve) => aborting.signal.addEventListener('abort', resolve));
      // An aborted request takes a moment to end.
      for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
      underWay--;
      if (request.id === 1) aborting.signal.throwIfAborted();
      return { request, outcome: { kind: 'failed', error: { reason: 'parse_crashed', message: '' } }, fetched: true };
    };
    const running = runWorker(
      { ...frontier, leaseHosts },
      processorOf(process),
      { ...options, abort: () => aborting.abort() },
      new AbortController().signal,
      silent,
    );
    await expect(running).rejects.toThrow('the store failed');
    expect(aborting.signal.aborted).toBe(true);
    expect(underWay).toBe(0);
    expect(settled).toEqual([]);
  });

  test('runWorker: processes at most the concurrency of hosts at a time, and all hosts in the end', async () => {
    const { frontier, settled, released } = frontierOf(10);
    const stop = new AbortController();
    let [inFlight, most] = [0, 0];
    const process = async (request: Request): Promise<Settlement> => {
      most = Math.max(most, ++inFlight);
      await new Promise(setImmediate);
      inFlight--;
      return { request, outcome: { kind: 'discarded', reason: 'nofollow' }, fetched: true };
    };
    const done = runWorker(frontier, processorOf(process), options, stop.signal, silent);
    await expect.poll(() => released.length, { interval: 5 }).toBe(10);
    stop.abort();
    await done;
    expect(new Set(settled).size).toBe(10);
    expect(most).toBe(3);
  });

  test('runWorker: doubles the hosts of each lease while a lease finds as many as it may', async () => {
    const { frontier, settled } = frontierOf(100);
    const stop = new AbortController();
    const wanted: number[] = [];
    const slow: Frontier = {
      ...frontier,
      leaseHosts: async (wish) => {
        wanted.push(wish?.most ?? 1);
        await new Promise(setImmediate);
        return frontier.leaseHosts(wish);
      },
    };
    const process = async (request: Request): Promise<Settlement> => {
      if (settled.length >= 90) stop.abort();
      return { request, outcome: { kind: 'discarded', reason: 'nofollow' }, fetched: true };
    };
    await runWorker(slow, processorOf(process), { ...options, concurrency: 64 }, stop.signal, silent);
    expect(settled.length).toBeGreaterThanOrEqual(90);
    expect(wanted.slice(0, 4)).toEqual([1, 2, 4, 8]);
  });

  test('runWorker: releases all leased hosts when a lease fails', async () => {
    const { frontier, released } = frontierOf(30);
    const leased: string[] = [];
    let leases = 0;
    const failing: Frontier = {
      ...frontier,
      leaseHosts: async (wish) => {
        if (++leases === 5) throw new Error('leaseHosts failed');
        const some = await frontier.leaseHosts(wish);
        leased.push(...some.map(({ lease }) => lease.host));
        return some;
      },
    };
    const process = async (request: Request): Promise<Settlement> => {
      await new Promise(setImmediate);
      return { request, outcome: { kind: 'discarded', reason: 'nofollow' }, fetched: true };
    };
    const stop = new AbortController();
    const work = runWorker(failing, processorOf(process), { ...options, concurrency: 64 }, stop.signal, silent);
    await expect(work).rejects.toThrow('leaseHosts failed');
    expect(leased.length).toBeGreaterThan(11);
    expect(released.toSorted()).toEqual(leased.toSorted());
  });

  test('runWorker: settles what is in flight when it is stopped, and releases the host', async () => {
    const { frontier, settled, released } = frontierOf(1);
    const stop = new AbortController();
    const process = async (request: Request): Promise<Settlement> => {
      stop.abort();
      await new Promise(setImmediate);
      return { request, outcome: { kind: 'discarded', reason: 'nofollow' }, fetched: true };
    };
    await runWorker(frontier, processorOf(process), options, stop.signal, silent);
    expect([settled, released]).toEqual([['h1:80'], ['h1:80']]);
  });

  test.each(['leaseHosts', 'take', 'settle'] as const)(
    'runWorker: rejects with the error of a store that fails to %s',
    async (failing) => {
      const { frontier } = frontierOf(2, failing);
      const process = (request: Request): Promise<Settlement> =>
        Promise.resolve({ request, outcome: { kind: 'discarded', reason: 'nofollow' }, fetched: true });
      await expect(
        runWorker(frontier, processorOf(process), options, new AbortController().signal, silent),
      ).rejects.toThrow(`${failing} failed`);
    },
  );
});

describe('runWorker: suspects', () => {
  const suspectLease: HostLease = { hostId: 99, host: 'suspect:80', fence: 1 };
  const suspectRequest: Request = {
    id: 99,
    jobId: 'job',
    jobVersion: 1,
    kind: 'page',
    url: 'http://suspect/',
    depth: 0,
    selfFed: false,
    attempts: 0,
  };
  const isSuspect = (request: Request): boolean => request.url === suspectRequest.url;
  const discard = (request: Request): Settlement => ({
    request,
    outcome: { kind: 'discarded', reason: 'nofollow' },
    fetched: true,
  });

  /** The results of `takeSuspect`, in order; then there is none. */
  function frontierWith(
    hosts: number,
    answers: readonly (Suspect | 'later')[],
  ): ReturnType<typeof frontierOf> & {
    readonly asked: () => number;
    readonly releases: (ReleaseOptions | undefined)[];
  } {
    const base = frontierOf(hosts);
    const left = [...answers];
    const releases: (ReleaseOptions | undefined)[] = [];
    let asked = 0;
    const frontier: Frontier = {
      ...base.frontier,
      takeSuspect: async () => {
        asked++;
        return left.shift() ?? 'none';
      },
      release: async (lease, release) => {
        if (lease === suspectLease) releases.push(release);
        await base.frontier.release(lease);
      },
      waitForWork: () => new Promise(setImmediate),
    };
    return { ...base, frontier, asked: () => asked, releases };
  }

  test('runWorker: tries suspects next to the lanes, one at a time', async () => {
    const suspect = { lease: suspectLease, request: suspectRequest, isAlone: false };
    const { frontier, settled, released, asked } = frontierWith(8, [suspect, suspect]);
    const stop = new AbortController();
    let [inFlight, suspects, mostSuspects, mostBeside] = [0, 0, 0, 0];
    const process = async (request: Request): Promise<Settlement> => {
      inFlight++;
      if (isSuspect(request)) mostSuspects = Math.max(mostSuspects, ++suspects);
      for (let turns = 0; turns < 20; turns++) {
        await new Promise(setImmediate);
        if (isSuspect(request)) mostBeside = Math.max(mostBeside, inFlight - 1);
      }
      if (isSuspect(request)) suspects--;
      inFlight--;
      return discard(request);
    };
    const done = runWorker(frontier, processorOf(process), { ...options, suspects: 2 }, stop.signal, silent);
    await expect.poll(() => released.length, { interval: 5 }).toBe(10);
    await expect.poll(asked).toBe(3);
    stop.abort();
    await done;
    expect(mostSuspects).toBe(1);
    // It counts among the three requests in flight.
    expect(mostBeside).toBe(2);
    expect(settled).toHaveLength(10);
  });

  test('runWorker: tries a suspect that must be alone while nothing else is in flight', async () => {
    const suspect = { lease: suspectLease, request: suspectRequest, isAlone: true };
    // Two lanes are at work when a suspect can be tried.
    const { frontier, settled, released, asked } = frontierWith(8, ['later', 'later', suspect]);
    const stop = new AbortController();
    let [inFlight, most] = [0, 0];
    const besides: number[] = [];
    const process = async (request: Request): Promise<Settlement> => {
      most = Math.max(most, ++inFlight);
      if (isSuspect(request)) besides.push(inFlight - 1);
      for (let turns = 0; turns < 20; turns++) {
        await new Promise(setImmediate);
        if (isSuspect(request)) besides.push(inFlight - 1);
      }
      inFlight--;
      return discard(request);
    };
    const done = runWorker(frontier, processorOf(process), { ...options, suspects: 1 }, stop.signal, silent);
    await expect.poll(() => released.length, { interval: 5 }).toBe(9);
    stop.abort();
    await done;
    expect(new Set(besides)).toEqual(new Set([0]));
    expect(besides).toHaveLength(21);
    expect(most).toBe(3);
    expect(settled).toHaveLength(9);
    expect(settled.indexOf('suspect:80')).toBeGreaterThanOrEqual(2);
    // Once there is no suspect, the worker does not look again.
    expect(asked()).toBe(4);
  });

  test('runWorker: retries a suspect after the pause of its host, and continues with other hosts meanwhile', async () => {
    const suspect = { lease: suspectLease, request: suspectRequest, isAlone: true };
    const { frontier: base, settled, released, releases } = frontierWith(2, []);
    const stop = new AbortController();
    let tries = 0;
    const pausedUntil = Date.now() + 1_500;
    const frontier: Frontier = {
      ...base,
      takeSuspect: async () => {
        if (tries > 1) return 'none';
        return tries === 1 && Date.now() < pausedUntil ? 'later' : suspect;
      },
    };
    const process = async (request: Request): Promise<Settlement | undefined> => {
      if (!isSuspect(request) || ++tries > 1) return discard(request);
      options.pacer.of(suspectLease.host).pause(pausedUntil);
      return undefined;
    };
    const done = runWorker(frontier, processorOf(process), { ...options, suspects: 1 }, stop.signal, silent);
    await expect.poll(() => released.length, { interval: 5, timeout: 60_000 }).toBe(4);
    stop.abort();
    await done;
    expect(tries).toBe(2);
    expect(settled).toHaveLength(3);
    expect(settled.at(-1)).toBe('suspect:80');
    expect(releases[0]?.notBefore).toBe(pausedUntil);
  });

  test('runWorker: gives up the requests of the host of a suspect that has not responded for too long', async () => {
    const given: string[] = [];
    const { frontier } = frontierWith(0, [{ lease: suspectLease, request: suspectRequest, isAlone: true }]);
    const stop = new AbortController();
    const giveUp: Frontier['giveUp'] = async (lease, _, { code }) => {
      given.push(`${lease.host} ${code}`);
      stop.abort();
      return false;
    };
    const pacer = new Pacer({ concurrency: 1, delayMs: 0 }, { giveUpMs: 1 });
    const gone = { reason: 'connect', message: 'No connection could be made.' } as const;
    const process = async (): Promise<undefined> => {
      const pace = pacer.of(suspectLease.host);
      pace.circuit = {
        ...closedCircuit,
        failures: 5,
        failingSince: 1,
        lastFailureAt: 100,
        openUntil: 100,
        error: gone,
      };
    };
    await runWorker(
      { ...frontier, giveUp },
      processorOf(process),
      { ...options, pacer, suspects: 1 },
      stop.signal,
      silent,
    );
    expect(given).toEqual(['suspect:80 host_unreachable']);
  });

  test('runWorker: releases a suspect untried when it is stopped', async () => {
    const { frontier, settled, releases } = frontierWith(0, [
      { lease: suspectLease, request: suspectRequest, isAlone: true },
    ]);
    const stop = new AbortController();
    const process = async (): Promise<Settlement> => {
      stop.abort();
      throw new Error('aborted');
    };
    await runWorker(frontier, processorOf(process), { ...options, suspects: 1 }, stop.signal, silent);
    expect(settled).toEqual([]);
    expect(releases).toHaveLength(1);
  });

  test('runWorker: rejects when the store fails while a suspect is tried', async () => {
    const { frontier } = frontierWith(0, [{ lease: suspectLease, request: suspectRequest, isAlone: true }]);
    const process = (): Promise<Settlement> => Promise.reject(new Error('the store failed'));
    const running = runWorker(
      frontier,
      processorOf(process),
      { ...options, suspects: 1 },
      new AbortController().signal,
      silent,
    );
    await expect(running).rejects.toThrow('the store failed');
  });
});
