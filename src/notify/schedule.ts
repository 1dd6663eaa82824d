const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Pauses between the ten attempts for an event: 75 hours and 35 minutes in all. */
export const schedule: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Longer pauses that a webhook requests are cut to this. */
export const retryAfterMsMax = 24 * hour;

export interface FailedAttempt {
  /** Attempts begun, including this one. */
  readonly attempts: number;
  /** The pause that the webhook requested. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * When to try again after a failed attempt; null if that was the last. Adds up to a tenth at random, so that deliveries
 * that failed together do not come back together. A pause that the webhook requests can delay the attempt, never
 * advance it.
 *
 * `random`: 0 to 1.
 */
export function retryTime(
  { attempts, retryAfterMs = 0 }: FailedAttempt,
  pausesMs: readonly number[],
  now: number,
  random: number,
): number | null {
  const pauseMs = pausesMs[attempts - 1];
  return pauseMs === undefined ? null : now + Math.max(Math.round(pauseMs * (1 + random / 10)), retryAfterMs);
}
