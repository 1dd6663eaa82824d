// Sitemaps are requests like pages: they are in the frontier, so that no crash loses one, but are neither listed nor
// counted as pages.
import { statusError } from '../../core/reasons.ts';
import type { Request, SitemapEnding } from '../../core/request.ts';
import type { Notice } from '../../core/ports/frontier.ts';
import { hostKey } from '../../core/host-key.ts';
import { type SitemapNotice, sitemapNotice } from '../../core/sitemap-notice.ts';
import { resolveLink } from '../../url/parse-url.ts';
import { hiddenDetail } from '../../url/scope.ts';
import type { CachedJob } from '../job/job-cache.ts';
import { headersFor, keepCookies } from './job-headers.ts';
import { linksIn, openSitemaps, sitemapBytesMax } from './list-of-urls.ts';
import { beginChain, chainOf, movedOutcome } from './redirect-chain.ts';
import { robotsDiscard } from '../pace/robots-discard.ts';
import type { PathParts, Step } from './request-path.ts';
import { afterFailure, isPassing } from '../pace/retry-policy.ts';

const redirectsMax = 5;

/** The sitemaps of an origin: those that robots.txt names, or `/sitemap.xml` if it names none. */
export async function findSitemaps(request: Request, job: CachedJob, parts: PathParts): Promise<Step> {
  const origin = new URL(new URL(request.url).origin);
  const enter = await job.networks.entranceOf(origin);
  const { respectRobots, begunAt, insecureTls, proxy } = job;
  const admission = await parts.gate.admit(origin, { respectRobots, begunAt, insecureTls, proxy, enter }, parts.signal);
  // The pages of the origin report the reason. Without robots.txt its sitemaps are unknown.
  if (admission.kind === 'refused') return afterTrouble(request, admission.failure, parts, false);
  const named = admission.rules.sitemaps;
  const urls = named.length > 0 ? named : [`${origin.origin}/sitemap.xml`];
  const from = named.length > 0 ? admission.network : enter;
  const { links: sitemaps, hidden } = await openSitemaps(urls, from, job);
  const outcome = {
    kind: 'sitemap',
    urls: [],
    sitemaps,
    ending: { state: 'scraped' },
    ...(hidden !== undefined && { notice: sitemapNotice('sitemap_unreadable', hidden, `${hiddenDetail}.`) }),
  } as const;
  return { outcome, fetched: false, ...(admission.rules.isCut && { notice: robotsCut(origin) }) };
}

