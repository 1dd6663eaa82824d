// How many requests a host bears at a time, and how soon after each other, learnt from how it answers. Pure: what was seen
// is an argument.
//
// Errors and 429 are strain at once. A slow host is not strained; a host that gets slower with more requests is. To tell the two apart,
// a test keeps only half as many requests in flight for some answers and compares the latencies:
//
//   all  ──answersToTest──►  half  ──enough answers──►  as before, or fewer where half was nearly twice as quick
import { isClearlySlower, isEnough, type Latency, noLatency, withAnswer } from './latency.ts';

export interface Allowance {
  /** Requests in flight; the fraction is growth that has not come to a whole request yet. */
  readonly requests: number;
  /** Between the starts of two requests: for hosts that find even one at a time too much, 0 for all others. */
  readonly delayMs: number;
  /** By a half with each answer, while there was no sign of strain; by one with each round of answers; by one with each test. */
  readonly growth: 'quick' | 'steady' | 'tested';
  /** The number of requests at the last strain. From one below it on, growth is ten times as slow. */
  readonly strainedAt: number;
  /** Answers since the allowance was last lowered: those under way then say nothing about the lower one. */
  readonly answersSinceCut: number;
  /** Answers until the next test; from 0 down while one is under way. */
  readonly answersToTest: number;
  /** Of pages that were asked for with all requests in flight, and with half of them. */
  readonly full: Latency;
  readonly half: Latency;
}

export interface Observation {
  /** From the request to the head of its answer. Only where it became a page, and where this process was not too busy to tell. */
  readonly latencyMs?: number;
  /** Requests of this process that the host had, with this one, when it was sent. */
  readonly inFlight: number;
  /** The answer is an error of the host's, or there is none. */
  readonly isStrained: boolean;
  /** It is the host that could not answer, or said that it is too much, and not one page that is broken. */
  readonly isDown: boolean;
}

/** The minimum for a host that does not fail, however slow it is. */
const requestsMinUnstrained = 2;
const quickGrowthPerAnswer = 0.5;
const growthNearStrain = 0.1;
/** With a test that had too few answers to tell. */
const growthUndecided = 0.25;
const firstTestAfter = 24;
/** Between two tests: a test sends less than it could for about as many answers as there are requests. */
const testEveryAnswers = 150;
const testEveryRounds = 20;
/** Where a host was found to get slower. */
const testAgainAfter = 40;
/** With half of the requests in flight, beside those that were under way. */
const testAnswers = 12;
/** As many pages a second come with six tenths, where half makes the latency half. */
const slownessCut = 0.6;
const strainCut = 0.5;
const delayFirstMs = 250;
const delayMaxMs = 60_000;
/** A delay gets shorter by this with every answer, and ends when it is hardly one. */
const delayFallPerAnswer = 0.9;
const delayLastMs = 50;

export const firstAllowance: Allowance = {
  requests: 2,
  delayMs: 0,
  growth: 'quick',
  strainedAt: Number.POSITIVE_INFINITY,
  answersSinceCut: Number.POSITIVE_INFINITY,
  answersToTest: firstTestAfter,
  full: noLatency,
  half: noLatency,
};

