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
import { type ExtractOption, usualCalls } from '../../core/extract.ts';
import { failPoint } from '../../core/process/fail-point.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Asks } from '../../extract/learn/learned-data.ts';
import type { PageAnswer } from '../../extract/learn/read-learned.ts';
import type { ConvertedPage, Converter, KeptFor, PageInput, Teacher } from '../convert/converter.ts';
import type { AskingJob } from '../job/job-cache.ts';
import { questionOf } from './model-question.ts';
import type { Studied } from './page-keeper.ts';
import {
  type KnownPage,
  lessonsOf,
  noLessons,
  packLessons,
  type SiteLessons,
  takenOver,
  unpackLessons,
} from './site-lessons.ts';
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
    const site = this.#siteOf(input, asking);
    if (input.kept) return this.#convertKept(input, input.kept, asking, site);
    const endsAt = monotonicNow() + waitMsMax;
    const lessons = await site.lessons;
    if (input.job.spec.extract?.model !== true && lessons.pages.length === 0) return this.#plain(input);
    const same = await this.#asEarlier(input, lessons);
    if (same) return same;
    const first = await this.#convert(input, lessons, asking.mayAsk);
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
    const site = this.#siteOf(input, asking);
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

  /** A page that has not changed keeps its record: what an earlier job learned, or was told of it, reads it as then. */
  async #asEarlier(input: PageInput, lessons: SiteLessons): Promise<ConvertedPage | undefined> {
    if (!input.earlier || !lessons.pages.some(({ earlier }) => earlier)) return undefined;
    const told = lessons.pages.find(({ url, earlier }) => earlier && url === input.fetchedUrl);
    const page = await this.#convert(input, lessons, false, told ? { answer: told } : {});
    return page.kind === 'page' && page.page.change === 'unchanged' ? page : undefined;
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
    if (!extract || (before.view.templates[asks.template]?.askedHere ?? 0) >= callsMax) return { kind: 'read', page };
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
    input: PageInput,
    asking: AskingJob,
    site: Site,
    { html, signature, template }: Asks,
    given: unknown,
  ): Promise<PageAnswer | undefined> {
    const { teacher, lessons: store, log } = this.#parts;
    const { id } = asking;
    const { job, fetchedUrl: url } = input;
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
        site.lessons = this.#read(input, asking, site.key);
        if ((await site.lessons).revision === revision) return lesson;
      }
    } catch (error) {
      log.error('nothing was learned from an answer of the model', { url, error });
      return undefined;
    } finally {
      done();
    }
  }

  #siteOf(input: PageInput, asking: AskingJob): Site {
    const { host } = new URL(input.fetchedUrl);
    const key = `${asking.id} ${host}`;
    const known = this.#sites.get(key);
    if (known) {
      this.#sites.delete(key);
      this.#sites.set(key, known);
      return known;
    }
    const [oldest] = this.#sites.keys();
    if (this.#sites.size >= sitesMax && oldest !== undefined) this.#sites.delete(oldest);
    const lessons = this.#read(input, asking, key);
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

  async #read({ job, fetchedUrl }: PageInput, asking: AskingJob, key: string): Promise<SiteLessons> {
    const { lessons } = this.#parts;
    const name = new URL(fetchedUrl).host;
    try {
      const stored = await lessons.read(asking.id, name);
      if (stored) return unpackLessons(key, stored.revision, stored.data);
      const earlier = await this.#readEarlier(job.spec.extract, asking, name);
      if (!earlier) return noLessons(key);
      if (asking.reuses === 'trusted') return earlier;
      const isWritten = await lessons.write(asking.id, name, 0, packLessons(earlier));
      if (isWritten) failPoint('rules.taken');
      // Another process began with the rules of an earlier job, maybe of another one.
      const begun = isWritten ? undefined : await lessons.read(asking.id, name);
      return begun
        ? unpackLessons(key, begun.revision, begun.data)
        : lessonsOf(key, Number(isWritten), earlier.pages, earlier.rules);
    } catch (error) {
      this.#parts.log.error('what a job learned could not be read', { site: name, error });
      return noLessons(key);
    }
  }

  /** What the org's newest job with the same fields learned of the site. */
  async #readEarlier(
    option: ExtractOption | null | undefined,
    asking: AskingJob,
    name: string,
  ): Promise<SiteLessons | undefined> {
    const { lessons } = this.#parts;
    const { id, org, reuses } = asking;
    if (!reuses || !option) return undefined;
    const jobs = await lessons.knowing(org, name);
    const same = jobs.find(({ extract }) => haveSameFields(extract, option));
    const stored = same && (await lessons.read(same.id, name));
    if (!stored) return undefined;
    const key = `${id} ${name} as ${same.id}`;
    return takenOver(key, unpackLessons(key, 0, stored.data), reuses);
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

/** What the model answered in this job. */
function knownPage({ pages }: SiteLessons, url: string): PageAnswer | undefined {
  return pages.find((page) => page.url === url && page.earlier === undefined);
}

function haveSameFields(one: ExtractOption, other: ExtractOption): boolean {
  const [own, others] = [one, other].map(({ schema, fields, declared }) => JSON.stringify([schema, fields, declared]));
  return own === others;
}

function withoutAsks(converted: ConvertedPage): ConvertedPage {
  if (converted.kind !== 'page') return converted;
  const { asks: _, ...page } = converted;
  return page;
}

function withRemark(page: Page): Page {
  return { ...page, remarks: [...(page.remarks ?? []), 'model_unavailable'] };
}
