// Which pages of an earlier job need no request: what a sitemap says of them, and how long their text has been the same.

/** How a page was when it was asked for last. */
export interface LastAsked {
  readonly at: number;
  /** Its `lastmod` in a sitemap then. */
  readonly lastmod: string | null;
  /** Since when its text is the same, as far as jobs have seen it. */
  readonly sameSince: number;
}

/** Sites tell another time than we do, and a page is stored some time after its request. */
const marginMs = 10 * 60_000;
const dayMs = 24 * 3_600_000;
/** A time without a zone can be that of any place. */
const anyZoneMs = 26 * 3_600_000;

/**
 * What `lastmod` says of a page: `moved`: it has changed; `still`: it has not. `silent`: nothing, as there is none, or
 * the page can have changed again within the same second or day, which would show the same value.
 */
export function lastmodSays(lastmod: string | null | undefined, asked: LastAsked): 'moved' | 'still' | 'silent' {
  if (lastmod === null || lastmod === undefined || asked.lastmod === null) return 'silent';
  if (lastmod !== asked.lastmod) return 'moved';
  // mutant lastmod-of-today-believed, promise 21: `endOf(lastmod) + marginMs <= asked.at` -> `true`; core/revisit
  return endOf(lastmod) + marginMs <= asked.at ? 'still' : 'silent';
}

/** The last moment that a W3C or RSS date can mean; infinite if it is none. */
function endOf(lastmod: string): number {
  const text = lastmod.trim();
  const [, year, month, day] = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(text) ?? [];
  if (year !== undefined) {
    if (day !== undefined) return finite(Date.parse(text)) + dayMs + anyZoneMs;
    const next = month === undefined ? Date.UTC(Number(year) + 1, 0) : Date.UTC(Number(year), Number(month));
    return next + anyZoneMs;
  }
  const hasZone = /(?:Z|GMT|UTC?|[+-]\d\d:?\d\d)$/i.test(text);
  return finite(Date.parse(text)) + (hasZone ? 60_000 : anyZoneMs);
}

function finite(time: number): number {
  return Number.isFinite(time) ? time : Number.POSITIVE_INFINITY;
}

/**
 * True if a page is asked for again by `revisit: adaptive`: its text was the same for a while when it was asked for last,
 * and about as long has passed since then. So the time between two requests doubles as long as it does not change.
 */
export function isDue({ at, sameSince }: LastAsked, now: number): boolean {
  // Runs do not start to the second.
  return now - at >= (at - sameSince) * 0.9;
}

/**
 * True for one page in `every`, another one for each job. `place`: the number of the page in the ledger. Of each `every`
 * pages in a row there is one, so the share is exact.
 */
export function isSampled(place: number, every: number, hashOf: (row: number) => number): boolean {
  return hashOf(Math.floor(place / every)) % every === place % every;
}
