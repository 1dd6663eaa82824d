import { findingRank, type Link } from '../../../core/request.ts';
import type { ExtractedLink } from '../../../extract/scan/links.ts';

/** URLs remembered over all jobs, about 200 bytes each. URLs that pages still contain outlive the others. */
const urlsMax = 50_000;
/** A URL that no page has contained for one to two of these is forgotten, so jobs that have ended leave no entries. */
const generationMs = 60_000;
/** Conversions whose links can still be stored. Above that, the oldest count as never stored. */
const waitingMax = 1_000;

/**
 * URLs of a job, each with the lowest rank (`findingRank`) that it was reported with. Reporting it again with the same
 * or a higher rank changes nothing.
 */
type Ranks = Map<string, number>;

/** Reported as not followed from where it was found. Another page can allow following it. */
const notFollowed = Number.POSITIVE_INFINITY;

interface ToldLink {
  readonly url: string;
  readonly rank: number;
}

/** An absolute URL is a slice of its page's text, and V8 would keep all of that text for it, so copy it. */
function asTold(link: Link): ToldLink {
  return { url: Buffer.from(link.url).toString(), rank: link.discard ? notFollowed : findingRank(link) };
}

/**
 * The links that the store has. Most links of a page are on every page of its site, and reporting them each time is
 * most of the traffic between threads.
 *
 * A link counts as known only when a page that contains it was committed. Pages are settled in any order, so a link
 * that one page leaves out must not be lost with another page that is never settled. A forgotten link is reported once
 * more.
 */
export class KnownLinks {
  readonly #waiting = new Map<number, { readonly job: string; readonly links: readonly ToldLink[] }>();
  #recent = new Map<string, Ranks>();
  #older = new Map<string, Ranks>();
  #recentUrls = 0;
  #recentSince: number;
  readonly #now: () => number;

  /** `now`: milliseconds on a monotonic clock. */
  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#recentSince = now();
  }

  /** Returns the links that must be reported. `job` is its id with the version of its scope. */
  untold(conversion: number, job: string, links: readonly Link[]): readonly Link[] {
    const untold = links.filter((link) => !this.#isKnown(job, link));
    if (untold.length === 0) return untold;
    if (this.#waiting.size >= waitingMax) this.#forgetOldest();
    this.#waiting.set(conversion, { job, links: untold.map(asTold) });
    return untold;
  }

  /**
   * Returns true if the store has the link, as far as that is known before the link is judged. A `nofollow` link counts
   * as known whatever its depth: only another page can allow following it. A link reported only from pages of its own
   * family is not known yet, since this page can be of another.
   */
  has(job: string, { url, nofollow }: ExtractedLink, depth: number): boolean {
    return this.#isKnownFrom(job, url, nofollow ? undefined : depth);
  }

  /**
   * The links that these conversions reported are in the store. Call with every task, so that old entries are dropped.
   */
  committed(conversions: readonly number[]): void {
    if (this.#now() - this.#recentSince >= generationMs) this.#forgetOlder();
    for (const conversion of conversions) {
      const told = this.#waiting.get(conversion);
      if (!told) continue;
      this.#waiting.delete(conversion);
      for (const { url, rank } of told.links) this.#remember(told.job, url, rank);
    }
  }

  #isKnown(job: string, link: Link): boolean {
    return this.#isKnownFrom(job, link.url, link.discard === undefined ? findingRank(link) : undefined);
  }

  /** `rank`: undefined if it does not matter, because the link is not followed from there. */
  #isKnownFrom(job: string, url: string, rank: number | undefined): boolean {
    const recent = this.#recent.get(job)?.get(url);
    const known = recent ?? this.#older.get(job)?.get(url);
    if (known === undefined) return false;
    if (recent === undefined) this.#remember(job, url, known);
    return rank === undefined || known <= rank;
  }

  #remember(job: string, url: string, rank: number): void {
    if (this.#recentUrls >= urlsMax / 2) this.#forgetOlder();
    let ranks = this.#recent.get(job);
    if (!ranks) {
      ranks = new Map();
      this.#recent.set(job, ranks);
    }
    const known = ranks.get(url);
    if (known === undefined) this.#recentUrls++;
    if (known === undefined || rank < known) ranks.set(url, rank);
  }

  #forgetOlder(): void {
    this.#older = this.#recent;
    this.#recent = new Map();
    this.#recentUrls = 0;
    this.#recentSince = this.#now();
  }

  #forgetOldest(): void {
    const [oldest] = this.#waiting.keys();
    if (oldest !== undefined) this.#waiting.delete(oldest);
  }
}
