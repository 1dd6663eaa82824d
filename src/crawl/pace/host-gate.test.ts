import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Fetcher, FetchResult } from '../../core/ports/fetcher.ts';
import { readFetchedHeaders } from '../../fetch/answer/answer-head.ts';
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

/** A gate to a site whose robots.txt gives these answers in order, then repeats the last one. */
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

describe('a URL is admitted', () => {
  test.each<readonly [string, string, FetchResult]>([
    ['allows', 'allowed', answer(200, 'User-agent: *\nDisallow: /private/')],
    ['disallows', 'disallowed', answer(200, 'User-agent: *\nDisallow: /')],
    ['is missing', 'allowed', answer(404)],
    ['answers 503', 'paused for 5 s', answer(503)],
    ['answers 429 and says for how long', 'paused for 60 s', answer(429, '', { 'retry-after': '60' })],
    ['does not answer in time', 'paused for 5 s', failure('timeout')],
    ['is on a host that refuses connections', 'paused for 5 s', failure('connect')],
    ['is on a host that does not exist', 'refused: dns', failure('dns', false)],
  ])('as its robots.txt says, which %s: %s', async (_, expected, robots) => {
    expect(await gateTo(robots).told()).toBe(expected);
  });

  test.each<readonly [string, string, FetchResult]>([
    ['answers 503', 'allowed', answer(503)],
    ['answers 429', 'allowed', answer(429)],
    // Its rules are returned all the same: the caller decides whether they apply.
    ['disallows', 'disallowed', answer(200, 'User-agent: *\nDisallow: /')],
    // Here the host has failed, not its robots.txt.
    ['does not answer in time', 'paused for 5 s', failure('timeout')],
    ['is on a host that refuses connections', 'paused for 5 s', failure('connect')],
    ['is on a host that does not exist', 'refused: dns', failure('dns', false)],
  ])('where robots.txt has no say and %s: %s', async (_, expected, robots) => {
    expect(await gateTo(robots).told(page, false)).toBe(expected);
  });
});

describe('a host that is paused', () => {
  test('is not asked by anybody, for anything, until its pause is over', async () => {
    const { told, asked } = gateTo(answer(503), answer(200));
    await told();
    vi.advanceTimersByTime(4_999);
    expect(await told(new URL('http://site.example/other'))).toBe('paused for 0.001 s');
    expect(await told(page, false)).toBe('paused for 0.001 s');
    expect(asked).toHaveLength(1);
  });

  test('is then asked for its robots.txt anew, and crawled where it answers', async () => {
    const { told, asked, pacer } = gateTo(answer(503), answer(200, 'User-agent: *\nDisallow: /page'));
    await told();
    vi.advanceTimersByTime(5_000);
    expect(await told()).toBe('disallowed');
    expect(asked).toHaveLength(2);
    expect(pacer.of(host).trouble).toBeUndefined();
  });

  test('is paused for longer each time that it does not answer', async () => {
    const { told } = gateTo(answer(503));
    const pauses: string[] = [];
    for (const seconds of [5, 10, 20]) {
      pauses.push(await told());
      vi.advanceTimersByTime(seconds * 1_000);
    }
    expect(pauses).toEqual(['paused for 5 s', 'paused for 10 s', 'paused for 20 s']);
  });

  test('is paused once by many who ask at the same time', async () => {
    const { told, asked } = gateTo(answer(503));
    expect(await Promise.all([told(), told(), told()])).toEqual(Array(3).fill('paused for 5 s'));
    expect(asked).toHaveLength(1);
  });

  test('leaves other hosts alone', async () => {
    const { told } = gateTo(answer(503), answer(404));
    expect(await told()).toBe('paused for 5 s');
    expect(await told(new URL('http://site.example:81/'))).toBe('allowed');
  });

  test('is one whose pages failed five times in a row, though its robots.txt is known', async () => {
    const { gate, told, asked } = gateTo(answer(404));
    await told();
    for (let count = 0; count < 5; count++) gate.report(page, failure('timeout'), 0);
    expect(await told()).toBe('paused for 30 s');
    vi.advanceTimersByTime(30_000);
    expect(await told()).toBe('allowed');
    expect(asked).toEqual(Array(2).fill('http://site.example/robots.txt'));
  });
});

