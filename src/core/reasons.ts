/**
 * Why a URL is not among the pages. These codes are part of the API: docs/errors.md explains each, and a test keeps the
 * two in step. A new reason is an API change.
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
  duplicate_of:
    'The job has this page already under another URL, which the detail names: it led there, or its title and text are equal or nearly equal. A canonical link alone does not make a copy.',
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
  parse_budget:
    'Reading the page or file took too much memory, a file has too many parts or nests them too deeply, or the selectors of the job took too long.',
  parse_crashed: 'The page could not be converted.',
  sitemap_unreadable: 'Only for sitemaps: what was answered is no sitemap, or a broken one.',
  browser_missing: 'The job asks for a browser (`use_browser: true`), and no process has one any more.',
  poison: 'The program died three times while it worked on this URL alone.',
} as const;

export type ErrorReason = keyof typeof errorReasons;

/** Codes of the `notices` that a job can show its owner. */
export const noticeCodes = {
  robots_ignored: 'The job was told not to respect robots.txt.',
  host_unreachable:
    'A host or its robots.txt does not answer, so nothing is fetched from there; it is asked again with growing pauses.',
  host_given_up: 'A host did not answer for 15 minutes (a setting): the URLs of it that were left have failed.',
  network_down:
    'No host at all can be reached, for want of a network or a name server on our side: the job waits for up to 24 hours, and nothing of it fails meanwhile.',
  retry_partial: 'More URLs failed in the job that this one repeats than are crawled again at a time.',
  links_cut: 'Pages have 50,000 links or more: those beyond are not followed. With their number and one of them.',
  cookies_cut:
    'Responses set more cookies than are kept of a job, or longer ones (RFC 6265, section 6.1): 50 a domain, 3,000 a job, 4 KiB each, 64 MiB for all jobs. With the number of such requests and one of them.',
  truncated:
    'Pages or files are larger than is read of one: their text, metadata and links are those of their beginning. With their number and one of them.',
  needs_javascript:
    'Pages have scripts and next to no text: they are written by JavaScript, and the job has `use_browser: false`. With their number and one of them.',
  no_text_layer:
    'PDFs are pictures of their pages, such as scans, without text that could be read. With their number and one of them.',
  browser_missing:
    'Pages need a browser to have their text, and there was none: they were delivered as they were fetched. With their number and one of them.',
  browser_unsandboxed:
    'The operator lets the browser run without its fences (`HAYRAKE_BROWSER_SANDBOX=off`), and it rendered pages of this job.',
  rendered_pages: 'Pages were rendered in a browser. With their number and one of them.',
  render_failed:
    'Pages could not be rendered: they were delivered as they were fetched. With their number and one of them.',
  render_cut:
    'Pages made more requests, loaded more or took longer than a page may: they were delivered with what they had. With their number and one of them.',
  wait_for_unmatched:
    'The selector of `wait_for` matched nothing on pages: they were delivered as they were in the end. With their number and one of them.',
  no_pages: 'The job ended without a page; the message says why.',
  notices_cut: 'The job has more than 100 notices. With the number of the others and the first of them.',
  robots_cut: 'A robots.txt is longer than 500 KiB: rules behind that are not obeyed (RFC 9309, section 2.5).',
  sitemap_missing:
    'The site names a sitemap that is not there; with `force_crawling_mode: sitemap` also when it has none.',
  sitemap_unreadable: 'A sitemap could not be read, or not to its end; the message says why. The first five are named.',
  trap: 'Pages of one URL template brought no new text any more; its other URLs are discarded.',
  only_nofollow:
    'All links of the start pages to other pages of the job ask not to be followed; `follow_nofollow` is for that.',
  page_damaged:
    'A page is damaged, so the results leave it out. The message names the first one that was read. The other pages can be read.',
  ledger_full:
    'The job found more URLs than the service keeps of a job (1,000,000, a setting); those beyond are neither crawled nor listed.',
} as const;

export type NoticeCode = keyof typeof noticeCodes;

/** Notices that a job has once each, with a count and an example. */
export type CountedCode =
  | 'links_cut'
  | 'cookies_cut'
  | 'truncated'
  | 'needs_javascript'
  | 'no_text_layer'
  | 'browser_missing'
  | 'browser_unsandboxed'
  | 'rendered_pages'
  | 'render_failed'
  | 'render_cut'
  | 'wait_for_unmatched'
  | 'notices_cut';

/** Reason of a failure in the ledger: HTTP errors by status, others by their reason. */
export function ledgerReason(error: { readonly reason: ErrorReason; readonly statusCode?: number }): string {
  return error.reason === 'http_error' && error.statusCode !== undefined ? `http_${error.statusCode}` : error.reason;
}

/** Returns a reason of the ledger as a sentence; empty if there is none. */
export function meaningOf(reason: string): string {
  const meanings: Readonly<Record<string, string>> = { ...discardReasons, ...errorReasons };
  return meanings[reason] ?? (reason.startsWith('http_') ? 'The site answered with this status.' : '');
}
