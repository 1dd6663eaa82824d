/**
 * Whole milliseconds that only go forward, near those since the epoch: the time of day when the process began, and what has
 * passed since. For delays, pauses and leases, which must neither be cut nor drawn out when somebody sets the clock.
 */
export function monotonicNow(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}
