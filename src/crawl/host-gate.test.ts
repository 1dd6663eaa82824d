import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Fetcher, FetchResult } from '../core/fetcher.ts';
import { readFetchedHeaders } from '../fetch/answer-head.ts';
import { HostGate } from './host-gate.ts';
import { createPoliteFetcher, Pacer } from './politeness.ts';
import { RobotsGate } from './robots-gate.ts';

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
    body: new TextEncoder().encode(text),
  };
}

function failure(reason: 'connect' | 'dns' | 'timeout', retryable = true): FetchResult {
  return { kind: 'failure', error: { reason, message: 'It did not work.' }, retryable };
}

/** A gate to a site whose robots.txt answers one after the other, the last of them from then on. */
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
  /** What a URL is told, in a few words. */
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
    // Its rules are read all the same: who asks decides whether they count.
    ['disallows', 'disallowed', answer(200, 'User-agent: *\nDisallow: /')],
    // Then the host is the matter.
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
