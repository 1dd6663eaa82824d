const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Pauses between the ten tries of an event: 75 hours and 35 minutes in all. */
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

/** Webhooks that ask for a longer pause get this one. */
export const retryAfterMsMax = 24 * hour;

export interface FailedAttempt {
  /** Attempts begun, with this one. */
  readonly attempts: number;
  /** The pause that the webhook asked for. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * When to try again after an attempt that failed; null when that was the last. Up to a tenth is added by chance, so
 * that what failed together does not come back together. A pause that the webhook asks for makes it later, never
 * sooner.
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
