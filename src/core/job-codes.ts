// Codes of what a job says about itself, besides its counts: findings and notices.
import type { z } from 'zod';
import { grouped } from './grouped.ts';
import type { Builder } from './resource.ts';

/** What is fixed about a code. */
interface CodeFacts {
  /** A finding: the result is less than the site. Otherwise a notice. */
  readonly missing: boolean;
  /** For docs/errors.md. */
  readonly about: string;
  /** What the owner can do; every finding has it. */
  readonly remedy?: string;
  /** The message, for codes that a job has once, with a count and an example (mostly a URL). */
  readonly says?: (count: number, example: string) => string;
}

function have(count: number, noun = 'page'): string {
  return count === 1 ? `1 ${noun} has` : `${grouped(count)} ${noun}s have`;
}

function were(count: number, noun = 'page'): string {
  return count === 1 ? `1 ${noun} was` : `${grouped(count)} ${noun}s were`;
}

function was(count: number): string {
  return count === 1 ? 'was' : 'were';
}

function urls(count: number): string {
  return count === 1 ? '1 URL' : `${grouped(count)} URLs`;
}

/** What helps against failures, by their reason in the ledger. */
const failureRemedies: readonly [reason: RegExp, remedy: string][] = [
  [/^http_4(?:04|10)$/, 'Check the address of the start URL.'],
  [
    /^http_40[17]$/,
    'The site wants a login: crawl again with `headers` or `cookies` of a session that may read these URLs, or exclude them.',
  ],
  [
    /^(?:http_(?:40[0356]|451)|challenge)$/,
    'Name a contact (HAYRAKE_CONTACT), crawl with a longer `host_delay_ms`, and ask the owner of the site to let the crawler in; or exclude these URLs.',
  ],
  [/^http_(?:429|999)$/, 'Retry the job later, with a lower `host_concurrency` and a longer `host_delay_ms`.'],
  [/^http_5/, 'The site has a fault of its own. Retry the job when it is mended.'],
  [/^dns$/, 'Check the name of the host: no name server knows it, or none responds.'],
  [/^connect$/, 'Check the host and the port of the address, and whether the server runs. Then retry the job.'],
  [
    /^tls$/,
    'Ask the owner of the site for a valid certificate. `insecure_tls: true` crawls without checking it, where that is yours to decide.',
  ],
  [/^(?:timeout|reset)$/, 'Retry the job when the host is faster, with a lower `host_concurrency`.'],
  [/^destination_not_allowed$/, 'Check the address. The operator allows one of an own network with `--allow-private`.'],
  [/^robots_unreachable$/, 'Open robots.txt of the host in a browser. Retry the job when it can be read, or is gone.'],
  [/_redirects?$/, 'Open the example in a browser. It may need `cookies`.'],
  [
    /^(?:body_too_large|bad_|unreadable_file|parse_)/,
    'The list of URLs has the reason of each. A retry will hardly help.',
  ],
];

const causedByFailures: ReadonlySet<string> = new Set<FindingCode>(['failed_pages', 'host_unreachable']);

/** What its owner can do. `reason`: of most of the URLs that it is about. */
export function remedyOf(code: FindingCode, reason = ''): string {
  const known = causedByFailures.has(code) ? failureRemedies.find(([of]) => of.test(reason)) : undefined;
  return known?.[1] ?? jobCodes[code].remedy;
}

