/**
 * Keeps pages on disk until what a model teaches of their site is known, and learns it: all pages that wait are read in the
 * order of their URLs, so the same pages and answers give the same rules, in whatever order the pages came. One process
 * learns a site for a job. After that each page is read with all that was learned, when its request is taken again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  afterRound,
  type HeldCounts,
  type HeldPages,
  type HeldProgress,
  type HeldState,
  isWaiting,
  type ListedPage,
} from '../../core/ports/held-pages.ts';
import type { Log } from '../../core/ports/log.ts';
import { failPoint } from '../../core/process/fail-point.ts';
import type { Request } from '../../core/request.ts';
import type { Signature } from '../../extract/learn/signature.ts';
import type { KeptFor, PageInput, Waiting } from '../convert/converter.ts';
import type { CachedJob } from '../job/job-cache.ts';
import { inputOf, type KeptPage, packKept, unpackKept } from './kept-page.ts';
import {
  enoughOfTemplate,
  isFull,
  isTimeToLearn,
  keptMsMax,
  keptOfJobMax,
  keptOfTemplateMax,
  packSignature,
} from './kept-site.ts';
import { SitePlaces } from './site-places.ts';

export type Found =
  /** Nothing is kept: the page is to be fetched. */
  | { readonly kind: 'none' }
  | { readonly kind: 'later'; readonly afterMs: number }
  | { readonly kind: 'page'; readonly page: KeptPage; readonly kept: KeptFor };

/** What came of one page. `read`: nothing was to be asked. */
export type Studied = { readonly kind: 'read' | 'answered' | 'bad_answer' | 'unavailable'; readonly revision: number };

export interface KeeperParts {
  readonly heldPages: HeldPages;
  /** Reads a page, asks the model about it if need be, and learns from its answer. */
  readonly study: (input: PageInput) => Promise<Studied>;
  /** Names this process among those that crawl. */
  readonly holder: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

interface Site {
  readonly jobId: string;
  readonly name: string;
  readonly job: CachedJob;
  readonly places: SitePlaces;
  /** The last look at the pages in the store. Never rejects. */
  looked: Promise<unknown>;
  /** Of the job at the last look, with the pages kept since. */
  progress: HeldProgress;
  /** Resolves after the site was learned, or when nothing of it waits. */
  round: PromiseWithResolvers<void>;
  /** When learning ended, by the clock of the process. */
  learnedAt: number;
}

const lookMs = 400;
/** For so long a process is the learner of a site without a sign of life. */
const claimMs = 20_000;
const renewMs = 5_000;
/** Questions in a row to which the model did not respond. */
const unansweredMax = 3;
const [againMin, againMax] = [500, 3_000];

export class PageKeeper {
  readonly #parts: KeeperParts;
  readonly #sites = new Map<string, Site>();

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** How a page can wait. Undefined for jobs that ask no model, and for the only page of a job. */
  waiting({ id, jobId }: Request, job: CachedJob, url: URL): Waiting | undefined {
    if (!job.brief.asking || job.isOnePage) return undefined;
    return {
      reserve: (signature) => {
        const { places, progress } = this.#siteOf(jobId, url.host, job);
        // A browser can show another page than was fetched.
        places.release(id);
        const ofJob = progress.held + this.#uncounted(jobId);
        if (ofJob >= keptOfJobMax || places.of(signature) >= keptOfTemplateMax) return false;
        places.reserve(id, signature);
        return true;
      },
    };
  }

  /** What is kept for a request. Takes up to some seconds while no further page is to be fetched. */
  async find(request: Request, job: CachedJob): Promise<Found> {
    if (!job.brief.asking || job.isOnePage) return { kind: 'none' };
    const { id, jobId } = request;
    const kept = await this.#parts.heldPages.read(jobId, id);
    if (!kept || kept.state === 'new') {
      const site = this.#fullSite(request, job);
      if (!site) return { kind: 'none' };
      // It holds a place of its host meanwhile: otherwise each URL of the job would be taken and put back in turn.
      await this.#untilLearned(site);
      return this.#fullSite(request, job) ? { kind: 'later', afterMs: againMin } : { kind: 'none' };
    }
    const page = unpackKept(kept.data);
    const ageMs = Date.now() - kept.heldAt;
    if (isWaiting(kept.state) && ageMs < keptMsMax) {
      this.#siteOf(jobId, new URL(page.input.fetchedUrl).host, job);
      return { kind: 'later', afterMs: Math.min(againMax, Math.max(againMin, ageMs / 5)) };
    }
    return { kind: 'page', page, kept: { state: afterRound(kept.state) ?? kept.state, revision: kept.revision } };
  }

