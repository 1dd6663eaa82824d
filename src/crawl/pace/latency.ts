/** Latencies of one kind of answers: mean and variance, over about the last {@link answersMax}. */
export interface Latency {
  readonly answers: number;
  readonly meanMs: number;
  /** The sum of squared distances from the mean. */
  readonly squares: number;
}

export const noLatency: Latency = { answers: 0, meanMs: 0, squares: 0 };

/** The weight of older answers fades. */
const answersMax = 50;
/** Fewer answers prove nothing. */
const answersMin = 8;
/** Smaller differences are noise. */
const slowerMs = 10;
/** A difference must be this many times its standard error: page latencies vary by themselves. */
const standardErrors = 3;

/** Adds one answer (Welford's method). */
export function withAnswer({ answers, meanMs, squares }: Latency, latencyMs: number): Latency {
  const kept = Math.min(answers, answersMax - 1);
  const distance = latencyMs - meanMs;
  const mean = meanMs + distance / (kept + 1);
  const faded = answers === 0 ? 0 : (squares * kept) / answers;
  return { answers: kept + 1, meanMs: mean, squares: faded + distance * (latencyMs - mean) };
}

/** Returns true if there are enough answers to compare. */
export function isEnough({ answers }: Latency): boolean {
  return answers >= answersMin;
}

/**
 * Returns true if `times` as many requests in flight make answers so slow that hardly more of them come. A host that
 * works in parallel takes as long as before; one that works serially takes `times` as long. The border is half-way.
 */
export function isClearlySlower(many: Latency, few: Latency, times: number): boolean {
  if (!isEnough(many) || !isEnough(few)) return false;
  const factor = (1 + times) / 2;
  const error = Math.sqrt(varianceOfMean(many) + factor ** 2 * varianceOfMean(few));
  return many.meanMs - factor * few.meanMs > slowerMs + standardErrors * error;
}

function varianceOfMean({ answers, squares }: Latency): number {
  return squares / (answers - 1) / answers;
}
