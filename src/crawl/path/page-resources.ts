// What a rendered page may load: by the same rules as pages, through the same guard, and within limits of its own.
import type { FetchedBody, FetchResult } from '../../core/ports/fetcher.ts';
import { hostKey } from '../../core/host-key.ts';
import type { RequestHeaders } from '../../core/job.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Resource, ResourceRefusal, ResourceRequest } from '../../core/ports/renderer.ts';
import type { Request } from '../../core/request.ts';
import { unpackBeginning } from '../convert/unpack-body.ts';
import type { CachedJob } from '../job/job-cache.ts';
import { isStartPage } from './job-headers.ts';
import type { PathParts } from './request-path.ts';
import { pauseAskedFor } from '../pace/retry-policy.ts';
import { robotsDiscard } from '../pace/robots-discard.ts';
import type { ResourceCache } from '../memory/resource-cache.ts';
import { isSameSite } from '../pace/registrable-domain.ts';

/** Wall-clock time of one fetch, not counting the wait for the host's turn. */
const fetchDeadlineMs = 8_000;
/** How long to wait for the host's turn. */
const turnWithinMs = 20_000;
/** One body, packed or unpacked. */
const bodyBytesMax = 10 * 2 ** 20;

/** The page that loads a resource. */
export interface LoadingPage {
  readonly request: Request;
  readonly job: CachedJob;
  /** After redirects. */
  readonly url: URL;
  /** The private network that the page came from. Its resources may enter that network only. */
  readonly network: string | undefined;
}

/**
 * Requests a resource for a page. robots.txt and the pace of its host apply, as for a page; a POST goes to the page's
 * own site only. Never rejects.
 */
export async function askForResource(
  resource: ResourceRequest,
  page: LoadingPage,
  parts: PathParts,
  resources: ResourceCache,
): Promise<Resource | ResourceRefusal> {
  const { request, url: pageUrl, network } = page;
  const url = URL.parse(resource.url);
  if (!url) return refused('not a URL');
  if (resource.method === 'POST' && !isSameSite(url, pageUrl)) return refused('a POST to another site');
  const key = `${request.jobId} ${network ?? ''} ${url.href}`;
  const known = resource.isStatic ? resources.get(key) : undefined;
  if (known) return known;
  try {
    const got = await fetchResource(resource, url, page, parts);
    if (resource.isStatic && got.kind === 'resource') resources.keep(key, got);
    return got;
  } catch {
    // The host must not be contacted now, or the job has ended meanwhile.
    return refused('must not be fetched now');
  }
}

async function fetchResource(
  resource: ResourceRequest,
  url: URL,
  page: LoadingPage,
  { fetcher, gate, pacer, cookies, jobSignal }: PathParts,
): Promise<Resource | ResourceRefusal> {
  const { job, request, network } = page;
  const signal = AbortSignal.any([jobSignal, resource.signal]);
  const { respectRobots, insecureTls, proxy } = job;
  const admission = await gate.admit(url, { respectRobots, insecureTls, proxy, enter: network }, signal);
  if (admission.kind === 'refused') return refused(admission.failure.error.reason);
  const discard = respectRobots ? robotsDiscard(url, admission.rules) : undefined;
  if (discard) return refused(discard.reason);
  const result = await fetcher.fetch(url.href, {
    signal,
    deadlineMs: fetchDeadlineMs,
    turnWithinMs,
    bodyBytesMax,
    wants: 'all',
    wantsHead: true,
    method: resource.method,
    body: resource.body,
    headers: headersOf(resource, url, page),
    enter: network,
  });
  if (result.kind === 'failure') return refused(result.error.reason);
  const pauseMs = pauseAskedFor(result, Date.now());
  if (pauseMs !== undefined) pacer.of(hostKey(url)).pause(monotonicNow() + pauseMs);
  if (result.setCookies && job.keepCookies && isStartPage(request)) cookies.keep(request.jobId, url, result.setCookies);
  return toResource(result);
}

/**
 * The headers that the page set, and those that the client gave for this host, if the page itself is on a host that
 * gets them.
 */
function headersOf(resource: ResourceRequest, url: URL, { job, url: pageUrl }: LoadingPage): RequestHeaders {
  const given = job.headersFor(pageUrl) && job.headersFor(url);
  const { cookie: _, ...ofClient } = given ?? {};
  // Pages are fetched without a referrer and without a choice of language, so resources are too.
  const { referer: __, 'accept-language': ___, ...ofPage } = resource.headers;
  return { ...ofPage, ...ofClient };
}

async function toResource(result: Exclude<FetchResult, { kind: 'failure' }>): Promise<Resource | ResourceRefusal> {
  const { statusCode, head = [], isUnverified } = result;
  const unverified = isUnverified && { isUnverified };
  if (result.kind === 'redirect') {
    const others = head.filter(([name]) => name !== 'location');
    // The browser follows the redirect, and the next hop is judged as this one was.
    return {
      kind: 'resource',
      statusCode,
      headers: [...others, ['location', result.location]],
      body: new Uint8Array(),
      ...unverified,
    };
  }
  const body = await unpacked(result);
  if (body === undefined) return refused('bad_encoding');
  if (body.length >= bodyBytesMax) return refused('body_too_large');
  return { kind: 'resource', statusCode, headers: head, body, ...unverified };
}

function unpacked({ body, headers }: FetchedBody): Promise<Uint8Array | undefined> {
  return unpackBeginning(body, headers.contentEncoding, bodyBytesMax);
}

function refused(reason: string): ResourceRefusal {
  return { kind: 'refused', reason };
}
