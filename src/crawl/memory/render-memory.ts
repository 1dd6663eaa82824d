// What rendering has gained so far, so that a crawl does not render a thousand pages in vain, nor compare a thousand in
// vain.
import type { BrowserVerdict } from '../../core/ports/renderer.ts';
import { hostKey } from '../../core/host-key.ts';
import type { BrowserNeed } from '../convert/needs-browser.ts';

/**
 * Remembers for each job, host, directory and sign whether rendering gained text. Pages of one directory with one sign
 * are alike; pages with another sign are a group of their own.
 *
 *   open  ──3 in a row gained nothing──►  vain   ──a re-check gains──►  open
 *   open  ──3 in a row gained──►          sure   ──a re-check gains nothing──►  open
 *
 * The 50th page of a vain or sure group is a re-check, then the 100th after it, and so on up to every 1,600th.
 *
 * One template can serve many small directories. If trials of one host and sign gained nothing in four directories in a
 * row, its trials in further directories are taken for vain too, until a trial on this host with this sign gains. Pages
 * that are certain to need the browser (`render`) are not affected.
 *
 * The least recently used groups are forgotten, which errs towards "open".
 */
export class RenderMemory {
  readonly #groupsMax: number;
  /** The least recently used comes first. */
  readonly #groups = new Map<string, Outcome>();

  /** `groupsMax`: for all jobs together. @default 5000 */
  constructor({ groupsMax = 5_000 }: { readonly groupsMax?: number } = {}) {
    this.#groupsMax = groupsMax;
  }

  /** Returns what to do with the next page: the verdict on it, or what was learnt. Counts the page. */
  advise(jobId: string, url: URL, need: BrowserNeed): BrowserVerdict {
    if (need.verdict === 'no') return 'no';
    const { directory, host } = this.#outcomes(jobId, url, need);
    if (directory.run >= runMin) return directory.isRecheck() ? 'try' : directory.gained ? 'render' : 'no';
    if (need.verdict === 'try' && host.run >= directoriesMin && !host.gained) return host.isRecheck() ? 'try' : 'no';
    return need.verdict;
  }

  /** Records whether rendering a page gained text. Call only for rendered pages. */
  learn(jobId: string, url: URL, need: BrowserNeed, gained: boolean): void {
    const { directory, host } = this.#outcomes(jobId, url, need);
    if (gained || directory.run === 0) host.learn(gained);
    directory.learn(gained);
  }

  #outcomes(jobId: string, url: URL, { sign }: BrowserNeed): { directory: Outcome; host: Outcome } {
    const host = `${jobId} ${hostKey(url)}`;
    return { host: this.#outcome(`${host} ${sign}`), directory: this.#outcome(`${host}${directoryOf(url)} ${sign}`) };
  }

  #outcome(key: string): Outcome {
    const known = this.#groups.get(key);
    if (known !== undefined) {
      this.#groups.delete(key);
      this.#groups.set(key, known);
      return known;
    }
    const outcome = new Outcome();
    this.#groups.set(key, outcome);
    for (const oldest of this.#groups.keys()) {
      if (this.#groups.size <= this.#groupsMax) break;
      this.#groups.delete(oldest);
    }
    return outcome;
  }
}

/** What rendering the pages of a group gained. */
class Outcome {
  gained = false;
  /** Renders, or directories, with this outcome in a row. */
  run = 0;
  /** Pages since the last re-check. */
  #asked = 0;
  #recheckAfter = recheckMin;

  learn(gained: boolean): void {
    if (this.gained === gained) {
      this.run++;
      return;
    }
    this.gained = gained;
    this.run = 1;
    this.#asked = 0;
    this.#recheckAfter = recheckMin;
  }

  /** Counts a page whose outcome is taken for granted. Returns true if this is to be confirmed with it. */
  isRecheck(): boolean {
    if (++this.#asked < this.#recheckAfter) return false;
    this.#asked = 0;
    this.#recheckAfter = Math.min(this.#recheckAfter * 2, recheckMax);
    return true;
  }
}

/** Renders of one outcome in a row, after which the outcome is taken for granted. */
const runMin = 3;
/** Directories in a row without a gain, after which trials on their host are taken for vain. */
const directoriesMin = 4;
const recheckMin = 50;
/** A render takes as long as reading some 50 to 100 pages, so re-checks of a long crawl have to be rare. */
const recheckMax = 1_600;
/** Characters of a directory, so that long URLs take no more memory than others. */
const directoryMax = 200;

/**
 * The last segment names the page, so it is left out. Numbers before it name what the page belongs to, so they count as
 * equal.
 */
function directoryOf(url: URL): string {
  return url.pathname
    .slice(0, url.pathname.lastIndexOf('/') + 1)
    .slice(0, directoryMax)
    .replaceAll(/\d+/g, '#');
}
