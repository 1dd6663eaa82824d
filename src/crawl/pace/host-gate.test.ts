import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Fetcher, FetchResult } from '../../core/ports/fetcher.ts';
import { readFetchedHeaders } from '../../fetch/response/response-head.ts';
import { anyJob } from './circuit-breaker.ts';
import { HostGate } from './host-gate.ts';
import { createPoliteFetcher, Pacer } from './politeness.ts';
import { RobotsGate } from './robots-gate.ts';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const page = new URL('http://site.example/page');
const host = 'site.example:80';

function answer(statusCode: number, text = '', headers: Record<string, string> = {}): FetchResult {
  return {
    kind: 'body',
    statusCode,
    headers: readFetchedHeaders(headers),
    body: ownedCopy(new TextEncoder().encode(text)),
  };
}

function failure(reason: 'connect' | 'dns' | 'timeout', retryable = true): FetchResult {
  return { kind: 'failure', error: { reason, message: 'It did not work.' }, retryable };
}

/** A gate to a site whose robots.txt gives these responses in order, then repeats the last one. */
function gateTo(...answers: readonly FetchResult[]) {
  const asked: string[] = [];
  const noted: string[] = [];
  const fetcher: Fetcher = {
    fetch: (url) => {
      asked.push(url);
      return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] ?? answer(404));
    },
  };
  const pacer = new Pacer({ concurrency: 8, delayMs: 0 }, { giveUpMs: 900_000 });
  const gate = new HostGate({
    robots: new RobotsGate(createPoliteFetcher(fetcher, pacer, never), { deadlineMs: 1_000 }),
    pacer,
    noteDelay: (name, delayMs) => {
      noted.push(`${name} ${delayMs}`);
      return Promise.resolve();
    },
  });
  /** The admission of a URL, in a few words. */
  const told = async (url = page, respectRobots = true): Promise<string> => {
    try {
      const admission = await gate.admit(url, { respectRobots }, never);
      if (admission.kind === 'refused') return `refused: ${admission.failure.error.reason}`;
      return admission.rules.verdict(url.href).allowed ? 'allowed' : 'disallowed';
    } catch (error) {
      if (!(error instanceof Error) || !('until' in error)) throw error;
      return `paused for ${(Number(error.until) - Date.now()) / 1_000} s`;
    }
  };
  return { gate, pacer, told, asked, noted };
}

describe('HostGate.admit', () => {
  test.each<readonly [string, string, FetchResult]>([
    ['allows the URL', 'allowed', answer(200, 'User-agent: *\nDisallow: /private/')],
    ['disallows the URL', 'disallowed', answer(200, 'User-agent: *\nDisallow: /')],
    ['is missing', 'allowed', answer(404)],
    ['responds with 503', 'paused for 5 s', answer(503)],
    ['responds with 429 and Retry-After', 'paused for 60 s', answer(429, '', { 'retry-after': '60' })],
    ['times out', 'paused for 5 s', failure('timeout')],
    ['is on a host that refuses connections', 'paused for 5 s', failure('connect')],
    ['is on a host that does not exist', 'refused: dns', failure('dns', false)],
  ])('HostGate.admit: when robots.txt %s returns %s', async (_, expected, robots) => {
    expect(await gateTo(robots).told()).toBe(expected);
  });

  test.each<readonly [string, string, FetchResult]>([
    ['responds with 503', 'allowed', answer(503)],
    ['responds with 429', 'allowed', answer(429)],
    // Its rules are returned all the same: the caller decides whether they apply.
    ['disallows the URL', 'disallowed', answer(200, 'User-agent: *\nDisallow: /')],
    // Here the host has failed, not its robots.txt.
    ['times out', 'paused for 5 s', failure('timeout')],
    ['is on a host that refuses connections', 'paused for 5 s', failure('connect')],
    ['is on a host that does not exist', 'refused: dns', failure('dns', false)],
  ])('HostGate.admit: without respectRobots, when robots.txt %s, returns %s', async (_, expected, robots) => {
    expect(await gateTo(robots).told(page, false)).toBe(expected);
  });
});