/** These codes are part of the API: docs/errors.md is written from this table. */
export const jobCodes = {
  page_limit_reached: {
    missing: true,
    about: 'The job delivered `page_limit` pages, and URLs were left.',
    remedy: 'Crawl again with a higher `page_limit`.',
    says: (count, example) => `${urls(count)} ${was(count)} left when \`page_limit\` was reached, such as ${example}.`,
  },
  fetch_limit_reached: {
    missing: true,
    about: 'The job made `fetch_limit` attempts, and URLs were left.',
    remedy: 'Crawl again with a higher `fetch_limit`.',
    says: (count, example) => `${urls(count)} ${was(count)} left when \`fetch_limit\` was reached, such as ${example}.`,
  },
  time_limit_reached: {
    missing: true,
    about: 'The job was `time_limit` seconds old, and URLs were left.',
    remedy: 'Crawl again with a higher `time_limit`.',
    says: (count, example) => `${urls(count)} ${was(count)} left when \`time_limit\` was over, such as ${example}.`,
  },
  url_limit_reached: {
    missing: true,
    about: 'The job found more than `HAYRAKE_JOB_URLS` URLs. Further ones are neither crawled nor listed.',
    remedy: 'Crawl parts of the site in jobs of their own, or raise `HAYRAKE_JOB_URLS`.',
    says: (count, example) =>
      `${urls(count)} beyond the limit of URLs of a job ${was(count)} neither crawled nor listed, such as ${example}.`,
  },
  cancelled: {
    missing: true,
    about: 'The job was cancelled before it had read every URL, or made every page again.',
    remedy: 'Crawl again, and let the job end by itself.',
    says: (count, example) =>
      count === 0
        ? 'The job was cancelled before its end.'
        : `${urls(count)} ${was(count)} left when the job was cancelled, such as ${example}.`,
  },
  blocked: {
    missing: true,
    about:
      'A host that had served pages began to refuse everything (401, 403, 429, 430, 451, 503) for five minutes, or to test whether a person is there.',
    remedy:
      'Retry the job later, with a lower `host_concurrency` and a longer `host_delay_ms`; ask the owner of the site to let the crawler in.',
    says: (count, example) =>
      `The host refused ${urls(count)}, or tested whether a person is there, such as ${example}.`,
  },
  signed_out: {
    missing: true,
    about:
      'Many URLs led to one page with a password field instead of their own content. With `since`: pages ask for a password that did not before.',
    remedy: 'Crawl again with `cookies` or `headers` of a session that is signed in.',
    says: (count, example) => `${urls(count)} led to a page that asks for a password, such as ${example}.`,
  },
  same_page: {
    missing: true,
    about:
      'URLs began to show texts of other URLs, and pages that were delivered before do so now too: a maintenance or error page, mostly. Or three other paths show the start page, and there is no other page. With `since`: pages began to show one text.',
    remedy: 'Open the example in a browser; crawl again when the site shows its pages.',
    says: (count, example) => `${urls(count)} ${count === 1 ? 'shows' : 'show'} the same page, such as ${example}.`,
  },
  language_changed: {
    missing: true,
    about:
      'Most pages are in another language than the start page, and their URLs do not name it: the site has switched. With `since`: pages are in another language than before.',
    remedy: 'Crawl again with `keep_cookies: false`, or with the header `Accept-Language`.',
    says: (count, example) => `${were(count)} delivered in another language than the start page, such as ${example}.`,
  },
  all_off_host: {
    missing: true,
    about:
      'Nearly all links of the start pages lead to one other host; or most URLs redirect there, in a job with `cookies` or `headers` a tenth.',
    remedy:
      'Crawl that host, or set `allow_external` or `scope: subdomains`. If it is where one signs in, crawl again with a session that is signed in.',
    says: (count, example) => `${urls(count)} ${count === 1 ? 'leads' : 'lead'} to another host, such as ${example}.`,
  },
  only_nofollow: {
    missing: true,
    about: 'All links from the start pages to other pages of the job are marked `nofollow`.',
    remedy: 'Crawl again with `follow_nofollow: true`.',
    says: (count, example) =>
      count === 1
        ? `The only link to another page is marked nofollow: ${example}.`
        : `All ${grouped(count)} links to other pages are marked nofollow, such as ${example}.`,
  },
  pattern_unmatched: {
    missing: true,
    about:
      'No URL but the start URLs matches `include_globs` or `include_patterns`, or no page matches `deliver_globs`. Of `extract`, with at least 20 pages: none matches `when`, or none of those has a `required` field.',
    remedy:
      'Compare the patterns with the example. A preview shows which links they let through: in the dashboard, or `POST /crawler/jobs/preview`. `GET /crawler/jobs/{id}/extract` counts pages by field.',
    says: (count, example) =>
      `None of ${urls(count)} that were found matches the patterns of the job, such as ${example}.`,
  },
  shrunk: {
    missing: true,
    about:
      'More than half of the pages of the job that `since` names, or all on one of several hosts, seem to be gone. None of them is removed until 5 × `confirm_runs` runs in a row (10 by default) have found the same.',
    remedy: 'Look at the site. If they are gone, `POST /crawler/jobs/{id}/changes/accept` removes them.',
    says: (count, example) =>
      `${grouped(count)} pages of the earlier job seem to be gone, such as ${example}. That is too many at once, so none of them is removed yet.`,
  },
  site_changed: {
    missing: true,
    about:
      'From some URL on a host answered with 404, a redirect to one page, or another kind of file, also where it had served pages. With `since`: pages are another kind of file than before, or redirect to a host outside the job: they are `unknown`, and their texts stay.',
    remedy:
      'Open the example in a browser. If the site has changed for good, `POST /crawler/jobs/{id}/changes/accept` says so.',
    says: (count, example) =>
      `${urls(count)} ${count === 1 ? 'answers' : 'answer'} with something else than a page, from ${example} on.`,
  },
  lastmod_untrue: {
    missing: true,
    about:
      'With `trust_lastmod`: pages changed although their `lastmod` in the sitemap stood still. Others may have, and were not asked for. From now on all are.',
    remedy: 'Crawl again with `since`: all pages are asked for. Leave out `trust_lastmod` for this site.',
    says: (count, example) =>
      `${have(count)} changed although \`lastmod\` in the sitemap stood still, such as ${example}. Pages that were not asked for may have changed too.`,
  },
  robots_forbids: {
    missing: true,
    about:
      'robots.txt forbids a start URL, more than two and 1 % of the URLs of the sitemap, or more URLs than were delivered, if these are fewer than ten.',
    remedy:
      'Ask the owner of the site. `respect_robots: false` crawls without that permission, where it is yours to give.',
    says: (count, example) => `robots.txt forbids ${urls(count)}, such as ${example}.`,
  },
  empty_pages: {
    missing: true,
    about:
      'Pages have no text: a start page, or more than a tenth of all pages. With `since`: pages have less than a tenth of their words.',
    remedy:
      'Open the example in a browser. Crawl again with `use_browser: true` if scripts write the page, or start at the URL that it embeds.',
    says: (count, example) => `${have(count)} no text, such as ${example}.`,
  },
  host_unreachable: {
    missing: true,
    about:
      'A host did not respond for 15 minutes (a setting), or has never responded, for 20 s (`unreachable_seconds`). Its URLs have failed.',
    remedy: 'Check the address; retry the job when the host responds.',
  },
  start_moved: {
    missing: true,
    about: 'A start URL redirects to a foreign host: its page was delivered, that host was not crawled.',
    remedy: 'Start at the URL where the site is now.',
    says: (count, example) =>
      count === 1
        ? `A start URL redirects to another host, which was not crawled: ${example}.`
        : `${grouped(count)} start URLs redirect to other hosts, which were not crawled, such as ${example}.`,
  },
  failed_pages: {
    missing: true,
    about:
      'URLs that may exist could not be read: a start URL, or more than one in two hundred of the URLs. Dead links (404, 410), URLs that another finding counts, and those of `not_public` do not count.',
    remedy: 'Retry the job: it crawls the failed URLs again. The list of URLs has the reason of each.',
    says: (count, example) => `${urls(count)} could not be read, such as ${example}.`,
  },
  no_pages: {
    missing: true,
    about: 'The job ended without a page, and no other finding says why; the message does.',
    remedy: 'The list of URLs has the reason of each.',
  },
  needs_javascript: {
    missing: true,
    about:
      'JavaScript writes pages, and the job has `use_browser: false`: a start page, or more than 1 % of the pages and more than two.',
    remedy: 'Crawl again with `use_browser: auto`.',
    says: (count, example) => `${have(count)} almost no text without JavaScript, such as ${example}.`,
  },
  browser_missing: {
    missing: true,
    about: 'Pages need a browser, and there was none. They were delivered as fetched.',
    remedy: 'Install a browser (docs/browser.md), and crawl again.',
    says: (count, example) => `${have(count)} almost no text without a browser, such as ${example}, and there is none.`,
  },
  render_failed: {
    missing: true,
    about: 'Pages could not be rendered. They were delivered as fetched.',
    remedy: 'Retry with fewer browser tabs, or crawl with `use_browser: false`.',
    says: (count, example) =>
      `${count === 1 ? '1 page' : `${grouped(count)} pages`} could not be rendered in a browser, such as ${example}. Delivered as fetched.`,
  },
  links_cut: {
    missing: true,
    about: 'Pages have 50,000 links or more; further links are not followed.',
    remedy: 'Start at pages that list fewer links each, or at the sitemap.',
    says: (count, example) =>
      `${have(count)} 50,000 links or more, such as ${example}. Links beyond that number are not followed.`,
  },
  truncated: {
    missing: true,
    about: 'Pages or files are larger than the service reads: only their beginning was read.',
    remedy: 'Fetch these files by other means; `truncated` in the metadata marks them.',
    says: (count, example) =>
      `${have(count)} more content than the service reads, such as ${example}. Text, metadata and links cover only the beginning.`,
  },
  sitemap_unreadable: {
    missing: true,
    about: 'A sitemap could not be read, or only in part; the message says why. The first five are reported.',
    remedy: 'Open it in a browser. Pages that no link leads to may be missing.',
  },
  no_text_layer: {
    missing: true,
    about: 'PDFs have pages that are images, such as scans, without text.',
    remedy: 'Recognize their text by other means; `warning` in the metadata marks them.',
    says: (count, example) =>
      `${have(count)} no text, or not that of all pages, because these are images, such as in ${example}.`,
  },
  page_damaged: {
    missing: true,
    about: 'A page is damaged, so the results leave it out. The message names the first one that was read.',
    remedy: 'Crawl again, and check the disk.',
  },
  delay_too_long: {
    missing: true,
    about: 'robots.txt of a host requests more than 300 seconds between two requests: nothing on it was fetched.',
    remedy: 'Ask the owner of the site, or crawl with `respect_robots: false` where that is yours to decide.',
    says: (count, example) => `${urls(count)} ${was(count)} not fetched because of that delay, such as ${example}.`,
  },
  extract_incomplete: {
    missing: true,
    about:
      'Records (`extract`) lack a required field, or have values that can mean two things (`problems` in `extractedFrom`); or pages that match `when` have no record.',
    remedy:
      'Open the example, compare it with the fields of `extract`, and give an alternative for it: in another crawl, or with `store_raw` by `reextract`.',
    says: (count, example) =>
      `${have(count)} a record in which something is missing, such as ${example}. See \`extractedFrom\` in its metadata.`,
  },
  model_unavailable: {
    missing: true,
    about: 'The model did not respond about some pages. Their records have what is known without it.',
    remedy: 'Ask the operator whether the model works (HAYRAKE_MODEL_URL), and crawl again.',
    says: (count, example) =>
      `The model did not respond about ${count === 1 ? '1 page' : `${grouped(count)} pages`}, such as ${example}.`,
  },
  retry_partial: {
    missing: true,
    about: 'More URLs failed in the original job than one retry crawls again.',
    remedy: 'Retry the original job again for the next ones.',
  },

  robots_ignored: { missing: false, about: 'The job ignores robots.txt (`respect_robots: false`).' },
  not_public: {
    missing: false,
    about:
      'Pages link to URLs that are not for everybody (400, 401, 403, 405, 406), and neither a start URL, nor in the sitemap, nor delivered by the job that `since` names.',
    says: (count, example) => `${urls(count)} ${count === 1 ? 'is' : 'are'} not for everybody, such as ${example}.`,
  },
  host_unresponsive: {
    missing: false,
    about: 'A host or its robots.txt does not respond. It is retried at growing intervals.',
  },
  copies_paused: {
    missing: false,
    about:
      'A host began to end every URL in one way: one page, 404, a redirect. It got pauses of 5, 45 and 240 seconds at most, and these URLs were requested again. If it stays so, the finding `same_page` or `site_changed` follows.',
  },
  network_down: {
    missing: false,
    about:
      'The service has no network or no name server. The job waits for up to 24 hours, and none of its URLs fails.',
  },
  cookies_cut: {
    missing: false,
    about: 'Responses set more or longer cookies than a job [keeps](limits.md#a-job).',
    says: (count, example) =>
      `${count === 1 ? '1 response' : `${grouped(count)} responses`} set more or longer cookies than a job keeps, such as that of ${example}. A site that needs them may return different pages.`,
  },
  unreadable_text: {
    missing: false,
    about: 'PDFs have characters whose fonts do not say which letters they are, so the text lacks them.',
    says: (count, example) =>
      `${have(count)} characters whose fonts do not say which letters they are, such as ${example}. The text lacks them; \`unreadableCharacters\` in the metadata has their number.`,
  },
  removals_held: {
    missing: false,
    about:
      'With `since`: pages seem to be gone. A later run removes those that are still gone: the next one, unless `confirm_runs` is more than 2.',
    says: (count, example) =>
      `${count === 1 ? '1 page seems' : `${grouped(count)} pages seem`} to be gone, such as ${example}. A later run removes what is still gone (\`confirm_runs\`).`,
  },
  lastmod_ignored: {
    missing: false,
    about:
      'With `trust_lastmod`: pages changed although their `lastmod` in the sitemap stood still, so all pages of the host are asked for.',
    says: (count, example) =>
      `${have(count)} changed although \`lastmod\` in the sitemap stood still, such as ${example}. All pages of the host were asked for.`,
  },
  all_changed: {
    missing: false,
    about:
      'Nearly all pages of the job that `since` names have another title or text. If that is so each time, a date, a counter or an advertisement stands in each: leave it out with `exclude_elements`.',
    says: (count, example) =>
      `${grouped(count)} pages, nearly all of the earlier job, have another text than before, such as ${example}. If that is so each time, a date or a counter stands in the text of each: leave it out with \`exclude_elements\`.`,
  },
  script_pages: {
    missing: false,
    about:
      'A few pages have almost no text without JavaScript, and there was no browser. They were delivered as fetched.',
    says: (count, example) => `${have(count)} almost no text without JavaScript, such as ${example}.`,
  },
  browser_unsandboxed: {
    missing: false,
    about: 'A browser without sandbox (`HAYRAKE_BROWSER_SANDBOX=off`) rendered pages of this job.',
    says: (count, example) =>
      `${were(count)} rendered in a browser without sandbox and network namespace (HAYRAKE_BROWSER_SANDBOX=off), such as ${example}.`,
  },
  rendered_pages: {
    missing: false,
    about: 'Pages were rendered in a browser.',
    says: (count, example) => `${were(count)} rendered in a browser, such as ${example}.`,
  },
  render_cut: {
    missing: false,
    about: 'Pages exceeded a limit of the browser. They were delivered with what had loaded.',
    says: (count, example) =>
      `${have(count)} more requests, more bytes or longer work than the browser allows a page, such as ${example}. Delivered with what had loaded.`,
  },
  no_raw: {
    missing: true,
    about: 'Pages of a job of `reextract` are empty: their raw body is missing or damaged, or could not be converted.',
    remedy: 'Crawl these URLs again; the ledger says why each is empty. `hayrake check` finds damaged bodies.',
    says: (count, example) =>
      `${count === 1 ? '1 page is' : `${grouped(count)} pages are`} empty, such as ${example}: the raw body is missing or could not be converted.`,
  },
  wait_for_unmatched: {
    missing: false,
    about: 'The selector of `wait_for` matched nothing on some pages.',
    says: (count, example) => `${have(count)} nothing that \`wait_for\` matches, such as ${example}.`,
  },
  unfollowed_navigation: {
    missing: false,
    about:
      'Pages have ways to others that only a person can walk: forms with a list of choices, `#/` routes, links that run a script. A sitemap, or `use_browser`, can have what they lead to.',
    says: (count, example) =>
      `${have(count)} ways to others that were not followed, such as ${example}: choices in a form, \`#/\` routes or links that run a script.`,
  },
  pattern_unused: {
    missing: false,
    about: 'Fields of `extract` that are not `required` are on none of at least 20 pages.',
  },
  declared_unreadable: {
    missing: false,
    about: 'In a job with `extract`: pages have JSON-LD that could not be read, or only in part.',
    says: (count, example) => `${have(count)} JSON-LD that could not be read, such as ${example}.`,
  },
  duplicate_urls: {
    missing: false,
    about: 'A batch names URLs more than once, in spellings that mean the same page. Each is fetched once.',
  },
  no_screenshot: {
    missing: false,
    about: 'Pages have no screenshot: it could not be taken, exceeds 10 MiB, or the page is a file.',
    says: (count, example) =>
      `${have(count)} no screenshot, such as ${example}: it could not be taken, exceeds 10 MiB, or the page is a file.`,
  },
  fields_ignored: {
    missing: false,
    about: 'The request came in the shape of [another API](firecrawl.md). The message names its fields without effect.',
  },
  exclude_unmatched: {
    missing: false,
    about: 'Some of `exclude_globs` or `exclude_patterns` match no URL that was found.',
    says: (count, example) =>
      `${count === 1 ? '1 exclude pattern matches' : `${grouped(count)} exclude patterns match`} no URL that was found, such as ${example}.`,
  },
  notices_cut: {
    missing: false,
    about: 'The job has more than 100 findings and notices. The message has the number of the others, and one.',
    says: (count, example) =>
      `${count} further ${count === 1 ? 'notice is' : 'notices are'} not listed. The first of them: ${example}`,
  },
  robots_cut: {
    missing: false,
    about: 'A robots.txt is longer than 500 KiB. Rules after that are not obeyed (RFC 9309, section 2.5).',
  },
  sitemap_missing: {
    missing: false,
    about:
      'The site names a sitemap that does not exist; with `force_crawling_mode: sitemap`, also when the site has none.',
  },
  script_links: {
    missing: false,
    about: 'Ten links of one form that only scripts made led nowhere; the others of that form are discarded.',
  },
  trap: {
    missing: false,
    about: 'The last pages of a URL template brought no new text; its other URLs are discarded.',
  },
} as const satisfies Record<string, CodeFacts>;

