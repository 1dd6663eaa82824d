// The path of a page: robots.txt, fetch, hop by hop; then the converter; then what is told to the store.
import type { FetchedBody, FetchResult } from '../core/fetcher.ts';
import { monotonicNow } from '../core/monotonic-time.ts';
import { failPoint } from '../core/fail-point.ts';
import { fileKindOf } from '../core/file-kind.ts';
import { mediaType } from '../core/media-type.ts';
import type { Outcome, Request } from '../core/request.ts';
import { startDepth } from '../core/request.ts';
import { hostKey } from '../core/host-key.ts';
import { resolveLink } from '../url/parse-url.ts';
import { inScope, type JudgedJob, judgeLink, scopeHostOf } from '../url/scope.ts';
import { type UrlTemplates, urlTemplates } from '../url/url-template.ts';
import { isOpen } from './circuit-breaker.ts';
import { type CachedJob, grownBrief } from './job-cache.ts';
import { crawlDelaySecondsMax } from './politeness.ts';
import type { PathParts, Step } from './path.ts';
import { afterFailure, isPassing, pauseAskedFor } from './retry-policy.ts';
import type { TemplateWatch } from './template-watch.ts';

/** Redirects followed before a page is given up. */
const redirectsMax = 10;

/** Rejects with a `HostPausedError` where the host is not to be asked now. */
export async function processPage(request: Request, job: CachedJob, parts: PathParts): Promise<Step> {
  const { fetcher, memory, options, jobSignal } = parts;
  const visited = new Set<string>();
  let url = new URL(request.url);
  // A start URL was asked for.
  const isWatched = job.trapDetection && request.depth !== startDepth;
  const templates = isWatched ? urlTemplates(url) : undefined;
  const trap = templates && endedTemplateOf(request.jobId, templates, job, parts.watch);
  if (trap !== undefined) return { outcome: { kind: 'discarded', reason: 'trap', detail: trap }, fetched: false };
  while (visited.size <= redirectsMax) {
    const refusal = visited.size === 0 ? undefined : refusedTarget(request, url, job.judged);
    if (refusal) return { outcome: refusal, fetched: true };
    const forbidden = await forbiddenByRobots(request, url, job, parts);
    if (forbidden) return { outcome: forbidden, fetched: visited.size > 0 };

    failPoint('page.admitted');
    const result = await fetcher.fetch(url.href, {
      signal: jobSignal,
      deadlineMs: options.fetchDeadlineMs,
      bodyBytesMax: options.bodyBytesMax,
      memory,
      wants: wantsFiles(request, job) ? 'files' : 'pages',
      headers: job.headersFor(url),
    });
    failPoint('page.fetched');
    reportTo(parts, request, url, result);
    if (result.kind === 'failure') return failed(request, result, parts);
    if (result.kind === 'body') return judgeBody({ request, job, url, templates }, result, parts);
    visited.add(url.href);
    const target = resolveLink(result.location, url.href);
    if (!target) return failed(request, { error: badRedirect, retryable: false }, parts);
    url = target;
    // Without cookies of its own the same question gets the same answer.
    if (visited.has(url.href)) return failed(request, { error: redirectLoop, retryable: false }, parts);
  }
  return failed(request, { error: tooManyRedirects, retryable: false }, parts);
}

/** A start URL was asked for, whatever kind it is of. */
function wantsFiles({ depth }: Request, job: CachedJob): boolean {
  return job.wantsFiles || depth === startDepth;
}

/** A start URL takes its scope along wherever it is redirected; every other redirect has to stay inside. */
function refusedTarget(request: Request, url: URL, judged: JudgedJob): Outcome | undefined {
  if (request.depth === startDepth) return undefined;
  const { discard } = judgeLink({ url, nofollow: false, depth: request.depth }, judged);
  if (discard?.reason === 'off_host')
    return { kind: 'discarded', reason: 'off_host', detail: `redirects to ${url.href}` };
  return discard?.reason === 'excluded_by_glob' || discard?.reason === 'off_path'
    ? { kind: 'discarded', ...discard }
    : undefined;
}

async function forbiddenByRobots(
  request: Request,
  url: URL,
  { respectRobots }: CachedJob,
  { gate, options, signal }: PathParts,
): Promise<Outcome | undefined> {
  const admission = await gate.admit(url, { respectRobots }, signal);
  if (admission.kind === 'refused') {
    return afterFailure(admission.failure, request.attempts, options.retry, Math.random());
  }
  if (!respectRobots) return undefined;
  const { crawlDelaySeconds = 0 } = admission.rules;
  if (crawlDelaySeconds > crawlDelaySecondsMax) {
    return { kind: 'discarded', reason: 'crawl_delay_too_long', detail: `${crawlDelaySeconds} seconds` };
  }
  const verdict = admission.rules.verdict(url.href);
  if (verdict.allowed) return undefined;
  return {
    kind: 'discarded',
    reason: 'robots_disallowed',
    detail: `${verdict.rule} (robots.txt, line ${verdict.line})`,
  };
}

