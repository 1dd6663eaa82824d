/**
 * Why a URL is not among the pages. These codes are part of the API: docs/errors.md explains each, and a test keeps the
 * two in step. A new reason is an API change.
 */
export const discardReasons = {
  excluded_by_glob: 'The URL matches one of `exclude_globs`; the detail names it.',
  excluded_by_pattern: 'The URL matches one of `exclude_patterns`; the detail names it.',
  not_included: 'The URL matches none of `include_globs`, or none of `include_patterns`.',
  off_host: 'The URL, or the URL it redirects to, is on a host outside the job.',
  off_path: 'With `scope: path`: the URL is on a host of the job, but not below the directory of a start URL.',
  depth: 'The URL is more links away from a start URL than `max_depth` allows.',
  logout: 'The link ends a session, and the job has `cookies` or `headers`; not with `follow_logout: true`.',
  nofollow: 'The page asks crawlers not to follow this link; not with `follow_nofollow: true`.',
  robots_disallowed: "The site's robots.txt forbids the URL.",
  crawl_delay_too_long: "The site's robots.txt requests more than 300 seconds between two requests.",
  duplicate_of:
    'The job already has this page under another URL, which the detail names: this URL led there, or title and text are equal or nearly equal.',
  doubted:
    'With `since`: the response is of another kind than the page, so the page is `unknown`; the detail says which. See [what changed](results.md#what-changed).',
  below_min_length: 'The page has less text than `min_length`.',
  unchanged: 'With `deliver: changed`: the page is as it was in the job that `since` names.',
  not_delivered: 'The page matches none of `deliver_globs`; its links were followed.',
  content_type:
    'The URL is neither a page (HTML, XHTML, Markdown) nor, with `include_linked_files`, a file that can be read; the detail names its type.',
  url_too_long: 'The URL is longer than 8,192 characters.',
  page_limit: 'The job delivered `page_limit` pages before this URL.',
  fetch_limit: 'The job made `fetch_limit` attempts before this URL.',
  trap: 'The last pages of the same URL template brought no new text; the detail names the template.',
  script_link:
    'Only scripts made this link, and of its form, which the detail names, ten led to 404 and none to a page.',
  time_limit: 'The job was `time_limit` seconds old before this URL.',
  crawled_before: 'The job is a retry, and the original job has this URL; the detail gives its outcome there.',
  no_raw:
    'In a job of `reextract`: the page is empty, because its raw body is missing or could not be converted; the detail says which.',
  cancelled: 'The job was cancelled before this URL.',
} as const;

export type DiscardReason = keyof typeof discardReasons;

/**
 * Reasons for which a URL is never to be fetched, if they were found without a request: then its state is `outside`. A
 * redirect can lead to the same reasons after a request: then the URL is discarded.
 */
export const outsideReasons: ReadonlySet<string> = new Set<DiscardReason>([
  'off_host',
  'off_path',
  'excluded_by_glob',
  'excluded_by_pattern',
  'not_included',
  'depth',
  'logout',
  'nofollow',
  'robots_disallowed',
  'crawl_delay_too_long',
  'url_too_long',
  'crawled_before',
]);

/** Detail of a URL that is `off_host` after a redirect. */
export const redirectOff = {
  detail: (target: URL): string => `${redirectsTo}${target.href}`,
  target: (detail = ''): URL | undefined =>
    (detail.startsWith(redirectsTo) && URL.parse(detail.slice(redirectsTo.length))) || undefined,
};
const redirectsTo = 'redirects to ';

export const errorReasons = {
  http_error: 'The site responded with an error status: listed as `http_404`, `http_503` and so on.',
  dns: 'The host name could not be resolved.',
  connect: 'No connection to the host could be made.',
  tls: "The host's certificate or TLS handshake is not valid.",
  timeout: 'The fetch did not end within its deadline.',
  reset: 'The host closed the connection before the response was complete.',
  challenge: 'The site responded with a page that tests whether a person is there.',
  bad_response: 'The response is not valid HTTP.',
  body_too_large: 'The body is larger than 20 MiB, compressed or decompressed.',
  bad_encoding: 'The body could not be decompressed, or uses a coding that was not offered.',
  too_many_redirects: 'The URL was redirected more than ten times.',
  bad_redirect: 'The URL redirects to no http or https URL.',
  destination_not_allowed: 'The URL leads to an address, port or scheme that this service may not reach.',
  robots_unreachable: "The site's robots.txt could not be read, so nothing on the site may be fetched.",
  unreadable_file: 'The file is damaged or has a password.',
  parse_timeout: 'The page took too long to convert.',
  parse_budget:
    'The page or file took too much memory, has too many parts or nests them too deeply, or the selectors of the job took too long.',
  parse_crashed: 'The page could not be converted.',
  sitemap_unreadable: 'The response is not a sitemap, or a broken one.',
  browser_missing:
    'The job needs a browser (`use_browser: true` or a screenshot), and no crawling process has had one for ten minutes.',
  poison: 'The process died three times while it worked on this URL alone.',
} as const;

export type ErrorReason = keyof typeof errorReasons;

/** Statuses by which a host refuses a crawler, or is overloaded: if it has served pages before, and for good, it is `blocked`. */
export const blockingStatuses: ReadonlySet<number> = new Set([401, 403, 429, 430, 451, 503, 999]);

/** The error of a response with a status that is not a success. */
export function statusError(statusCode: number) {
  return { reason: 'http_error', message: `The site responded with ${statusCode}.`, statusCode } as const;
}

/** Reason of a failure in the ledger: HTTP errors by status, others by their reason. */
export function ledgerReason(error: { readonly reason: ErrorReason; readonly statusCode?: number }): string {
  return error.reason === 'http_error' && error.statusCode !== undefined ? `http_${error.statusCode}` : error.reason;
}

/** Returns a reason of the ledger as a sentence; empty if there is none. */
export function meaningOf(reason: string): string {
  const meanings: Readonly<Record<string, string>> = { ...discardReasons, ...errorReasons };
  return meanings[reason] ?? (reason.startsWith('http_') ? 'The site responded with this status.' : '');
}
