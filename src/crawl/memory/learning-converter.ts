/**
 * A converter for jobs that ask a model. A page is converted with what is known of its site. If that is too little, the
 * model is asked, all that is known is learned again, and the page is converted once more, with the answer.
 *
 * A page waits for its turn and its answer {@link waitMsMax} at most. Whatever the model does, the page is delivered with
 * its text: without an answer its record has what is known without one, and the problem says so.
 */
import { deflateRawSync } from 'node:zlib';
import type { Lessons } from '../../core/ports/lessons.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Model, ModelReply } from '../../core/ports/model.ts';
import { type ExtractOption, usualCalls } from '../../core/extract.ts';
import { failPoint } from '../../core/process/fail-point.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Asks, Learning } from '../../extract/learn/learned-data.ts';
import type { PageAnswer } from '../../extract/learn/read-learned.ts';
import { templateOf } from '../../extract/learn/site-view.ts';
import type { ConvertedPage, Converter, PageInput, Teacher, UntilAnswered } from '../convert/converter.ts';
import type { AskingJob } from '../job/job-cache.ts';
import { questionOf } from './model-question.ts';
import { lessonsOf, noLessons, packLessons, type SiteLessons, takenOver, unpackLessons } from './site-lessons.ts';
import { keepLast } from '../../core/keep-last.ts';
import { Turns } from './turns.ts';

export interface LearningParts {
  readonly converter: Pick<Converter, 'convertPage'>;
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
const waitMsMax = 60_000;

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

/** A page that waits for its answer. */
interface Waiting {
  readonly first: Page;
  /** What it was read with. */
  readonly lessons: SiteLessons;
  readonly signal: AbortSignal;
}

type Reply =
  | { readonly kind: 'answered'; readonly answer: PageAnswer }
  | { readonly kind: Exclude<ModelReply['kind'], 'answer'> };

const noReply: Reply = { kind: 'unavailable' };

export class LearningConverter implements Pick<Converter, 'convertPage'> {
  readonly #parts: LearningParts;
  readonly #sites = new Map<string, Site>();
  readonly #stop = new AbortController();

  constructor(parts: LearningParts) {
    this.#parts = parts;
  }

  /** Asks nothing more. */
  close(): void {
    this.#stop.abort();
  }

  async convertPage(input: PageInput, untilAnswered?: UntilAnswered): Promise<ConvertedPage> {
    const { asking } = input.job;
    const { converter } = this.#parts;
    if (!asking || input.file !== undefined) return converter.convertPage(input);
    const site = this.#siteOf(input, asking);
    const lessons = await site.lessons;
    if (input.job.spec.extract?.model !== true && lessons.pages.length === 0) return converter.convertPage(input);
    const same = await this.#asEarlier(input, lessons);
    if (same) return same;
    const first = await this.#convert(input, lessons, { mayAsk: asking.mayAsk });
    if (first.kind !== 'page' || !first.asks || this.#isForBrowser(input, first)) return withoutAsks(first);
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#stop.signal]);
    try {
      const answered = this.#askAbout(input, asking, site, { first, lessons, signal });
      await untilAnswered?.(answered);
      return withoutAsks(await answered);
    } finally {
      over.abort();
    }
  }

  /** A page that has not changed keeps its record: what an earlier job learned reads it as then. */
  async #asEarlier(input: PageInput, lessons: SiteLessons): Promise<ConvertedPage | undefined> {
    if (!input.earlier || !lessons.pages.some(({ earlier }) => earlier)) return undefined;
    const page = await this.#convert(input, lessons, { mayAsk: false, isEarlier: true });
    return page.kind === 'page' && page.page.change === 'unchanged' ? page : undefined;
  }

  #convert(input: PageInput, { view }: SiteLessons, how: Omit<Learning, 'view'>): Promise<ConvertedPage> {
    return this.#parts.converter.convertPage({ ...input, learning: { view, ...how } });
  }

