import type { CrawlJob, RequestHeaders } from '../core/job.ts';
import { hostName } from '../core/host-key.ts';

/**
 * The headers that a job's client gave, cookies included, for a URL: all of them on the hosts of the start URLs (`www.` and
 * the bare host are one), none elsewhere, wherever redirects and links lead. What was meant for https is not sent over http.
 */
export function clientHeadersFor({ headers, spec }: CrawlJob): (url: URL) => RequestHeaders | undefined {
  if (Object.keys(headers).length === 0) return () => undefined;
  const sites = new Set(spec.urls.flatMap((text) => sitesOf(new URL(text))));
  return (url) => (sites.has(siteOf(url)) ? headers : undefined);
}

/** A site on the default port of http may well redirect to its https. */
function sitesOf(url: URL): string[] {
  const site = siteOf(url);
  return url.protocol === 'http:' && url.port === '' ? [site, site.replace('http:', 'https:')] : [site];
}

function siteOf(url: URL): string {
  return `${url.protocol}//${hostName(url).replace(/^www\./, '')}:${url.port}`;
}
