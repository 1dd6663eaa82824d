// What a crawl would begin with: robots.txt, the first page and its links, a sitemap. Nothing is stored. It judges with
// the rules of the crawl, and waits for the same turns of the host as the crawl of this process.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileKindOf } from '../../core/bytes/file-kind.ts';
import { pageTypeOf } from '../../core/bytes/page-type.ts';
import { hostKey } from '../../core/host-key.ts';
import type { CrawlJob } from '../../core/job.ts';
import type { BodyMemory, FetchedBody, Fetcher, FetchResult, Networks } from '../../core/ports/fetcher.ts';
import {
  type CrawlPreview,
  type LinksPreview,
  type PagePreview,
  type PreviewJob,
  previewFetchesMax,
  previewLinksMax,
  previewMsMax,
  previewTextMax,
  type RobotsPreview,
  type SitemapPreview,
} from '../../core/ports/preview.ts';
import { freeBytes } from '../../core/process/free-bytes.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { DiscardReason } from '../../core/reasons.ts';
import { type Link, startDepth } from '../../core/request.ts';
import { parsePage } from '../../page/decode.ts';
import { parseRobots, type RobotsRules } from '../../robots/robots-rules.ts';
import { resolveLink } from '../../url/parse-url.ts';
import { compileJob, hiddenDetail, isDelivered, type JudgedJob } from '../../url/scope.ts';
import type { Converter } from '../convert/converter.ts';
import { clientHeadersFor } from '../job/client-headers.ts';
import { briefOf, hidingBrief, type JobBrief } from '../job/job-cache.ts';
import { JobNetworks } from '../job/job-networks.ts';
import { isOpen } from '../pace/circuit-breaker.ts';
import { HostPausedError } from '../pace/host-pace.ts';
import { createPoliteFetcher, crawlDelaySecondsMax, type Pacer } from '../pace/politeness.ts';
import { type JobPace, jobPaceOf } from '../job/job-pace.ts';
import type { PoliteFetcher } from '../pace/polite-fetcher.ts';
import { isPassing, pauseAskedFor } from '../pace/retry-policy.ts';
import { robotsDiscard } from '../pace/robots-discard.ts';
import { RobotsGate } from '../pace/robots-gate.ts';

export interface PreviewParts {
  readonly fetcher: Fetcher;
  readonly pacer: Pacer;
  readonly converter: Converter;
  readonly networks: Networks;
  /** Memory for the bodies, released by the caller. */
  readonly memory: BodyMemory;
  /** Bytes of one body as sent. */
  readonly bodyBytesMax: number;
}

/** Comparing one URL with the rules of a hostile robots.txt takes up to 100 ms, on the main thread. */
const robotsCheckMsMax = 200;
const linksPerTurn = 100;
const sitemapBytesMax = 10 * 2 ** 20;
let lastPreview = 0;

/** See `Previewer.preview`. */
export async function previewCrawl(job: PreviewJob, parts: PreviewParts, signal: AbortSignal): Promise<CrawlPreview> {
  const deadline = AbortSignal.timeout(previewMsMax);
  const preview = new Preview(job, parts, {
    stop: AbortSignal.any([signal, deadline]),
    endsAt: monotonicNow() + previewMsMax,
  });
  const result = await preview.run();
  signal.throwIfAborted();
  return result;
}

/** No request of the preview is left, or no time. */
class SpentError extends Error {
  override readonly name = 'SpentError';
}

const fetchesSpent = `The preview sends at most ${previewFetchesMax} requests, and they were used.`;
const timeSpent = `The preview takes at most ${previewMsMax / 1000} s, and they were over.`;
const nothing: LinksPreview = { found: 0, followed: 0, delivered: 0, reasons: {}, first: [], isRobotsChecked: true };

