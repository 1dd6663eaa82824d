/**
 * A converter for jobs that ask a model. A page is converted with what is known of its site. If that is too little, the
 * model is asked, all that is known is learned again, and the page is converted once more, with the answer.
 *
 * A page waits only for its own answer, at most {@link waitMsMax}. Whatever the model does, the page is delivered with its
 * text: without an answer its record has what is known without one, and the problem says so.
 */
import { deflateRawSync } from 'node:zlib';
import type { Lessons } from '../../core/ports/lessons.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Model, ModelReply } from '../../core/ports/model.ts';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';
import { usualCalls } from '../../core/extract.ts';
import { failPoint } from '../../core/process/fail-point.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Asks } from '../../extract/learn/learned-data.ts';
import type { PageAnswer } from '../../extract/learn/read-learned.ts';
import type { ConvertedPage, Converter, KeptFor, PageInput, Teacher } from '../convert/converter.ts';
import type { AskingJob } from '../job/job-cache.ts';
import { questionOf } from './model-question.ts';
import type { Studied } from './page-keeper.ts';
import { type KnownPage, lessonsOf, noLessons, packLessons, type SiteLessons, unpackLessons } from './site-lessons.ts';
import { Turns } from './turns.ts';

export interface LearningParts {
  readonly converter: Converter;
  readonly teacher: Teacher;
  readonly model: Model;
  readonly lessons: Lessons;
  /** Calls of the model per org and day. 0: no limit. */
  readonly callsPerDay: number;
  /** Pages that a browser could show better are asked about after it. */
  readonly hasBrowser: boolean;
  readonly log: Log;
}

/** Sites whose lessons stay in memory. */
const sitesMax = 200;
/** Questions about one site at a time. More would be asked before the first answers are learned from. */
const askedAtOnce = 2;
/** How long a page waits for its turn and its answer. */
const waitMsMax = 600_000;

interface Site {
  /** Its host. */
  readonly name: string;
  /** With the job. */
  readonly key: string;
  readonly turns: Turns;
  readonly learning: Turns;
  lessons: Promise<SiteLessons>;
}

type Page = Extract<ConvertedPage, { kind: 'page' }>;
type Study =
  /** Nothing is to be asked, or no more may be. */
  | { readonly kind: 'read'; readonly page: ConvertedPage }
  | { readonly kind: 'answered'; readonly answer: PageAnswer }
  | { readonly kind: 'bad_answer' }
  | { readonly kind: 'unavailable'; readonly page: ConvertedPage };

export class LearningConverter implements Converter {
  readonly #parts: LearningParts;
  readonly #sites = new Map<string, Site>();
  readonly #stop = new AbortController();

  constructor(parts: LearningParts) {
    this.#parts = parts;
  }

  readSitemap(input: Parameters<Converter['readSitemap']>[0]): ReturnType<Converter['readSitemap']> {
    return this.#parts.converter.readSitemap(input);
  }

  committed(conversions: readonly number[]): void {
    this.#parts.converter.committed(conversions);
  }

  close(): Promise<void> {
    this.#stop.abort();
    return this.#parts.converter.close();
  }

