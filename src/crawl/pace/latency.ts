/** Latencies of one kind of responses: mean and variance, over about the last {@link responsesMax}. */
export interface Latency {
  readonly responses: number;
  readonly meanMs: number;
  /** The sum of squared distances from the mean. */
  readonly squares: number;
}

export const noLatency: Latency = { responses: 0, meanMs: 0, squares: 0 };

/** The weight of older responses fades. */
const responsesMax = 50;
/** Fewer responses prove nothing. */
const responsesMin = 8;
/** Smaller differences are noise. */
const slowerMs = 10;
/** A difference must be this many times its standard error: page latencies vary by themselves. */
const standardErrors = 3;

/** Adds one response (Welford's method). */
export function withResponse({ responses, meanMs, squares }: Latency, latencyMs: number): Latency {
  const kept = Math.min(responses, responsesMax - 1);
  const distance = latencyMs - meanMs;
  const mean = meanMs + distance / (kept + 1);
  const faded = responses === 0 ? 0 : (squares * kept) / responses;
  return { responses: kept + 1, meanMs: mean, squares: faded + distance * (latencyMs - mean) };
}

/** Returns true if there are enough responses to compare. */
export function isEnough({ responses }: Latency): boolean {
  return responses >= responsesMin;
}

/**
 * Returns true if `times` as many requests in flight make responses so slow that hardly more of them come. A host that
 * works in parallel takes as long as before; one that works serially takes `times` as long. The border is half-way.
 */
export function isClearlySlower(many: Latency, few: Latency, times: number): boolean {
  if (!isEnough(many) || !isEnough(few)) return false;
  const factor = (1 + times) / 2;
  const error = Math.sqrt(varianceOfMean(many) + factor ** 2 * varianceOfMean(few));
  return many.meanMs - factor * few.meanMs > slowerMs + standardErrors * error;
}

function varianceOfMean({ responses, squares }: Latency): number {
  return squares / (responses - 1) / responses;
}
