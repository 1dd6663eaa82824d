const roundsMin = 3;
const roundsMax = 9;
/** Above it, further rounds show whether the time or other load grew. */
const looksSteep = 2.4;

/**
 * How much more processor time twice the size takes: 2 if the time is in proportion, 4 if it grows with the square. Runs
 * the size and four times the size in turns, three times each, and more while the growth looks steep. The least of each
 * counts, since garbage collection, other threads of the process and other load only add to single runs.
 */
export function timeGrowth(run: (size: number) => void, size: number): number {
  const took = (runSize: number): number => {
    const start = process.cpuUsage();
    run(runSize);
    return process.cpuUsage(start).user;
  };
  took(size);
  let [once, fourfold] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Below some milliseconds the clock counts, not the work.
  const growth = (): number => Math.sqrt(fourfold / Math.max(once, 5_000));
  for (let round = 0; round < roundsMin || (round < roundsMax && growth() > looksSteep); round++) {
    once = Math.min(once, took(size));
    fourfold = Math.min(fourfold, took(4 * size));
  }
  return growth();
}
