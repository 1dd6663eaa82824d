// What one page becomes. Runs in a converter thread, from top to bottom: unpack, decode, extract, judge the links, serialise.
import { decodeHtml } from '../../extract/decode-html.ts';
import { type ExtractedPage, extractPage } from '../../extract/extract-page.ts';
import type { ExtractedLink } from '../../extract/links.ts';
import { ParseBudgetError } from '../../extract/parse-html.ts';
import { lineHashes } from '../../extract/text-lines.ts';
import { freeBytes } from '../../core/free-bytes.ts';
import { mediaType } from '../../core/media-type.ts';
import type { Link } from '../../core/request.ts';
import { robotsTagDirectives } from '../../robots/robots-tag.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';
import { hostKey } from '../../core/host-key.ts';
import { type JudgedJob, judgeLink } from '../../url/scope.ts';
import { binaryKind } from './binary-data.ts';
import type { ConvertedPage, PageInput } from './converter.ts';
import { toPageRecord } from './page-record.ts';
import { isError, unpackBody } from './unpack-body.ts';

/** Bytes of a page when unpacked. */
const pageBytesMax = 20 * 2 ** 20;

/**
 * Empties the body, unless that turns out to be no text. Links that `isKnown` from this depth are left out: judging one takes some
 * microseconds, and most stand on every page.
 */
export function convertPage(
  input: PageInput,
  judged: JudgedJob,
  isKnown: (link: ExtractedLink, depth: number) => boolean = () => false,
): ConvertedPage {
  const { headers } = input;
  const bytes = unpackBody(input.body, headers.contentEncoding, pageBytesMax);
  if (isError(bytes)) return { kind: 'error', error: bytes };
  const binary = binaryKind(bytes, { isTyped: mediaType(headers.contentType) !== '' });
  if (binary !== undefined) return { kind: 'binary', detail: binary };
  const { spec } = input.job;
  const html = decodeHtml(bytes, headers.contentType);
  // A large page takes many times its bytes from here on.
  freeBytes(bytes);
  freeBytes(input.body);
  let extracted: ExtractedPage;
  try {
    extracted = extractPage(html, {
      url: input.fetchedUrl,
      headers,
      robotsTag: robotsTagDirectives(headers.robotsTag),
      outputFormat: spec.outputFormat,
      content: spec.content,
      excludeElements: spec.excludeElements,
      includeElements: spec.includeElements,
    });
  } catch (error) {
    if (error instanceof ParseBudgetError)
      return { kind: 'error', error: { reason: 'parse_budget', message: error.message } };
    throw error;
  }

  const links = spec.forceCrawlingMode === 'sitemap' ? [] : judgedLinks(extracted, input.depth + 1, judged, isKnown);
  const lines = input.lines && {
    lines: lineHashes(extracted.plainText, { url: input.fetchedUrl, ...input.lines }),
  };
  if (extracted.textLength < spec.minLength) {
    return { kind: 'short', detail: `${extracted.textLength} of ${spec.minLength} characters`, links, ...lines };
  }
  const canonicalKey = ownCanonicalKey(extracted.canonical, input.fetchedUrl);
  const page = toPageRecord({
    url: input.requestUrl,
    fetchedUrl: input.fetchedUrl,
    fetchedKey: dedupeKey(new URL(input.fetchedUrl)),
    ...(canonicalKey !== undefined && { canonicalKey }),
    metadata: {
      ...extracted.metadata,
      statusCode: input.statusCode,
      ...(headers.contentType !== '' && { contentType: headers.contentType }),
      ...(headers.etag !== '' && { etag: headers.etag }),
      ...(headers.lastModified !== '' && { lastModified: headers.lastModified }),
    },
    text: extracted.text,
    statusCode: input.statusCode,
  });
  return { kind: 'page', page, links, ...lines };
}

function judgedLinks(
  { links }: ExtractedPage,
  depth: number,
  judged: JudgedJob,
  isKnown: (link: ExtractedLink, depth: number) => boolean,
): Link[] {
  return links
    .filter((link) => !isKnown(link, depth))
    .map(({ url, nofollow }) => judgeLink({ url: new URL(url), nofollow, depth }, judged));
}

/** A page may call another its original only where both are on one host; pointing at itself says nothing. */
function ownCanonicalKey(canonical: string | undefined, fetchedUrl: string): string | undefined {
  if (canonical === undefined || !URL.canParse(canonical)) return undefined;
  const [url, fetched] = [new URL(canonical), new URL(fetchedUrl)];
  if (hostKey(url) !== hostKey(fetched)) return undefined;
  const key = dedupeKey(url);
  return key === dedupeKey(fetched) ? undefined : key;
}
