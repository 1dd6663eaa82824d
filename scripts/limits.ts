// docs/limits.md: every limit of the service. Numbers are read from the constants in the code, wherever they stand, so that
// none can change without its line.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SettingName, Settings } from '../src/config.ts';

/** What a number counts; it also says how to write it. */
type Unit = 'bytes' | 'ms' | 's' | 'characters' | 'times' | '%';

/** What, file and constant, unit. */
type Limit = readonly [string, string, string, Unit];

const sections: Readonly<Record<string, readonly Limit[]>> = {
  'The API': [
    ['Request body', 'api/limits', 'bodyBytesMax', 'bytes'],
    ['Request line and headers together', 'api/limits', 'headBytesMax', 'bytes'],
    ['Headers of a request', 'api/limits', 'headersMax', 'times'],
    ['Time to the end of the headers', 'api/limits', 'headSecondsMax', 's'],
    ['Time to the end of the body', 'api/limits', 'requestSecondsMax', 's'],
    ['An idle connection is kept', 'api/limits', 'keepAliveSeconds', 's'],
    ['Requests without a valid token from one address, in any minute', 'api/limits', 'failedTokensPerMinute', 'times'],
    ['Text of one answer; one page more at most', 'jobs/read-results', 'responseBytesMax', 'bytes'],
    ['Answers under way at a time, over all orgs; one org has half', 'api/limits', 'answerBytesMax', 'bytes'],
    ['The same, where it is less: share of the memory there is', 'api/limits', 'answerMemoryShare', '%'],
    ['An answer waits for room for', 'api/limits', 'answerWaitSeconds', 's'],
    ['A client may take to read an answer', 'api/limits', 'answerReadSeconds', 's'],
    ['Text that a stream reads ahead', 'api/limits', 'streamBytesMax', 'bytes'],
    ['Memory in use at which no job is taken', 'api/limits', 'memoryShareMax', '%'],
  ],
  'A job': [
    ['Sitemaps read', 'storage/rules/settling', 'sitemapsMax', 'times'],
    ['Attempts at a URL', 'crawl/retry-policy', 'attemptsMax', 'times'],
    ['URLs that a retry crawls again', 'storage/rules/new-jobs', 'failedUrlsMax', 'times'],
    ['A URL', 'url/parse-url', 'urlLengthMax', 'characters'],
    ['A glob', 'url/glob', 'globLengthMax', 'characters'],
    ['Headers that a client may have sent', 'options/headers-input', 'namesMax', 'times'],
    ['One of them', 'options/headers-input', 'valueLengthMax', 'characters'],
    ['Cookies kept of a domain', 'crawl/job-cookies', 'cookiesPerDomainMax', 'times'],
    ['Cookies kept of a job', 'crawl/job-cookies', 'cookiesPerJobMax', 'times'],
    ['Cookies kept of all jobs, about', 'crawl/job-cookies', 'heldBytesMax', 'bytes'],
    ['Name and value of a cookie', 'crawl/job-cookies', 'cookieLengthMax', 'characters'],
    ['Cookies sent with a request', 'crawl/job-cookies', 'headerLengthMax', 'characters'],
    ['An idempotency key is kept', 'storage/rules/new-jobs', 'idempotencyKeptMs', 'ms'],
  ],
  'A fetch': [
    ['The whole of it', 'start-engine', 'fetchDeadlineMs', 'ms'],
    ['robots.txt', 'start-engine', 'robotsDeadlineMs', 'ms'],
    ['A connection', 'fetch/guarded-connector', 'connectMs', 'ms'],
    ['The answer of a name server, in that time', 'fetch/egress', 'resolveMs', 'ms'],
    ['Body as sent, and unpacked', 'start-engine', 'bodyBytesMax', 'bytes'],
    ['A body up to this is small', 'crawl/body-budget', 'smallBytesMax', 'bytes'],
    ['All others in memory, together; one at a time may have more', 'start-engine', 'bodiesBytesMax', 'bytes'],
    ['Codings of a body', 'fetch/answer-head', 'codingsMax', 'times'],
    ['Frames of a body in zstd', 'crawl/convert/zstd-frames', 'framesMax', 'times'],
    ['Memory that a frame of zstd asks for (its window)', 'crawl/convert/unpack-body', 'zstdWindowBytesMax', 'bytes'],
    ['Headers of an answer, with the interim answers before it', 'fetch/answer-heads', 'headBytesMax', 'bytes'],
    ['and their number', 'fetch/answer-heads', 'headersMax', 'times'],
    ['Of long headers, what is read of those with one name', 'fetch/shorten-head', 'nameBytesMax', 'bytes'],
    ['and of all of them, and trailers', 'fetch/answer-heads', 'parserBytesMax', 'bytes'],
    ['Redirects', 'crawl/process-page', 'redirectsMax', 'times'],
    ['robots.txt that is read', 'crawl/robots-gate', 'bytesMax', 'bytes'],
    ['All robots.txt that are remembered, about', 'crawl/robots-gate', 'heldBytesMax', 'bytes'],
    ['A sitemap, unpacked', 'crawl/process-sitemap', 'sitemapBytesMax', 'bytes'],
    [
      '`Crawl-delay` that is kept to; a site that asks for more is not crawled',
      'crawl/politeness',
      'crawlDelaySecondsMax',
      's',
    ],
    ['A pause that a site asks for', 'crawl/retry-policy', 'pauseMaxMs', 'ms'],
    ['Failures in a row after which a host is left alone', 'crawl/circuit-breaker', 'failuresMax', 'times'],
    ['It is left alone for, first', 'crawl/circuit-breaker', 'pauseMs', 'ms'],
    ['and at most', 'crawl/circuit-breaker', 'pauseMaxMs', 'ms'],
    ['Hosts are not given up while none at all can be reached, for', 'crawl/outage', 'outageMsMax', 'ms'],
  ],
  'A page in the browser': [
    ['Requests for what it loads', 'render/page-requests', 'askedMax', 'times'],
    ['Their answers', 'render/page-requests', 'bytesMax', 'bytes'],
    ['One of them', 'crawl/page-resources', 'bodyBytesMax', 'bytes'],
    ['One of them may take, its turn not counted', 'crawl/page-resources', 'fetchDeadlineMs', 'ms'],
    ["Its host's turn is waited for", 'crawl/page-resources', 'turnWithinMs', 'ms'],
    ['Requests of all kinds; more end the page', 'render/page-requests', 'requestsMax', 'times'],
    ['A body that it posts', 'render/page-requests', 'postBytesMax', 'bytes'],
    ['Work of the browser, fetches not counted', 'render/browser-clock', 'browserMs', 'ms'],
    ['The same with all fetches', 'render/browser-clock', 'wholeMs', 'ms'],
    ['Its own time, in which timers run', 'render/tab', 'virtualMs', 'ms'],
    ['The same with `wait_for`', 'render/tab', 'virtualMsMax', 'ms'],
    ['The document that its scripts made', 'render/tab', 'htmlMax', 'characters'],
    ['Reading it', 'render/tab', 'serialiseMs', 'ms'],
    ['Addresses that it gives itself', 'render/tab', 'routesMax', 'times'],
    ['Memory of one process of the browser; more ends its pages', 'render/browser-life', 'processMemoryMax', 'bytes'],
    ['Memory of the browser; with more it is replaced', 'render/browser-life', 'memoryMax', 'bytes'],
    ['Pages of one browser', 'render/browser-life', 'pagesMax', 'times'],
    ['Scripts and styles that are remembered, of all jobs', 'crawl/resource-cache', 'heldBytesMax', 'bytes'],
  ],
  'A page': [
    ['Converting a page, of a processor', 'start-engine', 'convertDeadlineMs', 'ms'],
    ['Converting a file, of a processor', 'start-engine', 'convertFileDeadlineMs', 'ms'],
    ['and of either at most, however busy the machine is', 'crawl/convert/task-clock', 'wallMsMax', 'ms'],
    [
      'Memory of a converter thread, in MiB; less where the machine has little',
      'start-engine',
      'converterMemoryMb',
      'times',
    ],
    ['The same for a file, unless no other thread needs more', 'start-engine', 'converterSharedMb', 'times'],
    ['Its beginning in which `<meta>` may declare the encoding', 'extract/meta-labels', 'searchBytesMax', 'bytes'],
    ['Text from which an encoding is detected', 'core/detect-charset', 'sampleBytes', 'bytes'],
    ['Its beginning in which that text is looked for', 'core/detect-charset', 'searchBytes', 'bytes'],
    ['Elements and texts', 'extract/parse-html', 'nodesMax', 'times'],
    ['Depth of elements', 'extract/parse-html', 'depthMax', 'times'],
    ['Links', 'extract/links', 'linksMax', 'times'],
    ['A text of the metadata', 'extract/metadata-values', 'valueLengthMax', 'characters'],
    ['JSON-LD', 'extract/json-ld', 'charactersMax', 'characters'],
    [
      'Telling what `include_elements` names, and `exclude_elements`, each, of a processor',
      'extract/select-elements',
      'selectMsMax',
      'ms',
    ],
    ['Pages of a PDF', 'documents/pdf', 'pagesMax', 'times'],
    ['Streams of a PDF, decoded; beyond that its first pages are kept', 'documents/pdf', 'decodedBytesMin', 'bytes'],
    ['The same for large files, in times their size', 'documents/pdf', 'decodedTimesMax', 'times'],
    ['Files in an archive', 'documents/zip-archive', 'entriesMax', 'times'],
    ['An archive, unpacked', 'documents/zip-archive', 'inflatedBytesMax', 'bytes'],
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
  const settingRows = limitSettings.map((name) => {
    const { env, default: fallback, description } = table[name];
    return `| ${description} | ${grouped(Number(fallback))} | \`${env}\` |`;
  });
  const tables = Object.entries(sections).map(([title, rows]) => {
    const lines = rows.map(([what, file, name, unit]) => `| ${what} | ${written(constant(file, name), unit)} |`);
    return `## ${title}\n\n| What | At most |\n|---|---|\n${lines.join('\n')}\n`;
  });
  return `# Limits

What the service bears, so that no client, site or page can take it from the others. Beyond a limit of the API the answer
says which it was ([errors](errors.md)): 429 or 503 with \`Retry-After\`, or another 4xx. Beyond a limit of a fetch or of a page
the URL has failed or was discarded, and the ledger says why.

The order of checks is: whom the request is for (421), its token (401), how often its org asks (429), what the token allows
(403), how many requests of its org wait, and whether there is memory (429, 503), what it says (400), whether that is there
(404, 410), and, for a new job, how many the org has (429). \`X-Forwarded-For\` is never looked at.

## Settings

| What | Default | Setting |
|---|---|---|
${settingRows.join('\n')}

${tables.join('\n')}`;
}

/** A number from the source: digits, products and powers. */
function constant(file: string, name: string): number {
  const source = readFileSync(path.join(import.meta.dirname, '../src', `${file}.ts`), 'utf8');
  const [, text] = new RegExp(`^(?:export )?const ${name} = ([\\d_.* ]+);`, 'm').exec(source) ?? [];
  if (text === undefined) throw new Error(`src/${file}.ts has no number called ${name}; scripts/limits.ts names it.`);
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
