// Notices that a site has begun to answer every URL with one page, such as "back soon".
//
// A page that ten URLs in a row show again, and that was not among the first pages of the job, is suspect. Then a page that the job
// has read before is asked for again: if it is as it was, the copies are ordinary, such as a page for unknown paths. If it shows
// the same page too, the host is left alone for a while, and what it answered meanwhile is asked again.
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Link } from '../../core/request.ts';

/** Shells of applications and home pages, which sites show for many URLs, are among the first pages. */
const firstPages = 10;
/** Fewer copies in a row are ordinary. */
const copiesMax = 10;
/** Pauses of a job on a host, in order; after the last one, what comes is what there is. */
const usualPausesMs: readonly number[] = [5_000, 45_000, 240_000];
/** Jobs and hosts that are remembered. */
const watchedMax = 1_000;

export type Verdict =
  /** `again`: URLs that showed another page than theirs for a while. `spoilt`: those delivered so. */
  | { readonly kind: 'fine'; readonly again: readonly Link[]; readonly spoilt: readonly Link[] }
  /** The page is not that of its URL: leave the host alone until then, and ask again. */
  | { readonly kind: 'strained'; readonly until: number }
  /** Every URL shows this page, in spite of all pauses. */
  | { readonly kind: 'lasting'; readonly spoilt: readonly Link[] };

export interface SeenPage {
  readonly jobId: string;
  /** After redirects. */
  readonly url: URL;
  /** What is equal in all copies; undefined if there is no text. */
  readonly key: string | undefined;
  /** Hash of the text: if no copy had it before, the page is delivered. */
  readonly content: string | undefined;
  /** Returns the URL of the job. */
  readonly linkTo: () => Link;
}

interface Copy {
  readonly link: Link;
  /** Its text was another, so it is among the pages of the job. */
  readonly isDelivered: boolean;
}

/** A page that was seen lately. */
interface Recent {
  readonly url: URL;
  readonly key: string;
  /** Links that showed it again. */
  copies: Copy[];
  readonly contents: Set<string | undefined>;
  /** The number of the last page that showed it. */
  lastAt: number;
}

interface Watched {
  /** Hashes of the first pages, and of copies that are ordinary. */
  readonly ordinary: Set<string>;
  seen: number;
  /** The last one at the end. Requests overtake each other, so that copies in a row have others between them. */
  recent: Recent[];
  /** Links that showed the page that every URL shows. */
  lost: Copy[];
  /** The page that every URL shows. */
  strainedBy: string | undefined;
  pauses: number;
  until: number;
  probe: Promise<boolean> | undefined;
}

const fine: Verdict = { kind: 'fine', again: [], spoilt: [] };
/** The site shows its pages again. */
function recovered(lost: readonly Copy[]): Verdict {
  const linksOf = (isDelivered: boolean): Link[] =>
    lost.filter((copy) => copy.isDelivered === isDelivered).map(({ link }) => link);
  return { kind: 'fine', again: linksOf(false), spoilt: linksOf(true) };
}

/** Pages that can come between two copies in a row. */
const pagesBetween = 16;

/** The page with this key among the recent ones. */
function showing(watched: Watched, { url, content }: SeenPage, key: string): Recent {
  watched.recent = watched.recent.filter(({ lastAt }) => watched.seen - lastAt <= pagesBetween);
  const known = watched.recent.find((one) => one.key === key);
  if (known) return known;
  const shown = { url, key, copies: [], contents: new Set([content]), lastAt: watched.seen };
  watched.recent.push(shown);
  return shown;
}

export class CopyWatch {
  readonly #pausesMs: readonly number[];
  /** By job and host, the least recently observed first. */
  readonly #watched = new Map<string, Watched>();

  constructor(pausesMs = usualPausesMs) {
    this.#pausesMs = pausesMs;
  }

  /**
   * Call with each page that is to be delivered. `ask` fetches a page again, and returns the hash of its text; undefined if
   * it cannot.
   */
  judge(page: SeenPage, ask: (url: URL) => Promise<string | undefined>): Verdict | Promise<Verdict> {
    const watched = this.#of(page);
    const { key, content } = page;
    if (key === undefined) return fine;
    if (watched.strainedBy === key) return this.#strained(watched);
    const verdict = watched.strainedBy === undefined ? fine : recovered(watched.lost.splice(0));
    watched.strainedBy = undefined;
    if (++watched.seen <= firstPages) watched.ordinary.add(key);
    const shown = showing(watched, page, key);
    const isFirst = shown.lastAt === watched.seen;
    shown.lastAt = watched.seen;
    if (watched.ordinary.has(key) || isFirst) return verdict;
    const before = watched.recent.findLast((one) => one.key !== key);
    const copy = { link: page.linkTo(), isDelivered: !shown.contents.has(content) };
    shown.contents.add(content);
    shown.copies.push(copy);
    if (shown.copies.length < copiesMax || !before) return verdict;
    return this.#probed(watched, { shown, copy, before }, ask);
  }

  async #probed(
    watched: Watched,
    { shown, copy, before }: { readonly shown: Recent; readonly copy: Copy; readonly before: Recent },
    ask: (url: URL) => Promise<string | undefined>,
  ): Promise<Verdict> {
    const { key } = shown;
    // A probe that cannot be made, since the host pauses, must not stand for the next one.
    watched.probe ??= ask(before.url)
      .then((answer) => answer === key)
      .finally(() => (watched.probe = undefined));
    // Without this one, which is not delivered.
    const isStrain = await watched.probe.finally(() => {
      shown.copies = shown.copies.filter((one) => one !== copy);
    });
    if (!isStrain) {
      watched.ordinary.add(key);
      return fine;
    }
    watched.strainedBy = key;
    watched.lost.push(...shown.copies.splice(0));
    return this.#strained(watched);
  }

  /** Requests that were under way when a pause began belong to it. */
  #strained(watched: Watched): Verdict {
    const now = monotonicNow();
    if (now < watched.until) return { kind: 'strained', until: watched.until };
    const pauseMs = this.#pausesMs[watched.pauses++];
    if (pauseMs === undefined) {
      const spoilt = watched.lost.filter(({ isDelivered }) => isDelivered).map(({ link }) => link);
      watched.lost = watched.lost.filter(({ isDelivered }) => !isDelivered);
      return { kind: 'lasting', spoilt };
    }
    watched.until = now + pauseMs;
    return { kind: 'strained', until: watched.until };
  }

  #of({ jobId, url }: SeenPage): Watched {
    const name = `${jobId} ${url.host}`;
    const watched = this.#watched.get(name) ?? {
      ordinary: new Set(),
      seen: 0,
      recent: [],
      lost: [],
      strainedBy: undefined,
      pauses: 0,
      until: 0,
      probe: undefined,
    };
    this.#watched.delete(name);
    this.#watched.set(name, watched);
    const [oldest] = this.#watched.keys();
    if (this.#watched.size > watchedMax && oldest !== undefined) this.#watched.delete(oldest);
    return watched;
  }
}
