/** Latencies of some kind of answers: a mean and a variance, over about the last {@link answersMax}. */
export interface Latency {
  readonly answers: number;
  readonly meanMs: number;
  /** The sum of squared distances from the mean. */
  readonly squares: number;
}

export const noLatency: Latency = { answers: 0, meanMs: 0, squares: 0 };

/** Older answers fade. */
const answersMax = 50;
/** Fewer say nothing. */
const answersMin = 8;
/** Smaller differences are noise. */
const slowerMs = 10;
/** A difference has to be this many times its standard error: pages take different times by themselves. */
const standardErrors = 3;

/** With one answer more (Welford's method). */
export function withAnswer({ answers, meanMs, squares }: Latency, latencyMs: number): Latency {
  const kept = Math.min(answers, answersMax - 1);
  const distance = latencyMs - meanMs;
  const mean = meanMs + distance / (kept + 1);
  const faded = answers === 0 ? 0 : (squares * kept) / answers;
  return { answers: kept + 1, meanMs: mean, squares: faded + distance * (latencyMs - mean) };
}

/** Whether there are enough answers to say anything. */
export function isEnough({ answers }: Latency): boolean {
  return answers >= answersMin;
}

/**
 * Whether answers take so much longer with `times` as many requests in flight that hardly more of them come. A host that works on all at
 * the same time takes as long as before, one that works on them one after the other `times` as long: the border is half-way.
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
