// The headers for everything fetched for one job alone, pages and sitemaps. robots.txt is fetched for all jobs
// together: it carries nothing of a job, and no job keeps its cookies.
import type { FetchResult } from '../../core/ports/fetcher.ts';
import type { RequestHeaders } from '../../core/job.ts';
import type { Request } from '../../core/request.ts';
import { inScope } from '../../url/scope.ts';
import { withCookies } from '../job/client-headers.ts';
import type { CachedJob } from '../job/job-cache.ts';
import type { PathParts } from './request-path.ts';
import type { RedirectChain } from './redirect-chain.ts';

export function headersFor(
  url: URL,
  { jobId }: Request,
  job: CachedJob,
  { cookies }: PathParts,
): RequestHeaders | undefined {
  const kept = job.keepCookies ? cookies.cookiesFor(jobId, url, inScope(url, job.judged)) : [];
  return withCookies(job.headersFor(url), kept);
}

/** Keeps the cookies of any answer: redirects and errors set them too. The chain carries them to the next process. */
export function keepCookies(
  chain: RedirectChain,
  result: FetchResult,
  { jobId }: Request,
  job: CachedJob,
  { cookies, remarks }: PathParts,
): void {
  if (result.kind === 'failure' || !result.setCookies || !job.keepCookies) return;
  const isWhole = cookies.keep(jobId, chain.url, result.setCookies);
  if (!isWhole && !remarks.includes('cookies_cut')) remarks.push('cookies_cut');
  chain.cookies.push({ by: cookies.id, url: chain.url.href, lines: result.setCookies });
}
