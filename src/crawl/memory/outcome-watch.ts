// Notices that a site has begun to end its URLs in one way that is not a page of their own: 404, a redirect to one page, another
// content type, texts that other URLs show too, a test whether a person is there.
//
// When ten of the last 16 outcomes of a host ended in one way, two pages that the job has delivered are asked once more. If they
// are there, the way is ordinary, such as dead links, and it is asked again only after twice as many. If they end in that way too,
// the host is left alone for a while, and what ended so meanwhile is asked again.
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Link } from '../../core/request.ts';
import { keepLast } from '../../core/keep-last.ts';

/** Shells of applications, home pages and pages that differ in numbers only are among the first outcomes. */
const firstOutcomes = 10;
const lately = 16;
const manyOf = 10;
/** Pauses of a job on a host, in order; after the last one, what comes is what there is. */
const usualPausesMs: readonly number[] = [5_000, 45_000, 240_000];
/** So little of its words is left of a page that is not there. */
const wordsLeftMin = 0.1;
const samplesMax = 8;
const sampledAtOnce = 2;
const textsMax = 64;
const affectedMax = 200;
/** Redirects to ever other pages are a way each. */
const waysMax = 32;
/** Jobs and hosts that are remembered. */
const watchedMax = 1_000;

/** The way of pages with a text that another URL shows. */
export const copied = 'copied';

export type Verdict =
  /** `again`: URLs that ended in another way than theirs for a while. `spoilt`: those delivered so. */
  | { readonly kind: 'fine'; readonly again: readonly Link[]; readonly spoilt: readonly Link[] }
  /** The outcome is not that of its URL: leave the host alone until then, and ask again. */
  | { readonly kind: 'strained'; readonly until: number }
  /** Every URL ends in this way, in spite of all pauses. `spoilt`: those that ended before. */
  | { readonly kind: 'lasting'; readonly way: string; readonly spoilt: readonly Link[] };

/** What a URL showed. */
export interface Shown {
  /** Set if it is not a page of its own, such as `http_404`. */
  readonly way?: string | undefined;
  /** What is equal in all pages with this text; undefined if it is not known. */
  readonly key?: string | undefined;
  readonly words: number;
}

export interface Ended extends Shown {
  readonly jobId: string;
  /** `name:port`. */
  readonly host: string;
  /** After redirects. */
  readonly url: URL;
  /** Hash of the text: of equal ones only the first is delivered. */
  readonly content?: string | undefined;
  /** Form of the URL. Undefined if the page cannot be a sample. */
  readonly template: string | undefined;
  /** Returns the URL of the job. */
  readonly linkTo: () => Link;
}

interface Sample {
  readonly url: URL;
  readonly template: string;
  readonly key: string | undefined;
  readonly words: number;
}

interface Affected {
  readonly link: Link;
  readonly isDelivered: boolean;
  /** Number of the outcome. */
  readonly at: number;
}

interface Way {
  /** Outcomes until pages are sampled. */
  left: number;
  /** How many these were at first. */
  enough: number;
  affected: Affected[];
  probe: Promise<boolean> | undefined;
}

interface Watched {
  seen: number;
  recent: (string | undefined)[];
  /** Keys of the first pages: those that show them have them as their own. */
  readonly ordinary: Set<string>;
  /** By key, the least recent first: the URL that showed it first. Undefined once others did. */
  readonly texts: Map<string, string | undefined>;
  readonly contents: Set<string>;
  samples: Sample[];
  readonly ways: Map<string, Way>;
  strainedBy: string | undefined;
  pauses: number;
  until: number;
}

const fine: Verdict = { kind: 'fine', again: [], spoilt: [] };

export class OutcomeWatch {
  readonly #pausesMs: readonly number[];
  /** By job and host, the least recently observed first. */
  readonly #watched = new Map<string, Watched>();

  /** `patienceMs`: how long a host may be left alone in all, at most. */
  constructor({ patienceMs = Number.POSITIVE_INFINITY, pausesMs = usualPausesMs } = {}) {
    const all = pausesMs.reduce((sum, ms) => sum + ms, 0);
    this.#pausesMs = pausesMs.map((ms) => ms * Math.min(1, patienceMs / all));
  }

  /** Call with each page, and with each outcome that is none. `ask` fetches a page again; undefined if it cannot. */
  judge(ended: Ended, ask: (url: URL) => Promise<Shown | undefined>): Verdict | Promise<Verdict> {
    const watched = this.#of(ended);
    const way = ended.way ?? (isCopy(watched, ended) ? copied : undefined);
    watched.seen++;
    watched.recent = [...watched.recent.slice(1 - lately), way];
    if (way === undefined) return recovered(watched);
    if (way === watched.strainedBy) return this.#strained(watched, way);
    const state = watched.ways.get(way) ?? { left: manyOf, enough: manyOf, affected: [], probe: undefined };
    keepLast(watched.ways, way, state, waysMax);
    state.left--;
    const isMany = watched.recent.filter((one) => one === way).length >= manyOf;
    if (isMany && state.left <= 0 && watched.samples.length > 0) return this.#probed(watched, way, state, ask);
    const affected = { link: ended.linkTo(), isDelivered: isDelivered(watched, way, ended), at: watched.seen };
    state.affected = [...state.affected.filter(({ at }) => watched.seen - at < 2 * state.enough), affected].slice(
      -affectedMax,
    );
    return fine;
  }

