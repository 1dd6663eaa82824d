// Which requests can have crashed a process: the same in every store.
//
//   0, 1 deaths   taken with others
//   2             suspect: tried next to the lanes, one at a time in each process
//   3             tried alone: the process died while it was tried next to the lanes
//   4, 5          tried alone; it died alone once, twice
//   6             given up
//
// A death adds one to its cause, whatever its stage. So one request costs at most six deaths. A request that was next to
// the cause never gets beyond stage 3, and is cleared when it ends.

/** After this many crashes a request is a suspect. A batch crashes together, and any one of it can be the cause. */
export const sharedDeathsMax = 2;
/** From this many crashes on, a suspect is tried alone. */
export const aloneFrom = sharedDeathsMax + 1;
/** After this many crashes alone, a request is given up. */
const aloneDeathsMax = 3;
export const poisonFrom = aloneFrom + aloneDeathsMax;
/** How long after a crash few requests are taken at a time, and how many, so that the next one has fewer suspects. */
export const carefulMs = 10_000;
export const takenWithCare = 8;

/** The highest stage of a suspect that a process can try if it has lived long enough for so many deaths alone. */
export function stageMax(aloneDeaths: number): number {
  return aloneFrom + Math.min(aloneDeaths, aloneDeathsMax);
}

interface OutAtDeath {
  readonly deaths: number;
  /** It was taken as a suspect. */
  readonly isSuspect: boolean;
  /** Nothing else was out. */
  readonly isAlone: boolean;
}

export function deathsAfter({ deaths, isSuspect, isAlone }: OutAtDeath): number {
  if (!isSuspect) return Math.max(deaths, Math.min(deaths + 1, sharedDeathsMax));
  // Alone is alone, whichever way it was tried. The other lanes can be without work.
  if (isAlone) return Math.max(deaths, aloneFrom) + 1;
  return Math.max(deaths, aloneFrom);
}

/** The job's notice about a request that is given up. */
export function poisonMessage(url: string): string {
  return `The process died ${aloneDeathsMax} times while it worked on ${url} and nothing else.`;
}
