import { randomBytes } from 'node:crypto';
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Fetcher, FetchResult } from '../../core/ports/fetcher.ts';
import type { ErrorReason } from '../../core/reasons.ts';
import { readFetchedHeaders } from '../../fetch/response/response-head.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import { RobotsGate } from './robots-gate.ts';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const origin = 'http://site.example';
const robotsUrl = `${origin}/robots.txt`;
const never = new AbortController().signal;
const forbidding = 'User-agent: *\nDisallow: /private/';

const noHeaders = readFetchedHeaders({ 'content-type': 'text/plain' });

function answer(
  statusCode: number,
  body: string | Uint8Array = forbidding,
  headers: Partial<typeof noHeaders> = {},
): FetchResult {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return { kind: 'body', statusCode, headers: { ...noHeaders, ...headers }, body: ownedCopy(bytes) };
}

function redirect(location: string): FetchResult {
  return { kind: 'redirect', statusCode: 301, location };
}

function failure(reason: ErrorReason, retryable = true): FetchResult {
  return { kind: 'failure', retryable, error: { reason, message: 'It did not work.' } };
}

/** A gate in front of a web that answers as the table says. */
function gateTo(web: Readonly<Record<string, FetchResult>>): { gate: RobotsGate; asked: string[] } {
  const asked: string[] = [];
  const fetcher: Fetcher = {
    fetch: (url) => {
      asked.push(url);
      return Promise.resolve(web[url] ?? failure('connect'));
    },
  };
  return { gate: new RobotsGate(fetcher, { deadlineMs: 1_000 }), asked };
}

/** Whether the forbidden part may be fetched, and if not, why. */
async function verdictOf(web: Readonly<Record<string, FetchResult>>): Promise<string> {
  const { gate } = gateTo(web);
  const given = await gate.answerFor(origin, never);
  if (given.kind === 'unreachable') return `${given.error.reason}${given.retryable ? ', later' : ''}`;
  return given.rules.verdict(`${origin}/private/x`).allowed ? 'allowed' : 'forbidden';
}

const chain = (hops: number): Record<string, FetchResult> => ({
  [robotsUrl]: redirect('/1'),
  ...Object.fromEntries(Array.from({ length: hops - 1 }, (_, n) => [`${origin}/${n + 1}`, redirect(`/${n + 2}`)])),
  [`${origin}/${hops}`]: answer(200),
});

const packers = { gzip: gzipSync, deflate: deflateSync, zstd: zstdCompressSync };
/** Packs to more than 500 KiB. */
const longRules = `${forbidding}\n# ${randomBytes(1_500_000).toString('base64')}`;

