// How many requests a host bears at a time, and how soon after each other, learnt from its responses. Pure: observations
// are arguments.
//
// Errors and 429 are strain at once. A slow host is not strained; a host that gets slower with more requests is. To
// distinguish the two, a test keeps only half as many requests in flight for some responses and compares the latencies:
//
//   all  ──responsesToTest──►  half  ──enough responses──►  as before, or fewer where half was nearly twice as quick
import { isClearlySlower, isEnough, type Latency, noLatency, withResponse } from './latency.ts';

export interface Allowance {
  /** Requests in flight. The fraction is growth that is not a whole request yet. */
  readonly requests: number;
  /** Between the starts of two requests, for hosts that cannot bear even one at a time; otherwise 0. */
  readonly delayMs: number;
  /**
   * `quick`: by half a request per response, until the first sign of strain. `steady`: by one per round of responses.
   * `tested`: by one per test.
   */
  readonly growth: 'quick' | 'steady' | 'tested';
  /** The number of requests at the last strain. From one below it, growth is ten times slower. */
  readonly strainedAt: number;
  /** Responses since the last cut. Requests that were under way at the cut say nothing about the lower allowance. */
  readonly responsesSinceCut: number;
  /** Responses until the next test; 0 or less while one is under way. */
  readonly responsesToTest: number;
  /** Latencies of pages requested with all requests in flight, and with half of them. */
  readonly full: Latency;
  readonly half: Latency;
}

export interface Observation {
  /**
   * From the request to the head of its response. Present only for pages, and only if this process was not too busy to
   * measure.
   */
  readonly latencyMs?: number;
  /** Requests of this process in flight to the host when this one was sent, including it. */
  readonly inFlight: number;
  /** The host answered with an error, or did not answer. */
  readonly isStrained: boolean;
  /** The host itself did not answer or reported overload, rather than one page being broken. */
  readonly isDown: boolean;
}

/** The minimum for a host that does not fail, however slow. */
const requestsMinUnstrained = 2;
const quickGrowthPerResponse = 0.5;
const growthNearStrain = 0.1;
/** Growth after a test with too few responses to decide. */
const growthUndecided = 0.25;
const firstTestAfter = 24;
/** Between two tests. A test sends fewer requests than allowed for about as many responses as there are requests. */
const testEveryResponses = 150;
const testEveryRounds = 20;
/** For a host that a test found to get slower. */
const testAgainAfter = 40;
/** Responses with half of the requests in flight, in addition to those of requests already under way. */
const testResponses = 12;
/** If half of the requests halve the latency, six tenths of them fetch as many pages a second. */
const slownessCut = 0.6;
const strainCut = 0.5;
const delayFirstMs = 250;
const delayMaxMs = 60_000;
/** Each response shortens the delay by this factor. A delay below `delayLastMs` ends. */
const delayFallPerResponse = 0.9;
const delayLastMs = 50;

export const firstAllowance: Allowance = {
  requests: 2,
  delayMs: 0,
  growth: 'quick',
  strainedAt: Number.POSITIVE_INFINITY,
  responsesSinceCut: Number.POSITIVE_INFINITY,
  responsesToTest: firstTestAfter,
  full: noLatency,
  half: noLatency,
};

/**
 * Reads what another process noted. Latencies from longer ago than `latenciesKeptMs` are dropped: they say nothing about
 * today's.
 */
export function recalledAllowance(noted: unknown, ageMs: number): Allowance {
  const given: { readonly [Name in keyof Allowance]?: unknown } = (typeof noted === 'object' ? noted : null) ?? {};
  const { requests, delayMs, growth, strainedAt, responsesSinceCut, responsesToTest, full, half } = given;
  if (!isNumber(requests, 1) || !isNumber(delayMs, 0) || !isNumber(responsesToTest)) return firstAllowance;
  const isFresh = ageMs <= latenciesKeptMs && isLatency(full) && isLatency(half);
  return {
    requests,
    delayMs,
    growth: growth === 'steady' || growth === 'tested' ? growth : 'quick',
    // JSON has no infinity.
    strainedAt: isNumber(strainedAt, 0) ? strainedAt : Number.POSITIVE_INFINITY,
    responsesSinceCut: isNumber(responsesSinceCut, 0) ? responsesSinceCut : Number.POSITIVE_INFINITY,
    responsesToTest,
    ...(isFresh ? { full, half } : { full: noLatency, half: noLatency }),
  };
}

const latenciesKeptMs = 60_000;

function isNumber(value: unknown, min = Number.NEGATIVE_INFINITY): value is number {
  return typeof value === 'number' && value >= min;
}

function isLatency(value: unknown): value is Latency {
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(noLatency).every((name) => isNumber((value as Record<string, unknown>)[name], 0));
}

