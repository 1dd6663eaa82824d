import { type AnswerHead, cookieLineMax, type FetchedHeaders, type FetchOptions } from '../core/fetcher.ts';
import { fileKindOf } from '../core/file-kind.ts';
import { mediaType } from '../core/media-type.ts';

/** The only headers that are kept from a long head. */
export const headersRead = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'etag',
  'last-modified',
  'link',
  'location',
  'refresh',
  'retry-after',
  'set-cookie',
  'x-robots-tag',
] as const;

type HeaderValue = string | readonly string[] | undefined;

/** Headers as undici hands them out: lower-case names, a list where a header came more than once. */
export type AnswerHeaders = Readonly<Partial<Record<(typeof headersRead)[number], HeaderValue>>>;

export function readFetchedHeaders(headers: AnswerHeaders): FetchedHeaders {
  return {
    contentType: allOf(headers['content-type']).slice(0, contentTypeLengthMax),
    contentEncoding: codingsOf(headers['content-encoding']) ?? '',
    robotsTag: allOf(headers['x-robots-tag'], '\n').slice(0, robotsTagLengthMax),
    retryAfter: firstOf(headers['retry-after']).slice(0, retryAfterLengthMax),
    link: escaped(allOf(headers['link']).slice(0, linkLengthMax)),
    refresh: escaped(firstOf(headers['refresh']).slice(0, linkLengthMax)),
    etag: firstOf(headers['etag']).slice(0, validatorLengthMax),
    lastModified: firstOf(headers['last-modified']).slice(0, validatorLengthMax),
    contentLanguage: allOf(headers['content-language']).slice(0, validatorLengthMax),
  };
}

/**
 * `gzip`, `deflate`, `br` or `zstd`, two of them with a space between in the order in which they were applied (RFC 9110, 8.4), or empty. Undefined
 * if there are more, or one that was not asked for.
 */
export function codingsOf(header: HeaderValue): string | undefined {
  if (header === undefined) {
    return '';
  }
  const text = allOf(header);
  const names =
    text.length > codingsLengthMax ? [] : text.split(',').map((name) => codings.get(name.trim().toLowerCase()));
  const applied = names.filter((name) => name !== '');
  return names.length === 0 || applied.length > codingsMax || applied.includes(undefined)
    ? undefined
    : applied.join(' ');
}

/** The `Location` of a redirect, its bytes beyond ASCII percent-encoded; else undefined. */
export function redirectLocation(statusCode: number, headers: AnswerHeaders): string | undefined {
  if (!redirectStatuses.has(statusCode) || headers['location'] === undefined) {
    return undefined;
  }
  return escaped(firstOf(headers['location']));
}

/** See {@link FetchedBody.setCookies}. */
export function cookiesOf(headers: AnswerHeaders): { readonly setCookies?: readonly string[] } {
  const header = headers['set-cookie'];
  if (header === undefined) {
    return {};
  }
  const lines = typeof header === 'string' ? [header] : header;
  return { setCookies: lines.slice(0, cookiesMax).map((line) => line.slice(0, cookieLineMax + 1)) };
}

/** See {@link AnswerHead}. */
export function wholeHead(headers: Readonly<Record<string, HeaderValue>>): AnswerHead {
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : (value ?? [])).map((one) => [name, one] as const),
  );
}

/** Bytes, or undefined if not announced. */
export function contentLengthOf(headers: AnswerHeaders): number | undefined {
  const header = headers['content-length'];
  return header === undefined ? undefined : Number(firstOf(header));
}

/**
 * Whether a body of this type may be of use as {@link FetchOptions.wants} says. Without a type it may be. Servers send robots.txt and
 * sitemaps with any type: callers that fetch these use `all`.
 */
export function isWantedType(contentType: string, path: string, wants: FetchOptions['wants'] = 'pages'): boolean {
  if (wants === 'all' || (wants === 'files' && fileKindOf(contentType, path) !== undefined)) {
    return true;
  }
  const type = mediaType(contentType);
  return type === '' || wantedType.test(type);
}

/** Characters, which are bytes in a header. */
const linkLengthMax = 16 * 1024;
const validatorLengthMax = 1_024;
const robotsTagLengthMax = 16 * 1024;
const retryAfterLengthMax = 1_024;
/** Far more than are kept of a domain, so that the job notices what it loses. */
const cookiesMax = 128;

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Packing what is packed makes nothing smaller: more is done to hurt, or by mistake. */
const codingsMax = 2;
const codingsLengthMax = 200;
const contentTypeLengthMax = 1_024;

/** What a fetch asks for, in the words and the order of browsers. */
export const acceptEncoding = 'gzip, deflate, br, zstd';

const codings = new Map<string, '' | 'gzip' | 'deflate' | 'br' | 'zstd'>([
  ['', ''],
  ['identity', ''],
  // No codings, and sent as such all the same: a character set, and words for none.
  ['none', ''],
  ['binary', ''],
  ['utf-8', ''],
  ['gzip', 'gzip'],
  // RFC 9110, 8.4.1.3: the same thing.
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);

const wantedType = /^(?:text\/html|application\/(?:x?html|xhtml\+xml))$/u;

/**
 * A header with URLs in it. undici makes a character of each byte, so that a URL in UTF-8 would become another one. As
 * Chrome does, bytes beyond ASCII are kept as they are, percent-encoded, in whatever charset they were meant.
 */
function escaped(header: string): string {
  return header.replace(beyondAscii, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

const beyondAscii = /[\u0080-\u00ff]/g;

function firstOf(header: HeaderValue): string {
  return typeof header === 'string' ? header : (header?.[0] ?? '');
}

function allOf(header: HeaderValue, separator = ', '): string {
  return typeof header === 'string' ? header : (header?.join(separator) ?? '');
}
