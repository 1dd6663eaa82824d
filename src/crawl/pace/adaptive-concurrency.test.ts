import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../prove/simulation/random.ts';
import {
  adapt,
  type Allowance,
  firstAllowance,
  type Observation,
  recalledAllowance,
  requestsNow,
} from './adaptive-concurrency.ts';

const quick: Observation = { latencyMs: 50, inFlight: 1, isStrained: false, isDown: false };
const strained: Observation = { inFlight: 1, isStrained: true, isDown: true };

function after(observations: readonly Observation[], max = 8, from: Allowance = firstAllowance): Allowance {
  return observations.reduce((allowance, seen) => adapt(allowance, seen, max), from);
}
const times = (count: number, seen: Observation): Observation[] => Array.from({ length: count }, () => seen);

describe('adapt: delay', () => {
  test('adapt: doubles the delay when one request at a time strains the host, and removes it as responses succeed', () => {
    const refused = after(times(6, strained));
    expect(refused).toMatchObject({ requests: 1, delayMs: 250 * 2 ** 4 });
    expect(after([quick], 8, refused).delayMs).toBe(3_600);
    expect(after(times(60, quick), 8, refused)).toMatchObject({ delayMs: 0 });
  });

  test('adapt: adds no delay for pages that are broken', () => {
    expect(after(times(50, { ...strained, isDown: false }))).toMatchObject({ requests: 1, delayMs: 0 });
  });
});

describe('adapt: requests in flight', () => {
  test('adapt: starts with two requests, and adds a half with each response up to the limit', () => {
    expect(firstAllowance.requests).toBe(2);
    expect([0, 1, 2, 12, 40].map((count) => after(times(count, quick)).requests)).toEqual([2, 2.5, 3, 8, 8]);
  });

  test('adapt: halves the requests once for all responses that were in flight at the strain', () => {
    const full = after(times(20, quick));
    expect(after([strained], 8, full).requests).toBe(4);
    expect(after(times(4, strained), 8, full).requests).toBe(4);
    expect(after(times(6, strained), 8, full).requests).toBe(2);
    expect(after(times(100, strained), 8, full).requests).toBe(1);
  });

  test('adapt: adds about one request per round of responses after a strain', () => {
    const halved = after([...times(20, quick), strained]);
    const later = after(times(4, quick), 8, halved).requests;
    expect(later).toBeGreaterThan(4.8);
    expect(later).toBeLessThan(5.1);
    expect(after(times(30, quick), 8, halved).requests).toBeGreaterThan(7);
    // Slower growth near the last strain.
    expect(after(times(120, quick), 8, halved).requests).toBe(8);
  });

  test('adapt: stays between one and the limit for any observations, and above two without strain', () => {
    const seen = fc.record({
      latencyMs: fc.nat(60_000),
      inFlight: fc.nat(64),
      isStrained: fc.boolean(),
      isDown: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 200 }), fc.integer({ min: 2, max: 64 }), (observations, max) => {
        const { requests } = after(observations, max);
        expect(requests).toBeGreaterThanOrEqual(1);
        expect(requests).toBeLessThanOrEqual(max);
        const unstrained = observations.map((observation) => ({ ...observation, isStrained: false }));
        expect(after(unstrained, max).requests).toBeGreaterThanOrEqual(2);
      }),
    );
  });
});

/** How a host answers: its latency with this many requests in flight, or an error. */
type Host = (inFlight: number, random: () => number) => { readonly ms: number; readonly isStrained?: boolean };

interface Crawled {
  /** Requests in flight on average, from the 20th page on. */
  readonly inFlight: number;
  readonly errors: number;
}

/** A crawl in simulated time, with all allowed requests in flight. */
function crawl(host: Host, { pages = 500, seed = 1, max = 8 } = {}): Crawled {
  const random = createRandom(seed).next;
  let [allowance, now, done, errors, busy, busyFrom] = [firstAllowance, 0, 0, 0, 0, 0];
  const open: { endsAt: number; ms: number; inFlight: number; isStrained: boolean }[] = [];
  while (done < pages) {
    while (open.length < requestsNow(allowance)) {
      const inFlight = open.length + 1;
      const { ms, isStrained = false } = host(inFlight, random);
      open.push({ endsAt: now + ms, ms, inFlight, isStrained });
    }
    open.sort((a, b) => a.endsAt - b.endsAt);
    const next = open.shift();
    if (!next) throw new Error('nothing is in flight');
    if (done >= 20) busy += (open.length + 1) * (next.endsAt - now);
    else busyFrom = next.endsAt;
    now = next.endsAt;
    const { ms, inFlight, isStrained } = next;
    allowance = adapt(
      allowance,
      { ...(!isStrained && { latencyMs: ms }), inFlight, isStrained, isDown: isStrained },
      max,
    );
    if (isStrained) errors++;
    done++;
  }
  return { inFlight: busy / (now - busyFrom), errors };
}

