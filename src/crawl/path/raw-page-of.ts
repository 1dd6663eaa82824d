import { ownedCopy } from '../../core/bytes/owned-bytes.ts';
import type { FileKind } from '../../core/bytes/file-kind.ts';
import type { FetchedBody } from '../../core/ports/fetcher.ts';
import { type RawHead, type RawPage, withoutSecrets } from '../../core/raw-page.ts';
import { pageBytesMax, unpackBeginning } from '../convert/unpack-body.ts';
import type { FetchedPage } from './page-request.ts';
import type { Shown } from './render-page.ts';

/** What the page was made of; undefined if it is no page, or was converted without keeping that. */
export async function rawPageOf(
  { request, url, isUnverified }: FetchedPage,
  { statusCode, headers, head = [], body }: FetchedBody,
  { converted, isRendered = false }: Shown,
  file: FileKind | undefined,
): Promise<RawPage | undefined> {
  if (converted.kind !== 'page' || !converted.unpacked) return undefined;
  const kept: RawHead = {
    url: request.url,
    fetchedUrl: url.href,
    depth: request.depth,
    fetchedAt: Date.now(),
    statusCode,
    headers: withoutSecrets(head),
    read: { ...headers, contentEncoding: '' },
    ...(file !== undefined && { file }),
    ...(isUnverified && { isUnverified }),
  };
  if (!isRendered) return { head: kept, received: converted.unpacked };
  const received = await unpackBeginning(body, headers.contentEncoding, pageBytesMax);
  return { head: kept, received: ownedCopy(received ?? new Uint8Array()), rendered: converted.unpacked };
}
