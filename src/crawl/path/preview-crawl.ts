// What a crawl would begin with: robots.txt, the first page and its links, a sitemap. Its requests take the path of the
// crawl, for a job that no store has, and wait for the same turns of the host.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hostKey } from '../../core/host-key.ts';
import type { CrawlJob } from '../../core/job.ts';
import type { Fetcher, Networks } from '../../core/ports/fetcher.ts';
import {
  type CrawlPreview,
  type PreviewJob,
  previewLinksMax,
  previewMsMax,
  previewTextMax,
} from '../../core/ports/preview.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { DiscardReason } from '../../core/reasons.ts';
import { type Link, type Outcome, type Request, startDepth } from '../../core/request.ts';
import { parsePage } from '../../page/decode.ts';
import { parseRobots, type RobotsRules } from '../../robots/robots-rules.ts';
import { hiddenDetail, isDelivered } from '../../url/scope.ts';
import { type CachedJob, JobCache } from '../job/job-cache.ts';
import { JobCookies } from '../job/job-cookies.ts';
import { JobEnds } from '../job/job-ends.ts';
import { RedirectTargets } from '../memory/redirect-targets.ts';
import { isOpen } from '../pace/circuit-breaker.ts';
import type { Admission } from '../pace/host-gate.ts';
import { crawlDelaySecondsMax, type Pacer } from '../pace/politeness.ts';
import { isPassing } from '../pace/retry-policy.ts';
import { robotsDiscard } from '../pace/robots-discard.ts';
import { type RobotsResponse, RobotsGate } from '../pace/robots-gate.ts';
import { openSitemaps } from './list-of-urls.ts';
import { FewFetches } from './few-fetches.ts';
import { createProcessor, type ProcessorParts, type RequestProcessor } from './process-request.ts';
import { chainOf } from './redirect-chain.ts';
import type { ProcessorOptions } from './request-path.ts';

/** The parts of the crawl; a preview has its own where it must leave no trace. */
export interface PreviewParts extends Omit<
  ProcessorParts,
  'fetcher' | 'gate' | 'cookies' | 'targets' | 'jobs' | 'jobEnds'
> {
  readonly fetcher: Fetcher;
  readonly networks: Networks;
}

/** Comparing one URL with the rules of a hostile robots.txt takes up to 100 ms, on the main thread. */
const robotsCheckMsMax = 200;
const linksPerTurn = 100;
let lastPreview = 0;

/** See `Previewer.preview`. */
export async function previewCrawl(
  { readsSitemaps, ...job }: PreviewJob,
  parts: PreviewParts,
  options: ProcessorOptions,
  signal: AbortSignal,
): Promise<CrawlPreview> {
  const crawled: CrawlJob = {
    ...job,
    // A preview uses no browser, and keeps nothing.
    spec: { ...job.spec, useBrowser: false, screenshot: null, storeRaw: false },
    // The converter reports each link once per job.
    id: `preview ${++lastPreview}`,
    org: '',
    createdAt: Date.now(),
    networks: {},
    movedStarts: {},
    honestHosts: {},
    endedTemplates: [],
  };
  const frontier = {
    crawlJob: () => Promise.resolve(crawled),
    noteNetworks: (_: string, networks: Readonly<Record<string, string>>) => Promise.resolve(networks),
    endedJobs: () => Promise.resolve([]),
    knownUrl: () => Promise.resolve(undefined),
  };
  const request: Request = {
    id: 0,
    jobId: crawled.id,
    jobVersion: 1,
    kind: 'page',
    url: new URL(job.spec.urls[0] ?? '').href,
    depth: startDepth,
    selfFed: false,
    attempts: 0,
    isUrgent: true,
  };
  const jobs = new JobCache(frontier, parts.networks);
  const cached = await jobs.get(request);
  if (!cached) throw new Error('the job of a preview is always there');
  const stop = AbortSignal.any([signal, AbortSignal.timeout(previewMsMax)]);
  const fetches = new FewFetches(parts, cached.pace, { stop, endsAt: monotonicNow() + previewMsMax });
  // Its own gate: a preview shows what robots.txt says now, and the crawl keeps what it has read.
  const robots = new RobotsGate(fetches, { deadlineMs: previewMsMax });
  let needsBrowser = false;
  const processor = createProcessor(
    {
      ...parts,
      fetcher: fetches,
      converter: {
        ...parts.converter,
        convertPage: async (input) => {
          const converted = await parts.converter.convertPage(input);
          needsBrowser = 'browser' in converted && converted.browser !== undefined;
          return converted;
        },
      },
      // What a preview sees of a host does not open its circuit.
      gate: {
        admit: async (url, how) => admissionOf(await robots.answerFor(url.origin, stop, how), how.respectRobots),
        report: () => {},
      },
      cookies: new JobCookies(),
      targets: new RedirectTargets(frontier, { isShared: false }),
      jobs,
      jobEnds: new JobEnds(frontier, stop),
    },
    options,
    stop,
  );
  const url = new URL(request.url);
  const preview = new Preview({ request, url, job: cached, pacer: parts.pacer, fetches, robots, processor, stop });
  const result = await preview.run(readsSitemaps, () => needsBrowser);
  signal.throwIfAborted();
  return result;
}

