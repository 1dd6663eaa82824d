/**
 * Finds URL templates of a job that are traps: their pages have long brought no new text. Pure: it only remembers.
 */

import type { EndedTemplate } from '../../core/ports/frontier.ts';
import type { PageTraits } from '../../core/page-traits.ts';
import { type Request, startDepth } from '../../core/request.ts';
import { keepLast } from '../../core/keep-last.ts';
import type { WatchedTemplates } from './watched-templates.ts';

export interface TemplateWatchOptions {
  /**
   * Pages in a row without new text that end a fine template. More than sites have between their texts, such as empty
   * profiles and days without events; more than the 84 pairs of a weekday and a month. @default 100
   */
  readonly finePages?: number;
  /**
   * The same for a coarse template. Higher, since such a template holds pages of many kinds, and ending it ends them
   * all. @default 300
   */
  readonly coarsePages?: number;
  /** Names of a domain in a row that end a template of all its names. @default 100 */
  readonly names?: number;
  /** Templates remembered with their lines, over all jobs; each takes at most 8 KiB. @default 2000 */
  readonly templatesMax?: number;
  /** Templates of a job that can be ended. Further ones continue. @default 1000 */
  readonly endedMax?: number;
}

/**
 * A template is unknown, watched or ended, and stays ended. A page with a line that no earlier page of its template had
 * restarts the count; a run of pages without such a line ends the template. So a template whose pages keep bringing
 * text is never ended, however many pages it has, and neither is one that only pages of other families link to.
 *
 * Forgetting errs towards "new": what the least recently observed templates, and those with too many lines, have shown
 * is forgotten, and so is everything when the process ends. The store keeps which templates have ended. The caller must
 * pass discovered pages only, not start URLs.
 */
export class TemplateWatch {
  readonly #finePages: number;
  readonly #coarsePages: number;
  readonly #names: number;
  readonly #templatesMax: number;
  readonly #endedMax: number;
  /** The least recently observed comes first. */
  readonly #watched = new Map<string, Evidence>();
  /** By job, host and what is written there: the first URL that showed it. */
  readonly #shown = new Map<string, string>();
  /** By job and template, in a row up to the newest page. */
  readonly #copies = new Map<string, CopiesInRow>();
  /** By job id. */
  readonly #ended = new Map<string, Set<string>>();

  constructor(options: TemplateWatchOptions = {}) {
    this.#finePages = options.finePages ?? 100;
    this.#coarsePages = options.coarsePages ?? 300;
    this.#names = options.names ?? 100;
    this.#templatesMax = options.templatesMax ?? 2_000;
    this.#endedMax = options.endedMax ?? 1_000;
  }

  /**
   * Observes a page with the lines of its text: empty if it has no text, undefined if the lines were not wanted, which
   * counts as new. Returns the template that this page ended, the widest one if several did; undefined for a template that
   * ended before.
   *
   * A trap feeds itself, so a page that is not `selfFed` (found on a page of another family) is no evidence of one: its
   * lines are remembered, and nothing else. Names of a domain are counted in any case: a wildcard makes a hundred names
   * with one page, also where a sitemap lists them.
   */
  observe(
    jobId: string,
    templates: WatchedTemplates,
    lines: Uint32Array | undefined,
    selfFed = true,
  ): EndedTemplate | undefined {
    if (this.endedTemplate(jobId, templates) !== undefined) return undefined;
    const { fine, coarse, names } = templates;
    const ofNames = { lines, selfFed: true, host: names?.host };
    const endedNames = names && this.#observeOne(jobId, names.template, ofNames, this.#names);
    if (endedNames) return endedNames;
    const ended = this.#observeOne(jobId, fine, { lines, selfFed }, this.#finePages);
    if (coarse === undefined) return ended;
    return this.#observeOne(jobId, coarse, { lines, selfFed }, this.#coarsePages) ?? ended;
  }