/** Reads one sitemap. A missing or broken one yields no URLs; the job gets a notice and does not fail. */
export async function readSitemap(request: Request, job: CachedJob, parts: PathParts): Promise<Step> {
  const chain = chainOf(request);
  if (chain === 'misplaced') return { outcome: movedOutcome(beginChain(new URL(request.url))), fetched: false };
  const { fetcher, memory, gate, options, signal, jobSignal } = parts;
  const { respectRobots, begunAt, insecureTls, proxy } = job;
  const host = hostKey(chain.url);
  let wasAsked = false;
  if (chain.hops === 0) chain.enter = await job.networks.entranceOf(chain.url);
  for (; chain.hops <= redirectsMax; chain.hops++) {
    const { url, enter } = chain;
    if (hostKey(url) !== host) return { outcome: movedOutcome(chain), fetched: true };
    const admission = await gate.admit(url, { respectRobots, begunAt, insecureTls, proxy, enter }, signal);
    if (admission.kind === 'refused') return afterTrouble(request, admission.failure, parts, wasAsked);
    // Decided by the site's own robots.txt, not by that of a host it redirects to.
    chain.isGuess ??= isUsualPlace(request) && admission.rules.sitemaps.length === 0;
    const isNews = !chain.isGuess || job.brief.spec.forceCrawlingMode === 'sitemap';
    const nothing = (code: SitemapNotice['code'], ending: LostSitemap, fetched = true): Step => {
      const why = ending.state === 'failed' ? ending.error.message : 'robots.txt forbids it.';
      // No sitemap at the usual place is no news, unless the client wanted sitemaps only.
      const notice = isNews ? sitemapNotice(code, request.url, why) : undefined;
      return { outcome: { kind: 'sitemap', urls: [], sitemaps: [], ending, ...(notice && { notice }) }, fetched };
    };
    const forbidden = respectRobots ? robotsDiscard(url, admission.rules) : undefined;
    if (forbidden) return nothing('sitemap_unreadable', { state: 'discarded', ...forbidden }, wasAsked);
    wasAsked = true;
    const result = await fetcher.fetch(url.href, {
      signal: jobSignal,
      deadlineMs: options.fetchDeadlineMs,
      silenceMs: options.fetchSilenceMs,
      bodyBytesMax: sitemapBytesMax,
      memory,
      wants: 'all',
      headers: headersFor(url, request, job, parts, chain),
      enter,
    });
    keepCookies(chain, result, request, job, parts);
    gate.report(url, result, request.attempts);
    if (result.kind === 'redirect') {
      const target = resolveLink(result.location, url.href);
      if (!target) return nothing('sitemap_unreadable', { state: 'failed', error: badRedirect });
      chain.url = target;
      // Only a redirect from inside a private network leads inside.
      chain.enter = result.network;
      continue;
    }
    if (result.kind === 'failure') return afterTrouble(request, result, parts, true);
    const { statusCode, headers, body } = result;
    if (isPassing(statusCode)) {
      const error = { reason: 'http_error', message: `The sitemap responded with ${statusCode}.`, statusCode } as const;
      return afterTrouble(request, { error, retryable: true }, parts, true);
    }
    if (statusCode !== 200) {
      const error = statusError(statusCode);
      return nothing('sitemap_missing', { state: 'failed', error });
    }
    const { urls, sitemaps, problem } = await linksIn({ job, url, body }, { headers, network: result.network }, parts);
    if (problem !== undefined && urls.length === 0 && sitemaps.length === 0)
      return nothing('sitemap_unreadable', {
        state: 'failed',
        error: { reason: 'sitemap_unreadable', message: problem },
      });
    const { links, hidden } = await openSitemaps(sitemaps, result.network, job);
    const notice =
      problem !== undefined
        ? sitemapNotice('sitemap_unreadable', request.url, problem)
        : hidden && sitemapNotice('sitemap_unreadable', hidden, `${hiddenDetail}.`);
    const outcome = {
      kind: 'sitemap',
      urls,
      sitemaps: links,
      ending: { state: 'scraped', detail: namedIn(urls.length, sitemaps.length, problem) },
      ...(notice && { notice }),
    } as const;
    return { outcome, fetched: true };
  }
  const notice = sitemapNotice('sitemap_unreadable', request.url, tooManyRedirects.message);
  const ending = { state: 'failed', error: tooManyRedirects } as const;
  return { outcome: { kind: 'sitemap', urls: [], sitemaps: [], ending, notice }, fetched: true };
}

function robotsCut(origin: URL): Notice {
  return {
    code: 'robots_cut',
    message: `${origin.origin}/robots.txt has 500 KiB or more. Rules after the first 500 KiB are not obeyed, and sitemaps named there are not read.`,
  };
}

/** Where sitemaps are looked for if robots.txt names none. */
function isUsualPlace({ url }: Request): boolean {
  return new URL(url).pathname === '/sitemap.xml';
}

const badRedirect = {
  reason: 'bad_redirect',
  message: 'It redirects to something that is not an http or https URL.',
} as const;
const tooManyRedirects = {
  reason: 'too_many_redirects',
  message: `It redirects more than ${redirectsMax} times.`,
} as const;

/** How a sitemap ends that yields no URLs. */
type LostSitemap = Exclude<SitemapEnding, { readonly state: 'scraped' }>;

/** The counts that a sitemap yielded, as its detail in the ledger. */
function namedIn(urls: number, sitemaps: number, problem: string | undefined): string {
  const named = sitemaps === 0 ? `${urls} URLs` : `${urls} URLs, ${sitemaps} sitemaps`;
  return problem === undefined ? named : `${named}. ${problem}`;
}

/** After the last attempt the job continues without the sitemap. A job that repeats this one reads it. */
function afterTrouble(
  request: Request,
  failure: Parameters<typeof afterFailure>[0],
  { options }: PathParts,
  fetched: boolean,
): Step {
  return { outcome: afterFailure(failure, request.attempts, options.retry, Math.random()), fetched };
}