/** If robots.txt does not apply, failing to read it does not matter, if the host answers. */
function admissionOf(response: RobotsResponse, respectRobots: boolean): Admission {
  if (response.kind === 'rules') return response;
  const { retryable, error } = response;
  if (!respectRobots && retryable && error.statusCode !== undefined) return { kind: 'rules', rules: parseRobots('') };
  return { kind: 'refused', failure: response };
}

interface Subject {
  readonly request: Request;
  readonly url: URL;
  readonly job: CachedJob;
  readonly pacer: Pacer;
  readonly fetches: FewFetches;
  readonly robots: RobotsGate;
  readonly processor: RequestProcessor;
  readonly stop: AbortSignal;
}

class Preview {
  readonly #of: Subject;

  constructor(subject: Subject) {
    this.#of = subject;
  }

  async run(readsSitemaps: boolean, needsBrowser: () => boolean): Promise<CrawlPreview> {
    const enter = await this.#of.job.networks.entranceOf(this.#of.url);
    const { robots, admission } = await this.#readRobots(enter);
    const unread: CrawlPreview['links'] = {
      found: 0,
      followed: 0,
      delivered: 0,
      reasons: {},
      data: [],
      isRobotsChecked: true,
    };
    const report = { url: this.#of.url.href, robots, links: unread };
    const notRead = { status: 'not_read', message: robots.message ?? 'robots.txt was not read.' } as const;
    if (!admission) return { ...report, fetches: this.#of.fetches.sent, page: notRead, sitemap: notRead };
    const outcome = await this.#process(this.#of.request);
    const page = { ...this.#pageOf(outcome), ...(needsBrowser() && { needsBrowser: true as const }) };
    const { rules, network } = admission.kind === 'rules' ? admission : { rules: undefined };
    const found = outcome && 'links' in outcome ? outcome.links : undefined;
    const links = found && rules ? await this.#judgeLinks(found, rules) : unread;
    const sitemap = rules ? await this.#readSitemap(readsSitemaps, rules, { enter, network }) : notRead;
    return { ...report, fetches: this.#of.fetches.sent, page, links, sitemap };
  }

  async #readRobots(enter: string | undefined): Promise<{ robots: CrawlPreview['robots']; admission?: Admission }> {
    const { pacer, robots: gate, fetches, stop, url } = this.#of;
    const { respectRobots: isObeyed, insecureTls, proxy } = this.#of.job;
    const robots = { url: `${url.origin}/robots.txt`, isObeyed, sitemaps: 0 } as const;
    const pace = pacer.of(hostKey(url));
    if (isOpen(pace.circuit, monotonicNow())) {
      const why = pace.trouble?.error.message ?? 'The host does not answer.';
      return { robots: { ...robots, status: 'not_read', message: `The host is left alone for now: ${why}` } };
    }
    const response = await fetches.orNothing(gate.answerFor(url.origin, stop, { enter, insecureTls, proxy }));
    if (!response) return { robots: { ...robots, status: 'not_read', message: fetches.whyNot } };
    const admission = admissionOf(response, isObeyed);
    if (response.kind === 'unreachable')
      return { robots: { ...robots, status: 'unreachable', message: response.error.message }, admission };
    const { crawlDelaySeconds, sitemaps, isCut } = response.rules;
    pacer.learn(hostKey(url), Math.min(crawlDelaySeconds ?? 0, crawlDelaySecondsMax));
    const discard = robotsDiscard(url, response.rules);
    return {
      robots: {
        ...robots,
        status: 'read',
        isAllowed: discard === undefined,
        sitemaps: sitemaps.length,
        ...(discard?.detail !== undefined && { rule: discard.detail }),
        ...(crawlDelaySeconds !== undefined && { crawlDelaySeconds }),
        ...(isCut && { message: 'The file has 500 KiB or more. Rules after the first 500 KiB are not obeyed.' }),
      },
      admission,
    };
  }

  /** The outcome of a request of the job. Undefined if it was not sent, or its redirects were not followed. */
  async #process(request: Request): Promise<Outcome | undefined> {
    const { processor, fetches } = this.#of;
    fetches.begin();
    const processed = await fetches.orNothing(processor.process(request));
    return processed?.outcome;
  }

  #pageOf(outcome: Outcome | undefined): CrawlPreview['page'] {
    const redirectsTo = this.#redirectTarget(outcome);
    const { statusCode, whyNot } = this.#of.fetches;
    const status = statusCode === undefined ? {} : { statusCode };
    if (redirectsTo !== undefined) return { status: 'redirected', redirectsTo, ...status };
    if (outcome?.kind === 'scraped') {
      const { meta, text } = parsePage({ page: 1, body: outcome.page.body });
      const shown = { text: text.slice(0, previewTextMax), isTextCut: text.length > previewTextMax };
      return { status: 'read', ...status, fetchedUrl: meta.fetchedUrl, meta: meta.meta, ...shown };
    }
    if (outcome?.kind === 'discarded') {
      const { reason, detail } = outcome;
      return { status: 'discarded', ...status, reason, ...(detail !== undefined && { message: detail }) };
    }
    if (outcome?.kind === 'failed' || outcome?.kind === 'retry') return { status: 'failed', ...outcome.error };
    return { status: 'not_read', message: whyNot };
  }

  /** Where a redirect leads that the preview does not follow: to another host, or with no request left. */
  #redirectTarget(outcome: Outcome | undefined): string | undefined {
    if (outcome?.kind === 'moved') {
      const chain = chainOf({ url: this.#of.request.url, chain: outcome.chain });
      return chain === 'misplaced' ? undefined : chain.url.href;
    }
    const { statusCode, refused } = this.#of.fetches;
    return outcome === undefined && statusCode !== undefined ? refused : undefined;
  }

  async #judgeLinks(links: readonly Link[], rules: RobotsRules): Promise<CrawlPreview['links']> {
    const reasons: Partial<Record<DiscardReason, number>> = {};
    const data: CrawlPreview['links']['data'] = [];
    let [followed, delivered, checkedMs, found] = [0, 0, 0, 0];
    let isRobotsChecked = true;
    for (const link of new Map(links.map((each) => [each.key, each])).values()) {
      // One page can have tens of thousands.
      if (++found % linksPerTurn === 0) await nextTurn();
      const url = URL.parse(link.url);
      const isOurs = link.discard === undefined && url?.origin === this.#of.url.origin && this.#of.job.respectRobots;
      const start = performance.now();
      const forbidden = isOurs && checkedMs < robotsCheckMsMax ? robotsDiscard(url, rules) : undefined;
      checkedMs += performance.now() - start;
      if (isOurs && checkedMs >= robotsCheckMsMax) isRobotsChecked = false;
      const discard = link.discard ?? forbidden;
      if (discard) reasons[discard.reason] = (reasons[discard.reason] ?? 0) + 1;
      else {
        followed++;
        if (url && isDelivered(url, this.#of.job.judged)) delivered++;
      }
      if (data.length < previewLinksMax)
        data.push({ url: link.url, verdict: discard ? 'discard' : 'follow', ...discard });
    }
    return { found, followed, delivered, reasons, data, isRobotsChecked };
  }

  /** The first sitemap on the origin of the start URL. */
  async #readSitemap(
    isRead: boolean,
    { sitemaps: named }: RobotsRules,
    from: { readonly enter: string | undefined; readonly network: string | undefined },
  ): Promise<CrawlPreview['sitemap']> {
    if (!isRead) return { status: 'not_read', message: 'The crawl reads no sitemaps.' };
    const { origin } = this.#of.url;
    const own = named.length === 0 ? `${origin}/sitemap.xml` : named.find((each) => new URL(each).origin === origin);
    const url = own ?? named[0] ?? '';
    const notRead = (message: string): CrawlPreview['sitemap'] => ({ status: 'not_read', url, message });
    if (own === undefined) return notRead('It is on another host, with a robots.txt of its own.');
    const { hidden } = await openSitemaps([own], named.length > 0 ? from.network : from.enter, this.#of.job);
    if (hidden !== undefined) return notRead(`${hiddenDetail}.`);
    const outcome = await this.#process({ ...this.#of.request, kind: 'sitemap', url: own });
    const target = this.#redirectTarget(outcome);
    if (target !== undefined) return notRead(`It redirects to ${target}.`);
    if (outcome?.kind === 'retry' || outcome?.kind === 'failed')
      return { status: 'unreadable', url, message: outcome.error.message };
    if (outcome?.kind !== 'sitemap') return notRead(this.#of.fetches.whyNot);
    const { urls, sitemaps, ending, notice } = outcome;
    if (ending.state === 'discarded') return notRead(`robots.txt forbids it: ${ending.detail ?? ''}`);
    if (ending.state === 'failed') {
      const { statusCode, message } = ending.error;
      return { status: statusCode === undefined || isPassing(statusCode) ? 'unreadable' : 'missing', url, message };
    }
    const followed = urls.filter(({ discard }) => discard === undefined).length;
    const read = { status: 'read', url, urls: urls.length, followed, sitemaps: sitemaps.length } as const;
    return notice ? { ...read, message: notice.message } : read;
  }
}