/** Requests allowed in flight now. */
export function requestsNow(allowance: Allowance): number {
  return allowance.responsesToTest > 0 ? Math.floor(allowance.requests) : halfOf(allowance.requests);
}

/**
 * Halved when the host is strained, lowered when a test shows that more requests only make the host slower, otherwise
 * raised; from 1 to `max`. If the host cannot bear even one request at a time, the delay between requests is doubled
 * instead, and must fall to 0 before the number grows again.
 */
export function adapt(before: Allowance, seen: Observation, max: number): Allowance {
  const allowance = noted(before, seen, max);
  if (seen.isStrained) return afterStrain(allowance, seen);
  if (allowance.delayMs > 0) {
    const shorter = allowance.delayMs * delayFallPerResponse;
    return { ...allowance, delayMs: shorter < delayLastMs ? 0 : shorter };
  }
  return afterTest(grown(allowance, max), max);
}

function halfOf(requests: number): number {
  return Math.min(Math.floor(requests), Math.max(requestsMinUnstrained, Math.floor(requests / 2)));
}

/** A number in flight between the two says little about either. Nothing is compared during quick growth. */
function noted(allowance: Allowance, { latencyMs, inFlight }: Observation, max: number): Allowance {
  const { requests, responsesSinceCut, responsesToTest, full, half } = allowance;
  const counted = { ...allowance, responsesSinceCut: responsesSinceCut + 1, responsesToTest: responsesToTest - 1 };
  if (latencyMs === undefined || (allowance.growth === 'quick' && requests < max)) return counted;
  if (inFlight > 0.75 * requests) return { ...counted, full: withResponse(full, latencyMs) };
  return inFlight <= halfOf(requests) ? { ...counted, half: withResponse(half, latencyMs) } : counted;
}

function afterStrain(allowance: Allowance, { isDown }: Observation): Allowance {
  const { requests, delayMs, responsesSinceCut } = allowance;
  // The count includes this response.
  if (requests > 1 && responsesSinceCut <= requests) return { ...allowance, growth: 'steady' };
  const isTooMuch = isDown && requests < requestsMinUnstrained;
  return {
    requests: Math.max(1, requests * strainCut),
    delayMs: isTooMuch ? Math.min(delayMaxMs, Math.max(delayFirstMs, delayMs * 2)) : delayMs,
    growth: 'steady',
    strainedAt: requests,
    responsesSinceCut: 0,
    responsesToTest: testEveryResponses,
    full: noLatency,
    half: noLatency,
  };
}

function grown(allowance: Allowance, max: number): Allowance {
  const { requests, growth, strainedAt } = allowance;
  if (growth === 'tested') return allowance;
  const isNearStrain = requests + 1 >= strainedAt;
  const step = growth === 'quick' ? quickGrowthPerResponse : (isNearStrain ? growthNearStrain : 1) / requests;
  const more = Math.min(max, requests + step);
  // Past the last strain, the host bears more by now.
  return { ...allowance, requests: more, strainedAt: more > strainedAt + 0.5 ? Number.POSITIVE_INFINITY : strainedAt };
}

function afterTest(allowance: Allowance, max: number): Allowance {
  const { requests, growth, responsesToTest, full, half } = allowance;
  const isTested = growth === 'tested';
  const nextTest = isTested ? testAgainAfter : Math.max(testEveryResponses, testEveryRounds * requests);
  if (responsesToTest === 0) {
    if (halfOf(requests) === Math.floor(requests)) {
      // Half is no fewer, so there is nothing to test.
      return { ...allowance, requests: isTested ? Math.min(max, requests + 1) : requests, responsesToTest: nextTest };
    }
    // Too little to compare with yet: pages are few, or this process is busy.
    if (!isEnough(full)) return { ...allowance, responsesToTest: testAgainAfter };
  }
  const underWay = Math.floor(requests) - halfOf(requests);
  if (responsesToTest > -(underWay + testResponses)) return allowance;
  if (isClearlySlower(full, half, Math.floor(requests) / halfOf(requests))) {
    return {
      ...allowance,
      requests: Math.max(requestsMinUnstrained, requests * slownessCut),
      growth: 'tested',
      responsesSinceCut: 0,
      responsesToTest: testAgainAfter,
      full: noLatency,
      half: noLatency,
    };
  }
  if (!isTested) return { ...allowance, responsesToTest: nextTest };
  if (!isEnough(full) || !isEnough(half)) {
    return { ...allowance, requests: Math.min(max, requests + growthUndecided), responsesToTest: testAgainAfter };
  }
  return {
    ...allowance,
    requests: Math.min(max, requests + 1),
    // The host bears the maximum again.
    growth: requests + 1 >= max ? 'steady' : 'tested',
    responsesToTest: testAgainAfter,
    full: noLatency,
    half: noLatency,
  };
}
