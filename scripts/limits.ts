// docs/limits.md: every limit of the service. Numbers are read from the constants in the code, wherever they stand, so that
// none can change without its line.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SettingName, Settings } from '../src/config/config.ts';
import { browserNeedsMb } from '../src/core/ports/renderer.ts';

/** What a number counts; it also says how to write it. */
type Unit = 'pixels' | 'bytes' | 'ms' | 's' | 'characters' | 'times' | '%';

/** What, file and constant, unit. */
type Limit = readonly [string, string, string, Unit];

const sections: Readonly<Record<string, readonly Limit[]>> = {
  'The API': [
    ['Request body', 'api/limits', 'bodyBytesMax', 'bytes'],
    ['Request body of a batch', 'api/limits', 'batchBytesMax', 'bytes'],
    ['Request line and headers together', 'api/limits', 'headBytesMax', 'bytes'],
    ['Headers of a request', 'api/limits', 'headersMax', 'times'],
    ['Time to the end of the headers', 'api/limits', 'headSecondsMax', 's'],
    ['Time to the end of the body', 'api/limits', 'requestSecondsMax', 's'],
    ['Time that an idle connection is kept', 'api/limits', 'keepAliveSeconds', 's'],
    ['Requests per minute and address without a valid token', 'api/limits', 'failedTokensPerMinute', 'times'],
    ['Sign-ins of browsers per minute and address', 'api/limits', 'signInsPerMinute', 'times'],
    ['Time that a login link is valid', 'jobs/sessions', 'loginCodeSeconds', 's'],
    ['Time that a session lasts after its last request', 'jobs/sessions', 'sessionSeconds', 's'],
    ['Sessions per token', 'jobs/sessions', 'sessionsPerTokenMax', 'times'],
    ['Valid tokens per org, if created by the API', 'jobs/manage-tokens', 'tokensPerOrgMax', 'times'],
    ['Name of a token', 'jobs/manage-tokens', 'tokenNameMax', 'characters'],
    ['Unused login links per token', 'jobs/sessions', 'loginCodesPerTokenMax', 'times'],
    ['Text of one response, plus at most one page', 'jobs/read-results', 'responseBytesMax', 'bytes'],
    ['Responses in progress at a time, over all orgs; one org gets half', 'api/limits', 'responseBytesMax', 'bytes'],
    ['The same as a share of the available memory, if that is less', 'api/limits', 'responseMemoryShare', '%'],
    ['Jobs that one response compares with `q`', 'core/ports/stores', 'jobsSearchedMax', 'times'],
    ['Jobs that are counted, per status and kind', 'core/ports/stores', 'jobsCountedMax', 'times'],
    ['URLs that one response compares with `q` or `found_on`', 'core/ports/stores', 'urlsSearchedMax', 'times'],
    ['Pairs of a host and a job that one list of hosts looks at', 'core/ports/stores', 'hostPairsMax', 'times'],
    ['Groups of URLs in a tree', 'core/ports/stores', 'treeGroupsMax', 'times'],
    ['Time that a response waits for memory', 'api/limits', 'responseWaitSeconds', 's'],
    ['Time for a client to read a response', 'api/limits', 'responseReadSeconds', 's'],
    ['Read-ahead of a stream', 'api/limits', 'streamBytesMax', 'bytes'],
    ['Exports of one org at a time', 'api/limits', 'exportsPerOrg', 'times'],
    ['Memory of the heap of an export, in MiB', 'export/encode-apart', 'heapMbMax', 'times'],
    ['Bytes of each text of a difference', 'diff/text-diff', 'diffBytesMax', 'bytes'],
    ['Time to compare them', 'diff/text-diff', 'diffMs', 'ms'],
    ['Lines of a difference', 'diff/text-diff', 'diffLinesMax', 'times'],
    [
      'Differences that are computed at a time, over all orgs; one org gets half',
      'diff/compare-apart',
      'diffsAtOnce',
      'times',
    ],
    ['Time that a difference waits for its turn', 'diff/compare-apart', 'diffWaitMs', 'ms'],
    ['Time after which its thread is ended', 'diff/compare-apart', 'diffThreadMs', 'ms'],
    ['Memory of the heap of a difference, in MiB', 'diff/compare-apart', 'diffHeapMbMax', 'times'],
    ['Sections of an export as `llms.txt`', 'export/llms', 'sectionsMax', 'times'],
    ['A description in it', 'export/llms', 'descriptionCharsMax', 'characters'],
    ['Memory in use above which no job is accepted', 'api/limits', 'memoryShareMax', '%'],
  ],
  Search: [
    ['Text of a query', 'jobs/search-pages', 'queryLengthMax', 'characters'],
    ['Words and phrases of a query', 'jobs/search-pages', 'phrasesMax', 'times'],
    ['Hits that can be listed', 'storage/rules/search/search-engine', 'hitsMax', 'times'],
    ['Time that a search waits for its index', 'api/limits', 'indexWaitSeconds', 's'],
    ['Text of a page that is searched', 'search/plain-text', 'searchedCharactersMax', 'characters'],
    ['Beginning of this text in which the snippet is chosen', 'search/snippet', 'snippetSearchMax', 'characters'],
    [
      'Texts that are read for the snippets of a response, plus at most one page',
      'storage/rules/search/searches',
      'sliceBytesMax',
      'bytes',
    ],
    [
      'Space that an index leaves on the disk, besides HAYRAKE_DISK_FREE_MB, in MiB',
      'storage/sqlite/search/sqlite-search',
      'marginMb',
      'times',
    ],
    [
      'Words of a page that have a place, so that phrases find them; PostgreSQL only',
      'storage/postgres/search/vectors',
      'placeMax',
      'times',
    ],
    ['Index of a page; PostgreSQL only', 'storage/postgres/search/vectors', 'vectorBytesMax', 'bytes'],
  ],
  'A job': [
    ['URLs of a batch', 'options/inputs', 'batchUrlsMax', 'times'],
    ['URLs of a map, their length together', 'jobs/best-of', 'mapBytesMax', 'bytes'],
    ['Sitemaps that are read', 'storage/rules/frontier/settling', 'sitemapsMax', 'times'],
    ['Hosts whose sitemaps can be trusted (`trust_lastmod`)', 'storage/rules/frontier/revisits', 'hostsMax', 'times'],
    [
      'Time that pages wait for the sitemaps which say how they are',
      'storage/rules/jobs/job-row',
      'sitemapsFirstMs',
      'ms',
    ],
    ['Attempts at a URL', 'crawl/pace/retry-policy', 'attemptsMax', 'times'],
    ['URLs that a retry crawls again', 'storage/rules/frontier/new-jobs', 'failedUrlsMax', 'times'],
    ['Length of a URL', 'url/parse-url', 'urlLengthMax', 'characters'],
    ['Length of a glob', 'url/glob', 'globLengthMax', 'characters'],
    ['Headers or cookies that a client can set', 'options/headers-input', 'namesMax', 'times'],
    ['Value of one of them', 'options/headers-input', 'valueLengthMax', 'characters'],
    ['Cookies kept per domain', 'crawl/job/job-cookies', 'cookiesPerDomainMax', 'times'],
    ['Cookies kept per job', 'crawl/job/job-cookies', 'cookiesPerJobMax', 'times'],
    ['Cookies kept for all jobs, about', 'crawl/job/job-cookies', 'heldBytesMax', 'bytes'],
    ['Name and value of a cookie', 'crawl/job/job-cookies', 'cookieLengthMax', 'characters'],
    ['Cookies sent with a request', 'crawl/job/job-cookies', 'headerLengthMax', 'characters'],
    ['Time that an idempotency key is kept', 'storage/rules/frontier/new-jobs', 'idempotencyKeptMs', 'ms'],
  ],
  'A fetch': [
    ['Time to the head of a response, and without a byte of its body', 'start/start-engine', 'fetchSilenceMs', 'ms'],
    [
      'Time for the whole fetch; a body that still arrives then is not tried again',
      'start/start-engine',
      'fetchDeadlineMs',
      'ms',
    ],
    ['Time for robots.txt', 'start/crawl-life', 'robotsDeadlineMs', 'ms'],
    ['Time to connect', 'fetch/guard/guarded-connector', 'connectMs', 'ms'],
    ['Time for the name server, within the time to connect', 'fetch/guard/egress', 'resolveMs', 'ms'],
    ['Body, compressed and decompressed', 'start/start-engine', 'bodyBytesMax', 'bytes'],
    ['Size up to which a body counts as small', 'crawl/path/body-budget', 'smallBytesMax', 'bytes'],
    [
      'All larger bodies in memory together; one at a time may exceed it',
      'config/memory-plan',
      'bodiesBytesMax',
      'bytes',
    ],
    ['Codings applied to a body', 'fetch/response/response-head', 'codingsMax', 'times'],
    ['Frames of a zstd body', 'crawl/convert/zstd-frames', 'framesMax', 'times'],
    ['Window size of a zstd frame (its memory)', 'crawl/convert/unpack-body', 'zstdWindowBytesMax', 'bytes'],
    [
      'Frames of HTTP/2 that are no part of a response, after the last request',
      'fetch/http2/http2-connection',
      'emptyFramesMax',
      'times',
    ],
    [
      'Headers of a response, including its interim responses',
      'fetch/response/response-heads',
      'headBytesMax',
      'bytes',
    ],
    ['Number of these headers', 'fetch/response/response-heads', 'headersMax', 'times'],
    ['Part of long headers that is read, per name', 'fetch/response/shorten-head', 'nameBytesMax', 'bytes'],
    [
      'Part of long headers that is read, over all names and trailers',
      'fetch/response/response-heads',
      'parserBytesMax',
      'bytes',
    ],
    [
      'Wait of a name for its turn among the names of its server, without the delay',
      'crawl/pace/site-pace',
      'lineMsMax',
      'ms',
    ],
    ['Redirects', 'crawl/path/process-page', 'redirectsMax', 'times'],
    ['Part of a robots.txt that is read', 'crawl/pace/robots-gate', 'bytesMax', 'bytes'],
    ['All cached robots.txt, about', 'crawl/pace/robots-gate', 'heldBytesMax', 'bytes'],
    ['A sitemap, decompressed', 'crawl/path/list-of-urls', 'sitemapBytesMax', 'bytes'],
    [
      '`Crawl-delay` that is obeyed; a site that requests more is not crawled',
      'crawl/pace/politeness',
      'crawlDelaySecondsMax',
      's',
    ],
    ['`host_delay_ms` of a job, which other jobs on the host keep meanwhile', 'options/table', 'hostDelayMsMax', 'ms'],
    ['Pause that a site requests', 'crawl/pace/retry-policy', 'pauseMaxMs', 'ms'],
    [
      'Consecutive failures that open the circuit breaker of a host',
      'crawl/pace/circuit-breaker',
      'failuresMax',
      'times',
    ],
    ['First pause of an open circuit breaker', 'crawl/pace/circuit-breaker', 'pauseMs', 'ms'],
    ['Longest pause of an open circuit breaker', 'crawl/pace/circuit-breaker', 'pauseMaxMs', 'ms'],
    ['Time for which a host that has never answered is tried, by default', 'start/start-engine', 'unansweredMs', 'ms'],
    ['Time for which no host is given up while the network is away', 'crawl/pace/outage', 'outageMsMax', 'ms'],
  ],
  'A page in the browser': [
    ['Requests for resources of the page, without scripts', 'render/page-requests', 'askedMax', 'times'],
    ['Scripts of the page', 'render/page-requests', 'scriptsMax', 'times'],
    ['Bytes of all these responses', 'render/page-requests', 'bytesMax', 'bytes'],
    ['Bytes of one of them', 'crawl/path/page-resources', 'bodyBytesMax', 'bytes'],
    ['Time for one of them, without the wait for its turn', 'crawl/path/page-resources', 'fetchDeadlineMs', 'ms'],
    ['Wait for the turn of its host', 'crawl/path/page-resources', 'turnWithinMs', 'ms'],
    ['Requests of all kinds; more abort the page', 'render/page-requests', 'requestsMax', 'times'],
    ['Body of a POST by the page', 'render/page-requests', 'postBytesMax', 'bytes'],
    ['Working time of the browser, without fetches', 'render/browser-clock', 'browserMs', 'ms'],
    ['The same including all fetches', 'render/browser-clock', 'wholeMs', 'ms'],
    ['Virtual time of the page, in which timers run', 'render/tab', 'virtualMs', 'ms'],
    ['The same with `wait_for`', 'render/tab', 'virtualMsMax', 'ms'],
    ['Document after its scripts have run', 'render/tab', 'htmlMax', 'characters'],
    ['Time to read this document', 'render/tab', 'serialiseMs', 'ms'],
    ['Height of a screenshot of a whole page; more is cut off', 'render/tab', 'screenshotHeightMax', 'pixels'],
    ['Time to take a screenshot', 'render/tab', 'screenshotMs', 'ms'],
    ['One screenshot; a larger one is dropped', 'core/page', 'screenshotBytesMax', 'bytes'],
    ['Screenshots and raw bodies that wait for the store', 'crawl/path/waiting-bytes', 'bytesMax', 'bytes'],
    ['URLs that the page gives itself by script', 'render/tab', 'routesMax', 'times'],
    [
      'Memory of all processes of the browser; at the limit the largest page is aborted',
      'render/browser-memory',
      'memoryMax',
      'bytes',
    ],
    [
      'The same where no cgroup can be made; a page can exceed it for a tenth of a second',
      'render/browser-memory',
      'lookedAtMax',
      'bytes',
    ],
    ['Memory that one process may then write to or reserve', 'render/browser-memory', 'processDataMax', 'bytes'],
    ['Memory of the browser; with more it is restarted', 'render/browser-memory', 'retiredAt', 'bytes'],
    ['Pages rendered before the browser is restarted', 'render/browser-life', 'pagesMax', 'times'],
    ['Cached scripts and styles of all jobs', 'crawl/memory/resource-cache', 'heldBytesMax', 'bytes'],
  ],
  'A page': [
    ['Processor time to convert a page', 'start/open-converters', 'convertDeadlineMs', 'ms'],
    ['Processor time to convert a file', 'start/open-converters', 'convertFileDeadlineMs', 'ms'],
    [
      'Elapsed time for a fifth of that, however busy the machine is',
      'crawl/convert/thread/task-clock',
      'waitMsMax',
      'ms',
    ],
    ['Memory of a converter thread, in MiB', 'config/memory-plan', 'converterMbMax', 'times'],
    ['The same for a file, unless no other thread needs more', 'config/memory-plan', 'converterSharedMbMax', 'times'],
    [
      'Beginning of a page that is searched for the `<meta>` with its encoding',
      'extract/html/meta-labels',
      'searchBytesMax',
      'bytes',
    ],
    ['Text from which an encoding is detected', 'core/bytes/detect-charset', 'sampleBytes', 'bytes'],
    ['Beginning of a page that is searched for such text', 'core/bytes/detect-charset', 'searchBytes', 'bytes'],
    ['Elements and texts', 'extract/html/parse-html', 'nodesMax', 'times'],
    ['Depth of elements', 'extract/html/parse-html', 'depthMax', 'times'],
    ['Links', 'extract/scan/links', 'linksMax', 'times'],
    ['Length of a metadata text', 'extract/metadata/metadata-values', 'valueLengthMax', 'characters'],
    ['JSON-LD of a page', 'extract/scan/json-ld', 'charactersMax', 'characters'],
    [
      'Processor time to match the selectors of `include_elements`, and of `exclude_elements`',
      'extract/html/select-elements',
      'selectMsMax',
      'ms',
    ],
    ['Pages of a PDF', 'documents/pdf/pdf', 'pagesMax', 'times'],
    ['Pages of a PDF whose tags are read', 'documents/pdf/pdf', 'taggedPagesMax', 'times'],
    [
      'Decoded streams of a PDF; beyond that only its first pages are kept',
      'documents/pdf/pdf',
      'decodedBytesMin',
      'bytes',
    ],
    ['The same for large files, as a multiple of their size', 'documents/pdf/pdf', 'decodedTimesMax', 'times'],
    ['Cells of a notebook', 'documents/text/notebook', 'cellsMax', 'times'],
    ['Nested parts of a message', 'documents/text/mail', 'nestingMax', 'times'],
    ['Heads of a message', 'documents/text/mail', 'headersBytesMax', 'bytes'],
    ['Files in an archive', 'documents/office/zip-archive', 'entriesMax', 'times'],
    ['An archive, decompressed', 'documents/office/zip-archive', 'inflatedBytesMax', 'bytes'],
  ],
};