  async convertPage(input: PageInput): Promise<ConvertedPage> {
    const { asking } = input.job;
    if (!asking || input.file !== undefined) return this.#plain(input);
    const site = this.#siteOf(asking, new URL(input.fetchedUrl).host);
    if (input.kept) return this.#convertKept(input, input.kept, asking, site);
    const endsAt = monotonicNow() + waitMsMax;
    const lessons = await site.lessons;
    const first = await this.#convert(input, lessons, !asking.isPrivate);
    if (first.kind !== 'page' || !first.asks || this.#isForBrowser(input, first)) return withoutAsks(first);
    const { template, signature } = first.asks;
    if (input.waiting && lessons.view.templates[template]?.isSettled !== true) {
      const page = withoutAsks(first);
      if (page.kind !== 'page' || !input.waiting.reserve(signature)) return page;
      return { ...page, waits: { signature, input: lasting(input) } };
    }
    const turn = await site.turns.take(endsAt - monotonicNow(), this.#stop.signal);
    if (!turn) return withoutAsks(first);
    try {
      return withoutAsks(await this.#askAbout(input, asking, site, first));
    } finally {
      turn();
    }
  }

  /** Reads a page that waits, and learns from it if what is known of its site is too little. */
  async study(input: PageInput): Promise<Studied> {
    const { asking } = input.job;
    if (!asking) return { kind: 'read', revision: 0 };
    const site = this.#siteOf(asking, new URL(input.fetchedUrl).host);
    await this.#refresh(site, asking);
    const { kind } = await this.#study(input, asking, site);
    const { revision } = await site.lessons;
    return { kind, revision };
  }

  /** With all that was learned of its site, and with its own answer. */
  async #convertKept(
    input: PageInput,
    { state, revision }: KeptFor,
    asking: AskingJob,
    site: Site,
  ): Promise<ConvertedPage> {
    if ((await site.lessons).revision < revision) await this.#refresh(site, asking);
    const lessons = await site.lessons;
    const known = knownPage(lessons, input.fetchedUrl);
    const told = known ? { answer: known } : { isBadAnswer: state === 'bad_answer' };
    const page = withoutAsks(await this.#convert(input, lessons, false, told));
    return state === 'unavailable' && page.kind === 'page' && !known ? withRemark(page) : page;
  }

  #plain({ waiting: _waiting, kept: _kept, ...input }: PageInput): Promise<ConvertedPage> {
    return this.#parts.converter.convertPage(input);
  }

  async #convert(
    input: PageInput,
    { view }: SiteLessons,
    mayAsk: boolean,
    told: { readonly answer?: PageAnswer; readonly isBadAnswer?: boolean } = {},
  ): Promise<ConvertedPage> {
    return this.#plain({ ...input, learning: { view, mayAsk, ...told } });
  }

  /** The page has its turn: what was learned meanwhile can be enough. */
  async #askAbout(input: PageInput, asking: AskingJob, site: Site, first: Page): Promise<ConvertedPage> {
    const studied = await this.#study(input, asking, site);
    switch (studied.kind) {
      case 'read':
        return studied.page;
      case 'answered':
        return this.#convert(input, await site.lessons, false, { answer: studied.answer });
      case 'bad_answer':
        return this.#convert(input, await site.lessons, false, { isBadAnswer: true });
      case 'unavailable':
        return this.#stop.signal.aborted ? studied.page : withRemark(first);
    }
  }

