import type { CrawlJob, RequestHeaders } from '../core/job.ts';
import { hostName } from '../core/host-key.ts';
import type { SentCookie } from './job-cookies.ts';

/**
 * The headers that a job's client gave, cookies included, for a URL: all of them on the hosts of the start URLs (`www.` and
 * the bare host are one), none elsewhere, wherever redirects and links lead. What was meant for https is not sent over http.
 */
export function clientHeadersFor({ headers, spec }: CrawlJob): (url: URL) => RequestHeaders | undefined {
  if (Object.keys(headers).length === 0) return () => undefined;
  const sites = new Set(spec.urls.flatMap((text) => sitesOf(new URL(text))));
  return (url) => (sites.has(siteOf(url)) ? headers : undefined);
}

/**
 * The headers with the cookies that sites set. A cookie that the client gave wins over one of a site with the same name,
 * since a client that logged in by hand wants that session.
 */
export function withCookies(
  headers: RequestHeaders | undefined,
  kept: readonly SentCookie[],
): RequestHeaders | undefined {
  const given = headers?.['cookie'];
  const names = new Set(given?.split('; ').map((pair) => pair.split('=', 1)[0]));
  const pairs = kept.filter(({ name }) => !names.has(name)).map(({ pair }) => pair);
  if (pairs.length === 0) return headers;
  return { ...headers, cookie: [...(given === undefined ? [] : [given]), ...pairs].join('; ') };
}

/** A site on the default port of http may well redirect to its https. */
function sitesOf(url: URL): string[] {
  const site = siteOf(url);
  return url.protocol === 'http:' && url.port === '' ? [site, site.replace('http:', 'https:')] : [site];
}

function siteOf(url: URL): string {
  return `${url.protocol}//${hostName(url).replace(/^www\./, '')}:${url.port}`;
}