/** Settings that are limits. */
const limitSettings: readonly SettingName[] = [
  'requestsPerMinute',
  'jobsPerOrg',
  'lanesPerOrg',
  'waitingPerOrg',
  'jobUrls',
  'connections',
  'concurrency',
  'hostConcurrency',
  'unreachableSeconds',
];

export function limits(table: Settings): string {
  const listed = limitSettings.map((name) => `- \`${table[name].env}\`: ${grouped(Number(table[name].default))}`);
  const tables = Object.entries(sections).map(([title, rows]) => {
    const lines = rows.map(([what, file, name, unit]) => `| ${what} | ${written(constant(file, name), unit)} |`);
    return `## ${title}\n\n| What | Limit |\n|---|---|\n${lines.join('\n')}\n`;
  });
  return `# Limits

A response beyond a limit of the API names the limit ([errors](errors.md)): 429 or 503 with \`Retry-After\`, or another
4xx. Beyond a limit of a fetch or a page, the URL fails or is discarded, and the ledger gives the reason.

The order of checks: the service that the request addresses (421), its token (401), the org's rate limit (429), the
permissions of the token (403), the org's waiting requests and free memory (429, 503), the content of the request (400),
whether its target exists (404, 410), and, for a new job, the org's unfinished jobs (429). \`X-Forwarded-For\` is ignored.

## Settings

The operator sets these ([meanings and ranges](configuration.md)):

${listed.join('\n')}

## Little memory

With less than 4 GiB of memory (\`HAYRAKE_MEMORY_MB\`, else the memory of the container or machine), some limits below are lower.
The browser gets half, at most 1 GiB, and none with less than ${browserNeedsMb} MiB. Shares of the rest:

| What | Limit |
|---|---|
| Converter threads | one per 128 MiB, after the first 128 |
| Memory of a converter thread | 40 % |
| The same for a file, unless no other thread needs more | 40 %, divided by the threads |
| Larger bodies in memory; screenshots and raw bodies that wait for the store | a sixteenth each |
| Cached robots.txt; cookies; scripts and styles | a thirty-second each |
| Responses in progress | an eighth |

The figures of the browser shrink with its share, and it opens a page per 100 MiB. Measured: [memory](decisions/program.md#one-number).

${tables.join('\n')}`;
}

