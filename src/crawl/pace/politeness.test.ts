import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Fetcher, FetchFailure, FetchResult } from '../../core/ports/fetcher.ts';
import { readFetchedHeaders } from '../../fetch/response/response-head.ts';
import { HostPace } from './host-pace.ts';
import { createPoliteFetcher, limitsFor, Pacer } from './politeness.ts';
import { allocateOwned } from '../../core/bytes/owned-bytes.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const circuitPolicy = { giveUpMs: 900_000 };

describe('limitsFor', () => {
  test.each([
    ['without Crawl-delay returns the limits of the operator', undefined, { concurrency: 8, delayMs: 100 }],
    ['with a Crawl-delay of zero returns the limits of the operator', 0, { concurrency: 8, delayMs: 100 }],
    ['with a longer Crawl-delay returns it, with one request at a time', 2.5, { concurrency: 1, delayMs: 2_500 }],
    [
      'with a shorter Crawl-delay returns the delay of the operator, with one request at a time',
      0.05,
      { concurrency: 1, delayMs: 100 },
    ],
  ])('limitsFor: %s', (_, crawlDelay, expected) => {
    expect(limitsFor({ concurrency: 8, delayMs: 100 }, crawlDelay)).toEqual(expected);
  });
});

/** The start times, from now, of requests that are all made now. */
async function startsOf(pace: HostPace, count: number, forMs: number, tookMs = 0): Promise<number[]> {
  const began = Date.now();
  const starts: number[] = [];
  for (let n = 0; n < count; n++) {
    void pace.enter(never).then(() => {
      starts.push(Date.now() - began);
      setTimeout(() => pace.leave(), tookMs);
    });
  }
  await vi.advanceTimersByTimeAsync(forMs);
  return starts;
}

