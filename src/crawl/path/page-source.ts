// What a page is made of: whether the earlier page can stay, because it was made of the same.
import { createHash } from 'node:crypto';
import type { FileKind } from '../../core/bytes/file-kind.ts';
import { type PageSource, sourceIn } from '../../core/page-traits.ts';
import type { FetchedBody } from '../../core/ports/fetcher.ts';
import { type FetchedPage, isMadeAlike } from './page-request.ts';
import type { PathParts } from './request-path.ts';
import { hasMovedScope } from './start-scope.ts';

/** The body is hashed as sent: a site that compresses it anew each time is compared by its text. */
export function sourceOf(
  { job, url, isUnverified }: FetchedPage,
  { statusCode, headers, body }: FetchedBody,
  file: FileKind | undefined,
  { options }: PathParts,
): PageSource {
  // The validators name a version, and are no part of it.
  const { etag: _, lastModified: __, retryAfter: ___, ...read } = headers;
  const head = JSON.stringify([url.href, statusCode, isUnverified, file, read]);
  const bytes = createHash('sha256').update(head).update(body).digest('base64url').slice(0, 11);
  return { bytes, options: job.optionsKey, program: options.program ?? '' };
}

/** What a model taught since then can read other data from the same bytes. */
export function isAsEarlier(page: FetchedPage, { bytes, program }: PageSource): boolean {
  if (!isMadeAlike(page) || page.job.brief.asking || hasMovedScope(page)) return false;
  const earlier = sourceIn(page.request.earlier?.traits);
  return earlier?.bytes === bytes && earlier.program === program;
}
