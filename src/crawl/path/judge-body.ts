// From the answer of a site to the outcome for the store: first the status and the type, then the converter, and a
// browser if the page needs one.
import type { FetchedBody } from '../../core/ports/fetcher.ts';
import { failPoint } from '../../core/process/fail-point.ts';
import { type FileKind, fileKindOf } from '../../core/bytes/file-kind.ts';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';
import { pageTypeOf } from '../../core/bytes/page-type.ts';
import { type Screenshot, screenshotBytesMax } from '../../core/page.ts';
import { hostKey } from '../../core/host-key.ts';
import type { Request } from '../../core/request.ts';
import { isTrapExempt, startDepth } from '../../core/request.ts';
import { inScope, movesDirectory } from '../../url/scope.ts';
import type { PageInput } from '../convert/converter.ts';
import { type CachedJob, hidingBrief, movedBrief } from '../job/job-cache.ts';
import { namedByStart } from './process-sitemap.ts';
import type { WatchedTemplates } from '../memory/watched-templates.ts';
import type { PathParts, Step } from './request-path.ts';
import { mayRender, showPage } from './render-page.ts';
import { isRefusal } from '../pace/refusals.ts';
import { afterFailure, isPassing, pauseAskedFor } from '../pace/retry-policy.ts';

/** The request and its job. */
export interface Asking {
  readonly request: Request;
  readonly job: CachedJob;
  /** Undefined for a start URL, and without trap detection. */
  readonly templates: WatchedTemplates | undefined;
}

export interface Fetched extends Asking {
  /** After redirects. */
  readonly url: URL;
  /** The certificate of a host on the way could not be verified. */
  readonly isUnverified: boolean;
}

/** A page that contains only a refresh is a redirect. */
export interface Moved {
  readonly movedTo: URL;
}

const refusedAgainAfterMs = 1_000;
/** A few more than refusals in a row that stop the crawl of a host. */
const refusedAgainAfterRequests = 12;

export async function judgeBody(fetched: Fetched, answer: FetchedBody, parts: PathParts): Promise<Step | Moved> {
  const { request, job, url, isUnverified, templates } = fetched;
  const { statusCode, headers, body } = answer;
  if (statusCode < 200 || statusCode > 299) return httpError(request, url, answer, parts);
  if (headers.isChallenge === true) return challenged(request, statusCode, parts);
  if (statusCode === 204 || statusCode === 205) return notPage('no content', statusCode);
  const file = wantsFiles(request, job) ? fileKindOf(headers.contentType, url.pathname) : undefined;
  if (file === undefined && pageTypeOf(headers.contentType) === undefined)
    return notPage(headers.contentType, statusCode);
  const isStart = request.depth === startDepth;
  if (isStart && !inScope(url, job.judged) && leadsOn(job)) parts.remarks.push('start_moved');
  // A scope of paths is where the server says that the start page is, also for the links of this very page.
  const start = new URL(request.url);
  const hasMoved = isStart && job.brief.spec.scope === 'path' && movesDirectory(start, url);
  const brief = hidingBrief(job.brief, await job.networks.hiddenFrom(answer.network));
  const input: PageInput = {
    job: hasMoved ? movedBrief(brief, start, url) : brief,
    requestUrl: request.url,
    isUrgent: request.isUrgent,
    fetchedUrl: url.href,
    depth: request.depth,
    statusCode,
    headers,
    body,
    isUnverified,
    ...(file !== undefined && { file }),
    ...(templates && parts.watch.wantsLines(request.jobId, templates) && { lines: { numbers: templates.numbers } }),
  };
  const listed = isStart && leadsOn(job) && listKinds.has(file ?? 'html') ? ownedCopy(body) : undefined;
  const named = listed && (await namedByStart({ job, url, body: listed }, answer, parts));
  // The converter detaches the buffer that it gets. A `slice` of a Buffer would not be a copy.
  const copy = file === undefined && mayRender(job, parts) ? new Uint8Array(body) : undefined;
  const asFetched = await parts.converter.convertPage(input);
  failPoint('page.converted');
  if (asFetched.kind === 'moved') return { movedTo: new URL(asFetched.target) };
  const loading = { request, job, url, network: answer.network };
  // A browser shows Markdown as plain text.
  const mayShow = file === undefined && asFetched.kind !== 'binary' && pageTypeOf(headers.contentType) !== 'markdown';
  const shown = mayShow ? await showPage(loading, input, { asFetched, copy }, parts) : { converted: asFetched };
  if ('movedTo' in shown) return shown;
  const { converted, detail, picture } = shown;
  const endedTemplate =
    converted.kind === 'error' || converted.kind === 'binary' || !templates
      ? undefined
      : parts.watch.observe(request.jobId, templates, converted.lines, request.selfFed && !isTrapExempt(request));
  const ended = endedTemplate && { endedTemplate };
  const told = {
    ...('conversion' in converted && { conversion: converted.conversion }),
    ...('remarks' in converted && { remarks: converted.remarks }),
  };
  switch (converted.kind) {
    case 'page': {
      const { page, links } = converted;
      const screenshot = screenshotOf(job, picture);
      if (job.brief.spec.screenshot && !screenshot) parts.remarks.push('no_screenshot');
      if (screenshot) parts.screenshots.add(screenshot.bytes.length);
      const outcome = {
        kind: 'scraped',
        page: screenshot ? { ...page, screenshot } : page,
        links: named ? [...links, ...named.links] : links,
        ...(named && { sitemaps: named.sitemaps }),
        ...(hasMoved && { movedTo: url.href }),
        ...(detail !== undefined && { detail }),
      } as const;
      return { outcome, fetched: true, ...ended, ...told };
    }
    case 'short': {
      const { links } = converted;
      const outcome = {
        kind: 'discarded',
        reason: 'below_min_length',
        detail: converted.detail,
        links,
        statusCode,
      } as const;
      return { outcome, fetched: true, ...ended, ...told };
    }
    case 'binary':
      return named ? onlyNames(named, statusCode) : notPage(converted.detail, statusCode);
    case 'error':
      if (named) return onlyNames(named, statusCode);
      if (converted.error.reason === 'challenge') return challenged(request, statusCode, parts);
      return failed(request, { error: { ...converted.error, statusCode }, retryable: false }, parts);
  }
}