class Preview {
  readonly #job: PreviewJob;
  readonly #parts: PreviewParts;
  readonly #stop: AbortSignal;
  readonly #endsAt: number;
  readonly #url: URL;
  readonly #brief: JobBrief;
  readonly #judged: JudgedJob;
  readonly #pace: JobPace | undefined;
  readonly #networks: JobNetworks;
  readonly #headersFor: ReturnType<typeof clientHeadersFor>;
  readonly #fetcher: PoliteFetcher;
  #fetches = 0;

  constructor(job: PreviewJob, parts: PreviewParts, end: { readonly stop: AbortSignal; readonly endsAt: number }) {
    this.#job = job;
    this.#parts = parts;
    this.#stop = end.stop;
    this.#endsAt = end.endsAt;
    const [first = ''] = job.spec.urls;
    this.#url = new URL(first);
    const { spec, scopeHosts, headers } = job;
    // The converter reports each link once per name.
    const crawled: CrawlJob = {
      id: `preview ${++lastPreview}`,
      org: '',
      spec,
      scopeHosts,
      headers,
      networks: {},
      movedStarts: {},
      endedTemplates: [],
    };
    this.#pace = jobPaceOf(crawled);
    this.#brief = briefOf(crawled, 1);
    this.#judged = compileJob(this.#brief);
    this.#networks = new JobNetworks(crawled, parts.networks, (networks) => Promise.resolve(networks));
    this.#headersFor = clientHeadersFor(crawled);
    const counted: Fetcher = {
      fetch: (url, options) => {
        this.#fetches++;
        return parts.fetcher.fetch(url, options);
      },
    };
    const polite = createPoliteFetcher(counted, parts.pacer, this.#stop);
    this.#fetcher = { fetch: (url, options) => this.#fetch(polite, url, options) };
  }

  async run(): Promise<CrawlPreview> {
    const enter = await this.#networks.entranceOf(this.#url);
    const { robots, rules, network } = await this.#readRobots(enter);
    const { page, links } = rules ? await this.#readPage(rules, enter) : { page: unreadPage(robots), links: nothing };
    const sitemap = rules
      ? await this.#readSitemap(rules, { enter, network })
      : ({ status: 'not_read', message: robots.message ?? 'robots.txt was not read.' } as const);
    return { url: this.#url.href, fetches: this.#fetches, robots, page, links, sitemap };
  }

  /** Fetches with what is left of requests and time. Obeys a pause that the host requests, also for the crawl. */
  async #fetch(polite: PoliteFetcher, ...[url, options]: Parameters<PoliteFetcher['fetch']>): Promise<FetchResult> {
    if (this.#fetches === previewFetchesMax) throw new SpentError(fetchesSpent);
    const leftMs = this.#endsAt - monotonicNow();
    if (leftMs <= 0) throw new SpentError(timeSpent);
    const result = await polite.fetch(url, {
      ...options,
      deadlineMs: Math.min(options.deadlineMs, leftMs),
      turnWithinMs: leftMs,
      isUrgent: true,
      pace: this.#pace,
      insecureTls: this.#job.spec.insecureTls,
      proxy: this.#job.spec.proxy ?? undefined,
      memory: this.#parts.memory,
    });
    const parsed = URL.parse(url);
    const pauseMs = pauseAskedFor(result, Date.now());
    if (parsed && pauseMs !== undefined) this.#parts.pacer.of(hostKey(parsed)).pause(monotonicNow() + pauseMs);
    return result;
  }

  async #readRobots(enter: string | undefined): Promise<{
    readonly robots: RobotsPreview;
    readonly rules?: RobotsRules;
    readonly network?: string | undefined;
  }> {
    const { pacer } = this.#parts;
    const isObeyed = this.#job.spec.respectRobots;
    const robots = { url: `${this.#url.origin}/robots.txt`, isObeyed, sitemaps: 0 } as const;
    const pace = pacer.of(hostKey(this.#url));
    if (isOpen(pace.circuit, monotonicNow())) {
      const why = pace.trouble?.error.message ?? 'The host does not answer.';
      return { robots: { ...robots, status: 'not_read', message: `The host is left alone for now: ${why}` } };
    }
    // Its own gate: a preview shows what robots.txt says now, and the crawl keeps what it has read.
    const gate = new RobotsGate(this.#fetcher, { deadlineMs: previewMsMax });
    const answer = await gate
      .answerFor(this.#url.origin, this.#stop, { enter })
      .catch((error: unknown) => whyNot(error));
    if (typeof answer === 'string') return { robots: { ...robots, status: 'not_read', message: answer } };
    if (answer.kind === 'unreachable') {
      const { error, retryable } = answer;
      const unreachable = { ...robots, status: 'unreachable', message: error.message } as const;
      // As in a crawl: without robots.txt nothing is fetched, unless it does not apply and the host answers.
      return !isObeyed && retryable && error.statusCode !== undefined
        ? { robots: unreachable, rules: parseRobots('') }
        : { robots: unreachable };
    }
    const { rules, network } = answer;
    const { crawlDelaySeconds } = rules;
    pacer.learn(hostKey(this.#url), Math.min(crawlDelaySeconds ?? 0, crawlDelaySecondsMax));
    const discard = robotsDiscard(this.#url, rules);
    return {
      robots: {
        ...robots,
        status: 'read',
        isAllowed: discard === undefined,
        sitemaps: rules.sitemaps.length,
        ...(discard?.detail !== undefined && { rule: discard.detail }),
        ...(crawlDelaySeconds !== undefined && { crawlDelaySeconds }),
        ...(rules.isCut && { message: 'The file has 500 KiB or more. Rules after the first 500 KiB are not obeyed.' }),
      },
      rules,
      network,
    };
  }

  /** Follows redirects on the same origin: another one has a robots.txt of its own. */
  async #readPage(
    rules: RobotsRules,
    enter: string | undefined,
  ): Promise<{ readonly page: PagePreview; readonly links: LinksPreview }> {
    let url = this.#url;
    let entered = enter;
    let isUnverified = false;
    for (;;) {
      const discard = this.#job.spec.respectRobots ? robotsDiscard(url, rules) : undefined;
      if (discard) return withoutLinks({ status: 'discarded', ...withMessage(discard) });
      const result = await this.#fetchPage(url, entered);
      if (typeof result === 'string') return withoutLinks({ status: 'not_read', message: result });
      if (result.kind === 'failure') return withoutLinks(failedPage(result.error));
      isUnverified ||= result.isUnverified === true;
      const judged = result.kind === 'body' ? await this.#judgePage({ url, isUnverified }, result, rules) : undefined;
      if (judged && 'page' in judged) return judged;
      const target =
        judged?.movedTo ?? (result.kind === 'redirect' ? resolveLink(result.location, url.href) : undefined);
      if (!target) {
        const message = 'The URL redirects to something that is not an http or https URL.';
        return withoutLinks({ status: 'failed', reason: 'bad_redirect', message });
      }
      if (target.origin !== url.origin || this.#fetches === previewFetchesMax)
        return withoutLinks({ status: 'redirected', redirectsTo: target.href, statusCode: result.statusCode });
      entered = result.network;
      url = target;
    }
  }

  async #fetchPage(url: URL, enter: string | undefined): Promise<FetchResult | string> {
    const options = {
      signal: this.#stop,
      deadlineMs: previewMsMax,
      bodyBytesMax: this.#parts.bodyBytesMax,
      wants: 'files',
      headers: this.#headersFor(url),
      enter,
    } as const;
    return this.#fetcher.fetch(url.href, options).catch((error: unknown) => whyNot(error));
  }

  async #judgePage(
    { url, isUnverified }: { readonly url: URL; readonly isUnverified: boolean },
    { statusCode, headers, body, network }: FetchedBody,
    rules: RobotsRules,
  ): Promise<{ readonly page: PagePreview; readonly links: LinksPreview } | { readonly movedTo: URL }> {
    if (statusCode < 200 || statusCode > 299) {
      const error = { reason: 'http_error', message: `The site responded with ${statusCode}.`, statusCode } as const;
      return withoutLinks(failedPage(error));
    }
    const file = fileKindOf(headers.contentType, url.pathname);
    if (file === undefined && pageTypeOf(headers.contentType) === undefined)
      return withoutLinks({
        status: 'discarded',
        statusCode,
        ...withMessage({ reason: 'content_type', detail: headers.contentType }),
      });
    const converted = await this.#parts.converter.convertPage({
      job: hidingBrief(this.#brief, await this.#networks.hiddenFrom(network)),
      requestUrl: this.#url.href,
      isUrgent: true,
      fetchedUrl: url.href,
      depth: startDepth,
      statusCode,
      headers,
      body,
      isUnverified,
      ...(file !== undefined && { file }),
    });
    freeBytes(body);
    switch (converted.kind) {
      case 'moved':
        return { movedTo: new URL(converted.target) };
      case 'error':
        return withoutLinks(failedPage({ ...converted.error, statusCode }));
      case 'binary':
        return withoutLinks({
          status: 'discarded',
          statusCode,
          ...withMessage({ reason: 'content_type', detail: converted.detail }),
        });
      case 'page':
      case 'short':
        break;
    }
    const links = await this.#judgeLinks(converted.links, rules, url);
    if (!isDelivered(this.#url, this.#judged) && !isDelivered(url, this.#judged))
      return { page: { status: 'discarded', statusCode, reason: 'not_delivered', ...needs(converted) }, links };
    if (converted.kind === 'short') {
      const page = withMessage({ reason: 'below_min_length', detail: converted.detail });
      return { page: { status: 'discarded', statusCode, ...page, ...needs(converted) }, links };
    }
    const { meta, text } = parsePage({ page: 1, body: converted.page.body });
    const page = {
      status: 'read',
      statusCode,
      fetchedUrl: meta.fetchedUrl,
      meta: meta.meta,
      text: text.slice(0, previewTextMax),
      isTextCut: text.length > previewTextMax,
      ...needs(converted),
    } as const;
    return { page, links };
  }

  async #judgeLinks(links: readonly Link[], rules: RobotsRules, page: URL): Promise<LinksPreview> {
    const reasons: Partial<Record<DiscardReason, number>> = {};
    const first: LinksPreview['first'][number][] = [];
    let [followed, delivered, checkedMs, found] = [0, 0, 0, 0];
    let isRobotsChecked = true;
    for (const link of new Map(links.map((each) => [each.key, each])).values()) {
      // One page can have tens of thousands.
      if (++found % linksPerTurn === 0) await nextTurn();
      const url = URL.parse(link.url);
      const isOurs = link.discard === undefined && url?.origin === page.origin && this.#job.spec.respectRobots;
      const start = performance.now();
      const forbidden = isOurs && checkedMs < robotsCheckMsMax ? robotsDiscard(url, rules) : undefined;
      checkedMs += performance.now() - start;
      if (isOurs && checkedMs >= robotsCheckMsMax) isRobotsChecked = false;
      const discard = link.discard ?? forbidden;
      if (discard) reasons[discard.reason] = (reasons[discard.reason] ?? 0) + 1;
      else {
        followed++;
        if (url && isDelivered(url, this.#judged)) delivered++;
      }
      if (first.length < previewLinksMax) first.push({ url: link.url, ...discard });
    }
    return { found, followed, delivered, reasons, first, isRobotsChecked };
  }

  /** The first sitemap on the origin of the start URL. */
  async #readSitemap(
    rules: RobotsRules,
    from: { readonly enter: string | undefined; readonly network: string | undefined },
  ): Promise<SitemapPreview> {
    if (!this.#job.readsSitemaps) return { status: 'not_read', message: 'The crawl reads no sitemaps.' };
    const { origin } = this.#url;
    const named = rules.sitemaps;
    const own = named.length === 0 ? `${origin}/sitemap.xml` : named.find((each) => new URL(each).origin === origin);
    if (own === undefined)
      return {
        status: 'not_read',
        url: named[0] ?? '',
        message: 'It is on another host, with a robots.txt of its own.',
      };
    const url = new URL(own);
    const sitemap = { url: url.href } as const;
    const forbidden = this.#job.spec.respectRobots ? robotsDiscard(url, rules) : undefined;
    if (forbidden)
      return { ...sitemap, status: 'not_read', message: `robots.txt forbids it: ${forbidden.detail ?? ''}` };
    if (await this.#networks.isHiddenFrom(named.length > 0 ? from.network : from.enter, url))
      return { ...sitemap, status: 'not_read', message: `${hiddenDetail}.` };
    const options = {
      signal: this.#stop,
      deadlineMs: previewMsMax,
      bodyBytesMax: sitemapBytesMax,
      wants: 'all',
      headers: this.#headersFor(url),
      enter: from.enter,
    } as const;
    const result = await this.#fetcher.fetch(url.href, options).catch((error: unknown) => whyNot(error));
    if (typeof result === 'string') return { ...sitemap, status: 'not_read', message: result };
    if (result.kind === 'failure') return { ...sitemap, status: 'unreadable', message: result.error.message };
    if (result.kind === 'redirect')
      return { ...sitemap, status: 'not_read', message: `It redirects to ${result.location}.` };
    const { statusCode, headers, body, network } = result;
    if (statusCode !== 200) {
      const message = `The site responded with ${statusCode}.`;
      return { ...sitemap, status: isPassing(statusCode) ? 'unreadable' : 'missing', message };
    }
    const read = await this.#parts.converter.readSitemap({
      job: hidingBrief(this.#brief, await this.#networks.hiddenFrom(network)),
      url: url.href,
      depth: startDepth + 1,
      contentType: headers.contentType,
      contentEncoding: headers.contentEncoding,
      body,
      bytesMax: sitemapBytesMax,
    });
    const { urls, sitemaps, problem } = read;
    if (problem !== undefined && urls.length === 0 && sitemaps.length === 0)
      return { ...sitemap, status: 'unreadable', message: problem };
    return {
      ...sitemap,
      status: 'read',
      urls: urls.length,
      followed: urls.filter(({ discard }) => discard === undefined).length,
      sitemaps: sitemaps.length,
      ...(problem !== undefined && { message: problem }),
    };
  }
}

function withoutLinks(page: PagePreview): { readonly page: PagePreview; readonly links: LinksPreview } {
  return { page, links: nothing };
}

function failedPage({ reason, message, statusCode }: Extract<FetchResult, { kind: 'failure' }>['error']): PagePreview {
  return { status: 'failed', reason, message, ...(statusCode !== undefined && { statusCode }) };
}

function withMessage(discard: {
  readonly reason: DiscardReason;
  readonly detail?: string;
}): Pick<PagePreview, 'reason' | 'message'> {
  return { reason: discard.reason, ...(discard.detail !== undefined && { message: discard.detail }) };
}

function needs({ browser }: { readonly browser?: unknown }): Pick<PagePreview, 'needsBrowser'> {
  return browser === undefined ? {} : { needsBrowser: true };
}

function unreadPage({ status, message }: RobotsPreview): PagePreview {
  const why = message ?? 'robots.txt was not read.';
  return status === 'unreachable'
    ? { status: 'failed', reason: 'robots_unreachable', message: why }
    : { status: 'not_read', message: why };
}

/** Why nothing was fetched, in words. Throws what has another cause. */
function whyNot(error: unknown): string {
  if (error instanceof SpentError) return error.message;
  if (error instanceof HostPausedError)
    return 'The host has to be left alone for longer than the preview takes: other requests go first, or it asked for a pause.';
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) return timeSpent;
  throw error;
}