describe('a network that is gone', () => {
  const minute = 60_000;
  const noNames = { ...failure('dns'), isLocal: true };
  const other = new URL('http://other.example/page');

  /** A gate to two hosts, each of which answers as last set. */
  function gateToTwo() {
    const logged: string[] = [];
    const answers = new Map<string, FetchResult>();
    const fetcher: Fetcher = { fetch: (url) => Promise.resolve(answers.get(new URL(url).hostname) ?? answer(404)) };
    const pacer = new Pacer(
      { concurrency: 8, delayMs: 0 },
      { giveUpMs: 15 * minute },
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
    const isHopeless = (url = page): boolean | undefined => pacer.of(`${url.hostname}:80`).trouble?.isHopeless;
    return { gate, pacer, set, work, isHopeless, logged };
  }

  test('makes no host hopeless, however long it lasts, up to a day', async () => {
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

  test('is noticed to be back within half a minute, by everybody', async () => {
    const { set, work, pacer, logged } = gateToTwo();
    set(noNames);
    await work(60 * minute);
    set(answer(404));
    await work(30_000);
    expect(pacer.isNetworkDown()).toBe(false);
    expect([pacer.of(host).trouble, pacer.of('other.example:80').trouble]).toEqual([undefined, undefined]);
    expect(logged).toEqual([expect.stringMatching(/waits/), expect.stringMatching(/continues/)]);
  });

  test('is asked for often from its first sign on, also where hosts seem to be silent then', async () => {
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

  test('does not count towards the fifteen minutes of a host', async () => {
    const { set, work, isHopeless } = gateToTwo();
    set(noNames);
    await work(60 * minute);
    set(answer(404), failure('timeout'));
    await work(13 * minute);
    expect([isHopeless(), isHopeless(other)]).toEqual([undefined, false]);
    await work(3 * minute);
    expect([isHopeless(), isHopeless(other)]).toEqual([undefined, true]);
  });

  test('is not what a host with a broken name is taken for while another answers', async () => {
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

  test('costs no page an attempt, be it the first sign of it, and whatever it looks like later', async () => {
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

describe('Crawl-delay', () => {
  const slow = answer(200, 'User-agent: *\nCrawl-delay: 7');

  test('is noted before the first page may be fetched, and once', async () => {
    const { told, noted, pacer } = gateTo(slow);
    await told();
    await told();
    expect(noted).toEqual([`${host} 7000`]);
    expect(pacer.of(host).notedDelayMs).toBe(7_000);
  });

  test('is kept from then on', async () => {
    const { told, pacer } = gateTo(slow);
    await told();
    expect(pacer.of(host).limits).toEqual({ concurrency: 1, delayMs: 7_000 });
  });

  test('is waited for after robots.txt too, elsewhere', async () => {
    const { told } = gateTo(slow);
    expect(await told()).toBe('paused for 7 s');
    vi.advanceTimersByTime(7_000);
    expect(await told()).toBe('allowed');
  });

  test('that is too long is not noted: nothing will be fetched', async () => {
    const { told, noted, pacer } = gateTo(answer(200, 'User-agent: *\nCrawl-delay: 86400'));
    expect(await told()).toBe('allowed');
    expect(noted).toEqual([]);
    expect(pacer.of(host).delayMs).toBe(0);
  });

  test('is noted up to 300 seconds where robots.txt has no say, and not where there is none', async () => {
    const longest = gateTo(answer(200, 'User-agent: *\nCrawl-delay: 86400'));
    await longest.told(page, false);
    expect(longest.noted).toEqual([`${host} 300000`]);
    const none = gateTo(answer(404));
    await none.told();
    expect(none.noted).toEqual([]);
  });
});

test('who has to stop is told so', async () => {
  const { gate } = gateTo(answer(404));
  await expect(gate.admit(page, { respectRobots: true }, AbortSignal.abort())).rejects.toThrow('aborted');
});
