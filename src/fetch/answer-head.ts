import type { FetchedHeaders } from '../core/fetcher.ts';

/** Headers as undici hands them out: lower-case names, a list where a header came more than once. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export function readFetchedHeaders(headers: AnswerHeaders): FetchedHeaders {
  return {
    contentType: firstOf(headers['content-type']),
    contentEncoding: codingOf(headers['content-encoding']) ?? '',
    robotsTag: allOf(headers['x-robots-tag'], '\n'),
    retryAfter: firstOf(headers['retry-after']),
  };
}

/** `gzip`, `br` or empty; undefined if there is more than one coding, or one that was not asked for. */
export function codingOf(header: AnswerHeaders[string]): '' | 'gzip' | 'br' | undefined {
  return header === undefined ? '' : codings.get(allOf(header).trim().toLowerCase());
}

/** The `Location` of a redirect, else undefined. */
export function redirectLocation(statusCode: number, headers: AnswerHeaders): string | undefined {
  if (!redirectStatuses.has(statusCode) || headers['location'] === undefined) {
    return undefined;
  }
  return firstOf(headers['location']);
}

/** Bytes, or undefined if not announced. */
export function contentLengthOf(headers: AnswerHeaders): number | undefined {
  const header = headers['content-length'];
  return header === undefined ? undefined : Number(firstOf(header));
}

/**
 * Whether a body of this type may be of use: a page, a sitemap or a robots.txt. Without a type it may be. Packed sitemaps
 * are often sent as plain bytes, since nginx does not know `.gz` by name.
 */
export function isWantedType(contentType: string, path: string): boolean {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (type === 'application/octet-stream') {
    return unnamedSitemap.test(path);
  }
  return type === '' || wantedType.test(type);
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

const codings = new Map<string, '' | 'gzip' | 'br'>([
  ['', ''],
  ['identity', ''],
  ['gzip', 'gzip'],
  // RFC 9110, 8.4.1.3: the same thing.
  ['x-gzip', 'gzip'],
  ['br', 'br'],
]);

const wantedType = /^(?:text\/.*|application\/(?:(?:[^/]+\+)?(?:xml|json)|x?html|gzip|x-gzip))$/u;
const unnamedSitemap = /\.(?:gz|xml|txt)(?:\?|$)/iu;

function firstOf(header: AnswerHeaders[string]): string {
  return typeof header === 'string' ? header : (header?.[0] ?? '');
}

function allOf(header: AnswerHeaders[string], separator = ', '): string {
  return typeof header === 'string' ? header : (header?.join(separator) ?? '');
}
