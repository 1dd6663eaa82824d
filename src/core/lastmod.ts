// What a sitemap says of a page of an earlier job.

/** When a page was asked for last, and its `lastmod` in a sitemap then. */
export interface LastAsked {
  readonly at: number;
  readonly lastmod: string;
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
  if (lastmod === null || lastmod === undefined) return 'silent';
  if (lastmod !== asked.lastmod) return 'moved';
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
