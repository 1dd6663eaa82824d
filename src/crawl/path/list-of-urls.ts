// Reads what names URLs: a sitemap, a feed, a list.
import type { OwnedBytes } from '../../core/bytes/owned-bytes.ts';
import type { FetchedBody } from '../../core/ports/fetcher.ts';
import { type Link, startDepth } from '../../core/request.ts';
import { resolveLink } from '../../url/parse-url.ts';
import { judgeStart } from '../../url/scope.ts';
import type { SitemapLinks } from '../convert/converter.ts';
import { type CachedJob, hidingBrief } from '../job/job-cache.ts';
import type { PathParts } from './request-path.ts';

/** Unpacked; the protocol of sitemaps.org allows 50 MiB. */
export const sitemapBytesMax = 50 * 2 ** 20;
/** URLs in a sitemap are one step away from the start, like links on the start page. */
const sitemapDepth = startDepth + 1;

/** A sitemap, or what can be read as one. */
export interface ListOfUrls {
  readonly job: CachedJob;
  /** After redirects. */
  readonly url: URL;
  readonly body: OwnedBytes;
  /** See `SitemapInput`. */
  readonly mayBeMarkdown?: boolean;
}

export async function linksIn(
  { job, url, body, mayBeMarkdown }: ListOfUrls,
  { headers, network }: { readonly headers: FetchedBody['headers']; readonly network?: string | undefined },
  { converter }: PathParts,
): Promise<SitemapLinks> {
  return converter.readSitemap({
    job: hidingBrief(job.brief, await job.networks.hiddenFrom(network)),
    url: url.href,
    depth: sitemapDepth,
    contentType: headers.contentType,
    contentEncoding: headers.contentEncoding,
    body,
    bytesMax: sitemapBytesMax,
    ...(mayBeMarkdown !== undefined && { mayBeMarkdown }),
  });
}

/** The sitemaps that a response from this network may lead to, and the first of those it may not. */
export async function openSitemaps(
  urls: readonly string[],
  network: string | undefined,
  { networks }: CachedJob,
): Promise<{ readonly links: Link[]; readonly hidden: string | undefined }> {
  const links = urls.flatMap(toSitemapLink);
  const areHidden = await Promise.all(links.map(({ url }) => networks.isHiddenFrom(network, new URL(url))));
  return {
    links: links.filter((_, index) => areHidden[index] === false),
    hidden: links.find((_, index) => areHidden[index])?.url,
  };
}

function toSitemapLink(url: string): Link[] {
  const parsed = resolveLink(url, url);
  return parsed ? [judgeStart(parsed)] : [];
}
