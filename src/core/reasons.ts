/**
 * Why a URL is not among the pages. These codes are part of the API: docs/errors.md explains each, and a test holds the
 * two together. A new reason is an API change.
 */
export const discardReasons = {
  excluded_by_glob: 'The URL matches one of `exclude_globs`; the detail names it.',
  not_included: 'The URL matches none of `include_globs`.',
  off_host: 'The URL, or the URL it redirects to, is on a host outside the job.',
  off_path: 'With `scope: path`: the URL is on a host of the job, and not below the directory of a start URL.',
  depth: 'The URL is more links away from a start URL than `max_depth` allows.',
  nofollow: 'The page asks that its links, or this link, be not followed; `follow_nofollow` is for that.',
  robots_disallowed: "The site's robots.txt forbids the URL.",
  crawl_delay_too_long: "The site's robots.txt asks for more than 300 seconds between two requests.",
  duplicate_of: 'The job has this page already under another URL; the detail names it.',
  below_min_length: 'The page has less text than `min_length`.',
  content_type:
    'The URL is neither an HTML page nor, with `include_linked_files`, a file that can be read; the detail names its type.',
  url_too_long: 'The URL is longer than 8,192 characters.',
  page_limit: 'The job delivered `page_limit` pages before this URL was reached.',
  fetch_limit: 'The job made `fetch_limit` attempts before this URL was reached.',
  trap: 'The last pages of the same URL template brought no new text; the detail names the template.',
  time_limit: 'The job was `time_limit` seconds old before this URL was reached.',
  crawled_before: 'The job is a retry, and the job that it repeats has this URL already; the detail says as what.',
  cancelled: 'The job was cancelled before this URL was reached.',
} as const;

export type DiscardReason = keyof typeof discardReasons;

export const errorReasons = {
  http_error: 'The site answered with an error status: listed as `http_404`, `http_503` and so on.',
  dns: 'The host name could not be resolved.',
  connect: 'No connection to the host could be made.',
  tls: "The host's certificate or TLS handshake is not valid.",
  timeout: 'The fetch did not end within its deadline.',
  reset: 'The host closed the connection before the answer was complete.',
  bad_response: 'The answer is not valid HTTP.',
  body_too_large: 'The body is larger than 20 MiB, packed or unpacked.',
  bad_encoding: 'The body could not be unpacked, or is packed in a way that was not asked for.',
  too_many_redirects: 'The URL was redirected more than ten times.',
  bad_redirect: 'The URL redirects to something that is not an http or https URL.',
  destination_not_allowed: 'The URL leads to an address, port or scheme that this service may not reach.',
  robots_unreachable: "The site's robots.txt could not be read, so nothing on the site may be fetched.",
  unreadable_file: 'The file is damaged or protected with a password.',
  parse_timeout: 'The page took too long to convert.',
  parse_budget: 'The page or file has too many parts, or they are nested too deeply.',
  parse_crashed: 'The page could not be converted.',
  poison: 'The program died three times while it worked on this URL alone.',
} as const;

export type ErrorReason = keyof typeof errorReasons;

/** What a job may tell its owner unasked, in its `notices`. */
export const noticeCodes = {
  browser_not_supported: 'Pages are not rendered in a browser yet.',
  robots_ignored: 'The job was told not to respect robots.txt.',
  host_unreachable:
    'A host or its robots.txt does not answer, so nothing is fetched from there; it is asked again with growing pauses.',
  host_given_up: 'A host did not answer for 15 minutes (a setting): the URLs of it that were left have failed.',
  network_down:
    'No host at all can be reached, for want of a network or a name server on our side: the job waits for up to 24 hours, and nothing of it fails meanwhile.',
  retry_partial: 'More URLs failed in the job that this one repeats than are crawled again at a time.',
  sitemap_missing:
    'The site names a sitemap that is not there; with `force_crawling_mode: sitemap` also when it has none.',
  sitemap_unreadable: 'A sitemap could not be read, or not to its end; the message says why. The first five are named.',
  trap: 'Pages of one URL template brought no new text any more; its other URLs are discarded.',
  ledger_full: 'The job found more than 1,000,000 URLs; those beyond are neither crawled nor listed.',
} as const;

export type NoticeCode = keyof typeof noticeCodes;

/** How a failure is listed: HTTP errors by their status, the others by their reason. */
export function ledgerReason(error: { readonly reason: ErrorReason; readonly statusCode?: number }): string {
  return error.reason === 'http_error' && error.statusCode !== undefined ? `http_${error.statusCode}` : error.reason;
}
