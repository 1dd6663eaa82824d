// How long a lane works on its host, how many requests are of use to it, and in which order.

/** While hosts wait for a lane, one that has worked for so long gives its host back. */
export const turnMs = 1_500;
/** A host that has to wait longer than this is given back rather than held. */
export const holdMs = 1_000;
/** Requests taken at a time. */
export const takeMax = 50;
/** The same for a host that nobody has asked yet: its robots.txt may ask for a long delay. */
const firstTakeMax = 2;

/** What is known of the pace of a host. */
export interface KnownPace {
  /** Between the starts of two requests. */
  readonly delayMs: number;
  /** It was asked before. */
  readonly isKnown: boolean;
}

/** How many requests a lane can begin in what is left of its turn. Others wait in the frontier, where they count as queued. */
export function requestsOfUse({ delayMs, isKnown }: KnownPace, leftMs: number): number {
  if (!isKnown) return firstTakeMax;
  if (delayMs > holdMs) return 1;
  return delayMs === 0 ? takeMax : Math.max(1, Math.min(takeMax, Math.ceil(leftMs / delayMs)));
}

/** The first of each, then the second of each, and so on. */
export function alternately<Item>(groups: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => groups.flatMap((group) => group.slice(index, index + 1))).flat();
}
