import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { SearchHit, SearchQuery, SearchSlice } from '../../../core/ports/search.ts';
import { rangesOf, snippetOf, snippetSearchMax } from '../../../search/snippet.ts';
import { pageText } from './page-text.ts';
import { DamagedIndex, hitsMax, type RankedPage, type SearchedJob, type SearchEngine } from './search-engine.ts';

/** A slice ends, never before one hit, once the texts of its pages exceed this size. */
const sliceBytesMax = 16 * 2 ** 20;
/** How often to look whether another process has indexed further. */
const busyMs = 100;
/** A job is indexed again because of its hits at most this often, so that a defect costs little. */
const rebuildEveryMs = 10 * 60_000;

interface Indexing {
  readonly job: SearchedJob;
  upToPage: number;
  readonly done: Promise<'disk_full' | undefined>;
  readonly end: (stopped: 'disk_full' | undefined) => void;
  readonly fail: (error: unknown) => void;
}

/** `stopped`: pages that the query covers cannot be indexed. */
export interface Searched extends SearchSlice {
  readonly stopped?: 'disk_full';
}

/** Counts since the last report. */
export interface SearchCounts {
  readonly indexedPages: number;
  readonly rebuilds: number;
  /** Now, not since then. */
  readonly indexing: number;
}

/**
 * Runs searches on an engine. Jobs are indexed in turns, one batch each, and searches run between two batches. Indexing
 * continues after the wait of a search is over, up to the pages that were committed when it began.
 */
