/**
 * Whole milliseconds that never go back, close to those since the epoch: the time of day at process start plus the time
 * elapsed. For delays, pauses and leases, which must not shrink or grow when the clock is set.
 */
export function monotonicNow(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}