/** What another process noted, perhaps of another version, or long ago: then its latencies say nothing about today's. */
export function recalledAllowance(noted: unknown, ageMs: number): Allowance {
  const given: { readonly [Name in keyof Allowance]: unknown } = {
    ...firstAllowance,
    ...(typeof noted === 'object' ? noted : {}),
  };
  const { requests, delayMs, growth, strainedAt, answersSinceCut, answersToTest, full, half } = given;
  if (!isNumber(requests, 1) || !isNumber(delayMs, 0) || !isNumber(answersToTest)) return firstAllowance;
  const isFresh = ageMs <= latenciesKeptMs && isLatency(full) && isLatency(half);
  return {
    requests,
    delayMs,
    growth: growth === 'steady' || growth === 'tested' ? growth : 'quick',
    // JSON has no infinity.
    strainedAt: isNumber(strainedAt, 0) ? strainedAt : Number.POSITIVE_INFINITY,
    answersSinceCut: isNumber(answersSinceCut, 0) ? answersSinceCut : Number.POSITIVE_INFINITY,
    answersToTest,
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

/** Requests that may be in flight now. */
export function requestsNow(allowance: Allowance): number {
  return allowance.answersToTest > 0 ? Math.floor(allowance.requests) : halfOf(allowance.requests);
}

/**
 * Halved when the host is strained, lowered when a test shows that more requests only make it slower, else raised; from 1 to `max`.
 * Where one request at a time is still too much for the host, a delay between them is doubled, and has to be gone before there are
 * more again.
 */
export function adapt(before: Allowance, seen: Observation, max: number): Allowance {
  const allowance = noted(before, seen, max);
  if (seen.isStrained) return afterStrain(allowance, seen);
  if (allowance.delayMs > 0) {
    const shorter = allowance.delayMs * delayFallPerAnswer;
    return { ...allowance, delayMs: shorter < delayLastMs ? 0 : shorter };
  }
  return afterTest(grown(allowance, max), max);
}

function halfOf(requests: number): number {
  return Math.min(Math.floor(requests), Math.max(requestsMinUnstrained, Math.floor(requests / 2)));
}

/** Requests in flight between the two say little about either, and nothing is compared while the allowance grows quickly. */
function noted(allowance: Allowance, { latencyMs, inFlight }: Observation, max: number): Allowance {
  const { requests, answersSinceCut, answersToTest, full, half } = allowance;
  const counted = { ...allowance, answersSinceCut: answersSinceCut + 1, answersToTest: answersToTest - 1 };
  if (latencyMs === undefined || (allowance.growth === 'quick' && requests < max)) return counted;
  if (inFlight > 0.75 * requests) return { ...counted, full: withAnswer(full, latencyMs) };
  return inFlight <= halfOf(requests) ? { ...counted, half: withAnswer(half, latencyMs) } : counted;
}

function afterStrain(allowance: Allowance, { isDown }: Observation): Allowance {
  const { requests, delayMs, answersSinceCut } = allowance;
  // Counted with this answer.
  if (requests > 1 && answersSinceCut <= requests) return { ...allowance, growth: 'steady' };
  const isTooMuch = isDown && requests < requestsMinUnstrained;
  return {
    requests: Math.max(1, requests * strainCut),
    delayMs: isTooMuch ? Math.min(delayMaxMs, Math.max(delayFirstMs, delayMs * 2)) : delayMs,
    growth: 'steady',
    strainedAt: requests,
    answersSinceCut: 0,
    answersToTest: testEveryAnswers,
    full: noLatency,
    half: noLatency,
  };
}

function grown(allowance: Allowance, max: number): Allowance {
  const { requests, growth, strainedAt } = allowance;
  if (growth === 'tested') return allowance;
  const isNearStrain = requests + 1 >= strainedAt;
  const step = growth === 'quick' ? quickGrowthPerAnswer : (isNearStrain ? growthNearStrain : 1) / requests;
  const more = Math.min(max, requests + step);
  // It bears more by now.
  return { ...allowance, requests: more, strainedAt: more > strainedAt + 0.5 ? Number.POSITIVE_INFINITY : strainedAt };
}

function afterTest(allowance: Allowance, max: number): Allowance {
  const { requests, growth, answersToTest, full, half } = allowance;
  const isTested = growth === 'tested';
  const nextTest = isTested ? testAgainAfter : Math.max(testEveryAnswers, testEveryRounds * requests);
  if (answersToTest === 0) {
    if (halfOf(requests) === Math.floor(requests)) {
      // The fewest that there are.
      return { ...allowance, requests: isTested ? Math.min(max, requests + 1) : requests, answersToTest: nextTest };
    }
    // Nothing to compare with yet: pages are few, or this process is busy.
    if (!isEnough(full)) return { ...allowance, answersToTest: testAgainAfter };
  }
  const underWay = Math.floor(requests) - halfOf(requests);
  if (answersToTest > -(underWay + testAnswers)) return allowance;
  if (isClearlySlower(full, half, Math.floor(requests) / halfOf(requests))) {
    return {
      ...allowance,
      requests: Math.max(requestsMinUnstrained, requests * slownessCut),
      growth: 'tested',
      answersSinceCut: 0,
      answersToTest: testAgainAfter,
      full: noLatency,
      half: noLatency,
    };
  }
  if (!isTested) return { ...allowance, answersToTest: nextTest };
  if (!isEnough(full) || !isEnough(half)) {
    return { ...allowance, requests: Math.min(max, requests + growthUndecided), answersToTest: testAgainAfter };
  }
  return {
    ...allowance,
    requests: Math.min(max, requests + 1),
    // It bears all again.
    growth: requests + 1 >= max ? 'steady' : 'tested',
    answersToTest: testAgainAfter,
    full: noLatency,
    half: noLatency,
  };
}
