// How long a lane works on its host, how many requests it can use, and in which order.

/** While hosts wait for a lane, a lane gives its host back after this time. */
export const turnMs = 1_500;
/** A host that has to wait longer than this is given back, not held. */
export const holdMs = 1_000;
/** Requests taken in one batch. */
export const takeMax = 50;
/** The same for a host with no requests so far: its robots.txt can require a long delay. */
const firstTakeMax = 2;

/** The known pace of a host. */
export interface KnownPace {
  /** Between the starts of two requests. */
  readonly delayMs: number;
  /** The host has been fetched from before. */
  readonly isKnown: boolean;
}

/**
 * Returns how many requests a lane can begin in the rest of its turn. Others wait in the frontier, where they count as
 * queued.
 */
export function requestsOfUse({ delayMs, isKnown }: KnownPace, leftMs: number): number {
  if (!isKnown) return firstTakeMax;
  if (delayMs > holdMs) return 1;
  return delayMs === 0 ? takeMax : Math.max(1, Math.min(takeMax, Math.ceil(leftMs / delayMs)));
}

/** Interleaves the groups: the first of each, then the second of each, and so on. */
export function alternately<Item>(groups: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => groups.flatMap((group) => group.slice(index, index + 1))).flat();
}