export type JobCode = keyof typeof jobCodes;

/** Codes that a job has once each, with a count and an example. */
export type CountedCode = {
  [Code in JobCode]: (typeof jobCodes)[Code] extends { readonly says: unknown } ? Code : never;
}[JobCode];

/** Codes of findings; the others are of notices. */
export type FindingCode = {
  [Code in JobCode]: (typeof jobCodes)[Code] extends { readonly missing: true } ? Code : never;
}[JobCode];

export type NoticeCode = Exclude<JobCode, FindingCode>;

export function isMissing(code: JobCode): code is FindingCode {
  return jobCodes[code].missing;
}

/** Findings in the order in which a job lists them; those of one row, and all others behind them, by count. */
const findingOrder: readonly (readonly FindingCode[])[] = [
  [
    'page_limit_reached',
    'fetch_limit_reached',
    'time_limit_reached',
    'url_limit_reached',
    'cancelled',
    'robots_forbids',
    'delay_too_long',
    'start_moved',
    'all_off_host',
    'only_nofollow',
    'pattern_unmatched',
  ],
  ['blocked', 'signed_out', 'site_changed', 'host_unreachable'],
  ['same_page', 'empty_pages', 'language_changed'],
  ['shrunk'],
  ['render_failed', 'browser_missing', 'needs_javascript'],
  ['failed_pages'],
];

export function rankOf(code: FindingCode): number {
  const rank = findingOrder.findIndex((codes) => codes.includes(code));
  return rank === -1 ? findingOrder.length : rank;
}

export const findingCodes = (Object.keys(jobCodes) as JobCode[]).filter(isMissing);

/** Why the result is less than the site. */
export const jobFinding = (z: Builder) =>
  z.object({
    code: z.enum(findingCodes).describe('Stable. docs/errors.md lists the codes.'),
    count: z.int().describe('Number of cases, mostly of URLs.'),
    // Without user, password and fragment.
    example: z.string().describe('A case, mostly a URL; empty if there is none to name.'),
    message: z.string().describe('What is missing, for people.'),
    remedy: z.string().describe('What you can do.'),
  });
export type JobFinding = Readonly<z.output<ReturnType<typeof jobFinding>>>;