describe('HostGate with a paused host', () => {
  test('HostGate: sends no request to a paused host until the pause is over', async () => {
    const { told, asked } = gateTo(answer(503), answer(200));
    await told();
    vi.advanceTimersByTime(4_999);
    expect(await told(new URL('http://site.example/other'))).toBe('paused for 0.001 s');
    expect(await told(page, false)).toBe('paused for 0.001 s');
    expect(asked).toHaveLength(1);
  });

  test('HostGate: requests robots.txt again after the pause, and admits URLs when it responds', async () => {
    const { told, asked, pacer } = gateTo(answer(503), answer(200, 'User-agent: *\nDisallow: /page'));
    await told();
    vi.advanceTimersByTime(5_000);
    expect(await told()).toBe('disallowed');
    expect(asked).toHaveLength(2);
    expect(pacer.of(host).trouble).toBeUndefined();
  });

  test('HostGate: doubles the pause each time the host does not respond', async () => {
    const { told } = gateTo(answer(503));
    const pauses: string[] = [];
    for (const seconds of [5, 10, 20]) {
      pauses.push(await told());
      vi.advanceTimersByTime(seconds * 1_000);
    }
    expect(pauses).toEqual(['paused for 5 s', 'paused for 10 s', 'paused for 20 s']);
  });

  test('HostGate: requests robots.txt once, and pauses the host once, for callers at the same time', async () => {
    const { told, asked } = gateTo(answer(503));
    expect(await Promise.all([told(), told(), told()])).toEqual(Array(3).fill('paused for 5 s'));
    expect(asked).toHaveLength(1);
  });

  test('HostGate: does not pause other hosts', async () => {
    const { told } = gateTo(answer(503), answer(404));
    expect(await told()).toBe('paused for 5 s');
    expect(await told(new URL('http://site.example:81/'))).toBe('allowed');
  });

  test('HostGate: pauses a host with a known robots.txt after five failed pages in a row', async () => {
    const { gate, told, asked } = gateTo(answer(404));
    await told();
    for (let count = 0; count < 5; count++) gate.report(page, failure('timeout'), 0);
    expect(await told()).toBe('paused for 30 s');
    vi.advanceTimersByTime(30_000);
    expect(await told()).toBe('allowed');
    expect(asked).toEqual(Array(2).fill('http://site.example/robots.txt'));
  });
});

describe('HostGate during a network outage', () => {
  const minute = 60_000;
  const noNames = { ...failure('dns'), isLocal: true };
  const other = new URL('http://other.example/page');

  /** A gate to two hosts, each of which answers as last set. */
  function gateToTwo(unansweredMs = 15 * minute) {
    const logged: string[] = [];
    const answers = new Map<string, FetchResult>();
    const fetcher: Fetcher = { fetch: (url) => Promise.resolve(answers.get(new URL(url).hostname) ?? answer(404)) };
    const pacer = new Pacer(
      { concurrency: 8, delayMs: 0 },
      { giveUpMs: 15 * minute, unansweredMs },
      { warn: (text) => logged.push(text) },
    );
    const polite = createPoliteFetcher(fetcher, pacer, never);
    const gate = new HostGate({
      robots: new RobotsGate(polite, { deadlineMs: 1_000 }),
      pacer,
      noteDelay: () => Promise.resolve(),
    });
    /** Requests both hosts again and again, unless they are paused. */
    const work = async (forMs: number, urls = [page, other]): Promise<void> => {
      for (
        const end = Date.now() + forMs;
        Date.now() < end;
        await vi.advanceTimersByTimeAsync(forMs > 60 * minute ? 10_000 : 1_000)
      ) {
        for (const url of urls) void gate.admit(url, { respectRobots: true }, never).catch(() => {});
      }
    };
    const set = (first: FetchResult, second = first): void => {
      answers.set(page.hostname, first).set(other.hostname, second);
    };
    for (const url of [page, other]) pacer.of(`${url.hostname}:80`).expect('job', anyJob);
    const isHopeless = (url = page): boolean | undefined => {
      const { trouble, endedJobs } = pacer.of(`${url.hostname}:80`);
      return trouble && endedJobs.length > 0;
    };
    return { gate, pacer, set, work, isHopeless, logged };
  }

  test('HostGate: gives a host that has never answered its whole time while failures are on our side', async () => {
    const { set, work, isHopeless } = gateToTwo(minute / 3);
    const refused = { ...failure('connect'), isLocal: false };
    set(noNames, refused);
    await work(minute);
    expect([isHopeless(), isHopeless(other)]).toEqual([false, true]);
    await work(13 * minute, [page]);
    expect(isHopeless()).toBe(false);
  });

  test('HostGate: gives a host whose robots.txt has answered its whole time', async () => {
    const { set, work, isHopeless } = gateToTwo(minute / 3);
    set(answer(503));
    await work(1_000);
    set(failure('connect'));
    await work(10 * minute);
    expect(isHopeless()).toBe(false);
    await work(20 * minute);
    expect(isHopeless()).toBe(true);
  });

  test('HostGate: makes no host hopeless during a network outage of up to a day', async () => {
    const { set, work, isHopeless, pacer, logged } = gateToTwo();
    set(noNames);
    await work(2 * 60 * minute);
    expect(pacer.isNetworkDown()).toBe(true);
    expect([isHopeless(), isHopeless(other)]).toEqual([false, false]);
    expect(logged).toHaveLength(1);
    await work(22 * 60 * minute + minute);
    expect([isHopeless(), isHopeless(other)]).toEqual([true, true]);
    expect(logged).toHaveLength(2);
  });

  test('HostGate: notices within half a minute that the network is back', async () => {
    const { set, work, pacer, logged } = gateToTwo();
    set(noNames);
    await work(60 * minute);
    set(answer(404));
    await work(30_000);
    expect(pacer.isNetworkDown()).toBe(false);
    expect([pacer.of(host).trouble, pacer.of('other.example:80').trouble]).toEqual([undefined, undefined]);
    expect(logged).toEqual([expect.stringMatching(/waits/), expect.stringMatching(/continues/)]);
  });

  test('HostGate: probes often from the first sign of an outage, even when hosts then time out', async () => {
    const { set, work, pacer } = gateToTwo();
    set(noNames);
    await work(30_000);
    set(failure('timeout'));
    await work(5 * minute);
    expect(pacer.of(host).circuit.openUntil - Date.now()).toBeLessThanOrEqual(20_000);
    set(noNames);
    await work(30_000);
    expect(pacer.isNetworkDown()).toBe(true);
  });

  test('HostGate: does not count an outage towards the fifteen minutes of a host', async () => {
    const { set, work, isHopeless } = gateToTwo();
    set(noNames);
    await work(60 * minute);
    set(answer(404), failure('timeout'));
    await work(13 * minute);
    expect([isHopeless(), isHopeless(other)]).toEqual([undefined, false]);
    await work(3 * minute);
    expect([isHopeless(), isHopeless(other)]).toEqual([undefined, true]);
  });

  test('HostGate: does not take one unresolvable host for an outage when another host responds', async () => {
    const { set, work, isHopeless, pacer, logged } = gateToTwo();
    set(answer(404), noNames);
    const stop = Date.now() + 15.5 * minute;
    while (Date.now() < stop) {
      await work(30_000);
      pacer.note(answer(200));
    }
    expect([isHopeless(), isHopeless(other)]).toEqual([undefined, true]);
    expect(logged).toEqual([]);
  });

  test('HostGate.report: throws for every failure of an outage, so that no page loses an attempt', async () => {
    const { gate, set, work } = gateToTwo();
    set(answer(404));
    await work(1_000);
    expect(() => gate.report(page, noNames, 0)).toThrow('must not be contacted');
    expect(() => gate.report(page, failure('timeout'), 0)).not.toThrow();
    set(noNames);
    await work(5 * minute);
    expect(() => gate.report(page, failure('timeout'), 0)).toThrow('must not be contacted');
    expect(() => gate.report(page, answer(404), 0)).not.toThrow();
  });
});