  async #probed(
    watched: Watched,
    way: string,
    state: Way,
    ask: (url: URL) => Promise<Shown | undefined>,
  ): Promise<Verdict> {
    // A probe that cannot be made, since the host pauses, must not stand for the next one.
    state.probe ??= areAllLost(watched, way, ask).finally(() => (state.probe = undefined));
    if (await state.probe) {
      watched.strainedBy = way;
      return this.#strained(watched, way);
    }
    if (state.left <= 0) {
      state.enough *= 2;
      state.left = state.enough;
      state.affected = [];
    }
    return fine;
  }

  /** Requests that were under way when a pause began belong to it. */
  #strained(watched: Watched, way: string): Verdict {
    const now = monotonicNow();
    if (now < watched.until) return { kind: 'strained', until: watched.until };
    const pauseMs = this.#pausesMs[watched.pauses++];
    if (pauseMs === undefined) return { kind: 'lasting', way, spoilt: affectedBy(watched).map(({ link }) => link) };
    watched.until = now + pauseMs;
    return { kind: 'strained', until: watched.until };
  }

  #of({ jobId, host }: Ended): Watched {
    const name = `${jobId} ${host}`;
    const watched = this.#watched.get(name) ?? {
      seen: 0,
      recent: [],
      ordinary: new Set(),
      texts: new Map(),
      contents: new Set(),
      samples: [],
      ways: new Map(),
      strainedBy: undefined,
      pauses: 0,
      until: 0,
    };
    keepLast(this.#watched, name, watched, watchedMax);
    return watched;
  }
}

/** Two samples, or the only one, ended in this way, show what other URLs show, or have lost their words. */
async function areAllLost(
  watched: Watched,
  way: string,
  ask: (url: URL) => Promise<Shown | undefined>,
): Promise<boolean> {
  const { samples, texts } = watched;
  const [first, second] = samples;
  const other = samples.find(({ template }) => template !== first?.template) ?? second;
  const asked = [...new Set([first, other])].flatMap((sample) => sample ?? []);
  // The next time it is the turn of others.
  watched.samples = [...samples.filter((sample) => !asked.includes(sample)), ...asked];
  const isLost: boolean[] = [];
  for (const { url, key, words } of asked) {
    const shown = await ask(url);
    const isOther =
      shown?.key !== undefined && shown.key !== key && texts.has(shown.key) && texts.get(shown.key) === undefined;
    isLost.push(shown !== undefined && (shown.way === way || isOther || shown.words < words * wordsLeftMin));
  }
  return isLost.every(Boolean);
}

/** The site shows its pages again. */
function recovered(watched: Watched): Verdict {
  if (watched.strainedBy === undefined) return fine;
  const lost = affectedBy(watched);
  watched.strainedBy = undefined;
  const linksOf = (isDelivered: boolean): Link[] =>
    lost.filter((one) => one.isDelivered === isDelivered).map(({ link }) => link);
  return { kind: 'fine', again: linksOf(false), spoilt: linksOf(true) };
}

function affectedBy({ ways, strainedBy }: Watched): readonly Affected[] {
  const way = ways.get(strainedBy ?? '');
  return way?.affected.splice(0) ?? [];
}

/** True if another URL showed this text lately. Else notes it, and the page as a sample. */
function isCopy(watched: Watched, { key, url, words, template, content }: Ended): boolean {
  const { texts, ordinary, seen } = watched;
  if (key !== undefined && seen < firstOutcomes) ordinary.add(key);
  if (key !== undefined && !ordinary.has(key)) {
    const first = texts.get(key);
    const isKnown = texts.has(key);
    const isOther = isKnown && first !== url.href;
    keepLast(texts, key, isOther ? undefined : url.href, textsMax);
    if (isOther) watched.samples = watched.samples.filter((sample) => sample.key !== key);
    if (isOther) return true;
    if (content !== undefined) addContent(watched, content);
  }
  const { samples } = watched;
  const isWanted = samples.length < sampledAtOnce || !samples.some((sample) => sample.template === template);
  if (template !== undefined && samples.length < samplesMax && isWanted) samples.push({ url, template, key, words });
  return false;
}

/** Copies whose text differs in what the key leaves out are delivered. */
function isDelivered(watched: Watched, way: string, { content }: Ended): boolean {
  if (way !== copied || content === undefined || watched.contents.has(content)) return false;
  addContent(watched, content);
  return true;
}

function addContent({ contents }: Watched, content: string): void {
  contents.add(content);
  const [oldest] = contents;
  if (contents.size > textsMax && oldest !== undefined) contents.delete(oldest);
}
