import { describe, expect, test } from 'vitest';
import type { FetchResult } from '../../core/ports/fetcher.ts';
import { readFetchedHeaders } from '../../fetch/response/response-head.ts';
import { afterResult, beganAt, noOutage, type Outage, outagePauseMs } from './outage.ts';
import { allocateOwned } from '../../core/bytes/owned-bytes.ts';

const second = 1_000;
const start = 1_000_000;
const giveUpMs = 900 * second;

function failure(isLocal?: boolean): FetchResult {
  const error = { reason: 'dns', message: 'It did not work.' } as const;
  return { kind: 'failure', error, retryable: true, ...(isLocal !== undefined && { isLocal }) };
}
const ours = failure(true);
const theirs = failure(false);
const unclear = failure();
const redirect: FetchResult = { kind: 'redirect', statusCode: 302, location: '/' };
const busy: FetchResult = { kind: 'body', statusCode: 503, headers: readFetchedHeaders({}), body: allocateOwned(0) };

/** The state after results at these seconds from the start. */
function after(...results: readonly (readonly [seconds: number, result: FetchResult])[]): Outage {
  return results.reduce((so, [seconds, result]) => afterResult(so, result, start + seconds * second), noOutage);
}

/** Failures on our own side, at this interval in seconds. */
function failing(from: number, to: number, every = 20): (readonly [number, FetchResult])[] {
  return Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, index) => [from + index * every, ours]);
}

/** The second when the outage began. */
function secondsOf(outage: Outage, waitedMs = giveUpMs): number | undefined {
  const began = beganAt(outage, waitedMs);
  return began === undefined ? undefined : (began - start) / second;
}

describe('outage', () => {
  test('outage: begins when local failures last a minute and nothing has responded since', () => {
    expect(secondsOf(noOutage)).toBeUndefined();
    expect(secondsOf(after(...failing(0, 40)))).toBeUndefined();
    expect(secondsOf(after(...failing(0, 60)))).toBe(60);
    expect(secondsOf(after(...failing(0, 7_200)))).toBe(60);
  });

  test('outage: begins sooner when hosts are given up sooner', () => {
    expect(secondsOf(after([0, ours], [2, ours]), 12 * second)).toBeUndefined();
    expect(secondsOf(after([0, ours], [3, ours]), 12 * second)).toBe(3);
  });

  test('outage: does not begin after one local failure, however old', () => {
    expect(secondsOf(after([0, ours], [500, unclear]))).toBeUndefined();
  });

  test('outage: does not begin with failures that can be those of hosts', () => {
    expect(secondsOf(after([0, unclear], [60, unclear], [120, unclear]))).toBeUndefined();
  });

  test.each<readonly [string, FetchResult]>([
    ['page', busy],
    ['redirect', redirect],
    ['refusal', theirs],
  ])('outage: ends with any response, such as a %s', (_, answer) => {
    expect(secondsOf(after(...failing(0, 300), [310, answer]))).toBeUndefined();
    // The next outage has to be proven again.
    expect(secondsOf(after(...failing(0, 300), [310, answer], ...failing(320, 360)))).toBeUndefined();
    expect(secondsOf(after(...failing(0, 300), [310, answer], ...failing(320, 380)))).toBe(380);
  });

  test('outage: continues when hosts seem to fail during it', () => {
    expect(secondsOf(after(...failing(0, 300), [310, unclear]))).toBe(60);
  });

  test('outage: does not begin when one name fails and other hosts respond', () => {
    const mixed = Array.from({ length: 100 }, (_, index) => [index * 10, index % 3 === 2 ? busy : ours] as const);
    expect(mixed.some((_, index) => secondsOf(after(...mixed.slice(0, index + 1))) !== undefined)).toBe(false);
  });

  test('outage: ends after a day', () => {
    const day = 24 * 3600;
    expect(secondsOf(after(...failing(0, day - 20)))).toBe(60);
    expect(secondsOf(after(...failing(0, day)))).toBeUndefined();
    expect(secondsOf(after(...failing(0, day + 7_200)))).toBeUndefined();
  });

  test('outage: starts again when nothing has failed for more than ten minutes', () => {
    expect(secondsOf(after(...failing(0, 300), [901, ours]))).toBeUndefined();
    expect(secondsOf(after(...failing(0, 300), [901, unclear]))).toBeUndefined();
    expect(secondsOf(after(...failing(0, 300), [901, ours], [961, ours]))).toBe(961);
  });
});

test.each([
  [1, 20],
  [400, 20],
  [2_000, 100],
  [10_000, 500],
])('outagePauseMs: with %i hosts is %i seconds', (hosts, seconds) => {
  expect(outagePauseMs(hosts)).toBe(seconds * second);
});
