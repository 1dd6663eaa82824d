// What one process passes on with a host to the next.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { FetchResult } from '../../core/ports/fetcher.ts';
import { readFetchedHeaders } from '../../fetch/response/response-head.ts';
import { afterFetch, closedCircuit } from './circuit-breaker.ts';
import { HostGate } from './host-gate.ts';
import { HostPace } from './host-pace.ts';
import { Pacer } from './politeness.ts';
import { RobotsGate } from './robots-gate.ts';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';

const limits = { concurrency: 8, delayMs: 0 };
const policy = { giveUpMs: 900_000 };
const never = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function newPace(): HostPace {
  const pace = new HostPace('site.example:80', limits, policy);
  pace.limits = limits;
  return pace;
}

function handOver(from: HostPace, ageMs: number): HostPace {
  const next = newPace();
  next.recall({ text: from.memory(), ageMs });
  return next;
}

test('HostPace.recall: keeps the pause and the failures that another process noted', () => {
  const pace = newPace();
  const down: FetchResult = { kind: 'failure', error: { reason: 'connect', message: 'No.' }, retryable: true };
  for (let failures = 0; failures < 5; failures++) {
    const fetched = { result: down, isLastAttempt: false, isOurs: false };
    pace.circuit = afterFetch(pace.circuit, fetched, monotonicNow(), policy);
  }
  const leftMs = pace.circuit.openUntil - monotonicNow();
  expect(leftMs).toBeGreaterThan(20_000);
  const next = handOver(pace, 10_000);
  expect(next.circuit).toMatchObject({ failures: 5, timesOpened: 1, error: { reason: 'connect' } });
  expect(next.circuit.openUntil - monotonicNow()).toBeCloseTo(leftMs - 10_000);
  expect(monotonicNow() - next.circuit.lastFailureAt).toBeCloseTo(10_000);
  expect(next.trouble?.error.reason).toBe('connect');
});

test('HostPace.recall: keeps when a host last answered, to either process', () => {
  const pace = newPace();
  pace.circuit = { ...closedCircuit, answeredAt: monotonicNow(), hasFailedHere: true };
  expect(handOver(pace, 0).circuit).toEqual(pace.circuit);
  const next = newPace();
  next.circuit = pace.circuit;
  next.recall({ text: newPace().memory(), ageMs: 0 });
  expect(next.circuit.answeredAt).toBe(pace.circuit.answeredAt);
});

test('HostPace.recall: restores a circuit whose failure and pause are at this moment', () => {
  const pace = newPace();
  const now = monotonicNow();
  pace.circuit = {
    ...closedCircuit,
    failures: 5,
    failingSince: now,
    lastFailureAt: now,
    timesOpened: 1,
    openUntil: now,
  };
  expect(handOver(pace, 0).circuit).toEqual(pace.circuit);
});

test('HostPace.recall: keeps the concurrency that another process reached', () => {
  const pace = newPace();
  for (let answers = 0; answers < 20; answers++)
    pace.observe({ latencyMs: 20, inFlight: 1, isStrained: false, isDown: false });
  expect(pace.concurrency).toBe(8);
  const next = handOver(pace, 60_000);
  expect(next.concurrency).toBe(8);
  expect(next.circuit).toEqual(closedCircuit);
  // The noted latencies are kept: a response that is no slower than before is no strain.
  next.observe({ latencyMs: 20, inFlight: 1, isStrained: false, isDown: false });
  expect(next.concurrency).toBe(8);
});

test('HostPace.recall: keeps robots.txt of another process until it expires', async () => {
  let asked = 0;
  const fetch = async (): Promise<FetchResult> => {
    asked++;
    const body = new TextEncoder().encode('User-agent: *\nDisallow: /no\nCrawl-delay: 0.2\n');
    return { kind: 'body', statusCode: 200, headers: readFetchedHeaders({}), body: ownedCopy(body) };
  };
  const start = (): { gate: HostGate; pace: HostPace } => {
    const pacer = new Pacer(limits, policy);
    const robots = new RobotsGate({ fetch }, { deadlineMs: 1_000 });
    const gate = new HostGate({ robots, pacer, isShared: true, noteDelay: () => Promise.resolve() });
    return { gate, pace: pacer.of('site.example:80') };
  };
  const url = new URL('http://site.example/no');
  const first = start();
  await first.gate.admit(url, { respectRobots: true }, never);
  const memory = first.pace.memory();
  const second = start();
  second.pace.recall({ text: memory, ageMs: 3_600_000 });
  const admission = await second.gate.admit(url, { respectRobots: true }, never);
  expect(asked).toBe(1);
  expect(admission.kind === 'rules' && admission.rules.crawlDelaySeconds).toBe(0.2);
  expect(second.pace.limits).toEqual({ concurrency: 1, delayMs: 200 });
  const late = start();
  late.pace.recall({ text: second.pace.memory(), ageMs: 24 * 3_600_000 });
  await late.gate.admit(url, { respectRobots: true }, never);
  expect(asked).toBe(2);
});

