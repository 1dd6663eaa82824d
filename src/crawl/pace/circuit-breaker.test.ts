import { describe, expect, test } from 'vitest';
import type { FetchResult } from '../../core/ports/fetcher.ts';
import { readFetchedHeaders } from '../../fetch/answer/answer-head.ts';
import {
  afterFetch,
  afterOutage,
  afterProbe,
  afterUnreachable,
  type Circuit,
  type CircuitPolicy,
  closedCircuit,
  isHalfOpen,
  isHopeless,
  isOpen,
} from './circuit-breaker.ts';
import { allocateOwned } from '../../core/bytes/owned-bytes.ts';

const policy: CircuitPolicy = { giveUpMs: 900_000 };
const start = 1_000_000;
const second = 1_000;

function body(statusCode: number): FetchResult {
  return { kind: 'body', statusCode, headers: readFetchedHeaders({}), body: allocateOwned(0) };
}

function failure(reason: 'timeout' | 'connect' | 'reset' | 'dns', retryable = true): FetchResult {
  return { kind: 'failure', error: { reason, message: `It was ${reason}.` }, retryable };
}

const timeout = failure('timeout');
const redirect: FetchResult = { kind: 'redirect', statusCode: 302, location: '/' };
const busy = { error: { reason: 'robots_unreachable', message: 'It responded with 503.', statusCode: 503 } } as const;

/** A result of an attempt that is not the last of its page. */
function midway(result: FetchResult) {
  return { result, isLastAttempt: false, isOurs: false };
}

/** The circuit after these results in a row, all at one moment. */
function afterMany(result: FetchResult, count: number, circuit: Circuit = closedCircuit, now = start): Circuit {
  return Array.from({ length: count }).reduce<Circuit>((so) => afterFetch(so, midway(result), now, policy), circuit);
}

/** The state of the circuit at a moment, in one word. */
function stateOf(circuit: Circuit, now: number): string {
  if (isHopeless(circuit, policy)) return 'hopeless';
  if (isOpen(circuit, now)) return `open for ${(circuit.openUntil - now) / second} s`;
  return isHalfOpen(circuit, now) ? 'half-open' : 'closed';
}

describe('the last attempt at a page', () => {
  const last = (result: FetchResult, circuit = closedCircuit): Circuit =>
    afterFetch(circuit, { result, isLastAttempt: true, isOurs: false }, start, policy);

  test.each(['connect', 'dns'] as const)('opens it where nobody is there (%s)', (reason) => {
    expect(stateOf(last(failure(reason)), start)).toBe('open for 30 s');
  });

  test.each([
    ['a time-out', timeout],
    ['a broken connection', failure('reset')],
    ['an answer of 503', body(503)],
    ['a name that does not exist', failure('dns', false)],
  ])('says nothing of the host after %s', (_, result) => {
    expect(stateOf(last(result), start)).toBe('closed');
  });

  test('opens it where an attempt before found nobody there, and nothing answered since', () => {
    expect(stateOf(last(timeout, afterMany(failure('connect'), 3)), start)).toBe('open for 30 s');
    const answered = afterMany(body(200), 1, afterMany(failure('connect'), 3));
    expect(stateOf(last(timeout, answered), start)).toBe('closed');
  });

  test('opens it once: when the host has answered since, it is the page', () => {
    expect(stateOf(last(failure('connect'), afterProbe(last(failure('connect')))), start)).toBe('closed');
  });

  test('opens by the last attempt of a page where only robots.txt was down before', () => {
    const probed = afterProbe(afterUnreachable(closedCircuit, busy, start, policy));
    const lastAttempt = { ...midway(failure('connect')), isLastAttempt: true };
    const circuit = afterFetch(probed, lastAttempt, start + 60 * second, policy);
    expect([stateOf(circuit, start + 60 * second), circuit.timesOpened]).toEqual(['open for 30 s', 1]);
  });
});

