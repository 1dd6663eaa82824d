// The path of one request, from the lease to its outcome. Nothing here writes: what came of it is settled by the lane.
import type { FetchedBody, Fetcher } from '../core/fetcher.ts';
import type { Settlement } from '../core/frontier.ts';
import type { Log } from '../core/log.ts';
import type { Outcome, Request } from '../core/request.ts';
import { startDepth } from '../core/request.ts';
import { hostKey } from '../url/host-key.ts';
import { type JudgedJob, inScope, judgeLink, scopeHostOf } from '../url/scope.ts';
import { resolveLink } from '../url/parse-url.ts';
import type { Converter } from './convert/converter.ts';
import type { CachedJob, JobCache } from './job-cache.ts';
import { crawlDelaySecondsMax, type Pacer } from './politeness.ts';
import { afterFailure, isPassing, retryAfterMs, type RetryPolicy } from './retry-policy.ts';
import type { RobotsGate } from './robots-gate.ts';
import { findSitemaps, readSitemap } from './process-sitemap.ts';

/** Redirects followed before a page is given up. */
const redirectsMax = 10;

export interface ProcessorParts {
  /** Keeps to the pace of each host. */
  readonly fetcher: Fetcher;
  readonly pacer: Pacer;
  readonly converter: Converter;
  readonly robots: RobotsGate;
  readonly jobs: JobCache;
  readonly log: Log;
}

export interface ProcessorOptions {
  readonly retry: RetryPolicy;
  /** Wall clock for one fetch. */
  readonly fetchDeadlineMs: number;
  /** Bytes of one body, packed. */
  readonly bodyBytesMax: number;
}

export interface RequestProcessor {
  /** Rejects when it is made to stop before the request is through, or the store cannot be read. */
  readonly process: (request: Request) => Promise<Settlement>;
}

/** What a step of the path says when it ends the path. */
interface Step {
  readonly outcome: Outcome;
  readonly fetched: boolean;
}