describe('HostPace', () => {
  test('HostPace: admits one request at a time until robots.txt is known', async () => {
    expect(
      await startsOf(new HostPace('site.example:80', { concurrency: 8, delayMs: 0 }, circuitPolicy), 3, 250, 100),
    ).toEqual([0, 100, 200]);
  });

  test('HostPace: admits as many requests as allowed when robots.txt is known', async () => {
    const pacer = new Pacer({ concurrency: 2, delayMs: 0 }, circuitPolicy);
    pacer.learn('h:80', undefined);
    expect(await startsOf(pacer.of('h:80'), 5, 250, 100)).toEqual([0, 0, 100, 100, 200]);
  });

  test('HostPace: keeps the delay between starts when many requests wait', async () => {
    const pacer = new Pacer({ concurrency: 8, delayMs: 100 }, circuitPolicy);
    pacer.learn('h:80', undefined);
    expect(await startsOf(pacer.of('h:80'), 4, 1_000)).toEqual([0, 100, 200, 300]);
  });

  test('HostPace: applies a Crawl-delay to the next request when it becomes known', async () => {
    const pacer = new Pacer({ concurrency: 8, delayMs: 0 }, circuitPolicy);
    await startsOf(pacer.of('h:80'), 1, 10);
    pacer.learn('h:80', 2);
    expect(await startsOf(pacer.of('h:80'), 2, 10_000)).toEqual([1_990, 3_990]);
  });

  test('HostPace: admits no request during the longest pause that the site asked for', async () => {
    const pace = new HostPace('site.example:80', { concurrency: 1, delayMs: 0 }, circuitPolicy);
    pace.pause(Date.now() + 900);
    pace.pause(Date.now() + 500);
    expect(await startsOf(pace, 1, 10_000)).toEqual([900]);
  });

  test('HostPace.enter: rejects at once when the pause is long', async () => {
    const pace = new HostPace('site.example:80', { concurrency: 1, delayMs: 0 }, circuitPolicy);
    pace.pause(Date.now() + 5_000);
    await expect(pace.enter(never)).rejects.toMatchObject({ host: 'site.example:80', until: Date.now() + 5_000 });
  });

  test('Pacer: does not delay requests to other hosts', async () => {
    const pacer = new Pacer({ concurrency: 1, delayMs: 1_000 }, circuitPolicy);
    const [one, other] = await Promise.all([
      startsOf(pacer.of('a:80'), 2, 2_000),
      startsOf(pacer.of('b:80'), 2, 2_000),
    ]);
    expect([one, other]).toEqual([
      [0, 1_000],
      [0, 1_000],
    ]);
  });

  test('HostPace.enter: rejects a waiting request when its signal is aborted', async () => {
    const pace = new HostPace('site.example:80', { concurrency: 1, delayMs: 60_000 }, circuitPolicy);
    await pace.enter(never);
    const stop = new AbortController();
    const waiting = pace.enter(stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow('aborted');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('Pacer: keeps a paused host when it forgets others', () => {
    const pacer = new Pacer({ concurrency: 1, delayMs: 0 }, circuitPolicy);
    pacer.of('slow:80').pause(Date.now() + 60_000);
    const slow = pacer.of('slow:80');
    for (let n = 0; n < 20_001; n++) pacer.of(`h${n}:80`);
    expect(pacer.of('slow:80')).toBe(slow);
  });
});

test('createPoliteFetcher: takes a turn for every fetch, and ends it when the fetch throws', async () => {
  const asked: string[] = [];
  const fetcher: Fetcher = {
    fetch: (url) => {
      asked.push(`${url} ${Date.now() - 1_000_000}`);
      return Promise.reject(new Error('broken'));
    },
  };
  const polite = createPoliteFetcher(fetcher, new Pacer({ concurrency: 1, delayMs: 50 }, circuitPolicy), never);
  const options = { signal: never, deadlineMs: 1, bodyBytesMax: 1 };
  const all = Promise.allSettled(
    ['http://h/a', 'http://h/b', 'http://h:81/c'].map((url) => polite.fetch(url, options)),
  );
  await vi.advanceTimersByTimeAsync(200);
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(asked).toEqual(['http://h/a 0', 'http://h:81/c 0', 'http://h/b 50']);
});

test('createPoliteFetcher: counts the delay from when a request is written', async () => {
  const written: number[] = [];
  const fetcher: Fetcher = {
    fetch: (_url, { maySend }) => {
      expect(maySend?.()).toBe(true);
      vi.advanceTimersByTime(written.length === 0 ? 60 : 0);
      written.push(Date.now() - 1_000_000);
      return Promise.resolve(body(200));
    },
  };
  const polite = createPoliteFetcher(fetcher, new Pacer({ concurrency: 1, delayMs: 100 }, circuitPolicy), never);
  const options = { signal: never, deadlineMs: 1, bodyBytesMax: 1 };
  const all = Promise.all(['http://h/a', 'http://h/b', 'http://h/c'].map((url) => polite.fetch(url, options)));
  await vi.advanceTimersByTimeAsync(1_000);
  await all;
  expect(written).toEqual([60, 160, 260]);
});

test.each<[string, FetchResult, number]>([
  ['a page', body(200), 4],
  ['a missing page', body(404), 4],
  ['a 429', body(429), 1],
  ['a 503', body(503), 1],
  ['a 500', body(500), 1],
  ['a timeout', failure('timeout', true), 1],
  ['a body that was still arriving at the deadline', failure('timeout', false), 1],
  ['a name that does not exist', failure('dns', false), 4],
  // Unchanged: no host was contacted.
  ['a local network failure', { ...failure('dns', true), isLocal: true }, 2],
])('createPoliteFetcher: adapts the concurrency of the host after %s', async (_, result, borne) => {
  const pacer = new Pacer({ concurrency: 4, delayMs: 0 }, circuitPolicy);
  pacer.learn('h:80', undefined);
  const polite = createPoliteFetcher({ fetch: () => Promise.resolve(result) }, pacer, never);
  const options = { signal: never, deadlineMs: 1, bodyBytesMax: 1 };
  for (let n = 0; n < 4; n++) {
    const fetched = polite.fetch('http://h/a', options);
    await vi.advanceTimersByTimeAsync(5_000);
    await fetched;
  }
  expect(pacer.of('h:80').concurrency).toBe(borne);
});

function body(statusCode: number): FetchResult {
  return { kind: 'body', statusCode, headers: readFetchedHeaders({}), body: allocateOwned(0) };
}

function failure(reason: 'timeout' | 'dns', retryable: boolean): FetchFailure {
  return { kind: 'failure', error: { reason, message: '' }, retryable };
}