describe('HostGate: Crawl-delay', () => {
  const slow = answer(200, 'User-agent: *\nCrawl-delay: 7');

  test('HostGate: notes the Crawl-delay once, before the first page', async () => {
    const { told, noted, pacer } = gateTo(slow);
    await told();
    await told();
    expect(noted).toEqual([`${host} 7000`]);
    expect(pacer.of(host).notedDelayMs).toBe(7_000);
  });

  test('HostGate: applies the Crawl-delay to the host', async () => {
    const { told, pacer } = gateTo(slow);
    await told();
    expect(pacer.of(host).limits).toEqual({ concurrency: 1, delayMs: 7_000 });
  });

  test('HostGate: waits for the Crawl-delay between robots.txt and the first page', async () => {
    const { told } = gateTo(slow);
    expect(await told()).toBe('paused for 7 s');
    vi.advanceTimersByTime(7_000);
    expect(await told()).toBe('allowed');
  });

  test('HostGate: does not note a Crawl-delay that is too long for any fetch', async () => {
    const { told, noted, pacer } = gateTo(answer(200, 'User-agent: *\nCrawl-delay: 86400'));
    expect(await told()).toBe('allowed');
    expect(noted).toEqual([]);
    expect(pacer.of(host).delayMs).toBe(0);
  });

  test('HostGate: notes at most 300 s of Crawl-delay without respectRobots, and none when there is none', async () => {
    const longest = gateTo(answer(200, 'User-agent: *\nCrawl-delay: 86400'));
    await longest.told(page, false);
    expect(longest.noted).toEqual([`${host} 300000`]);
    const none = gateTo(answer(404));
    await none.told();
    expect(none.noted).toEqual([]);
  });
});

test('HostGate.admit: rejects when the signal is aborted', async () => {
  const { gate } = gateTo(answer(404));
  await expect(gate.admit(page, { respectRobots: true }, AbortSignal.abort())).rejects.toThrow('aborted');
});