  /** Waits for a turn, and asks about the page if what is known of its site by then is still too little. */
  async #askAbout(
    input: PageInput,
    asking: AskingJob,
    site: Site,
    { first, lessons, signal }: Waiting,
  ): Promise<ConvertedPage> {
    const endsAt = monotonicNow() + waitMsMax;
    const turn = await site.turns.take(waitMsMax, signal);
    if (!turn) return withRemark(first);
    await this.#refresh(site, asking);
    const known = await site.lessons;
    const page = known === lessons ? first : await this.#convert(input, known, { mayAsk: true });
    if (page.kind !== 'page' || !page.asks) {
      turn();
      return page;
    }
    const asked = this.#ask(input, asking, site, page.asks).finally(turn);
    const { promise: late, resolve: leave } = Promise.withResolvers<Reply>();
    const timer = setTimeout(leave, endsAt - monotonicNow(), noReply);
    signal.addEventListener('abort', () => leave(noReply), { once: true });
    const reply = await Promise.race([asked, late]).finally(() => clearTimeout(timer));
    switch (reply.kind) {
      case 'answered':
        return this.#convert(input, await site.lessons, { mayAsk: false, answer: reply.answer });
      case 'bad_answer':
        return this.#convert(input, await site.lessons, { mayAsk: false, isBadAnswer: true });
      case 'not_allowed':
        return page;
      case 'unavailable':
        return withRemark(page);
    }
  }

  /** Asks about a page, and learns from the answer, also from one that is too late for the page. */
  async #ask(input: PageInput, asking: AskingJob, site: Site, asks: Asks): Promise<Reply> {
    const { model, lessons, callsPerDay: dayMax, log } = this.#parts;
    const { id, org } = asking;
    const { pages, view } = await site.lessons;
    const { fetchedUrl: url } = input;
    const earlier = pages.find((page) => page.url === url)?.sample;
    if (earlier) return { kind: 'answered', answer: earlier };
    const { extract } = input.job.spec;
    const { calls_per_template: callsMax = usualCalls.perTemplate, calls: jobMax = usualCalls.perJob } = extract ?? {};
    if (!extract || (view.templates[asks.template]?.askedHere ?? 0) >= callsMax) return { kind: 'not_allowed' };
    const day = new Date().toISOString().slice(0, 10);
    const mayCall = (): Promise<boolean> => lessons.countCall({ jobId: id, org, day, jobMax, dayMax });
    const question = { ...questionOf(extract), page: asks.prompt, mayCall };
    const reply = await model.ask(question, this.#stop.signal);
    if (reply.kind === 'unavailable') log.warn('the model did not answer', { url, why: reply.why });
    if (reply.kind !== 'answer') return { kind: reply.kind };
    failPoint('model.answered');
    const answer = await this.#learn(input, asking, site, asks, reply.value);
    failPoint('model.learned');
    return answer ? { kind: 'answered', answer } : { kind: 'bad_answer' };
  }

  /** Lessons of a site come one after the other. Undefined if the answer is no record. */
  async #learn(
    input: PageInput,
    asking: AskingJob,
    site: Site,
    { html, signature }: Asks,
    given: unknown,
  ): Promise<PageAnswer | undefined> {
    const { teacher, lessons: store, log } = this.#parts;
    const { job, fetchedUrl: url } = input;
    const done = await site.learning.take(waitMsMax, this.#stop.signal);
    if (!done) return undefined;
    try {
      for (;;) {
        const { revision, pages, rules, base, view } = await site.lessons;
        const samples = pages.flatMap((page) => (page.sample ? [{ url: page.url, ...page.sample }] : []));
        const { lesson } = await teacher.teach({ job, page: { url, html }, given, samples, rules, base });
        if (!lesson) return undefined;
        const { answer, unsupported, has, misses } = lesson;
        // Another page can have begun the same template meanwhile.
        const template = templateOf(signature, view);
        const sample = { answer, unsupported, html: deflateRawSync(html) };
        const all = [...pages, { url, signature, template, has, misses, sample }];
        const next = lessonsOf(site.key, { revision: revision + 1, pages: all, rules: lesson.rules, base });
        const isStored = await store.write(asking.id, site.name, revision, packLessons(next));
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
    const site = this.#sites.get(key) ?? {
      name: host,
      key,
      turns: new Turns(askedAtOnce),
      learning: new Turns(1),
      lessons: this.#read(input, asking, key),
    };
    keepLast(this.#sites, key, site, sitesMax);
    return site;
  }

  /** Another process may have learned. */
  async #refresh(site: Site, { id }: AskingJob): Promise<void> {
    const stored = await this.#parts.lessons.read(id, site.name);
    if (stored && stored.revision > (await site.lessons).revision)
      site.lessons = Promise.resolve(unpackLessons(site.key, stored));
  }

  async #read({ job, fetchedUrl }: PageInput, asking: AskingJob, key: string): Promise<SiteLessons> {
    const { lessons } = this.#parts;
    const name = new URL(fetchedUrl).host;
    try {
      const stored = await lessons.read(asking.id, name);
      if (stored) return unpackLessons(key, stored);
      const earlier = await this.#readEarlier(job.spec.extract, asking, name);
      if (!earlier) return noLessons(key);
      if (asking.reuses === 'trusted') return earlier;
      const isWritten = await lessons.write(asking.id, name, 0, packLessons(earlier));
      if (isWritten) failPoint('rules.taken');
      // Another process began with the rules of an earlier job, maybe of another one.
      const begun = isWritten ? undefined : await lessons.read(asking.id, name);
      return begun ? unpackLessons(key, begun) : lessonsOf(key, { ...earlier, revision: Number(isWritten) });
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
    return takenOver(key, unpackLessons(key, stored), reuses);
  }

  #isForBrowser({ isRendered, job }: PageInput, page: Page): boolean {
    const { useBrowser } = job.spec;
    if (isRendered === true || !this.#parts.hasBrowser || useBrowser === false) return false;
    return useBrowser === true || page.browser?.verdict === 'render';
  }
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