describe('RobotsGate.answerFor: the meaning of a robots.txt response (RFC 9309, 2.3.1)', () => {
  test.each<readonly [string, Readonly<Record<string, FetchResult>>, string]>([
    ['200', { [robotsUrl]: answer(200) }, 'forbidden'],
    ['206', { [robotsUrl]: answer(206) }, 'forbidden'],
    ['gzip', { [robotsUrl]: answer(200, gzipSync(forbidding), { contentEncoding: 'gzip' }) }, 'forbidden'],
    [
      'gzip in gzip',
      { [robotsUrl]: answer(200, gzipSync(gzipSync(forbidding)), { contentEncoding: 'gzip gzip' }) },
      'forbidden',
    ],
    ['zlib', { [robotsUrl]: answer(200, deflateSync(forbidding), { contentEncoding: 'deflate' }) }, 'forbidden'],
    [
      'raw deflate',
      { [robotsUrl]: answer(200, deflateRawSync(forbidding), { contentEncoding: 'deflate' }) },
      'forbidden',
    ],
    ['zstd', { [robotsUrl]: answer(200, zstdCompressSync(forbidding), { contentEncoding: 'zstd' }) }, 'forbidden'],
    [
      'zstd with its rules in the second frame',
      {
        [robotsUrl]: answer(200, Buffer.concat([zstdCompressSync('# frame 1\n'), zstdCompressSync(forbidding)]), {
          contentEncoding: 'zstd',
        }),
      },
      'forbidden',
    ],
    [
      'zstd in gzip',
      { [robotsUrl]: answer(200, gzipSync(zstdCompressSync(forbidding)), { contentEncoding: 'zstd gzip' }) },
      'forbidden',
    ],
    [
      'a zstd bomb after its rules',
      {
        [robotsUrl]: answer(200, zstdCompressSync(forbidding + ' '.repeat(100_000_000)), { contentEncoding: 'zstd' }),
      },
      'forbidden',
    ],
    [
      'a deflate bomb after its rules',
      { [robotsUrl]: answer(200, deflateSync(forbidding + ' '.repeat(100_000_000)), { contentEncoding: 'deflate' }) },
      'forbidden',
    ],
    [
      'truncated zstd',
      { [robotsUrl]: answer(200, zstdCompressSync(forbidding).subarray(0, -1), { contentEncoding: 'zstd' }) },
      'robots_unreachable, later',
    ],
    [
      'truncated deflate',
      { [robotsUrl]: answer(200, deflateSync(forbidding).subarray(0, -1), { contentEncoding: 'deflate' }) },
      'robots_unreachable, later',
    ],
    [
      'a gzip bomb after its rules',
      { [robotsUrl]: answer(200, gzipSync(forbidding + ' '.repeat(100_000_000)), { contentEncoding: 'gzip' }) },
      'forbidden',
    ],
    [
      'truncated gzip',
      { [robotsUrl]: answer(200, gzipSync(`${forbidding}\n`.repeat(9)).subarray(0, -9), { contentEncoding: 'gzip' }) },
      'robots_unreachable, later',
    ],
    [
      'a wrong content encoding',
      { [robotsUrl]: answer(200, forbidding, { contentEncoding: 'br' }) },
      'robots_unreachable, later',
    ],
    ['an HTML page with status 200', { [robotsUrl]: answer(200, '<!doctype html><title>App</title>') }, 'allowed'],
    ['an empty body with a content encoding', { [robotsUrl]: answer(200, '', { contentEncoding: 'gzip' }) }, 'allowed'],
    ['binary data', { [robotsUrl]: answer(200, new Uint8Array([0, 1, 2, 255, 254, 10, 13, 0])) }, 'allowed'],
    [
      'an HTML page with rules in its text',
      { [robotsUrl]: answer(200, '<!doctype html><p>Disallow: /private/') },
      'allowed',
    ],
    // The fetcher reads 500 KiB; a missing rest is no error.
    ...(['gzip', 'deflate', 'zstd'] as const).map((contentEncoding): [string, Record<string, FetchResult>, string] => [
      `a body that the fetcher truncates, as ${contentEncoding}`,
      { [robotsUrl]: answer(200, packers[contentEncoding](longRules).subarray(0, 500 * 1024), { contentEncoding }) },
      'forbidden',
    ]),
    ['401', { [robotsUrl]: answer(401) }, 'allowed'],
    ['403', { [robotsUrl]: answer(403) }, 'allowed'],
    ['404', { [robotsUrl]: answer(404) }, 'allowed'],
    ['410', { [robotsUrl]: answer(410) }, 'allowed'],
    ['429', { [robotsUrl]: answer(429) }, 'robots_unreachable, later'],
    ['500', { [robotsUrl]: answer(500) }, 'robots_unreachable, later'],
    ['503', { [robotsUrl]: answer(503) }, 'robots_unreachable, later'],
    ['a redirect', { [robotsUrl]: redirect('/elsewhere'), [`${origin}/elsewhere`]: answer(200) }, 'forbidden'],
    [
      'a redirect to another host',
      { [robotsUrl]: redirect('http://other.example/r'), 'http://other.example/r': answer(200) },
      'forbidden',
    ],
    ['five redirects', chain(5), 'forbidden'],
    ['six redirects', chain(6), 'allowed'],
    ['a redirect loop', { [robotsUrl]: redirect('/robots.txt') }, 'allowed'],
    ['a redirect to no URL', { [robotsUrl]: redirect('http://[') }, 'allowed'],
    [
      'a redirect to a 503',
      { [robotsUrl]: redirect('/busy'), [`${origin}/busy`]: answer(503) },
      'robots_unreachable, later',
    ],
    ['a timeout', { [robotsUrl]: failure('timeout') }, 'robots_unreachable, later'],
    ['an invalid response', { [robotsUrl]: failure('bad_response', false) }, 'robots_unreachable'],
    // The host has failed here, not robots.txt.
    ['an unknown host name', { [robotsUrl]: failure('dns', false) }, 'dns'],
    ['a failed connection', { [robotsUrl]: failure('connect') }, 'connect, later'],
    ['an invalid certificate', { [robotsUrl]: failure('tls', false) }, 'tls'],
    ['a refused address', { [robotsUrl]: failure('destination_not_allowed', false) }, 'destination_not_allowed'],
  ])('RobotsGate.answerFor: returns "$2" for $0', async (_, web, expected) => {
    expect(await verdictOf(web)).toBe(expected);
  });

  test('RobotsGate.answerFor: returns an error that names robots.txt, with the Retry-After of the site', async () => {
    const { gate } = gateTo({ [robotsUrl]: answer(503, '', { retryAfter: '30' }) });
    expect(await gate.answerFor(origin, never)).toEqual({
      kind: 'unreachable',
      retryable: true,
      retryAfterMs: 30_000,
      error: {
        reason: 'robots_unreachable',
        message: 'robots.txt could not be read, so nothing may be fetched: It responded with 503.',
        statusCode: 503,
      },
    });
  });
});

