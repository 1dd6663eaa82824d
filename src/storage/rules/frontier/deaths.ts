// Which requests can have crashed a process: the same in every store.

/** After this many crashes a request is taken alone. A batch crashes together, and any one of it can be the cause. */
export const sharedDeathsMax = 2;
/** After this many crashes alone, a request is given up. */
export const aloneDeathsMax = 3;
/** How long after a crash few requests are taken at a time, and how many, so that the next one has fewer suspects. */
export const carefulMs = 10_000;
export const takenWithCare = 8;

/** The job's notice about a request that is given up. */
export function poisonMessage(url: string): string {
  return `The process died ${aloneDeathsMax} times while it worked on ${url} and nothing else.`;
}
