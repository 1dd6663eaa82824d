import { type ResponseHead, cookieLineMax, type FetchedHeaders, type FetchOptions } from '../../core/ports/fetcher.ts';
import { fileKindOf } from '../../core/bytes/file-kind.ts';
import { pageTypeOf } from '../../core/bytes/page-type.ts';

/** The only headers kept from a long head. */
export const headersRead = [
  'cf-mitigated',
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
  'x-amzn-waf-action',
  'x-robots-tag',
] as const;

type HeaderValue = string | readonly string[] | undefined;

/** Headers as undici provides them: lower-case names, a list if a header occurs more than once. */
export type ResponseHeaders = Readonly<Partial<Record<(typeof headersRead)[number], HeaderValue>>>;

export function readFetchedHeaders(headers: ResponseHeaders): FetchedHeaders {
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
    ...(isChallenge(headers) && { isChallenge: true }),
  };
}

/**
 * Returns `gzip`, `deflate`, `br` or `zstd`, two of them in the order of application (RFC 9110, 8.4) with a space
 * between, or empty. Undefined if there are more, or one that we do not accept.
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

/**
 * Returns the `Location` of a redirect, with bytes beyond ASCII percent-encoded; undefined if the response is not a
 * redirect.
 */
export function redirectLocation(statusCode: number, headers: ResponseHeaders): string | undefined {
  if (!redirectStatuses.has(statusCode) || headers['location'] === undefined) {
    return undefined;
  }
  return escaped(firstOf(headers['location']));
}

/** See {@link FetchedBody.setCookies}. */
export function cookiesOf(headers: ResponseHeaders): { readonly setCookies?: readonly string[] } {
  const header = headers['set-cookie'];
  if (header === undefined) {
    return {};
  }
  const lines = typeof header === 'string' ? [header] : header;
  return { setCookies: lines.slice(0, cookiesMax).map((line) => line.slice(0, cookieLineMax + 1)) };
}

/** See {@link ResponseHead}. */
export function wholeHead(headers: Readonly<Record<string, HeaderValue>>): ResponseHead {
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : (value ?? [])).map((one) => [name, one] as const),
  );
}

/** Announced bytes, or undefined. */
export function contentLengthOf(headers: ResponseHeaders): number | undefined {
  const header = headers['content-length'];
  return header === undefined ? undefined : Number(firstOf(header));
}

/**
 * Returns true if {@link FetchOptions.wants} includes bodies of this type. A missing type is included. Servers send
 * robots.txt and sitemaps with any type: callers that fetch these use `all`.
 */
export function isWantedType(contentType: string, path: string, wants: FetchOptions['wants'] = 'pages'): boolean {
  if (wants === 'all' || (wants === 'files' && fileKindOf(contentType, path) !== undefined)) {
    return true;
  }
  return pageTypeOf(contentType) !== undefined;
}

/** Characters: one per byte in a header. */
const linkLengthMax = 16 * 1024;
const validatorLengthMax = 1_024;
const robotsTagLengthMax = 16 * 1024;
const retryAfterLengthMax = 1_024;
/** Far more than the job keeps per domain, so that it notices a loss. */
const cookiesMax = 128;

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Compressing twice makes nothing smaller: more codings are an attack or a mistake. */
const codingsMax = 2;
const codingsLengthMax = 200;
const contentTypeLengthMax = 1_024;

/** Sent with a fetch, in the wording and order of browsers. */
export const acceptEncoding = 'gzip, deflate, br, zstd';

const codings = new Map<string, '' | 'gzip' | 'deflate' | 'br' | 'zstd'>([
  ['', ''],
  ['identity', ''],
  // Not codings, but servers send them: a character set, and words for "none".
  ['none', ''],
  ['binary', ''],
  ['utf-8', ''],
  ['gzip', 'gzip'],
  // The same coding (RFC 9110, 8.4.1.3).
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);

/**
 * Escapes a header that contains URLs. undici turns each byte into a character, which would change a URL in UTF-8. Like
 * Chrome, this keeps bytes beyond ASCII, percent-encoded, whatever their charset.
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

/** What firewalls say of a response that is a test in place of the page. */
function isChallenge(headers: ResponseHeaders): boolean {
  return [headers['cf-mitigated'], headers['x-amzn-waf-action']].some((value) => challenges.has(firstOf(value)));
}

const challenges: ReadonlySet<string> = new Set(['challenge', 'captcha']);