describe('closed', () => {
  test('is how every circuit begins', () => {
    expect(stateOf(closedCircuit, start)).toBe('closed');
  });

  test.each<readonly [string, string, FetchResult]>([
    ['timeouts', 'open for 30 s', timeout],
    ['refused connections', 'open for 30 s', failure('connect')],
    ['connections that broke', 'open for 30 s', failure('reset')],
    ['names that could not be resolved now', 'open for 30 s', failure('dns')],
    ...[429, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530].map(
      (status) => [`answers of ${status}`, 'open for 30 s', body(status)] as const,
    ),
    // These concern one page, or us: the host is up.
    ...[200, 301, 304, 400, 401, 403, 404, 408, 410, 500, 501, 505, 525].map(
      (status) => [`answers of ${status}`, 'closed', body(status)] as const,
    ),
    ['redirects', 'closed', redirect],
    ['failures that will not pass', 'closed', failure('dns', false)],
  ])('five %s: %s', (_, expected, result) => {
    expect(stateOf(afterMany(result, 4), start)).toBe('closed');
    expect(stateOf(afterMany(result, 5), start)).toBe(expected);
  });

  test.each<readonly [string, string, FetchResult]>([
    ['a page', 'closed', body(200)],
    ['a missing page', 'closed', body(404)],
    ['an error of one page', 'closed', body(500)],
    ['a redirect', 'closed', redirect],
    // These say nothing about the host.
    ['a failure that will not pass', 'open for 30 s', failure('dns', false)],
  ])('with %s between four failures and the fifth: %s', (_, expected, between) => {
    const circuit = afterFetch(afterMany(timeout, 4), midway(between), start, policy);
    expect(stateOf(afterFetch(circuit, midway(timeout), start, policy), start)).toBe(expected);
  });

  test('an unreachable robots.txt opens it at once, for 5 s', () => {
    expect(stateOf(afterUnreachable(closedCircuit, busy, start, policy), start)).toBe('open for 5 s');
  });

  test('an unreachable robots.txt of a host whose pages failed as well opens it for as long as they would', () => {
    const circuit = afterProbe(afterMany(timeout, 5));
    const failedAgain = afterMany(timeout, 5, circuit, start + 30 * second);
    const probed = afterUnreachable(failedAgain, busy, failedAgain.openUntil, policy);
    expect(stateOf(probed, failedAgain.openUntil)).toBe('open for 120 s');
  });

  test.each([
    ['a longer pause that the site asked for stands', 60, 'open for 60 s'],
    ['a shorter one does not', 1, 'open for 5 s'],
  ])('%s', (_, retryAfterSeconds, expected) => {
    const cause = { ...busy, retryAfterMs: retryAfterSeconds * second };
    expect(stateOf(afterUnreachable(closedCircuit, cause, start, policy), start)).toBe(expected);
  });

  test('remembers why it was opened', () => {
    expect(afterMany(body(503), 5).error).toEqual({
      reason: 'http_error',
      message: 'The site responded with 503.',
      statusCode: 503,
    });
    expect(afterMany(timeout, 5).error).toEqual({ reason: 'timeout', message: 'It was timeout.' });
    expect(afterUnreachable(closedCircuit, busy, start, policy).error).toBe(busy.error);
  });
});

describe('open', () => {
  const open = afterMany(timeout, 5);

  test('is half-open once its pause is over', () => {
    expect(stateOf(open, start + 30 * second - 1)).toBe('open for 0.001 s');
    expect(stateOf(open, start + 30 * second)).toBe('half-open');
  });

  test('does not become longer by what was under way when it was opened', () => {
    expect(afterFetch(open, midway(timeout), start + second, policy)).toBe(open);
    expect(afterUnreachable(open, busy, start + second, policy)).toBe(open);
  });

  test('is closed by an answer that comes all the same', () => {
    expect(afterFetch(open, midway(body(200)), start + second, policy)).toEqual(closedCircuit);
  });
});

describe('half-open', () => {
  const open = afterMany(timeout, 5);
  const later = open.openUntil;

  test('robots.txt answers: closed, and it takes five failures again', () => {
    const probed = afterProbe(open);
    expect(stateOf(probed, later)).toBe('closed');
    expect(stateOf(afterMany(timeout, 4, probed, later), later)).toBe('closed');
    expect(stateOf(afterMany(timeout, 5, probed, later), later)).toBe('open for 60 s');
  });

  test('robots.txt of a host that never failed answers: nothing is remembered', () => {
    expect(afterProbe(closedCircuit)).toEqual(closedCircuit);
  });

  test('pages answer as well: all is forgotten, and the next pause is a first one', () => {
    const healed = afterFetch(afterProbe(open), midway(body(200)), later, policy);
    expect(healed).toEqual(closedCircuit);
    expect(stateOf(afterMany(timeout, 5, healed, later), later)).toBe('open for 30 s');
  });

  test.each([
    ['that never answered', [5, 10, 20, 40], afterUnreachable(closedCircuit, busy, start, policy)],
    ['of a host whose pages failed', [30, 60, 120, 240, 300, 150], open],
  ])('a robots.txt %s does not: open for twice as long, up to 300 s, and not beyond the 900 s', (_, pauses, first) => {
    let circuit = first;
    let now = start;
    const seen: number[] = [];
    while (!isHopeless(circuit, policy)) {
      seen.push((circuit.openUntil - now) / second);
      now = circuit.openUntil;
      circuit = afterUnreachable(circuit, busy, now, policy);
    }
    expect(seen.slice(0, pauses.length)).toEqual(pauses);
    expect(Math.max(...seen)).toBe(300);
    expect(now - start).toBe(policy.giveUpMs);
  });
});

