import type { Link } from '../../core/request.ts';
import type { ExtractedLink } from '../../extract/links.ts';

/** URLs of all jobs that are remembered: about 200 bytes each. Those that pages still name outlive the others. */
const urlsMax = 50_000;
/** What no page has named for twice as long is forgotten, so that jobs that have ended leave nothing behind. */
const generationMs = 60_000;
/** Conversions whose links may still be stored. Of more, the oldest are taken for never stored. */
const waitingMax = 1_000;

/** A URL of a job and the least depth at which it was told, so that to tell it again from there or deeper changes nothing. */
type Depths = Map<string, number>;

/** It was told as one that is not followed from where it was found; another page may let it. */
const notFollowed = Number.POSITIVE_INFINITY;

interface ToldLink {
  readonly url: string;
  readonly depth: number;
}

/** An absolute URL is a part of its page's text, and V8 would keep all of that text for it. */
function asTold({ url, depth, discard }: Link): ToldLink {
  return { url: Buffer.from(url).toString(), depth: discard ? notFollowed : depth };
}

/**
 * The links that the store has. Most links of a page are on every page of its site, and to tell them each time is most of
 * what crosses between threads.
 *
 * A link counts as known only when the page that had it was committed: pages are settled in any order, and what one page
 * leaves out must not be lost with another that is not. What is forgotten is told once more.
 */
export class KnownLinks {
  readonly #waiting = new Map<number, { readonly job: string; readonly links: readonly ToldLink[] }>();
  #recent = new Map<string, Depths>();
  #older = new Map<string, Depths>();
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

  /** Whether the store has the link, as far as that can be said before it is judged. `nofollow`: another page may let it. */
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
      for (const { url, depth } of told.links) this.#remember(told.job, url, depth);
    }
  }

  #isKnown(job: string, { url, depth, discard }: Link): boolean {
    return this.#isKnownFrom(job, url, discard === undefined ? depth : undefined);
  }

  /** Undefined where the depth does not matter, since it is not followed from there. */
  #isKnownFrom(job: string, url: string, depth: number | undefined): boolean {
    const recent = this.#recent.get(job)?.get(url);
    const known = recent ?? this.#older.get(job)?.get(url);
    if (known === undefined) return false;
    if (recent === undefined) this.#remember(job, url, known);
    return depth === undefined || known <= depth;
  }

  #remember(job: string, url: string, depth: number): void {
    if (this.#recentUrls >= urlsMax / 2) this.#forgetOlder();
    let depths = this.#recent.get(job);
    if (!depths) {
      depths = new Map();
      this.#recent.set(job, depths);
    }
    const known = depths.get(url);
    if (known === undefined) this.#recentUrls++;
    if (known === undefined || depth < known) depths.set(url, depth);
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
