// A start URL can be a sitemap, a feed or a list of URLs: the job crawls what it names.
import type { FileKind } from '../../core/bytes/file-kind.ts';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';
import type { FetchedBody } from '../../core/ports/fetcher.ts';
import { type Link, startDepth } from '../../core/request.ts';
import type { FetchedPage } from './page-request.ts';
import { linksIn, openSitemaps } from './list-of-urls.ts';
import type { PathParts, Step } from './request-path.ts';
import { leadsOn } from './start-scope.ts';

export interface StartList {
  readonly links: readonly Link[];
  readonly sitemaps: readonly Link[];
}

/** Kinds of files that can name pages to crawl: sitemaps and feeds, and lists of URLs. */
const listKinds: ReadonlySet<string> = new Set<FileKind>(['xml', 'text']);

/** What a start URL names; undefined if it names nothing. Copies the body. */
export function namedByStart(
  fetched: FetchedPage,
  response: FetchedBody,
  file: FileKind | undefined,
  parts: PathParts,
): Promise<StartList | undefined> | undefined {
  const { request, job } = fetched;
  if (request.depth !== startDepth || !leadsOn(job) || !listKinds.has(file ?? 'html')) return undefined;
  return listIn(fetched, response, file, parts);
}

async function listIn(
  { job, url }: FetchedPage,
  response: FetchedBody,
  file: FileKind | undefined,
  parts: PathParts,
): Promise<StartList | undefined> {
  const list = { job, url, body: ownedCopy(response.body), mayBeMarkdown: file === 'text' };
  const { urls, sitemaps } = await linksIn(list, response, parts);
  const { links } = await openSitemaps(sitemaps, response.network, job);
  return urls.length + links.length === 0 ? undefined : { links: urls, sitemaps: links };
}

/** A sitemap is no page. */
export function onlyNames({ links, sitemaps }: StartList, statusCode: number): Step {
  const detail = `names ${links.length} URLs and ${sitemaps.length} sitemaps`;
  const outcome = { kind: 'discarded', reason: 'content_type', detail, statusCode, links, sitemaps } as const;
  return { outcome, fetched: true };
}