  /** Returns when to take the request again; undefined if the page cannot wait. */
  async keep(
    { id, jobId }: Request,
    job: CachedJob,
    page: KeptPage,
    signature: Signature,
  ): Promise<number | undefined> {
    const url = page.input.fetchedUrl;
    const site = this.#siteOf(jobId, new URL(url).host, job);
    const held = await this.#parts.heldPages.hold(jobId, {
      request: id,
      site: site.name,
      url,
      heldAt: Date.now(),
      signature: packSignature(signature),
      data: packKept(page),
    });
    failPoint('page.held');
    if (!held || (await this.#isBeyond(site, held, signature))) {
      if (held) await this.#parts.heldPages.remove([id]);
      site.places.release(id);
      return undefined;
    }
    site.places.write(id, signature);
    site.progress = { ...site.progress, held: site.progress.held + 1 };
    return 2 * againMin;
  }

  /** Frees what was reserved for pages that do not wait. Call it once the store has the outcomes. */
  release(requests: readonly Request[]): void {
    for (const { id, jobId } of requests) for (const site of this.#sitesOf(jobId)) site.places.release(id);
  }

  /** Call it once the store has the outcomes. `kept`: requests of pages that wait; `ended`: of pages that waited. */
  settled(kept: ReadonlyMap<string, readonly number[]>, ended: readonly number[]): void {
    const { heldPages, log } = this.#parts;
    const noted = [...kept].map(([jobId, requests]) => heldPages.judge(jobId, requests, 'waiting', 0));
    if (ended.length > 0) noted.push(heldPages.remove(ended));
    // Pages that stay `new` are fetched again; pages that stay go with the end of the job.
    for (const one of noted) one.catch((error: unknown) => log.warn('a held page was not noted', { error }));
  }

  #siteOf(jobId: string, name: string, job: CachedJob): Site {
    const key = `${jobId} ${name}`;
    const known = this.#sites.get(key);
    if (known) return known;
    const site: Site = {
      jobId,
      name,
      job,
      places: new SitePlaces(),
      looked: Promise.resolve(),
      progress: { open: 1, held: 0, scraped: 0, fetches: 0 },
      round: Promise.withResolvers(),
      learnedAt: 0,
    };
    this.#sites.set(key, site);
    this.#watch(site)
      .catch((error: unknown) => {
        if (!this.#parts.signal.aborted) this.#parts.log.error('held pages could not be read', { site: name, error });
      })
      .finally(() => {
        this.#sites.delete(key);
        site.round.resolve();
      });
    return site;
  }

  #sitesOf(jobId: string): readonly Site[] {
    return [...this.#sites.values()].filter((site) => site.jobId === jobId);
  }

  #uncounted(jobId: string): number {
    return this.#sitesOf(jobId).reduce((sum, { places }) => sum + places.uncounted, 0);
  }

