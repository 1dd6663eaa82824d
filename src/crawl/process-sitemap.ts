// Sitemaps are requests like pages: in the frontier, so that no crash loses one, but neither listed nor counted as pages.
import type { Link, Request } from '../core/request.ts';
import { failPoint } from '../core/fail-point.ts';
import { startDepth } from '../core/request.ts';
import { type SitemapNotice, sitemapNotice } from '../core/sitemap-notice.ts';
import type { RobotsRules } from '../robots/robots-rules.ts';
import { resolveLink } from '../url/parse-url.ts';
import { judgeStart } from '../url/scope.ts';
import type { CachedJob } from './job-cache.ts';
import { crawlDelaySecondsMax } from './politeness.ts';
import type { PathParts, Step } from './path.ts';
import { afterFailure, isPassing } from './retry-policy.ts';

const redirectsMax = 5;
/** Unpacked; the protocol of sitemaps.org allows 50 MiB. */
const sitemapBytesMax = 50 * 2 ** 20;
/** What a sitemap names is one step away from the start, like a link on the start page. */
const sitemapDepth = startDepth + 1;

/** The sitemaps of an origin: those that robots.txt names, and `/sitemap.xml` where it names none. */
export async function findSitemaps(request: Request, job: CachedJob, parts: PathParts): Promise<Step> {
  const origin = new URL(new URL(request.url).origin);
  const admission = await parts.gate.admit(origin, job, parts.signal);
  // The pages of the origin will be told why; without robots.txt nothing is known of its sitemaps.
  if (admission.kind === 'refused') return afterTrouble(request, admission.failure, parts, false);
  const named = admission.rules.sitemaps;
  const urls = named.length > 0 ? named : [`${origin.origin}/sitemap.xml`];
  return { outcome: { kind: 'sitemap', urls: [], sitemaps: urls.flatMap(toSitemapLink) }, fetched: false };
}

/** Reads one sitemap. One that is missing or broken names nothing: a job does not fail for it, and is told. */
export async function readSitemap(request: Request, job: CachedJob, parts: PathParts): Promise<Step> {
  const { fetcher, memory, gate, options, signal, jobSignal } = parts;
  let url = new URL(request.url);
  let isGuess: boolean | undefined;
  for (let hop = 0; hop <= redirectsMax; hop++) {
    const admission = await gate.admit(url, job, signal);
    if (admission.kind === 'refused') return afterTrouble(request, admission.failure, parts, hop > 0);
    // By the site's own robots.txt, and not by that of a host that it redirects to.
    isGuess ??= isUsualPlace(request) && admission.rules.sitemaps.length === 0;
    const isNews = !isGuess || job.brief.spec.forceCrawlingMode === 'sitemap';
    const nothing = (code: SitemapNotice['code'], why: string, fetched = true): Step => {
      // That there is none at the usual place is no news, unless nothing else was asked for.
      const notice = isNews ? sitemapNotice(code, request.url, why) : undefined;
      return { outcome: { kind: 'sitemap', urls: [], sitemaps: [], ...(notice && { notice }) }, fetched };
    };
    if (job.respectRobots && isForbidden(url, admission.rules)) {
      return nothing('sitemap_unreadable', 'robots.txt forbids it.', hop > 0);
    }
    const result = await fetcher.fetch(url.href, {
      signal: jobSignal,
      deadlineMs: options.fetchDeadlineMs,
      bodyBytesMax: sitemapBytesMax,
      memory,
      wants: 'all',
      headers: job.headersFor(url),
    });
    gate.report(url, result, request.attempts);
    if (result.kind === 'redirect') {
      const target = resolveLink(result.location, url.href);
      if (!target) return nothing('sitemap_unreadable', 'It redirects to something that is not an http or https URL.');
      url = target;
      continue;
    }
    if (result.kind === 'failure') return afterTrouble(request, result, parts, true);
    const { statusCode, headers, body } = result;
    if (isPassing(statusCode)) {
      const error = { reason: 'http_error', message: `The sitemap answered ${statusCode}.`, statusCode } as const;
      return afterTrouble(request, { error, retryable: true }, parts, true);
    }
    if (statusCode !== 200) return nothing('sitemap_missing', `The site answered ${statusCode}.`);
    const { urls, sitemaps, problem } = await parts.converter.readSitemap({
      job: job.brief,
      url: url.href,
      depth: sitemapDepth,
      contentType: headers.contentType,
      contentEncoding: headers.contentEncoding,
      body,
      bytesMax: sitemapBytesMax,
    });
    failPoint('sitemap.read');
    if (problem !== undefined && urls.length === 0 && sitemaps.length === 0)
      return nothing('sitemap_unreadable', problem);
    const notice = problem === undefined ? undefined : sitemapNotice('sitemap_unreadable', request.url, problem);
    const outcome = {
      kind: 'sitemap',
      urls,
      sitemaps: sitemaps.flatMap(toSitemapLink),
      ...(notice && { notice }),
    } as const;
    return { outcome, fetched: true };
  }
  const notice = sitemapNotice('sitemap_unreadable', request.url, `It redirects more than ${redirectsMax} times.`);
  return { outcome: { kind: 'sitemap', urls: [], sitemaps: [], notice }, fetched: true };
}

/** Where sitemaps are looked for that robots.txt does not name. */
function isUsualPlace({ url }: Request): boolean {
  return new URL(url).pathname === '/sitemap.xml';
}

function isForbidden(url: URL, rules: RobotsRules): boolean {
  return !rules.verdict(url.href).allowed || (rules.crawlDelaySeconds ?? 0) > crawlDelaySecondsMax;
}

/** After the last attempt the job goes on without the sitemap; one that repeats it reads it. */
function afterTrouble(
  request: Request,
  failure: Parameters<typeof afterFailure>[0],
  { options }: PathParts,
  fetched: boolean,
): Step {
  return { outcome: afterFailure(failure, request.attempts, options.retry, Math.random()), fetched };
}

function toSitemapLink(url: string): Link[] {
  const parsed = resolveLink(url, url);
  return parsed ? [judgeStart(parsed)] : [];
}
