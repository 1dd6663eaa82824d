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
 * Every 50th page of a vain or sure group is a re-check. The least recently used groups are forgotten, which errs
 * towards "open".
 */
export class RenderMemory {
  readonly #groupsMax: number;
  /** The least recently used comes first. */
  readonly #groups = new Map<string, Group>();

  /** `groupsMax`: for all jobs together. @default 5000 */
  constructor({ groupsMax = 5_000 }: { readonly groupsMax?: number } = {}) {
    this.#groupsMax = groupsMax;
  }

  /** Returns what to do with the next page: the verdict on it, or what was learnt. Counts the page. */
  advise(jobId: string, url: URL, need: BrowserNeed): BrowserVerdict {
    if (need.verdict === 'no') return 'no';
    const group = this.#group(keyOf(jobId, url, need));
    if (group.run < runMin) return need.verdict;
    group.asked++;
    if (group.asked % recheckEvery === 0) return 'try';
    return group.gained ? 'render' : 'no';
  }

  /** Records whether rendering a page gained text. Call only for rendered pages. */
  learn(jobId: string, url: URL, need: BrowserNeed, gained: boolean): void {
    const group = this.#group(keyOf(jobId, url, need));
    if (group.gained === gained) {
      group.run = Math.min(group.run + 1, runMin);
      return;
    }
    group.gained = gained;
    group.run = 1;
    group.asked = 0;
  }

  #group(key: string): Group {
    const known = this.#groups.get(key);
    if (known !== undefined) {
      this.#groups.delete(key);
      this.#groups.set(key, known);
      return known;
    }
    const group: Group = { gained: false, run: 0, asked: 0 };
    this.#groups.set(key, group);
    for (const oldest of this.#groups.keys()) {
      if (this.#groups.size <= this.#groupsMax) break;
      this.#groups.delete(oldest);
    }
    return group;
  }
}

interface Group {
  gained: boolean;
  /** Renders with this outcome in a row, up to {@link runMin}. */
  run: number;
  /** Pages since the outcome was taken for granted. */
  asked: number;
}

/** Renders of one outcome in a row, after which the outcome is taken for granted. */
const runMin = 3;
const recheckEvery = 50;
/** Characters of a directory, so that long URLs take no more memory than others. */
const directoryMax = 200;

/**
 * The last segment names the page, so it is left out. Numbers before it name what the page belongs to, so they count as
 * equal.
 */
function keyOf(jobId: string, url: URL, { sign }: BrowserNeed): string {
  const directory = url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1).slice(0, directoryMax);
  return `${jobId} ${hostKey(url)}${directory.replaceAll(/\d+/g, '#')} ${sign}`;
}