  /**
   * Returns the URL that has shown the same before: as it is written, or, of a page to which only its own family leads, but
   * for the numbers of its URL, on the page before it. Ten such copies in a row end the template. What a start page links to
   * is no copy. `isAgain`: a page in a directory above shows the same, so what it leads to does as well.
   */
  copyOf(
    { jobId, url, depth, selfFed }: Pick<Request, 'jobId' | 'url' | 'depth' | 'selfFed'>,
    { fine, coarse }: WatchedTemplates,
    { written, undated }: Pick<PageTraits, 'written' | 'undated'>,
  ): Copy | undefined {
    const { host, pathname } = new URL(url);
    const name = `${jobId} ${host} ${written}`;
    const [own = '', ...above] = directoriesOf(pathname);
    const first = this.#shown.get(name) ?? url;
    const isAgain = first !== url && above.some((directory) => this.#shown.has(`${name} ${directory}`));
    for (const shown of [name, `${name} ${own}`]) keepLast(this.#shown, shown, first, shownMax);
    const template = isAgain ? (coarse ?? fine) : fine;
    const row = this.#copies.get(keyOf(jobId, template));
    const isNext = selfFed && undated !== '-' && row?.undated === undated;
    const next = { undated, url: isNext ? row.url : url, pages: isNext || isAgain ? (row?.pages ?? 0) + 1 : 0 };
    keepLast(this.#copies, keyOf(jobId, template), next, shownMax);
    const original = first === url ? next.url : first;
    if (original === url || depth <= startDepth + 1) return undefined;
    const isEnd = next.pages >= copiesMax && this.#end(jobId, template);
    return { original, isAgain, ended: isEnd ? { template, pages: next.pages } : undefined };
  }

  /**
   * Returns true if the lines of the next page matter. The first pages of a template count as new, whatever they say.
   */
  wantsLines(jobId: string, { fine, coarse, names }: WatchedTemplates): boolean {
    const isWatched = (template: string): boolean =>
      (this.#watched.get(keyOf(jobId, template))?.pages ?? 0) >= firstPages;
    return [fine, coarse, names?.template].some((template) => template !== undefined && isWatched(template));
  }

  /** Which of the templates has ended; the widest one if several have. */
  endedTemplate(jobId: string, templates: WatchedTemplates): string | undefined {
    const ended = this.#ended.get(jobId);
    return ended && widestFirst(templates).find((template) => ended.has(template));
  }

  #observeOne(jobId: string, template: string, page: ObservedPage, pagesMax: number): EndedTemplate | undefined {
    const evidence = this.#evidenceOf(jobId, template);
    evidence.take(page);
    const pages = page.host === undefined ? evidence.pagesWithoutNew : evidence.namesWithoutNew;
    return pages < pagesMax || !this.#end(jobId, template) ? undefined : { template, pages };
  }

  #evidenceOf(jobId: string, template: string): Evidence {
    const key = keyOf(jobId, template);
    const evidence = this.#watched.get(key) ?? new Evidence();
    keepLast(this.#watched, key, evidence, this.#templatesMax);
    return evidence;
  }

  /** Returns false if the job already has `endedMax` ended templates. */
  #end(jobId: string, template: string): boolean {
    const ended = this.#ended.get(jobId) ?? new Set();
    if (ended.size >= this.#endedMax) return false;
    if (this.#ended.size >= jobsMax) this.#ended.clear();
    this.#ended.set(jobId, ended.add(template));
    this.#watched.delete(keyOf(jobId, template));
    return true;
  }
}

/** The templates of a URL, of all names of its domain first. */
export function widestFirst({ names, coarse, fine }: WatchedTemplates): readonly string[] {
  return [names?.template, coarse, fine].filter((template) => template !== undefined);
}

/** Copies in a row that end a template. */
const copiesMax = 10;
/** Texts that are remembered, over all jobs. */
const shownMax = 20_000;

interface CopiesInRow {
  readonly undated: string;
  /** The first page of this row. */
  readonly url: string;
  readonly pages: number;
}

interface Copy {
  readonly original: string;
  readonly isAgain: boolean;
  readonly ended: EndedTemplate | undefined;
}

/** Of `/a/b/c`: `/a/b/`, `/a/` and `/`. */
function directoriesOf(pathname: string): string[] {
  const directories: string[] = [];
  for (let at = pathname.lastIndexOf('/'); at >= 0; at = at === 0 ? -1 : pathname.lastIndexOf('/', at - 1))
    directories.push(pathname.slice(0, at + 1));
  return directories;
}

/** Jobs whose ended templates are kept here. */
const jobsMax = 1_000;

/** Job ids contain no spaces. */
function keyOf(jobId: string, template: string): string {
  return `${jobId} ${template}`;
}

/**
 * First pages of a template, whose lines are not kept: most templates have one or two pages, and need no memory for
 * more.
 */
const firstPages = 4;

interface ObservedPage {
  readonly lines: Uint32Array | undefined;
  readonly selfFed: boolean;
  /** Only for a template of several names. */
  readonly host?: string | undefined;
}

/** What the pages of a template have brought so far. */
class Evidence {
  pages = 0;
  /** Pages in a row, up to the newest. */
  pagesWithoutNew = 0;
  #seen: SeenLines | undefined;
  /** Hashes of the hosts in the same row. */
  #hosts: Set<number> | undefined;

  /** Different names in this row. Two names with the same hash count as one. */
  get namesWithoutNew(): number {
    return this.#hosts?.size ?? 0;
  }

  take({ lines, selfFed, host }: ObservedPage): void {
    this.pages += 1;
    const isNew = lines === undefined || this.#bringsNew(lines);
    if (isNew) this.#hosts = undefined;
    else if (host !== undefined) (this.#hosts ??= new Set()).add(hashOf(host));
    if (selfFed) this.pagesWithoutNew = isNew ? 0 : this.pagesWithoutNew + 1;
  }

  #bringsNew(lines: Uint32Array): boolean {
    if (lines.length === 0) return false;
    if (this.pages <= firstPages) return true;
    this.#seen ??= new SeenLines();
    return this.#seen.add(lines);
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** A power of two. 4 KiB hold 11,000 lines, such as the names and prices of 5,000 products that come in any order. */
const filterBits = 4 * 1024 * 8;

/**
 * A Bloom filter with two bits a line, emptied when half full. Until then it takes a new line for a known one with a
 * probability of at most a quarter. To end a template whose pages each have one new line, that would have to happen a
 * hundred times in a row.
 */
class SeenLines {
  readonly #words = new Uint32Array(filterBits / 32);
  #bitsSet = 0;

  /** Adds the lines. Returns true if one of them was new. */
  add(lines: Uint32Array): boolean {
    const before = this.#bitsSet;
    for (const line of lines) {
      this.#set(line & (filterBits - 1));
      this.#set((line >>> 16) & (filterBits - 1));
    }
    const isNew = this.#bitsSet > before;
    if (this.#bitsSet > filterBits / 2) this.#empty();
    return isNew;
  }

  #set(bit: number): void {
    const word = this.#words[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    if ((word & mask) !== 0) return;
    this.#words[bit >>> 5] = word | mask;
    this.#bitsSet += 1;
  }

  #empty(): void {
    this.#words.fill(0);
    this.#bitsSet = 0;
  }
}
