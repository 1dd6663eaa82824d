// Sitemaps are requests like pages: in the frontier, so that no crash loses one, but neither listed nor counted as pages.
import type { Fetcher, FetchOptions } from '../core/fetcher.ts';
import type { Link, Outcome, Request } from '../core/request.ts';
import { startDepth } from '../core/request.ts';
import { resolveLink } from '../url/parse-url.ts';
import { judgeStart } from '../url/scope.ts';
import type { Converter } from './convert/converter.ts';
import type { CachedJob } from './job-cache.ts';
import { afterFailure, isPassing, type RetryPolicy } from './retry-policy.ts';
import { crawlDelaySecondsMax } from './politeness.ts';
import type { RobotsGate } from './robots-gate.ts';

const redirectsMax = 5;
/** Unpacked; the protocol of sitemaps.org allows 50 MiB. */
const sitemapBytesMax = 50 * 2 ** 20;
/** What a sitemap names is one step away from the start, like a link on the start page. */
const sitemapDepth = startDepth + 1;

const nothing: Outcome = { kind: 'sitemap', urls: [], sitemaps: [] };

/** The sitemaps of an origin: those that robots.txt names, and `/sitemap.xml` where it names none. */
export async function findSitemaps(
  request: Request,
  robots: RobotsGate,
  retry: RetryPolicy,
  signal: AbortSignal,
): Promise<{ outcome: Outcome; fetched: boolean }> {
  const { origin } = new URL(request.url);
  const answer = await robots.answerFor(origin, signal);
  // The pages of the origin will be told why; without robots.txt nothing is known of its sitemaps.
  if (answer.kind === 'unreachable') {
    return { outcome: orNothing(afterFailure(answer, request.attempts, retry, Math.random())), fetched: false };
  }
  const named = answer.rules.sitemaps;
  const urls = named.length > 0 ? named : [`${origin}/sitemap.xml`];
  return { outcome: { kind: 'sitemap', urls: [], sitemaps: urls.flatMap(toSitemapLink) }, fetched: false };
}

/** Reads one sitemap. One that is missing or broken names nothing: a job does not fail for it. */
export async function readSitemap(
  request: Request,
  job: CachedJob,
  parts: { readonly fetcher: Fetcher; readonly converter: Converter; readonly robots: RobotsGate },
  options: FetchOptions & { readonly retry: RetryPolicy },
): Promise<{ outcome: Outcome; fetched: boolean }> {
  let url = request.url;
  for (let hop = 0; hop <= redirectsMax; hop++) {
    const answer = await parts.robots.answerFor(new URL(url).origin, options.signal);
    if (answer.kind === 'unreachable') {
      return {
        outcome: orNothing(afterFailure(answer, request.attempts, options.retry, Math.random())),
        fetched: hop > 0,
      };
    }
    const { rules } = answer;
    const isForbidden = !rules.verdict(url).allowed || (rules.crawlDelaySeconds ?? 0) > crawlDelaySecondsMax;
    if (isForbidden) return { outcome: nothing, fetched: hop > 0 };
    const result = await parts.fetcher.fetch(url, { ...options, bodyBytesMax: sitemapBytesMax });
    if (result.kind === 'redirect') {
      const target = resolveLink(result.location, url);
      if (!target) return { outcome: nothing, fetched: true };
      url = target.href;
      continue;
    }
    if (result.kind === 'failure')
      return {
        outcome: orNothing(afterFailure(result, request.attempts, options.retry, Math.random())),
        fetched: true,
      };
    const { statusCode, headers, body } = result;
    if (isPassing(statusCode)) {
      const error = { reason: 'http_error', message: `The sitemap answered ${statusCode}.`, statusCode } as const;
      return {
        outcome: orNothing(afterFailure({ error, retryable: true }, request.attempts, options.retry, Math.random())),
        fetched: true,
      };
    }
    if (statusCode !== 200) return { outcome: nothing, fetched: true };
    const { urls, sitemaps } = await parts.converter.readSitemap({
      job: job.brief,
      url,
      depth: sitemapDepth,
      contentType: headers.contentType,
      contentEncoding: headers.contentEncoding,
      body,
      bytesMax: sitemapBytesMax,
    });
    return { outcome: { kind: 'sitemap', urls, sitemaps: sitemaps.flatMap(toSitemapLink) }, fetched: true };
  }
  return { outcome: nothing, fetched: true };
}

/** After the last attempt the job goes on without the sitemap. */
function orNothing(outcome: Outcome): Outcome {
  return outcome.kind === 'retry' ? outcome : nothing;
}

function toSitemapLink(url: string): Link[] {
  const parsed = resolveLink(url, url);
  return parsed ? [judgeStart(parsed)] : [];
}
