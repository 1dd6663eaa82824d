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
import { usualCalls } from '../../core/extract.ts';
import { failPoint } from '../../core/process/fail-point.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Asks } from '../../extract/learn/learned-data.ts';
import type { PageAnswer } from '../../extract/learn/read-learned.ts';
import type { ConvertedPage, Converter, PageInput, Teacher } from '../convert/converter.ts';
import type { AskingJob } from '../job/job-cache.ts';
import { questionOf } from './model-question.ts';
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
    const { converter } = this.#parts;
    const { asking } = input.job;
    if (!asking || input.file !== undefined) return converter.convertPage(input);
    const site = this.#siteOf(asking, new URL(input.fetchedUrl).host);
    const endsAt = monotonicNow() + waitMsMax;
    const first = await this.#convert(input, await site.lessons, !asking.isPrivate);
    if (first.kind !== 'page' || !first.asks || this.#isForBrowser(input, first)) return withoutAsks(first);
    const turn = await site.turns.take(endsAt - monotonicNow(), this.#stop.signal);
    if (!turn) return withoutAsks(first);
    try {
      return withoutAsks(await this.#askAbout(input, asking, site, first));
    } finally {
      turn();
    }
  }

  async #convert(
    input: PageInput,
    { view }: SiteLessons,
    mayAsk: boolean,
    told: { readonly answer?: PageAnswer; readonly isBadAnswer?: boolean } = {},
  ): Promise<ConvertedPage> {
    return this.#parts.converter.convertPage({ ...input, learning: { view, mayAsk, ...told } });
  }

  /** The page has its turn: what was learned meanwhile can be enough. */
  async #askAbout(input: PageInput, asking: AskingJob, site: Site, first: Page): Promise<ConvertedPage> {
    const before = await site.lessons;
    const again = await this.#convert(input, before, true);
    if (again.kind !== 'page' || !again.asks) return again;
    const { asks } = again;
    const url = input.fetchedUrl;
    const known = before.pages.find((page) => page.url === url);
    if (known) return this.#convert(input, before, false, { answer: { answer: known.answer, unsupported: [] } });
    const { extract } = input.job.spec;
    const { calls_per_template: callsMax = usualCalls.perTemplate } = extract ?? {};
    if (!extract || (before.view.templates[asks.template]?.asked ?? 0) >= callsMax) return again;
    const reply = await this.#ask(asking, { ...asks, ...questionOf(extract) }, extract.calls ?? usualCalls.perJob);
    if (reply.kind === 'unavailable') this.#parts.log.warn('the model did not answer', { url, why: reply.why });
    if (reply.kind === 'unavailable' && !this.#stop.signal.aborted) return withRemark(first);
    if (reply.kind === 'bad_answer') return this.#convert(input, before, false, { isBadAnswer: true });
    if (reply.kind !== 'answer') return again;
    failPoint('model.answered');
    const answer = await this.#learn(input, asking, site, asks, reply.value);
    failPoint('model.learned');
    return this.#convert(input, await site.lessons, false, answer ? { answer } : { isBadAnswer: true });
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
        const page: KnownPage = { url, signature, template, answer, misses, html: deflateRawSync(html) };
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

function withoutAsks(converted: ConvertedPage): ConvertedPage {
  if (converted.kind !== 'page') return converted;
  const { asks: _, ...page } = converted;
  return page;
}

function withRemark(page: Page): Page {
  return { ...page, remarks: [...(page.remarks ?? []), 'model_unavailable'] };
}
