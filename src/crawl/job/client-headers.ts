import type { CrawlJob, RequestHeaders } from '../../core/job.ts';
import { hostName } from '../../core/host-key.ts';
import type { SentCookie } from './job-cookies.ts';

/**
 * The headers that the client gave with the job, cookies included, for a URL. The hosts of the start URLs get all of
 * them (`www.` and the bare host are one); other hosts get none, wherever redirects and links lead. Headers meant for
 * https are not sent over http.
 */
export function clientHeadersFor({ headers, spec }: CrawlJob): (url: URL) => RequestHeaders | undefined {
  if (Object.keys(headers).length === 0) return () => undefined;
  const sites = new Set(spec.urls.flatMap((text) => sitesOf(new URL(text))));
  return (url) => (sites.has(siteOf(url)) ? headers : undefined);
}

/**
 * Adds the cookies that sites set to the headers. A cookie of the client wins over a site's cookie of the same name: a
 * client that logged in by hand wants that session.
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

/** A site on the default port of http often redirects to its https. */
function sitesOf(url: URL): string[] {
  const site = siteOf(url);
  return url.protocol === 'http:' && url.port === '' ? [site, site.replace('http:', 'https:')] : [site];
}

function siteOf(url: URL): string {
  return `${url.protocol}//${hostName(url).replace(/^www\./, '')}:${url.port}`;
}
