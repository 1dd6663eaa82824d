import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Fetcher, FetchResult } from '../../core/ports/fetcher.ts';
import { readFetchedHeaders } from '../../fetch/response/response-head.ts';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';
import { createPoliteFetcher, Pacer } from './politeness.ts';
import { Line } from './site-pace.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const body: FetchResult = {
  kind: 'body',
  statusCode: 200,
  headers: readFetchedHeaders({}),
  body: ownedCopy(new Uint8Array()),
};

/** All names have one address, except those that begin with `far`. */
function crawlOf(limits: { readonly concurrency: number; readonly delayMs: number }): {
  readonly pacer: Pacer;
  readonly most: () => number;
  readonly starts: number[];
  readonly ask: (host: string) => Promise<FetchResult>;
} {
  const addressOf = (url: URL): Promise<string> =>
    Promise.resolve(url.hostname.startsWith('far') ? '203.0.113.9' : '203.0.113.1');
  const pacer = new Pacer(limits, { giveUpMs: 900_000, unansweredMs: 20_000 }, undefined, { addressOf });
  const starts: number[] = [];
  let inFlight = 0;
  let most = 0;
  const fetcher: Fetcher = {
    fetch: async (_, { maySend }) => {
      maySend?.();
      starts.push(Date.now());
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 100));
      inFlight--;
      return body;
    },
  };
  const polite = createPoliteFetcher(fetcher, pacer, never);
  const ask = (host: string): Promise<FetchResult> =>
    polite.fetch(`http://${host}/`, { signal: never, deadlineMs: 60_000, bodyBytesMax: 1_000 });
  return { pacer, most: () => most, starts, ask };
}

async function askAll(hosts: readonly string[], limits = { concurrency: 3, delayMs: 0 }): Promise<number> {
  const { most, ask } = crawlOf(limits);
  // A pace is known as shared once the second name was met.
  const all = Promise.all([...hosts.slice(0, 2), ...hosts].map(ask));
  await vi.advanceTimersByTimeAsync(60_000);
  await all;
  return most();
}

const numbered = (name: (number: number) => string): string[] => Array.from({ length: 30 }, (_, at) => name(at));

describe('SitePace', () => {
  test.each<[what: string, hosts: string[], inFlight: number]>([
    ['names of one domain', numbered((at) => `n${at}.shop.example`), 3],
    ['names of one domain below a public suffix of two labels', numbered((at) => `n${at}.shop.co.uk`), 3],
    ['names of one domain with one address, whatever their labels', numbered((at) => `a.b${at}.c.shop.example`), 3],
    ['unrelated domains', numbered((at) => `shop${at}.example`), 30],
    ['domains below one public suffix', numbered((at) => `shop${at}.co.uk`), 30],
    ['customers of a host of sites', numbered((at) => `shop${at}.github.io`), 30],
    ['addresses', numbered((at) => `198.51.100.${at}`), 30],
  ])('createPoliteFetcher: with %s, at most so many requests are in flight', async (_, hosts, inFlight) => {
    expect(await askAll(hosts)).toBe(inFlight);
  });

  test('createPoliteFetcher: gives names on another address, and another port, a pace of their own', async () => {
    const hosts = ['n1', 'n2', 'n3', 'far1', 'far2', 'far3'].map((name) => `${name}.shop.example`);
    expect(await askAll([...hosts, ...hosts.map((host) => `${host}:8080`)], { concurrency: 1, delayMs: 0 })).toBe(4);
  });

  test('createPoliteFetcher: keeps the delay between all names of a server', async () => {
    const { ask, starts } = crawlOf({ concurrency: 8, delayMs: 500 });
    const first = Promise.all(['n1.shop.example', 'n2.shop.example'].map(ask));
    await vi.advanceTimersByTimeAsync(5_000);
    const rest = Promise.all(numbered((at) => `n${at}.shop.example`).map(ask));
    await vi.advanceTimersByTimeAsync(60_000);
    await Promise.all([first, rest]);
    const gaps = starts.slice(3).map((at, index) => at - (starts[index + 2] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500);
  });

  test('createPoliteFetcher: keeps a Crawl-delay between the names that want it, and delays no other', async () => {
    const { ask, pacer, starts } = crawlOf({ concurrency: 8, delayMs: 0 });
    const names = ['n1', 'n2', 'n3', 'n4'].map((name) => `${name}.shop.example`);
    await Promise.all(names.map(async (name) => pacer.locate(`${name}:80`)));
    for (const name of names.slice(0, 2)) pacer.learn(`${name}:80`, 10);
    const all = Promise.all([...names.slice(2), ...names.slice(0, 2)].map(ask));
    await vi.advanceTimersByTimeAsync(60_000);
    await all;
    const began = starts.map((at) => at - 1_000_000);
    // Two at a time at first.
    expect(began.slice(0, 3)).toEqual([0, 0, 100]);
    expect(began.at(-1)).toBeGreaterThanOrEqual(10_100);
  });

  test('HostPace: gives no more lanes a seat than the server bears requests', async () => {
    const { pacer } = crawlOf({ concurrency: 8, delayMs: 0 });
    const hosts = numbered((at) => `n${at}.shop.example:80`);
    await Promise.all(hosts.map(async (host) => pacer.locate(host)));
    const seated = hosts.filter((host) => pacer.of(host).sit({ mustSit: false }));
    expect(seated).toHaveLength(2);
    expect(seated.map((host) => pacer.of(host).concurrencyOf())).toEqual([1, 1]);
    const waiting = pacer.of(hosts.at(-1) ?? '');
    const until = waiting.lineUp();
    expect(until).toBeGreaterThan(performance.now());
    expect(waiting.othersWait).toBe(true);
    // A client waits.
    expect(waiting.sit({ mustSit: true })).toBe(true);
    for (const host of [...seated, hosts.at(-1) ?? '']) pacer.of(host).stand();
    expect(pacer.of(hosts[5] ?? '').sit({ mustSit: false })).toBe(true);
  });
});

describe('Line', () => {
  test('Line: gives each caller a later time, up to a limit', () => {
    const line = new Line();
    expect([1, 2, 3, 4].map(() => line.join(1_000, 10, 30))).toEqual([1_010, 1_020, 1_030, 1_030]);
    expect(line.join(5_000, 10, 30)).toBe(5_010);
    expect([line.hasAny(5_009), line.hasAny(5_010)]).toEqual([true, false]);
  });
});