describe('hopeless', () => {
  test('is a host whose robots.txt answers and whose pages never do', () => {
    let circuit = afterMany(timeout, 5);
    let now = start;
    for (let times = 0; times < 20 && !isHopeless(circuit, policy); times++) {
      now = circuit.openUntil;
      circuit = afterMany(timeout, 5, afterProbe(circuit), now);
    }
    expect(stateOf(circuit, now)).toBe('hopeless');
    expect(now - start).toBe(policy.giveUpMs);
  });

  test('is not a host that was up in between', () => {
    let circuit = afterMany(timeout, 5);
    for (let now = start; now < start + 3 * policy.giveUpMs; now += 60 * second) {
      circuit = afterMany(timeout, 5, afterFetch(afterProbe(circuit), midway(body(200)), now, policy), now);
      expect(isHopeless(circuit, policy)).toBe(false);
    }
  });

  test('is not a host whose first failures come again after it was left alone for long', () => {
    const circuit = afterProbe(afterMany(timeout, 5));
    const muchLater = start + policy.giveUpMs + second;
    expect(stateOf(afterMany(timeout, 5, circuit, muchLater), muchLater)).toBe('open for 30 s');
  });

  test('opens again when somebody asks all the same, and gets its pause', () => {
    const hopeless = afterUnreachable(afterMany(timeout, 5), busy, start + policy.giveUpMs, policy);
    expect(stateOf(hopeless, start + policy.giveUpMs)).toBe('hopeless');
    expect(isOpen(hopeless, start + policy.giveUpMs)).toBe(true);
  });

  test('comes sooner where the operator waits for less', () => {
    const impatient: CircuitPolicy = { giveUpMs: 2_000 };
    const circuit = afterUnreachable(closedCircuit, busy, start, impatient);
    expect(circuit.openUntil).toBe(start + 2_000);
    expect(isHopeless(circuit, impatient)).toBe(false);
    expect(isHopeless(afterUnreachable(circuit, busy, start + 2_000, impatient), impatient)).toBe(true);
  });
});

describe('a failure of our own side', () => {
  const ours = (circuit: Circuit, now: number, pauseMsMax = 20 * second): Circuit =>
    afterFetch(circuit, { result: failure('dns'), isLastAttempt: false, isOurs: true }, now, { ...policy, pauseMsMax });

  test('opens it at once, for growing pauses that stay short', () => {
    let [circuit, now] = [closedCircuit, start];
    const pauses: number[] = [];
    for (let time = 0; time < 5; time++) {
      circuit = ours(circuit, now);
      pauses.push((circuit.openUntil - now) / second);
      now = circuit.openUntil;
    }
    expect(pauses).toEqual([5, 10, 20, 20, 20]);
  });

  test('counts towards giving up, unless it is shown that nobody could be reached', () => {
    const early = ours(closedCircuit, start);
    const late = ours(early, start + 900 * second);
    expect(stateOf(late, late.lastFailureAt)).toBe('hopeless');
    const excused = afterOutage(late, start + 60 * second, start + 900 * second);
    expect(isHopeless(excused, policy)).toBe(false);
    // A minute of the fifteen is used up.
    const after = start + (900 + 840) * second;
    expect(isHopeless(ours(excused, after - 1), policy)).toBe(false);
    expect(isHopeless(ours(excused, after), policy)).toBe(true);
  });

  test('that began in an outage has not begun before its end', () => {
    const excused = afterOutage(ours(closedCircuit, start + second), start, start + 60 * second);
    expect(excused).toMatchObject({ failingSince: start + 60 * second, timesOpened: 0 });
    expect(afterOutage(closedCircuit, start, start + second)).toEqual(closedCircuit);
  });
});