/** Kinds of files that can name pages to crawl: sitemaps and feeds, and lists of URLs. */
const listKinds: ReadonlySet<string> = new Set<FileKind>(['xml', 'text']);

/** A sitemap is no page. */
function onlyNames(
  { links, sitemaps }: NonNullable<Awaited<ReturnType<typeof namedByStart>>>,
  statusCode: number,
): Step {
  const detail = `names ${links.length} URLs and ${sitemaps.length} sitemaps`;
  const outcome = { kind: 'discarded', reason: 'content_type', detail, statusCode, links, sitemaps } as const;
  return { outcome, fetched: true };
}

/** Links of the job's pages are followed, but only on its own hosts. */
function leadsOn({ judged }: CachedJob): boolean {
  return judged.maxDepth !== 0 && !judged.allowExternal;
}

function screenshotOf({ brief: { spec } }: CachedJob, bytes: Uint8Array | undefined): Screenshot | undefined {
  if (!spec.screenshot || !bytes || bytes.length > screenshotBytesMax) return undefined;
  return { type: `image/${spec.screenshot.format}`, bytes };
}

function httpError(request: Request, url: URL, answer: FetchedBody, parts: PathParts): Step {
  const { statusCode } = answer;
  const error = { reason: 'http_error', message: `The site responded with ${statusCode}.`, statusCode } as const;
  const pauseMs = pauseAskedFor(answer, Date.now());
  const againMs = isPassing(statusCode) ? pauseMs : refusedAgainMs(request, url, statusCode, parts);
  const retryable = isPassing(statusCode) || againMs !== undefined;
  return failed(request, { error, retryable, ...(againMs !== undefined && { retryAfterMs: againMs }) }, parts);
}

/**
 * When a URL that was refused is asked for once more: after the requests that tell whether the host refuses this page or
 * everything. Undefined if the host has never served such a URL.
 */
function refusedAgainMs({ attempts }: Request, url: URL, statusCode: number, { pacer }: PathParts): number | undefined {
  const { circuit, delayMs } = pacer.of(hostKey(url));
  if (attempts > 0 || !isRefusal(statusCode) || circuit.failures === 0) return undefined;
  return refusedAgainAfterMs + refusedAgainAfterRequests * delayMs;
}

function challenged(request: Request, statusCode: number, parts: PathParts): Step {
  parts.remarks.push('blocked');
  const message = 'The site tests whether a person is there, in place of its page.';
  return failed(request, { error: { reason: 'challenge', message, statusCode }, retryable: false }, parts);
}

export function failed(request: Request, failure: Parameters<typeof afterFailure>[0], { options }: PathParts): Step {
  return { outcome: afterFailure(failure, request.attempts, options.retry, Math.random()), fetched: true };
}

function notPage(detail: string, statusCode: number): Step {
  return { outcome: { kind: 'discarded', reason: 'content_type', detail, statusCode }, fetched: true };
}

/** The client requested a start URL, whatever its type. */
export function wantsFiles({ depth }: Request, job: CachedJob): boolean {
  return job.wantsFiles || depth === startDepth;
}