export function createProcessor(
  parts: ProcessorParts,
  options: ProcessorOptions,
  abort: AbortSignal,
): RequestProcessor {
  const { fetcher, converter, robots, pacer, log } = parts;
  const fetchOptions = { signal: abort, deadlineMs: options.fetchDeadlineMs, bodyBytesMax: options.bodyBytesMax };

  const process = async (request: Request): Promise<Settlement> => {
    const job = await parts.jobs.get(request);
    const { outcome, fetched } = await attempt(request, job).catch((error: unknown) => defect(request, error));
    abort.throwIfAborted();
    if (fetched) learnPace(request.url);
    log.debug('request processed', { job: request.jobId, url: request.url, outcome: outcome.kind });
    return { request, outcome, fetched };
  };

  /** A defect of ours ends the request: handed back, it would be fetched again and again. */
  const defect = (request: Request, error: unknown): Step => {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    log.error('request failed', { job: request.jobId, url: request.url, error });
    return { outcome: { kind: 'failed', error: processingFailed }, fetched: true };
  };

  /** Only after a fetch, so that the first one does not have to wait for a long `Crawl-delay` after robots.txt. */
  const learnPace = (url: string): void => {
    const answer = robots.known(new URL(url).origin);
    if (answer)
      pacer.learn(hostKey(new URL(url)), answer.kind === 'rules' ? answer.rules.crawlDelaySeconds : undefined);
  };

  const attempt = async (request: Request, job: CachedJob | undefined): Promise<Step> => {
    // The job is gone: settling changes nothing, whatever the outcome.
    if (!job) return { outcome: { kind: 'discarded', reason: 'cancelled' }, fetched: false };
    switch (request.kind) {
      case 'origin':
        return findSitemaps(request, robots, options.retry, abort);
      case 'sitemap':
        return readSitemap(request, job, { fetcher, converter, robots }, { ...fetchOptions, retry: options.retry });
      case 'page':
        return attemptPage(request, job);
    }
  };

  const attemptPage = async (request: Request, job: CachedJob): Promise<Step> => {
    const visited = new Set<string>();
    let url = request.url;
    while (visited.size <= redirectsMax) {
      const refusal = visited.size === 0 ? undefined : refusedTarget(request, url, job.judged);
      if (refusal) return { outcome: refusal, fetched: true };
      const forbidden = await forbiddenByRobots(request, url);
      if (forbidden) return { outcome: forbidden, fetched: visited.size > 0 };

      const result = await fetcher.fetch(url, fetchOptions);
      if (visited.size > 0) learnPace(url);
      if (result.kind === 'failure') return failed(request, result);
      if (result.kind === 'body') return judge(request, job, url, result);
      visited.add(url);
      const target = resolveLink(result.location, url);
      if (!target) return failed(request, { error: badRedirect, retryable: false });
      url = target.href;
      // Without cookies the same question gets the same answer.
      if (visited.has(url)) return failed(request, { error: redirectLoop, retryable: false });
    }
    return failed(request, { error: tooManyRedirects, retryable: false });
  };

  const forbiddenByRobots = async (request: Request, url: string): Promise<Outcome | undefined> => {
    const answer = await robots.answerFor(new URL(url).origin, abort);
    if (answer.kind === 'unreachable') return afterFailure(answer, request.attempts, options.retry, Math.random());
    const { crawlDelaySeconds = 0 } = answer.rules;
    if (crawlDelaySeconds > crawlDelaySecondsMax) {
      return { kind: 'discarded', reason: 'crawl_delay_too_long', detail: `${crawlDelaySeconds} seconds` };
    }
    const verdict = answer.rules.verdict(url);
    if (verdict.allowed) return undefined;
    return {
      kind: 'discarded',
      reason: 'robots_disallowed',
      detail: `${verdict.rule} (robots.txt, line ${verdict.line})`,
    };
  };

  const judge = async (request: Request, job: CachedJob, url: string, body: FetchedBody): Promise<Step> => {
    const { statusCode, headers } = body;
    if (statusCode < 200 || statusCode > 299) {
      const pauseMs = isPassing(statusCode) ? retryAfterMs(headers.retryAfter, Date.now()) : undefined;
      const error = { reason: 'http_error', message: `The site answered ${statusCode}.`, statusCode } as const;
      const failure = {
        error,
        retryable: isPassing(statusCode),
        ...(pauseMs !== undefined && { retryAfterMs: pauseMs }),
      };
      if (pauseMs !== undefined) pacer.of(hostKey(new URL(url))).pause(Date.now() + pauseMs);
      return failed(request, failure);
    }
    if (!isHtml(headers.contentType)) {
      const detail = headers.contentType || 'no content type';
      return { outcome: { kind: 'discarded', reason: 'content_type', detail, statusCode }, fetched: true };
    }
    const converted = await converter.convertPage({
      job: job.brief,
      requestUrl: request.url,
      fetchedUrl: url,
      depth: request.depth,
      statusCode,
      contentType: headers.contentType,
      contentEncoding: headers.contentEncoding,
      robotsTag: headers.robotsTag,
      body: body.body,
    });
    switch (converted.kind) {
      case 'page': {
        const scopeHost = request.depth === startDepth ? scopeHostOf(new URL(url)) : undefined;
        const grown = scopeHost !== undefined && !inScope(new URL(url), job.judged) && { scopeHost };
        return { outcome: { kind: 'scraped', page: converted.page, links: converted.links, ...grown }, fetched: true };
      }
      case 'short': {
        const { detail, links } = converted;
        return { outcome: { kind: 'discarded', reason: 'below_min_length', detail, links, statusCode }, fetched: true };
      }
      case 'error':
        return failed(request, { error: { ...converted.error, statusCode }, retryable: false });
    }
  };

  /** A start URL takes its scope along wherever it is redirected; every other redirect has to stay inside. */
  const refusedTarget = (request: Request, url: string, judged: JudgedJob): Outcome | undefined => {
    if (request.depth === startDepth) return undefined;
    const { discard } = judgeLink({ url: new URL(url), nofollow: false, depth: request.depth }, judged);
    if (discard?.reason === 'off_host') return { kind: 'discarded', reason: 'off_host', detail: `redirects to ${url}` };
    return discard?.reason === 'excluded_by_glob' ? { kind: 'discarded', ...discard } : undefined;
  };

  const failed = (request: Request, failure: Parameters<typeof afterFailure>[0]): Step => ({
    outcome: afterFailure(failure, request.attempts, options.retry, Math.random()),
    fetched: true,
  });

  return { process };
}

const badRedirect = {
  reason: 'bad_redirect',
  message: 'The URL redirects to something that is not an http or https URL.',
} as const;
const processingFailed = { reason: 'parse_crashed', message: 'The page could not be processed.' } as const;
const redirectLoop = { reason: 'too_many_redirects', message: 'The redirects lead back to where they began.' } as const;
const tooManyRedirects = { reason: 'too_many_redirects', message: `More than ${redirectsMax} redirects.` } as const;

/** A missing type is taken for HTML, as browsers that sniff would for most of the web. */
function isHtml(contentType: string): boolean {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === '' || type === 'text/html' || type === 'application/xhtml+xml';
}