  /** Asks about a page if what is known of its site is too little, and learns from the answer. */
  async #study(input: PageInput, asking: AskingJob, site: Site): Promise<Study> {
    const before = await site.lessons;
    const page = await this.#convert(input, before, true);
    if (page.kind !== 'page' || !page.asks) return { kind: 'read', page };
    const { asks } = page;
    const url = input.fetchedUrl;
    const known = knownPage(before, url);
    if (known) return { kind: 'answered', answer: known };
    const { extract } = input.job.spec;
    const { calls_per_template: callsMax = usualCalls.perTemplate } = extract ?? {};
    if (!extract || (before.view.templates[asks.template]?.asked ?? 0) >= callsMax) return { kind: 'read', page };
    const reply = await this.#ask(asking, { ...asks, ...questionOf(extract) }, extract.calls ?? usualCalls.perJob);
    switch (reply.kind) {
      case 'unavailable':
        this.#parts.log.warn('the model did not answer', { url, why: reply.why });
        return { kind: 'unavailable', page };
      case 'bad_answer':
        return { kind: 'bad_answer' };
      case 'not_allowed':
        return { kind: 'read', page };
      case 'answer': {
        failPoint('model.answered');
        const answer = await this.#learn(input, asking, site, asks, reply.value);
        failPoint('model.learned');
        return answer ? { kind: 'answered', answer } : { kind: 'bad_answer' };
      }
    }
  }

  #ask(
    { id, org }: AskingJob,
    { prompt, task, schema }: Asks & { readonly task: string; readonly schema: object },
    jobMax: number,
  ): Promise<ModelReply> {
    const { model, lessons, callsPerDay: dayMax } = this.#parts;
    const day = new Date().toISOString().slice(0, 10);
    const mayCall = (): Promise<boolean> => lessons.countCall({ jobId: id, org, day, jobMax, dayMax });
    return model.ask({ task, schema, page: prompt, mayCall }, this.#stop.signal);
  }

  /** Lessons of a site come one after the other. Undefined if the answer is no record. */
  async #learn(
    { job, fetchedUrl: url }: PageInput,
    { id }: AskingJob,
    site: Site,
    { html, signature, template }: Asks,
    given: unknown,
  ): Promise<PageAnswer | undefined> {
    const { teacher, lessons: store, log } = this.#parts;
    const done = await site.learning.take(waitMsMax, this.#stop.signal);
    if (!done) return undefined;
    try {
      for (;;) {
        const { revision, pages, rules } = await site.lessons;
        const { lesson } = await teacher.teach({ job, page: { url, html }, given, samples: pages, rules });
        if (!lesson) return undefined;
        const { answer, misses } = lesson;
        const { unsupported } = lesson;
        const page: KnownPage = { url, signature, template, answer, unsupported, misses, html: deflateRawSync(html) };
        const next = lessonsOf(site.key, revision + 1, [...pages, page], lesson.rules);
        const isStored = await store.write(id, site.name, revision, packLessons(next));
        if (isStored) {
          site.lessons = Promise.resolve(next);
          return lesson;
        }
        // Another process learned meanwhile, or the job was deleted.
        site.lessons = this.#read(id, site.name, site.key);
        if ((await site.lessons).revision === revision) return lesson;
      }
    } catch (error) {
      log.error('nothing was learned from an answer of the model', { url, error });
      return undefined;
    } finally {
      done();
    }
  }

  #siteOf({ id }: AskingJob, host: string): Site {
    const key = `${id} ${host}`;
    const known = this.#sites.get(key);
    if (known) {
      this.#sites.delete(key);
      this.#sites.set(key, known);
      return known;
    }
    const [oldest] = this.#sites.keys();
    if (this.#sites.size >= sitesMax && oldest !== undefined) this.#sites.delete(oldest);
    const lessons = this.#read(id, host, key);
    const site = { name: host, key, turns: new Turns(askedAtOnce), learning: new Turns(1), lessons };
    this.#sites.set(key, site);
    return site;
  }

  /** Another process may have learned. */
  async #refresh(site: Site, { id }: AskingJob): Promise<void> {
    const { revision } = await site.lessons;
    const stored = await this.#parts.lessons.read(id, site.name);
    if (stored && stored.revision > revision)
      site.lessons = Promise.resolve(unpackLessons(site.key, stored.revision, stored.data));
  }

  async #read(jobId: string, name: string, key: string): Promise<SiteLessons> {
    try {
      const stored = await this.#parts.lessons.read(jobId, name);
      return stored ? unpackLessons(key, stored.revision, stored.data) : noLessons(key);
    } catch (error) {
      this.#parts.log.error('what a job learned could not be read', { site: name, error });
      return noLessons(key);
    }
  }

  #isForBrowser({ isRendered, job }: PageInput, page: Page): boolean {
    const { useBrowser } = job.spec;
    if (isRendered === true || !this.#parts.hasBrowser || useBrowser === false) return false;
    return useBrowser === true || page.browser?.verdict === 'render';
  }
}

/** The page of a browser is freed once it was converted. */
function lasting(input: PageInput): PageInput {
  return input.isRendered === true ? { ...input, body: ownedCopy(input.body) } : input;
}

function knownPage({ pages }: SiteLessons, url: string): PageAnswer | undefined {
  return pages.find((page) => page.url === url);
}

function withoutAsks(converted: ConvertedPage): ConvertedPage {
  if (converted.kind !== 'page') return converted;
  const { asks: _, ...page } = converted;
  return page;
}

function withRemark(page: Page): Page {
  return { ...page, remarks: [...(page.remarks ?? []), 'model_unavailable'] };
}