/** A number from the source: digits, products and powers. */
function constant(file: string, name: string): number {
  const source = readFileSync(path.join(import.meta.dirname, '../src', `${file}.ts`), 'utf8');
  const [, text] = new RegExp(`^(?:export )?const ${name} = ([\\d_.* ]+);`, 'm').exec(source) ?? [];
  if (text === undefined)
    throw new Error(`src/${file}.ts has no number called ${name}, which scripts/limits.ts names.`);
  return text
    .split(/(?<!\*) \* (?!\*)/)
    .map((factor) => factor.split(' ** ').map((part) => Number(part.replaceAll('_', ''))))
    .reduce((product, [base = Number.NaN, power = 1]) => product * base ** power, 1);
}

function written(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) throw new Error('not a number');
  switch (unit) {
    case 'bytes':
      return value >= 2 ** 20 ? `${grouped(value / 2 ** 20)} MiB` : `${grouped(value / 1024)} KiB`;
    case 'ms':
      return duration(value / 1000);
    case 's':
      return duration(value);
    case 'characters':
      return `${grouped(value)} characters`;
    case 'pixels':
      return `${grouped(value)} pixels`;
    case 'times':
      return grouped(value);
    case '%':
      return `${value * 100} %`;
  }
}

function duration(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function grouped(value: number): string {
  return value.toLocaleString('en');
}
