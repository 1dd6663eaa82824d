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
  nofollow:
    'The page asks crawlers not to follow this link, or any of its links; `follow_nofollow: true` overrides that.',
  robots_disallowed: "The site's robots.txt forbids the URL.",
  crawl_delay_too_long: "The site's robots.txt requests more than 300 seconds between two requests.",
  duplicate_of:
    'The job already has this page under another URL, which the detail names: this URL led there, or title and text are equal or nearly equal. A canonical link alone does not make a duplicate.',
  below_min_length: 'The page has less text than `min_length`.',
  content_type:
    'The URL is neither an HTML page nor, with `include_linked_files`, a file that can be read; the detail names its type.',
  url_too_long: 'The URL is longer than 8,192 characters.',
  page_limit: 'The job delivered `page_limit` pages before this URL was reached.',
  fetch_limit: 'The job made `fetch_limit` attempts before this URL was reached.',
  trap: 'The last pages of the same URL template brought no new text; the detail names the template.',
  time_limit: 'The job was `time_limit` seconds old before this URL was reached.',
  crawled_before: 'The job is a retry, and the original job already has this URL; the detail gives its outcome there.',
  cancelled: 'The job was cancelled before this URL was reached.',
} as const;

export type DiscardReason = keyof typeof discardReasons;

export const errorReasons = {
  http_error: 'The site responded with an error status: listed as `http_404`, `http_503` and so on.',
  dns: 'The host name could not be resolved.',
  connect: 'No connection to the host could be made.',
  tls: "The host's certificate or TLS handshake is not valid.",
  timeout: 'The fetch did not end within its deadline.',
  reset: 'The host closed the connection before the response was complete.',
  bad_response: 'The response is not valid HTTP.',
  body_too_large: 'The body is larger than 20 MiB, compressed or decompressed.',
  bad_encoding: 'The body could not be decompressed, or uses a coding that was not offered.',
  too_many_redirects: 'The URL was redirected more than ten times.',
  bad_redirect: 'The URL redirects to something that is not an http or https URL.',
  destination_not_allowed: 'The URL leads to an address, port or scheme that this service may not reach.',
  robots_unreachable: "The site's robots.txt could not be read, so nothing on the site may be fetched.",
  unreadable_file: 'The file is damaged or protected with a password.',
  parse_timeout: 'The page took too long to convert.',
  parse_budget:
    'Reading the page or file took too much memory, a file has too many parts or nests them too deeply, or the selectors of the job took too long.',
  parse_crashed: 'The page could not be converted.',
  sitemap_unreadable: 'Only for sitemaps: the response is not a sitemap, or a broken one.',
  browser_missing:
    'The job needs a browser (`use_browser: true` or a screenshot), and no crawling process has had one for ten minutes.',
  poison: 'The process died three times while it worked on this URL alone.',
} as const;

export type ErrorReason = keyof typeof errorReasons;

/** Codes of the `notices` that a job can show its owner. */
export const noticeCodes = {
  robots_ignored: 'The job ignores robots.txt (`respect_robots: false`).',
  host_unreachable:
    'A host or its robots.txt does not respond. Nothing is fetched from it; it is retried at growing intervals.',
  host_given_up: 'A host did not respond for 15 minutes (a setting). Its remaining URLs have failed.',
  network_down:
    'No host can be reached: the service has no network or no name server. The job waits for up to 24 hours, and none of its URLs fails meanwhile.',
  retry_partial: 'More URLs failed in the original job than one retry crawls again.',
  links_cut:
    'Pages have 50,000 links or more; further links are not followed. The message has the number of pages and an example.',
  cookies_cut:
    'Responses set more or longer cookies than a job keeps (RFC 6265, section 6.1): 50 per domain, 3,000 per job, 4 KiB each, 64 MiB for all jobs. The message has the number of responses and an example.',
  truncated:
    'Pages or files are larger than the service reads: their text, metadata and links cover only the beginning. The message has their number and an example.',
  needs_javascript:
    'Pages have scripts and almost no text: JavaScript writes them, and the job has `use_browser: false`. The message has their number and an example.',
  no_text_layer:
    'PDFs contain images of pages, such as scans, and no text. The message has their number and an example.',
  unreadable_text:
    'PDFs have characters whose fonts do not say which letters they are, so the text lacks them. The message has the number of files and an example.',
  browser_missing:
    'Pages need a browser to show their text, and there was none. They were delivered as fetched. The message has their number and an example.',
  browser_unsandboxed:
    'The operator lets the browser run without sandbox and network namespace (`HAYRAKE_BROWSER_SANDBOX=off`), and it rendered pages of this job.',
  rendered_pages: 'Pages were rendered in a browser. The message has their number and an example.',
  render_failed:
    'Pages could not be rendered. They were delivered as fetched. The message has their number and an example.',
  render_cut:
    'Pages exceeded a limit of the browser: requests, bytes or time. They were delivered with what had loaded. The message has their number and an example.',
  wait_for_unmatched:
    'The selector of `wait_for` matched nothing on some pages. They were delivered in their last state. The message has their number and an example.',
  duplicate_urls:
    'A batch names URLs more than once, in spellings that mean the same page. Each is fetched once. The message has the number of the others and an example.',
  no_screenshot:
    'Pages have no screenshot: it could not be taken, exceeds 10 MiB, or the page is a file. They were delivered without. The message has their number and an example.',
  fields_ignored:
    'The request came in the shape of another API (docs/firecrawl.md) and has fields without effect. The message names them.',
  no_pages: 'The job ended without a page; the message says why.',
  notices_cut: 'The job has more than 100 notices. The message has the number of the others and the first of them.',
  robots_cut: 'A robots.txt is longer than 500 KiB. Rules after that are not obeyed (RFC 9309, section 2.5).',
  sitemap_missing:
    'The site names a sitemap that does not exist; with `force_crawling_mode: sitemap`, also when the site has none.',
  sitemap_unreadable:
    'A sitemap could not be read, or only in part; the message says why. Only the first five are reported.',
  trap: 'The last pages of a URL template brought no new text; its other URLs are discarded.',
  only_nofollow:
    'All links from the start pages to other pages of the job are marked `nofollow`; `follow_nofollow: true` follows them.',
  page_damaged:
    'A page is damaged, so the results leave it out. The message names the first one that was read. The other pages can be read.',
  ledger_full:
    'The job found more URLs than the service keeps per job (1,000,000, a setting). Further URLs are neither crawled nor listed.',
} as const;

export type NoticeCode = keyof typeof noticeCodes;

/** Notices that a job has once each, with a count and an example. */
export type CountedCode =
  | 'links_cut'
  | 'cookies_cut'
  | 'truncated'
  | 'needs_javascript'
  | 'no_text_layer'
  | 'unreadable_text'
  | 'browser_missing'
  | 'browser_unsandboxed'
  | 'rendered_pages'
  | 'render_failed'
  | 'render_cut'
  | 'wait_for_unmatched'
  | 'no_screenshot'
  | 'notices_cut';

/** Reason of a failure in the ledger: HTTP errors by status, others by their reason. */
export function ledgerReason(error: { readonly reason: ErrorReason; readonly statusCode?: number }): string {
  return error.reason === 'http_error' && error.statusCode !== undefined ? `http_${error.statusCode}` : error.reason;
}

/** Returns a reason of the ledger as a sentence; empty if there is none. */
export function meaningOf(reason: string): string {
  const meanings: Readonly<Record<string, string>> = { ...discardReasons, ...errorReasons };
  return meanings[reason] ?? (reason.startsWith('http_') ? 'The site responded with this status.' : '');
}