test.each([
  ['text that is no JSON', '{"version":1,'],
  ['text without a version', '{"circuit":{"failures":9,"timesOpened":2,"firstPauseMs":0},"allowance":{"requests":7}}'],
  [
    'another version',
    '{"version":2,"circuit":{"failures":9,"timesOpened":2,"firstPauseMs":0},"allowance":{"requests":7}}',
  ],
  ['text that is no object', '"version 1"'],
  ['an invalid circuit', '{"version":1,"circuit":{"failures":"many"},"allowance":{"requests":7}}'],
])('HostPace.recall: ignores %s', (_, text) => {
  const pace = newPace();
  pace.recall({ text, ageMs: 10 });
  expect(pace.circuit).toEqual(closedCircuit);
  expect(pace.concurrency).toBe(newPace().concurrency);
});

test('HostPace.recall: ignores invalid parts, and keeps the valid ones', () => {
  const circuit = {
    failures: 1,
    timesOpened: 0,
    firstPauseMs: 0,
    openUntil: null,
    error: { reason: 'no such reason' },
  };
  const robots = { origin: 1, text: 'Disallow: /' };
  const text = JSON.stringify({ version: 1, circuit, allowance: { requests: -3 }, robots });
  const pace = newPace();
  pace.recall({ text, ageMs: 10 });
  expect(pace.circuit).toMatchObject({ failures: 1, openUntil: 0, error: undefined });
  expect(pace.robots).toBeUndefined();
  expect(pace.concurrency).toBe(newPace().concurrency);
});

test('HostPace.memory: omits a long robots.txt and keeps the rest', () => {
  const pace = newPace();
  const now = monotonicNow();
  pace.circuit = { ...closedCircuit, failures: 3, failingSince: now, lastFailureAt: now };
  pace.robots = { origin: 'http://site.example', text: '\u0001'.repeat(4_000), goodUntil: now + 1_000 };
  expect(pace.memory().length).toBeLessThan(10_000);
  const next = handOver(pace, 10);
  expect(next.circuit.failures).toBe(3);
  expect(next.robots).toBeUndefined();
});

test('HostPace.newMemory: returns text for a host with a delay only when circuit, delay or robots.txt changed', () => {
  const robots = { origin: 'http://site.example', text: 'Crawl-delay: 2', goodUntil: monotonicNow() + 86_400_000 };
  const slow = (): HostPace => {
    const pace = newPace();
    pace.limits = { concurrency: 1, delayMs: 2_000 };
    pace.robots = robots;
    return pace;
  };
  const noted = { text: slow().memory(), ageMs: 0 };
  vi.advanceTimersByTime(5_000);
  const later = { ...noted, ageMs: 5_000 };
  const pace = slow();
  pace.recall(later);
  pace.observe({ inFlight: 1, isStrained: false, isDown: false, latencyMs: 80 });
  expect(pace.newMemory(later)).toBeUndefined();
  expect(pace.newMemory(undefined)).toBeTypeOf('string');
  expect(pace.newMemory({ text: '{}', ageMs: 0 })).toBeTypeOf('string');

  pace.robots = { ...robots, text: 'Crawl-delay: 3' };
  expect(pace.newMemory(later)).toContain('Crawl-delay: 3');
  pace.robots = { ...robots, goodUntil: robots.goodUntil + 3_600_000 };
  expect(pace.newMemory(later)).toBeTypeOf('string');
  pace.robots = robots;
  for (let strains = 0; strains < 3; strains++) pace.observe({ inFlight: 1, isStrained: true, isDown: true });
  expect(pace.newMemory(later)).toBeTypeOf('string');

  const failed = slow();
  failed.circuit = { ...closedCircuit, failures: 1, failingSince: monotonicNow(), lastFailureAt: monotonicNow() };
  expect(failed.newMemory(later)).toBeTypeOf('string');
  // The host answers again, which the next holder must know.
  expect(slow().newMemory({ text: failed.memory(), ageMs: 0 })).toBeTypeOf('string');
});

test('HostPace.newMemory: returns text each time for a host without a delay', () => {
  const pace = newPace();
  expect(pace.newMemory({ text: pace.memory(), ageMs: 0 })).toBeTypeOf('string');
});
