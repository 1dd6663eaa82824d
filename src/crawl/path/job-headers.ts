// The headers for everything fetched for one job alone, pages and sitemaps. robots.txt is fetched for all jobs
// together: it carries nothing of a job, and no job keeps its cookies.
import type { FetchResult } from '../../core/ports/fetcher.ts';
import type { RequestHeaders } from '../../core/job.ts';
import { type Request, startDepth } from '../../core/request.ts';
import { inScope } from '../../url/scope.ts';
import { withCookies } from '../job/client-headers.ts';
import { cookiesOf } from '../job/job-cookies.ts';
import type { CachedJob } from '../job/job-cache.ts';
import type { PathParts } from './request-path.ts';
import type { RedirectChain } from './redirect-chain.ts';

export function headersFor(
  url: URL,
  { jobId }: Request,
  job: CachedJob,
  { cookies }: PathParts,
  chain?: RedirectChain,
): RequestHeaders | undefined {
  if (!job.keepCookies || chain?.withoutCookies === true) return job.headersFor(url);
  const isInScope = inScope(url, job.judged);
  const own = chain ? cookiesOf(chain.cookies, url, isInScope) : [];
  const names = new Set(own.map(({ name }) => name));
  const ofJob = cookies.cookiesFor(jobId, url, isInScope).filter(({ name }) => !names.has(name));
  return withCookies(job.headersFor(url), [...ofJob, ...own]);
}

/**
 * Keeps the cookies of any response: redirects and errors set them too. Those of a start URL's chain are the job's: consent,
 * sessions. Those of another URL are for its own chain only: a link that sets the language of a visitor must not change what
 * the other pages show. The chain carries them to the next process.
 */
export function keepCookies(
  chain: RedirectChain,
  result: FetchResult,
  request: Request,
  job: CachedJob,
  parts: PathParts,
): void {
  if (result.kind === 'failure' || !result.setCookies || !job.keepCookies) return;
  const set = { by: parts.cookies.id, url: chain.url.href, lines: result.setCookies };
  chain.cookies.push(set);
  if (isStartPage(request)) keepForJob([set], request, parts);
}

/**
 * A site that leads back to the same URL until it has its cookie back wants it with every request: the cookies of the chain
 * are the job's from now on.
 */
export function keepCookiesOfWall({ cookies }: RedirectChain, request: Request, parts: PathParts): void {
  if (!isStartPage(request)) keepForJob(cookies, request, parts);
}

export function isStartPage({ kind, depth }: Request): boolean {
  return kind === 'page' && depth === startDepth;
}

function keepForJob(sets: RedirectChain['cookies'], { jobId }: Request, { cookies, remarks }: PathParts): void {
  for (const { url, lines } of sets) {
    const isWhole = cookies.keep(jobId, new URL(url), lines);
    if (!isWhole && !remarks.includes('cookies_cut')) remarks.push('cookies_cut');
  }
}
