// How many requests a host bears at a time, and how soon after each other, learnt from how it answers. Pure: what was seen
// is an argument.

export interface Allowance {
  /** Requests in flight; the fraction is growth that has not come to a whole request yet. */
  readonly requests: number;
  /** Between the starts of two requests: for hosts that find even one at a time too much, 0 for all others. */
  readonly delayMs: number;
  /** No sign of strain so far: the allowance grows by one with each answer. Later, by one with each round of them. */
  readonly isProbing: boolean;
  /** Time to a whole answer, smoothed; 0 before the first. */
  readonly latencyMs: number;
  /** The smoothed time at its best, rising slowly, so that a site whose pages have become heavier is not held to it. */
  readonly bestMs: number;
  /** Answers since the allowance was last lowered: those under way then say nothing about the lower one. */
  readonly answersSinceCut: number;
}

export interface Observation {
  readonly latencyMs: number;
  /** The answer is an error of the host's, or there is none. */
  readonly isStrained: boolean;
  /** It is the host that could not answer, or said that it is too much, and not one page that is broken. */
  readonly isDown: boolean;
}

export const firstAllowance: Allowance = {
  requests: 2,
  delayMs: 0,
  isProbing: true,
  latencyMs: 0,
  bestMs: Number.POSITIVE_INFINITY,
  answersSinceCut: Number.POSITIVE_INFINITY,
};

/** Weight of the newest answer in the smoothed time. */
const newestWeight = 0.2;
const bestRisePerAnswer = 1.005;
/** Slower than this, measured against the best, a host is taken to be at its limit. Small differences are noise. */
const slownessFactor = 3;
const slownessMs = 200;
const delayFirstMs = 250;
const delayMaxMs = 60_000;
/** A delay gets shorter by this with every answer, and ends when it is hardly one. */
const delayFallPerAnswer = 0.9;
const delayLastMs = 50;

/**
 * Halved when the host is strained, lowered by a fifth when it slows down, else raised; from 1 to `max`. Where one request at
 * a time is still too much for the host, a delay between them is doubled, and has to be gone before there are more again.
 */
export function adapt(allowance: Allowance, seen: Observation, max: number): Allowance {
  const { requests, isProbing, answersSinceCut } = allowance;
  const latencyMs =
    allowance.latencyMs === 0
      ? seen.latencyMs
      : allowance.latencyMs + newestWeight * (seen.latencyMs - allowance.latencyMs);
  const bestMs = Math.min(latencyMs, allowance.bestMs * bestRisePerAnswer);
  const isSlow = latencyMs > bestMs * slownessFactor + slownessMs;
  const learnt = { latencyMs, bestMs, answersSinceCut: answersSinceCut + 1 };
  if (seen.isStrained || isSlow) {
    if (requests > 1 && answersSinceCut < requests)
      return { ...learnt, requests, delayMs: allowance.delayMs, isProbing: false };
    const lowered = Math.max(1, requests * (seen.isStrained ? 0.5 : 0.8));
    const isTooMuch = seen.isDown && requests < 2;
    const delayMs = isTooMuch ? Math.min(delayMaxMs, Math.max(delayFirstMs, allowance.delayMs * 2)) : allowance.delayMs;
    return { ...learnt, requests: lowered, delayMs, isProbing: false, answersSinceCut: 0 };
  }
  if (allowance.delayMs > 0) {
    const shorter = allowance.delayMs * delayFallPerAnswer;
    return { ...learnt, requests, delayMs: shorter < delayLastMs ? 0 : shorter, isProbing: false };
  }
  return { ...learnt, requests: Math.min(max, requests + (isProbing ? 1 : 1 / requests)), delayMs: 0, isProbing };
}