const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

describe('adapt: hosts without contention', () => {
  test.each<readonly [string, Host]>([
    ['pages of 50 ms', () => ({ ms: 50 })],
    ['pages of 300 ms', () => ({ ms: 300 })],
    ['pages of 1,000 ms', () => ({ ms: 1_000 })],
    ['every tenth page 20 times as slow', (_, random) => ({ ms: random() < 0.1 ? 6_000 : 300 })],
    ['half of the pages from a cache', (_, random) => ({ ms: random() < 0.5 ? 20 : 600 })],
    ['a long tail of latencies', (_, random) => ({ ms: 300 * Math.exp(normal(random)) })],
    [
      'slightly slower pages under load',
      (inFlight, random) => ({ ms: 300 * (0.9 + 0.1 * inFlight) * (0.8 + 0.4 * random()) }),
    ],
  ])('adapt: uses nearly the full limit for a host with %s', (_, host) => {
    const crawls = seeds.map((seed) => crawl(host, { seed }).inFlight);
    expect(Math.min(...crawls)).toBeGreaterThan(6);
  });
});

describe('adapt: hosts at their limit', () => {
  const workers =
    (count: number, ms: number): Host =>
    (inFlight, random) => ({
      ms: ms * Math.max(1, inFlight / count) * (0.8 + 0.4 * random()),
    });

  test.each<readonly [string, Host, number]>([
    ['one worker', workers(1, 300), 3.5],
    ['two workers', workers(2, 300), 5],
    ['two workers and fast pages', workers(2, 60), 6.5],
    ['two workers and slow pages', workers(2, 2_000), 5],
    ['latency that grows with the square of the load', (inFlight) => ({ ms: 50 * inFlight ** 2 }), 4],
  ])('adapt: spares a host with %s', (_, host, most) => {
    const crawls = seeds.map((seed) => crawl(host, { seed, pages: 300 }).inFlight);
    expect(Math.max(...crawls)).toBeLessThan(most);
    expect(Math.min(...crawls)).toBeGreaterThan(1.5);
  });

  test('adapt: finds the capacity of a host that responds with 503 above it, with few errors', () => {
    const { inFlight, errors } = crawl((n) => (n > 4 ? { ms: 5, isStrained: true } : { ms: 200 }));
    expect(inFlight).toBeGreaterThan(2);
    expect(inFlight).toBeLessThan(5);
    expect(errors).toBeLessThan(60);
  });

  test('adapt: causes few errors at a host that accepts one request at a time', () => {
    const { errors } = crawl((n) => (n > 1 ? { ms: 5, isStrained: true } : { ms: 200 }), { pages: 1_000 });
    expect(errors).toBeLessThan(400);
  });

  test('adapt: returns to the limit when the host recovers', () => {
    let pages = 0;
    const host: Host = (inFlight) => ({ ms: pages++ > 300 ? 300 : 300 * inFlight });
    expect(crawl(host, { pages: 300 }).inFlight).toBeLessThan(4);
    pages = 0;
    expect(crawl(host, { pages: 6_000 }).inFlight).toBeGreaterThan(6);
  });
});

describe('recalledAllowance', () => {
  const noted = after(times(200, quick));
  const handedOver: unknown = JSON.parse(JSON.stringify(noted));

  test('recalledAllowance: restores a recent allowance', () => {
    expect(recalledAllowance(handedOver, 1_000)).toEqual(noted);
  });

  test('recalledAllowance: restores an old allowance without its latencies', () => {
    expect(recalledAllowance(handedOver, 3_600_000)).toMatchObject({ requests: 8, full: { responses: 0 } });
  });

  test.each([
    [undefined],
    [null],
    ['text'],
    [{ requests: null }],
    [{ requests: 0 }],
    [{ requests: 'many' }],
    [{ ...noted, responsesToTest: null }],
  ])('recalledAllowance: returns the first allowance for the invalid %j', (given) => {
    expect(recalledAllowance(given, 0)).toEqual(firstAllowance);
  });
});