  /** True if other processes wrote pages as well, so that there is no place for this one. */
  async #isBeyond(site: Site, { ofSite, ofJob }: HeldCounts, signature: Signature): Promise<boolean> {
    if (ofJob > keptOfJobMax) return true;
    const { places } = site;
    if (places.of(signature) + ofSite - places.size <= keptOfTemplateMax) return false;
    await this.#look(site);
    return places.of(signature) > keptOfTemplateMax;
  }

  /** One look after the other: an older list must not replace a newer one. */
  #look(site: Site): Promise<readonly ListedPage[]> {
    const { jobId, name, places } = site;
    const look = site.looked.then(async () => {
      const written = places.written();
      const pages = await this.#parts.heldPages.list(jobId, name);
      places.replace(pages, written);
      return pages;
    });
    site.looked = look.catch(() => []);
    return look;
  }

  /** Looks after a site while pages of it wait. */
  async #watch(site: Site): Promise<void> {
    const { heldPages, signal } = this.#parts;
    const { jobId, name, job } = site;
    const limits = job.brief.spec;
    let pages: readonly ListedPage[] = [];
    let seen = -1;
    for (let idle = 0; idle < 10;) {
      await sleep(lookMs, undefined, { signal, ref: false });
      const progress = await heldPages.progress(jobId);
      if (!progress) return;
      if (progress.held !== seen || site.progress.held !== seen) {
        pages = await this.#look(site);
        seen = progress.held;
      }
      site.progress = progress;
      const waiting = pages.filter(({ state }) => isWaiting(state));
      if (waiting.length === 0) {
        idle++;
        this.#endRound(site);
        continue;
      }
      idle = 0;
      const { learnedAt } = site;
      if (!isTimeToLearn(waiting, progress, limits, { now: Date.now(), learnedAt })) continue;
      if (!(await heldPages.claim(jobId, name, this.#parts.holder, claimMs))) {
        seen = -1;
        continue;
      }
      await this.#learn(site);
      seen = -1;
    }
  }

  async #learn(site: Site): Promise<void> {
    const { heldPages, signal, log } = this.#parts;
    const { jobId, name } = site;
    const renewing = setInterval(() => {
      heldPages
        .claim(jobId, name, this.#parts.holder, claimMs)
        .catch((error: unknown) => log.warn('the learner of a site was not noted', { site: name, error }));
    }, renewMs);
    try {
      const begunAt = Date.now();
      // Another process may have learned meanwhile.
      const pages = (await this.#look(site))
        .filter(({ state }) => isWaiting(state))
        .toSorted((one, other) => (one.url < other.url ? -1 : one.url > other.url ? 1 : one.request - other.request));
      const { verdicts, revision } = await this.#readAll(site, pages);
      if (signal.aborted) return;
      failPoint('held.learned');
      const states = new Set(verdicts.values());
      for (const state of states) {
        const requests = pages.filter(({ request }) => verdicts.get(request) === state).map(({ request }) => request);
        await heldPages.judge(jobId, requests, state, revision);
      }
      site.learnedAt = Math.max(begunAt, Date.now());
      site.places.learned();
      this.#endRound(site);
    } finally {
      clearInterval(renewing);
      await heldPages.claim(jobId, name, this.#parts.holder, 0);
    }
  }

  /**
   * Reads the pages in order, and stores of each that it was read: after a death the others follow, and a page that was
   * read before the last rules is not asked about for them. Without a model, all of them are done with.
   */
  async #readAll(
    { jobId, job }: Site,
    pages: readonly ListedPage[],
  ): Promise<{ readonly verdicts: ReadonlyMap<number, HeldState>; readonly revision: number }> {
    const { heldPages, study, signal } = this.#parts;
    const verdicts = new Map<number, HeldState>();
    let [revision, unanswered] = [0, 0];
    for (const { request, heldAt, state, revision: readWith } of pages) {
      if (signal.aborted) break;
      const verdict = afterRound(state);
      if (verdict) {
        revision = Math.max(revision, readWith);
        verdicts.set(request, verdict);
        continue;
      }
      if (unanswered >= unansweredMax || Date.now() - heldAt >= keptMsMax) {
        verdicts.set(request, 'unavailable');
        continue;
      }
      const stored = await heldPages.read(jobId, request);
      if (stored?.state !== 'waiting') continue;
      const studied = await study(inputOf(unpackKept(stored.data), job.brief));
      revision = Math.max(revision, studied.revision);
      if (studied.kind !== 'read') unanswered = studied.kind === 'unavailable' ? unanswered + 1 : 0;
      if (studied.kind === 'unavailable') {
        verdicts.set(request, studied.kind);
        continue;
      }
      const read = studied.kind === 'bad_answer' ? 'rejected' : 'read';
      await heldPages.judge(jobId, [request], read, studied.revision);
      verdicts.set(request, afterRound(read) ?? read);
      failPoint('held.read');
    }
    return { verdicts, revision };
  }

  #endRound(site: Site): void {
    site.round.resolve();
    site.round = Promise.withResolvers();
  }

  /** The site whose pages have to be learned from before this request is fetched. */
  #fullSite({ jobId, url }: Request, { brief }: CachedJob): Site | undefined {
    const { host } = new URL(url);
    return this.#sitesOf(jobId).find((site) => {
      if (site.progress.held === 0) return false;
      return isFull(site.progress, brief.spec) || (site.name === host && site.places.unlearned >= enoughOfTemplate);
    });
  }

  /** Or for some seconds, or until the process stops. */
  async #untilLearned({ round }: Site): Promise<void> {
    const enough = new AbortController();
    const signal = AbortSignal.any([this.#parts.signal, enough.signal]);
    await Promise.race([round.promise, sleep(againMax, undefined, { signal, ref: false }).catch(() => {})]);
    enough.abort();
  }
}
