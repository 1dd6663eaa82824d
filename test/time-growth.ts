/**
 * How much more processor time twice the size takes: 2 if the time is in proportion, 4 if it grows with the square. Runs
 * the size and four times the size, three times each. The least counts, since garbage collection and other threads of the
 * process add to single runs.
 */
export function timeGrowth(run: (size: number) => void, size: number): number {
  const took = (runSize: number): number => {
    const start = process.cpuUsage();
    run(runSize);
    return process.cpuUsage(start).user;
  };
  took(size);
  const once = Math.min(took(size), took(size), took(size));
  const fourfold = Math.min(took(4 * size), took(4 * size), took(4 * size));
  // Below some milliseconds the clock counts, not the work.
  return Math.sqrt(fourfold / Math.max(once, 5_000));
}