export class Searches {
  readonly #engine: SearchEngine;
  readonly #report: (counts: SearchCounts) => void;
  readonly #indexing = new Map<string, Indexing>();
  readonly #rebuilt = new Map<string, number>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(engine: SearchEngine, report: (counts: SearchCounts) => void) {
    this.#engine = engine;
    this.#report = report;
  }

  async search(query: SearchQuery): Promise<Searched | undefined> {
    const job = await this.#look(query);
    if (!job) return undefined;
    const wanted = query.upToPage ?? job.pages;
    const until = performance.now() + query.waitMs;
    let stopped = job.areResultsGone ? undefined : await this.#index(job, wanted, until);
    for (let attempt = 0; ; attempt++) {
      const now = await this.#look(query);
      if (!now) return undefined;
      try {
        const slice = await this.#slice(now, query);
        return stopped === undefined ? slice : { ...slice, stopped };
      } catch (error) {
        if (!(error instanceof DamagedIndex) || attempt > 0) throw error;
        await this.#discard(now);
        stopped = await this.#index({ ...now, indexed: 0 }, wanted, until);
      }
    }
  }

  async sweep(): Promise<void> {
    try {
      await this.#engine.sweep();
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error;
      await this.#discard();
    }
  }

  /** What is being indexed ends after its batch, and continues at the next search. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.#engine.close();
  }

  async #look({ org, jobId }: SearchQuery): Promise<SearchedJob | undefined> {
    const job = await this.#lookAt(jobId);
    return job?.org === org ? job : undefined;
  }

  async #lookAt(jobId: string): Promise<SearchedJob | undefined> {
    try {
      return await this.#engine.look(jobId);
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error;
      await this.#discard();
      return this.#engine.look(jobId);
    }
  }

  async #discard(job?: SearchedJob): Promise<void> {
    this.#count({ rebuilds: 1 });
    await this.#engine.discard(job);
  }

  /** Resolves when that number of pages is indexed, at the deadline, or when the index cannot grow. */
  async #index(job: SearchedJob, upToPage: number, until: number): Promise<'disk_full' | undefined> {
    if (job.indexed >= upToPage) return undefined;
    const { promise: done, resolve: end, reject: fail } = Promise.withResolvers<'disk_full' | undefined>();
    const indexing = this.#indexing.get(job.id) ?? { job, upToPage, done, end, fail };
    indexing.upToPage = Math.max(indexing.upToPage, upToPage);
    this.#indexing.set(job.id, indexing);
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    indexing.done.catch(() => {});
    const timer = new AbortController();
    const late = sleep(Math.max(0, until - performance.now()), undefined, { signal: timer.signal, ref: false });
    try {
      return await Promise.race([indexing.done, late.catch(() => undefined)]);
    } finally {
      timer.abort();
    }
  }

  async #run(): Promise<void> {
    while (this.#indexing.size > 0 && !this.#isClosed) {
      for (const indexing of this.#indexing.values()) {
        if (this.#isClosed) break;
        await this.#step(indexing);
        // Searches that have arrived meanwhile.
        await setImmediate();
      }
    }
    for (const { end } of this.#indexing.values()) end(undefined);
    this.#indexing.clear();
  }

  async #step(indexing: Indexing): Promise<void> {
    const { job, end, fail } = indexing;
    try {
      const step = await this.#engine.indexSome(job);
      if (step === 'busy') {
        // Alone in the queue, or the others are waiting as well.
        await sleep(busyMs / this.#indexing.size);
        const now = await this.#lookAt(job.id);
        if (now && !now.areResultsGone && now.indexed < indexing.upToPage) return;
        this.#ended(job);
        end(undefined);
        return;
      }
      if (step === 'disk_full') {
        this.#ended(job);
        end(step);
        return;
      }
      this.#count({ indexedPages: step.pages });
      const now = step.pages === 0 ? undefined : await this.#lookAt(job.id);
      if (now && now.indexed < indexing.upToPage) return;
      this.#ended(job);
      end(undefined);
    } catch (error) {
      this.#ended(job);
      if (!(error instanceof DamagedIndex)) fail(error);
      else
        await this.#discard(job).then(
          () => end(undefined),
          (reason: unknown) => fail(reason),
        );
    }
  }

  #ended({ id }: SearchedJob): void {
    this.#indexing.delete(id);
    this.#count({});
  }

  #count({ indexedPages = 0, rebuilds = 0 }: Partial<SearchCounts>): void {
    this.#report({ indexedPages, rebuilds, indexing: this.#indexing.size });
  }

  async #slice(job: SearchedJob, query: SearchQuery): Promise<SearchSlice> {
    const { status, areResultsGone, pages, damaged } = job;
    const upToPage = Math.min(query.upToPage ?? job.indexed, job.indexed);
    const state = { status, areResultsGone, pages, upToPage };
    if (areResultsGone || upToPage === 0)
      return { ...state, hits: [], examined: 0, more: false, damagedPages: areResultsGone ? 0 : damaged };
    const limit = Math.max(0, Math.min(query.limit, hitsMax - query.offset));
    const ranked = await this.#engine.find(job, { ...query, limit: limit + 1, upToPage });
    if (ranked.some(({ page }) => page < 1 || page > upToPage))
      throw new DamagedIndex('it names a page that is not there');
    const texts = await this.#engine.read(
      job,
      ranked.slice(0, limit).map(({ page }) => page),
      sliceBytesMax,
    );
    const hits: SearchHit[] = [];
    let unreadable = 0;
    for (const [index, text] of texts.entries()) {
      const read = pageText(text, job.format);
      const own = ranked[index];
      if (own && read) hits.push(this.#hit(job, own, read, query));
      else unreadable++;
    }
    return {
      ...state,
      hits,
      examined: texts.length,
      more: ranked.length > texts.length && query.offset + texts.length < hitsMax,
      damagedPages: damaged + unreadable,
    };
  }

  #hit(
    job: SearchedJob,
    { page, score }: RankedPage,
    { url, title, text }: { readonly url: string; readonly title: string; readonly text: string },
    { phrases }: SearchQuery,
  ): SearchHit {
    const { parts, found } = snippetOf(text, phrases);
    const inTitle = rangesOf(title.slice(0, snippetSearchMax), phrases).map(({ phrase }) => phrase);
    const isHit = new Set([...found, ...inTitle]).size === phrases.length || text.length > snippetSearchMax;
    if (!isHit && this.#mayRebuild(job)) throw new DamagedIndex(`page ${page} does not match the query`);
    return { page, url, title, score, snippet: parts };
  }

  #mayRebuild({ id }: SearchedJob): boolean {
    const now = performance.now();
    for (const [other, at] of this.#rebuilt) if (now - at > rebuildEveryMs) this.#rebuilt.delete(other);
    if (this.#rebuilt.has(id)) return false;
    this.#rebuilt.set(id, now);
    return true;
  }
}