/**
 * Throws where this answer showed the host to be down: then it is not the page that failed. Once robots.txt was answered in
 * between and pages still are not, it is.
 */
function reportTo({ gate, pacer }: PathParts, request: Request, url: URL, result: FetchResult): void {
  gate.report(url, result, request.attempts);
  const pace = pacer.of(hostKey(url));
  const isDown = isOpen(pace.circuit, monotonicNow()) && pace.circuit.timesOpened === 1;
  if (isDown && hostKey(url) === hostKey(new URL(request.url))) throw pace.paused();
}

/** The template of a URL, where it was shown to be a trap: by this process, or by one before it. */
function endedTemplateOf(
  jobId: string,
  templates: UrlTemplates,
  { endedTemplates }: CachedJob,
  watch: TemplateWatch,
): string | undefined {
  const { fine, coarse } = templates;
  const known = [coarse, fine].find((template) => template !== undefined && endedTemplates.has(template));
  return known ?? watch.endedTemplate(jobId, templates);
}

/** What was fetched, and for whom. */
interface Fetched {
  readonly request: Request;
  readonly job: CachedJob;
  /** After redirects. */
  readonly url: URL;
  /** Undefined for a start URL, and where traps are not looked for. */
  readonly templates: UrlTemplates | undefined;
}

async function judgeBody(fetched: Fetched, answer: FetchedBody, parts: PathParts): Promise<Step> {
  const { request, job, url, templates } = fetched;
  const { statusCode, headers, body } = answer;
  if (statusCode < 200 || statusCode > 299) return httpError(request, answer, parts);
  if (statusCode === 204 || statusCode === 205) return notPage('no content', statusCode);
  const file = wantsFiles(request, job) ? fileKindOf(headers.contentType, url.pathname) : undefined;
  const otherType = file === undefined ? typeOtherThanHtml(headers.contentType) : undefined;
  if (otherType !== undefined) return notPage(otherType, statusCode);
  // The scope of a start URL goes along wherever it was redirected, so the links of this very page are judged by it.
  const scopeHost = request.depth === startDepth && !inScope(url, job.judged) ? scopeHostOf(url) : undefined;
  const converted = await parts.converter.convertPage({
    job: scopeHost === undefined ? job.brief : grownBrief(job.brief, scopeHost),
    requestUrl: request.url,
    fetchedUrl: url.href,
    depth: request.depth,
    statusCode,
    headers,
    body,
    ...(file !== undefined && { file }),
    ...(templates &&
      parts.watch.wantsLines(request.jobId, templates) && { lines: { ignoresNumbers: templates.ignoresNumbers } }),
  });
  failPoint('page.converted');
  const endedTemplate =
    converted.kind === 'error' || converted.kind === 'binary' || !templates
      ? undefined
      : parts.watch.observe(request.jobId, templates, converted.lines);
  const ended = endedTemplate && { endedTemplate };
  const told = 'conversion' in converted && { conversion: converted.conversion };
  switch (converted.kind) {
    case 'page': {
      const { page, links } = converted;
      const outcome = { kind: 'scraped', page, links, ...(scopeHost !== undefined && { scopeHost }) } as const;
      return { outcome, fetched: true, ...ended, ...told };
    }
    case 'short': {
      const { detail, links } = converted;
      const outcome = { kind: 'discarded', reason: 'below_min_length', detail, links, statusCode } as const;
      return { outcome, fetched: true, ...ended, ...told };
    }
    case 'binary':
      return notPage(converted.detail, statusCode);
    case 'error':
      return failed(request, { error: { ...converted.error, statusCode }, retryable: false }, parts);
  }
}

function httpError(request: Request, answer: FetchedBody, parts: PathParts): Step {
  const { statusCode } = answer;
  const error = { reason: 'http_error', message: `The site answered ${statusCode}.`, statusCode } as const;
  const pauseMs = pauseAskedFor(answer, Date.now());
  const failure = { error, retryable: isPassing(statusCode), ...(pauseMs !== undefined && { retryAfterMs: pauseMs }) };
  return failed(request, failure, parts);
}

function failed(request: Request, failure: Parameters<typeof afterFailure>[0], { options }: PathParts): Step {
  return { outcome: afterFailure(failure, request.attempts, options.retry, Math.random()), fetched: true };
}

const badRedirect = {
  reason: 'bad_redirect',
  message: 'The URL redirects to something that is not an http or https URL.',
} as const;
const redirectLoop = { reason: 'too_many_redirects', message: 'The redirects lead back to where they began.' } as const;
const tooManyRedirects = { reason: 'too_many_redirects', message: `More than ${redirectsMax} redirects.` } as const;

function notPage(detail: string, statusCode: number): Step {
  return { outcome: { kind: 'discarded', reason: 'content_type', detail, statusCode }, fetched: true };
}

/** What it is, if not HTML. A type that is missing or cannot be read is taken for HTML, as browsers would for most of the web. */
function typeOtherThanHtml(contentType: string): string | undefined {
  const type = mediaType(contentType);
  return type === '' || type === 'text/html' || type === 'application/xhtml+xml' ? undefined : contentType;
}
