import { findingRank, type Link } from '../../core/request.ts';
import type { ExtractedLink } from '../../extract/links.ts';

/** URLs of all jobs that are remembered: about 200 bytes each. Those that pages still name outlive the others. */
const urlsMax = 50_000;
/** What no page has named for twice as long is forgotten, so that jobs that have ended leave nothing behind. */
const generationMs = 60_000;
/** Conversions whose links may still be stored. Of more, the oldest are taken for never stored. */
const waitingMax = 1_000;

/**
 * A URL of a job and the least rank of its findings that were told (`findingRank`): to tell it again from there or
 * further off changes nothing.
 */
type Ranks = Map<string, number>;

/** It was told as one that is not followed from where it was found; another page may let it. */
const notFollowed = Number.POSITIVE_INFINITY;

interface ToldLink {
  readonly url: string;
  readonly rank: number;
}

/** An absolute URL is a part of its page's text, and V8 would keep all of that text for it. */
function asTold(link: Link): ToldLink {
  return { url: Buffer.from(link.url).toString(), rank: link.discard ? notFollowed : findingRank(link) };
}

/**
 * The links that the store has. Most links of a page are on every page of its site, and to tell them each time is most
 * of what crosses between threads.
 *
 * A link counts as known only when the page that had it was committed: pages are settled in any order, and what one
 * page leaves out must not be lost with another that is not. What is forgotten is told once more.
 */
export class KnownLinks {
  readonly #waiting = new Map<number, { readonly job: string; readonly links: readonly ToldLink[] }>();
  #recent = new Map<string, Ranks>();
  #older = new Map<string, Ranks>();
  #recentUrls = 0;
  #recentSince: number;
  readonly #now: () => number;

  /** `now`: milliseconds on a clock that nobody sets. */
  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#recentSince = now();
  }

  /** The links that have to be told. `job` names it with the version of its scope. */
  untold(conversion: number, job: string, links: readonly Link[]): readonly Link[] {
    const untold = links.filter((link) => !this.#isKnown(job, link));
    if (untold.length === 0) return untold;
    if (this.#waiting.size >= waitingMax) this.#forgetOldest();
    this.#waiting.set(conversion, { job, links: untold.map(asTold) });
    return untold;
  }

  /**
   * Whether the store has the link, as far as that can be said before it is judged. `nofollow`: another page may let
   * it. One that pages of its own family alone have named is not known yet, since this page may be of another.
   */
  has(job: string, { url, nofollow }: ExtractedLink, depth: number): boolean {
    return this.#isKnownFrom(job, url, nofollow ? undefined : depth);
  }

  /** What these conversions told is in the store. To be called with every task, so that what is old goes. */
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

  /** Undefined where the rank does not matter, since it is not followed from there. */
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
