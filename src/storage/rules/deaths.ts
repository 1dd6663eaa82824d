// Which requests a process may have died of: the same in every store.

/** From so many deaths on a request is taken alone: a batch dies together, and one of it may be what kills. */
export const sharedDeathsMax = 2;
/** Deaths alone after which it is given up. */
export const aloneDeathsMax = 3;
/** How long after a death few requests are taken at a time, so that the next one has fewer suspects, and how many. */
export const carefulMs = 10_000;
export const takenWithCare = 8;

/** What a job is told of a request that is given up. */
export function poisonMessage(url: string): string {
  return `The program died ${aloneDeathsMax} times while it worked on ${url} and nothing else.`;
}
