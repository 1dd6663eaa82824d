import { describe, expect, test } from 'vitest';
import type { FetchResult } from '../../core/ports/fetcher.ts';
import { readFetchedHeaders } from '../../fetch/response/response-head.ts';
import {
  answered,
  anyJob,
  afterFetch,
  afterOutage,
  afterProbe,
  afterUnreachable,
  type Circuit,
  type CircuitPolicy,
  closedCircuit,
  type Expectation,
  giveUpMsOf,
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

describe('circuit breaker: last attempt of a page', () => {
  const last = (result: FetchResult, circuit = closedCircuit): Circuit =>
    afterFetch(circuit, { result, isLastAttempt: true, isOurs: false }, start, policy);

  test.each(['connect', 'dns'] as const)(
    'circuit breaker: opens for 30 s after a last attempt that found no host (%s)',
    (reason) => {
      expect(stateOf(last(failure(reason)), start)).toBe('open for 30 s');
    },
  );

  test.each([
    ['a timeout', timeout],
    ['a broken connection', failure('reset')],
    ['a 503', body(503)],
    ['a name that does not exist', failure('dns', false)],
  ])('circuit breaker: stays closed after a last attempt that ended with %s', (_, result) => {
    expect(stateOf(last(result), start)).toBe('closed');
  });

  test('circuit breaker: opens after a last attempt when an earlier attempt found no host and nothing responded since', () => {
    expect(stateOf(last(timeout, afterMany(failure('connect'), 3)), start)).toBe('open for 30 s');
    const answered = afterMany(body(200), 1, afterMany(failure('connect'), 3));
    expect(stateOf(last(timeout, answered), start)).toBe('closed');
  });

  test('circuit breaker: does not open again for a page when the host has responded to the probe', () => {
    expect(stateOf(last(failure('connect'), afterProbe(last(failure('connect')), start)), start)).toBe('closed');
  });

  test('circuit breaker: opens after a last attempt when only robots.txt was down before', () => {
    const probed = afterProbe(afterUnreachable(closedCircuit, busy, start, policy), start);
    const lastAttempt = { ...midway(failure('connect')), isLastAttempt: true };
    const circuit = afterFetch(probed, lastAttempt, start + 60 * second, policy);
    expect([stateOf(circuit, start + 60 * second), circuit.timesOpened]).toEqual(['open for 30 s', 1]);
  });
});

describe('circuit breaker: closed', () => {
  test('circuit breaker: is closed at the start', () => {
    expect(stateOf(closedCircuit, start)).toBe('closed');
  });

  test.each<readonly [string, string, FetchResult]>([
    ['timeouts', 'open for 30 s', timeout],
    ['refused connections', 'open for 30 s', failure('connect')],
    ['broken connections', 'open for 30 s', failure('reset')],
    ['temporary name errors', 'open for 30 s', failure('dns')],
    ...[429, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530].map(
      (status) => [`responses with ${status}`, 'open for 30 s', body(status)] as const,
    ),
    // These concern one page, or us: the host is up.
    ...[200, 301, 304, 400, 401, 403, 404, 408, 410, 500, 501, 505, 525].map(
      (status) => [`responses with ${status}`, 'closed', body(status)] as const,
    ),
    ['redirects', 'closed', redirect],
    ['permanent failures', 'closed', failure('dns', false)],
  ])('circuit breaker: after five %s is %s', (_, expected, result) => {
    expect(stateOf(afterMany(result, 4), start)).toBe('closed');
    expect(stateOf(afterMany(result, 5), start)).toBe(expected);
  });

  test.each<readonly [string, string, FetchResult]>([
    ['a page', 'closed', body(200)],
    ['a missing page', 'closed', body(404)],
    ['an error of one page', 'closed', body(500)],
    ['a redirect', 'closed', redirect],
    // These say nothing about the host.
    ['a permanent failure', 'open for 30 s', failure('dns', false)],
  ])('circuit breaker: with %s between four failures and the fifth is %s', (_, expected, between) => {
    const circuit = afterFetch(afterMany(timeout, 4), midway(between), start, policy);
    expect(stateOf(afterFetch(circuit, midway(timeout), start, policy), start)).toBe(expected);
  });

  test('circuit breaker: opens for 5 s when robots.txt is unreachable', () => {
    expect(stateOf(afterUnreachable(closedCircuit, busy, start, policy), start)).toBe('open for 5 s');
  });

  test('circuit breaker: opens for the pause of its pages when robots.txt is unreachable after failed pages', () => {
    const circuit = afterProbe(afterMany(timeout, 5), start);
    const failedAgain = afterMany(timeout, 5, circuit, start + 30 * second);
    const probed = afterUnreachable(failedAgain, busy, failedAgain.openUntil, policy);
    expect(stateOf(probed, failedAgain.openUntil)).toBe('open for 120 s');
  });

  test.each([
    ['keeps a longer pause that the site asked for', 60, 'open for 60 s'],
    ['ignores a shorter pause that the site asked for', 1, 'open for 5 s'],
  ])('circuit breaker: %s', (_, retryAfterSeconds, expected) => {
    const cause = { ...busy, retryAfterMs: retryAfterSeconds * second };
    expect(stateOf(afterUnreachable(closedCircuit, cause, start, policy), start)).toBe(expected);
  });

  test('circuit breaker: keeps the error that opened it', () => {
    expect(afterMany(body(503), 5).error).toEqual({
      reason: 'http_error',
      message: 'The site responded with 503.',
      statusCode: 503,
    });
    expect(afterMany(timeout, 5).error).toEqual({ reason: 'timeout', message: 'It was timeout.' });
    expect(afterUnreachable(closedCircuit, busy, start, policy).error).toBe(busy.error);
  });
});

describe('circuit breaker: open', () => {
  const open = afterMany(timeout, 5);

  test('circuit breaker: becomes half-open when its pause is over', () => {
    expect(stateOf(open, start + 30 * second - 1)).toBe('open for 0.001 s');
    expect(stateOf(open, start + 30 * second)).toBe('half-open');
  });

  test('circuit breaker: does not extend its pause for requests that were in flight when it opened', () => {
    expect(afterFetch(open, midway(timeout), start + second, policy)).toBe(open);
    expect(afterUnreachable(open, busy, start + second, policy)).toBe(open);
  });

  test('circuit breaker: closes when a response arrives during the pause', () => {
    expect(afterFetch(open, midway(body(200)), start + second, policy)).toEqual(
      answered(closedCircuit, start + second),
    );
  });
});

describe('circuit breaker: half-open', () => {
  const open = afterMany(timeout, 5);
  const later = open.openUntil;

  test('circuit breaker: closes when robots.txt responds, and opens again after five failures', () => {
    const probed = afterProbe(open, later);
    expect(stateOf(probed, later)).toBe('closed');
    expect(stateOf(afterMany(timeout, 4, probed, later), later)).toBe('closed');
    expect(stateOf(afterMany(timeout, 5, probed, later), later)).toBe('open for 60 s');
  });

  test('circuit breaker: remembers nothing when robots.txt responds and the host never failed', () => {
    expect(afterProbe(closedCircuit, start)).toEqual(answered(closedCircuit, start));
  });

  test('circuit breaker: forgets all failures when a page responds after the probe', () => {
    const healed = afterFetch(afterProbe(open, later), midway(body(200)), later, policy);
    expect(healed).toEqual(answered(closedCircuit, later));
    expect(stateOf(afterMany(timeout, 5, healed, later), later)).toBe('open for 30 s');
  });

  test.each([
    ['that never responded', [5, 10, 20, 40], afterUnreachable(closedCircuit, busy, start, policy)],
    ['whose pages failed', [30, 60, 120, 240, 300, 150], open],
  ])(
    'circuit breaker: doubles its pause up to 300 s, and becomes hopeless at 900 s, while robots.txt is unreachable on a host %s',
    (_, pauses, first) => {
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
    },
  );
});

describe('circuit breaker: hopeless', () => {
  test('circuit breaker: becomes hopeless after 900 s when robots.txt responds and pages never do', () => {
    let circuit = afterMany(timeout, 5);
    let now = start;
    for (let times = 0; times < 20 && !isHopeless(circuit, policy); times++) {
      now = circuit.openUntil;
      circuit = afterMany(timeout, 5, afterProbe(circuit, now), now);
    }
    expect(stateOf(circuit, now)).toBe('hopeless');
    expect(now - start).toBe(policy.giveUpMs);
  });

  test('circuit breaker: does not become hopeless when a page responded in between', () => {
    let circuit = afterMany(timeout, 5);
    for (let now = start; now < start + 3 * policy.giveUpMs; now += 60 * second) {
      circuit = afterMany(timeout, 5, afterFetch(afterProbe(circuit, now), midway(body(200)), now, policy), now);
      expect(isHopeless(circuit, policy)).toBe(false);
    }
  });

  test('circuit breaker: starts again when the last failure is older than giveUpMs', () => {
    const circuit = afterProbe(afterMany(timeout, 5), start);
    const muchLater = start + policy.giveUpMs + second;
    expect(stateOf(afterMany(timeout, 5, circuit, muchLater), muchLater)).toBe('open for 30 s');
  });

  test('circuit breaker: is open when it becomes hopeless', () => {
    const hopeless = afterUnreachable(afterMany(timeout, 5), busy, start + policy.giveUpMs, policy);
    expect(stateOf(hopeless, start + policy.giveUpMs)).toBe('hopeless');
    expect(isOpen(hopeless, start + policy.giveUpMs)).toBe(true);
  });

  test('circuit breaker: becomes hopeless sooner when giveUpMs is shorter', () => {
    const impatient: CircuitPolicy = { giveUpMs: 2_000 };
    const circuit = afterUnreachable(closedCircuit, busy, start, impatient);
    expect(circuit.openUntil).toBe(start + 2_000);
    expect(isHopeless(circuit, impatient)).toBe(false);
    expect(isHopeless(afterUnreachable(circuit, busy, start + 2_000, impatient), impatient)).toBe(true);
  });
});

describe('circuit breaker: local failures', () => {
  const ours = (circuit: Circuit, now: number, pauseMsMax = 20 * second): Circuit =>
    afterFetch(circuit, { result: failure('dns'), isLastAttempt: false, isOurs: true }, now, { ...policy, pauseMsMax });

  test('circuit breaker: opens for short growing pauses after a local failure', () => {
    let [circuit, now] = [closedCircuit, start];
    const pauses: number[] = [];
    for (let time = 0; time < 5; time++) {
      circuit = ours(circuit, now);
      pauses.push((circuit.openUntil - now) / second);
      now = circuit.openUntil;
    }
    expect(pauses).toEqual([5, 10, 20, 20, 20]);
  });

  test('circuit breaker: counts local failures towards hopeless, except those of an outage', () => {
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

  test('afterOutage: moves the start of failures within the outage to its end', () => {
    const excused = afterOutage(ours(closedCircuit, start + second), start, start + 60 * second);
    expect(excused).toMatchObject({ failingSince: start + 60 * second, timesOpened: 0 });
    expect(afterOutage(closedCircuit, start, start + second)).toEqual(closedCircuit);
  });
});

describe('circuit breaker: a host that has not answered', () => {
  const short: CircuitPolicy = { giveUpMs: 900_000, unansweredMs: 20_000 };
  const refused = { error: { reason: 'connect', message: 'The host refused the connection.' } } as const;
  const job = { ...anyJob, begunAt: start };
  const wish = (unansweredMs: number): Expectation => ({ ...job, unansweredMs });

  /** Seconds until the host is hopeless for the last of the jobs, if it fails whenever it is tried. */
  function hopelessAfter(circuit: Circuit, jobs: readonly Expectation[]): number {
    let now = start;
    for (let failed = circuit; now < start + 10_000 * second; now = failed.openUntil) {
      failed = afterUnreachable(failed, refused, now, { ...short, jobs });
      if (isHopeless(failed, short, jobs.at(-1))) return (now - start) / second;
    }
    return Number.POSITIVE_INFINITY;
  }
  const before = answered(closedCircuit, start - 1);
  const since = answered(closedCircuit, start);

  test.each<[string, number, Circuit, ...Expectation[]]>([
    ['nothing has answered', 20, closedCircuit, job],
    ['it answered since the job began', 900, since, job],
    ['it answered before the job began', 20, before, job],
    ['it redirected', 900, afterFetch(closedCircuit, midway(redirect), start, short), job],
    ['its robots.txt answered', 900, afterProbe(closedCircuit, start), job],
    ['its robots.txt answered 503', 900, afterUnreachable(closedCircuit, busy, start, short), job],
    ['it answered 503', 900, afterFetch(closedCircuit, midway(body(503)), start, short), job],
    ['a page of it was found on one of its pages', 900, closedCircuit, { ...job, isFound: true }],
    ['the job wants 60 s', 60, closedCircuit, wish(60_000)],
    ['the job wants 5 s', 5, closedCircuit, wish(5_000)],
    ['the job wants 5 s, and it answered before', 5, before, wish(5_000)],
    ['another job wants 5 s', 20, closedCircuit, wish(5_000), job],
    ['the job wants 5 s, and another 20 s', 5, closedCircuit, job, wish(5_000)],
    ['the job wants an hour', 3_600, closedCircuit, wish(3_600_000)],
    ['it answered since, and the job wants 5 s', 900, since, wish(5_000)],
    ['the job began 60 s later', 80, closedCircuit, { ...job, begunAt: start + 60 * second }],
  ])('circuit breaker: when %s, is hopeless after %i s', (_, seconds, circuit, ...jobs) => {
    const closed = { ...circuit, openUntil: 0, failingSince: undefined, timesOpened: 0 };
    expect(hopelessAfter(closed, jobs)).toBe(seconds);
  });

  test('circuit breaker: does not give a host up sooner for failures on our side', () => {
    const byRobots = (circuit: Circuit, now: number): Circuit => afterUnreachable(circuit, refused, now, short);
    const oursOnce = afterUnreachable(closedCircuit, { ...refused, isOurs: true }, start, short);
    expect(giveUpMsOf(oursOnce, short)).toBe(900_000);
    expect(giveUpMsOf(byRobots(oursOnce, start + 5_000), short)).toBe(900_000);
    const ours = afterFetch(closedCircuit, { ...midway(failure('dns')), isOurs: true }, start, short);
    expect(giveUpMsOf(ours, short)).toBe(900_000);
    expect(giveUpMsOf(afterFetch(ours, midway(body(200)), start + 1, short), short)).toBe(900_000);
  });

  test('circuit breaker: never gives a host up later than one that has answered, unless a job wants it', () => {
    expect(giveUpMsOf(closedCircuit, { giveUpMs: 3_000, unansweredMs: 20_000 })).toBe(3_000);
  });
});