describe('RobotsGate: requests and memory', () => {
  test('RobotsGate: requests robots.txt once per origin for callers at the same time', async () => {
    const { gate, asked } = gateTo({ [robotsUrl]: answer(200) });
    expect(gate.known(origin)).toBeUndefined();
    const answers = await Promise.all([1, 2, 3].map(() => gate.answerFor(origin, never)));
    expect(new Set(answers).size).toBe(1);
    expect(gate.known(origin)).toBe(answers[0]);
    await gate.answerFor('http://site.example:81', never);
    expect(asked).toEqual([robotsUrl, 'http://site.example:81/robots.txt']);
  });

  test.each([
    ['a day when it could be read', answer(200), 24 * 3600 * 1000],
    ['a minute when it is unreachable', failure('timeout'), 60_000],
    ['the time that Retry-After names', answer(429, '', { retryAfter: '120' }), 120_000],
  ])('RobotsGate: requests robots.txt again after %s', async (_, result, keptMs) => {
    const { gate, asked } = gateTo({ [robotsUrl]: result });
    await gate.answerFor(origin, never);
    vi.advanceTimersByTime(keptMs - 1);
    await gate.answerFor(origin, never);
    expect(asked).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await gate.answerFor(origin, never);
    expect(asked).toHaveLength(2);
  });

  test('RobotsGate: requests robots.txt again for a job that begins more than an hour after it was read', async () => {
    const { gate, asked } = gateTo({ [robotsUrl]: answer(200) });
    const readAt = monotonicNow();
    await gate.answerFor(origin, never, { begunAt: readAt });
    vi.advanceTimersByTime(3 * 3600 * 1000);
    for (const [begunAt, times] of [
      [readAt, 1],
      [readAt + 3600 * 1000, 1],
      [readAt + 3600 * 1000 + 1, 2],
      [monotonicNow(), 2],
      [readAt, 2],
    ] as const) {
      expect(gate.fresh(origin, { begunAt }) === undefined).toBe(asked.length < times);
      await gate.answerFor(origin, never, { begunAt });
      expect(asked).toHaveLength(times);
    }
  });

  test('RobotsGate: forgets the oldest long robots.txt when too much is remembered', async () => {
    const long = answer(200, `User-agent: *\n${'Allow:/*\n'.repeat(50_000)}`);
    const originOf = (number: number): string => `http://${number}.site.example`;
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    const { gate, asked } = gateTo({
      ...Object.fromEntries(numbers.map((number) => [`${originOf(number)}/robots.txt`, long])),
      [`${originOf(99)}/robots.txt`]: failure('timeout'),
    });
    await gate.answerFor(originOf(99), never);
    for (const number of numbers) await gate.answerFor(originOf(number), never);
    const known = [99, ...numbers].filter((number) => gate.known(originOf(number)) !== undefined);
    // Eight and a half megabytes each.
    expect(known).toEqual([99, 5, 6, 7, 8, 9, 10, 11]);
    await gate.answerFor(originOf(0), never);
    expect(asked).toHaveLength(14);
    expect(gate.known(originOf(5))).toBeUndefined();
    expect(gate.known(originOf(6))).toBeDefined();
  });

  test('RobotsGate.recall: counts robots.txt of another process towards the memory limit', () => {
    const { gate } = gateTo({});
    const text = 'Allow:/*\n'.repeat(400);
    const goodUntil = Number.POSITIVE_INFINITY;
    for (let number = 0; number < 2_000; number++)
      gate.recall({ origin: `http://${number}.site.example`, text: `User-agent: *\n${text}`, goodUntil });
    const isKnown = (number: number): boolean => gate.known(`http://${number}.site.example`) !== undefined;
    expect([isKnown(0), isKnown(1_900), isKnown(1_999)]).toEqual([false, true, true]);
  });

  test('RobotsGate.answerFor: rejects when its signal is aborted, and remembers nothing', async () => {
    const { gate, asked } = gateTo({ [robotsUrl]: failure('timeout') });
    await expect(gate.answerFor(origin, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(gate.known(origin)).toBeUndefined();
    await gate.answerFor(origin, never);
    expect(asked).toHaveLength(2);
  });
});

test('RobotsGate.answerFor: a redirect of robots.txt leads inside from inside only, also after it was inside before', async () => {
  const hops = ['http://inside.example/robots.txt', 'http://public.example/', 'http://inside.example/secret'];
  const entered: (string | undefined)[] = [];
  const fetcher: Fetcher = {
    fetch: (url, { enter }) => {
      entered.push(enter);
      const next = hops[hops.indexOf(url) + 1];
      const network = url.includes('inside') ? { network: '10.0.0.0/8' } : {};
      return Promise.resolve(next === undefined ? answer(200) : { ...redirect(next), ...network });
    },
  };
  const gate = new RobotsGate(fetcher, { deadlineMs: 1_000 });
  await gate.answerFor('http://inside.example', never, { enter: '10.0.0.0/8' });
  expect(entered).toEqual(['10.0.0.0/8', '10.0.0.0/8', undefined]);
});

test('RobotsGate.answerFor: shares no answer between jobs with and without insecureTls in a private network', async () => {
  const { gate, asked } = gateTo({ [robotsUrl]: answer(200) });
  const entrances = [{ enter: 'inside' }, { enter: 'inside', insecureTls: true }, { insecureTls: true }, {}];
  const answers = await Promise.all(entrances.map((entrance) => gate.answerFor(origin, never, entrance)));
  // Outside, certificates are always verified, so there the option changes nothing.
  expect(asked).toHaveLength(3);
  expect(answers[2]).toBe(answers[3]);
  for (const entrance of entrances) expect(gate.known(origin, entrance)).toBeDefined();
  await gate.askAgain(origin, never, { enter: 'inside', insecureTls: true });
  expect(asked).toHaveLength(4);
});
