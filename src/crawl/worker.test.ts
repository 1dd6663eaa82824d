import { describe, expect, test } from 'vitest';
import type { Frontier, HostLease, Settlement } from '../core/frontier.ts';
import type { Log } from '../core/log.ts';
import type { Request } from '../core/request.ts';
import { Pacer } from './politeness.ts';
import { runWorker } from './worker.ts';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** So many hosts with a page each; `failing` throws, whoever calls it. */
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
    attempts: 0,
  });
  const may = (name: keyof Frontier): void => {
    if (name === failing) throw new Error(`${name} failed`);
  };
  const frontier: Frontier = {
    recover: () => Promise.resolve({ suspects: 0 }),
    takeSuspect: () => Promise.resolve('none'),
    leaseHost: async () => {
      may('leaseHost');
      const hostId = left.shift();
      return hostId === undefined ? undefined : { hostId, host: `h${hostId}:80`, fence: 1 };
    },
    take: async (lease) => {
      may('take');
      if (taken.has(lease.hostId)) return [];
      taken.add(lease.hostId);
      return [requestOf(lease)];
    },
    settle: async ({ host }) => {
      may('settle');
      settled.push(host);
    },
    release: async ({ host }) => void released.push(host),
    giveUp: () => Promise.resolve(false),
    noteDelay: () => Promise.resolve(),
    crawlJob: () => Promise.resolve(undefined),
    waitForWork: (_, signal) =>
      new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve()))),
  };
  return { frontier, settled, released };
}

const options = {
  concurrency: 3,
  suspects: 0,
  pacer: new Pacer({ concurrency: 1, delayMs: 0 }, { giveUpMs: 900_000 }),
};

describe('the worker', () => {
  test('works on as many hosts at a time as it may, and on all of them in the end', async () => {
    const { frontier, settled, released } = frontierOf(10);
    const stop = new AbortController();
    let [inFlight, most] = [0, 0];
    const process = async (request: Request): Promise<Settlement> => {
      most = Math.max(most, ++inFlight);
      await new Promise(setImmediate);
      inFlight--;
      return { request, outcome: { kind: 'discarded', reason: 'nofollow' }, fetched: true };
    };
    const done = runWorker(frontier, { process }, options, stop.signal, silent);
    await expect.poll(() => released.length, { interval: 5 }).toBe(10);
    stop.abort();
    await done;
    expect(new Set(settled).size).toBe(10);
    expect(most).toBe(3);
  });

  test('stops in order: what is in flight is settled first', async () => {
    const { frontier, settled, released } = frontierOf(1);
    const stop = new AbortController();
    const process = async (request: Request): Promise<Settlement> => {
      stop.abort();
      await new Promise(setImmediate);
      return { request, outcome: { kind: 'discarded', reason: 'nofollow' }, fetched: true };
    };
    await runWorker(frontier, { process }, options, stop.signal, silent);
    expect([settled, released]).toEqual([['h1:80'], ['h1:80']]);
  });

  test.each(['leaseHost', 'take', 'settle'] as const)(
    'ends with the error of a store that fails to %s',
    async (failing) => {
      const { frontier } = frontierOf(2, failing);
      const process = (request: Request): Promise<Settlement> =>
        Promise.resolve({ request, outcome: { kind: 'discarded', reason: 'nofollow' }, fetched: true });
      await expect(runWorker(frontier, { process }, options, new AbortController().signal, silent)).rejects.toThrow(
        `${failing} failed`,
      );
    },
  );
});
