// The bodies of the requests of this facade, translated into bodies of our own requests.
import { badRequest } from './facade-error.ts';
import {
  asBoolean,
  asNumber,
  asText,
  asTexts,
  asWhole,
  becomes,
  isFilled,
  quiet,
  refuses,
  type Rules,
  translate,
  type Translation,
  warns,
} from './fields.ts';
import { finishPageOptions, pageFields, pageFieldsOfBatch, scrapeOptions, secondsIn } from './page-fields.ts';

export interface Translated {
  /** The body of our own request. */
  readonly body: Record<string, unknown>;
  readonly warnings: readonly string[];
}

// More than any host gets is no limit.
const maxConcurrency = becomes('host_concurrency', (value, name) =>
  Math.min(1_000, asWhole(1, 1_000_000)(value, name)),
);
const noModel = 'It needs a language model, and there is none.';

/** Fields of every request, about the client and not the page. */
const common: Rules = {
  origin: quiet,
  integration: quiet,
  zeroDataRetention: refuses('This service cannot keep this promise.'),
};

const url = becomes('url', (value, name) => withScheme(asText(value, name)));
const webhook = refuses('Its events have another shape here. Use `POST /crawler/jobs` with `webhook_url`.');

/** `POST /scrape`. */
export function scrapeRequest(given: unknown): Translated {
  const to = started();
  translate(given, { ...pageFields, url }, to);
  const { url: page } = to.options;
  if (page === undefined) throw badRequest('`url`: Give a URL.');
  finishPageOptions(to);
  const { output_format: format, ...rest } = to.options;
  return { body: { error_pages: true, ...rest, format }, warnings: to.warnings };
}

const crawlFields: Rules = {
  ...common,
  url,
  limit: becomes('page_limit', asWhole(1, 10_000_000)),
  maxDiscoveryDepth: becomes('max_depth', asWhole(0, 1_000)),
  maxDepth: (value, { options, warnings }, name) => {
    options['max_depth'] = asWhole(0, 1_000)(value, name);
    warnings.push(`\`${name}\` counts links from the start URL, not segments of the path.`);
  },
  sitemap: becomes('force_crawling_mode', (value, name) => {
    const modes: Readonly<Record<string, string | null>> = { include: null, skip: 'link', only: 'sitemap' };
    const mode = typeof value === 'string' && Object.hasOwn(modes, value) ? modes[value] : undefined;
    if (mode === undefined) throw badRequest(`\`${name}\`: Give "include", "skip" or "only".`);
    return mode;
  }),
  ignoreSitemap: (value, { options }, name) => {
    if (asBoolean(value, name)) options['force_crawling_mode'] = 'link';
  },
  sitemapOnly: (value, { options }, name) => {
    if (asBoolean(value, name)) options['force_crawling_mode'] = 'sitemap';
  },
  crawlEntireDomain: becomes('entire', asBoolean),
  allowBackwardLinks: becomes('entire', asBoolean),
  includePaths: becomes('include_patterns', asTexts),
  excludePaths: becomes('exclude_patterns', asTexts),
  regexOnFullURL: becomes('pattern_target', (value, name) => (asBoolean(value, name) ? 'url' : 'path')),
  allowSubdomains: becomes('scope', (value, name) => (asBoolean(value, name) ? 'subdomains' : 'host')),
  allowExternalLinks: becomes('allow_external', asBoolean),
  ignoreQueryParameters: becomes('ignore_query', asBoolean),
  deduplicateSimilarURLs: warns('Spellings that mean the same page are always one URL.', (value) => value === false),
  delay: becomes('host_delay_ms', (value, name) => Math.ceil(asNumber(0, 60)(value, name) * 1_000)),
  maxConcurrency,
  ignoreRobotsTxt: becomes('respect_robots', (value, name) => !asBoolean(value, name)),
  robotsUserAgent: refuses('The service has one name for robots.txt.'),
  prompt: refuses(noModel),
  webhook,
  scrapeOptions,
};

/** `POST /crawl`. */
export function crawlRequest(given: unknown): Translated {
  const to = started();
  translate(given, crawlFields, to);
  const { url: start, entire, ...options } = to.options;
  if (typeof start !== 'string') throw badRequest('`url`: Give a URL.');
  finishPageOptions({ ...to, options });
  const glob = entire === true ? undefined : pathGlob(start);
  if (glob !== undefined && options['allow_external'] === true)
    throw badRequest(
      '`allowExternalLinks` follows links to any path of other hosts, but the crawl is limited to the path of the start URL. Add `crawlEntireDomain: true`, or leave `allowExternalLinks` out.',
    );
  const outside = glob === undefined ? undefined : outsideOf(start, options);
  if (outside !== undefined)
    to.warnings.push(
      `\`includePaths\`: \`${outside}\` can match URLs outside the path of the start URL, and those are not crawled. Add \`crawlEntireDomain: true\` to crawl them.`,
    );
  return {
    body: {
      pattern_target: 'path',
      ...options,
      urls: [start],
      include_linked_files: true,
      ...(glob !== undefined && { include_globs: [glob] }),
    },
    warnings: to.warnings,
  };
}

/** These clients expect only URLs whose path begins with that of the start URL. Undefined if that is all of them. */
function pathGlob(start: string): string | undefined {
  const path = URL.parse(start)?.pathname ?? '/';
  // `?` matches the one character that would be a wildcard.
  return path === '/' ? undefined : `${path.replaceAll('*', '?')}**`;
}

/** The first pattern of `includePaths` that does not begin with the path of the start URL. */
function outsideOf(start: string, { include_patterns: given, pattern_target: target }: Record<string, unknown>) {
  const url = URL.parse(start);
  const begin = target === 'url' ? `${url?.origin ?? ''}${url?.pathname ?? ''}` : (url?.pathname ?? '');
  const patterns = (given ?? []) as readonly string[];
  // Escapes of signs mean the sign. What follows the beginning does not matter, unless it makes its last sign optional.
  return patterns.find((pattern) => {
    const text = pattern.replaceAll(/\\([^A-Za-z\d])/g, '$1');
    return !text.startsWith(`^${begin}`) || /^[?*{|]/.test(text.slice(begin.length + 1)) || text.includes('|');
  });
}

/** These clients wait for the whole batch, and some of them for a minute in all. */
const usualUrlSeconds = 30;

/** `POST /batch/scrape`. `urls` as given: the caller decides about those that are no URLs. */
export function batchRequest(given: unknown): Translated & { readonly ignoresInvalid: boolean } {
  const to = started();
  let ignoresInvalid = true;
  translate(
    given,
    {
      ...pageFieldsOfBatch,
      urls: becomes('urls', (value, name) => asTexts(value, name)),
      ignoreInvalidURLs: (value, _to, name) => {
        ignoresInvalid = asBoolean(value, name);
      },
      appendToId: refuses('A batch cannot grow. Start another one.'),
      maxConcurrency,
      webhook,
    },
    to,
  );
  if (!isFilled(to.options['urls'])) throw badRequest('`urls`: Give a list of 1 to 10,000 URLs.');
  finishPageOptions(to);
  return {
    body: { url_timeout: usualUrlSeconds, error_pages: true, ...to.options },
    warnings: to.warnings,
    ignoresInvalid,
  };
}

/** `POST /map`. `search`: words by which the URLs are to be ordered. */
export function mapRequest(given: unknown): Translated & { readonly search: string } {
  const to = started();
  let search = '';
  translate(
    given,
    {
      ...common,
      url,
      limit: becomes('limit', asWhole(1, 100_000)),
      search: (value, _to, name) => {
        search = asText(value, name);
      },
      sitemap: crawlFields['sitemap'] ?? quiet,
      ignoreSitemap: crawlFields['ignoreSitemap'] ?? quiet,
      sitemapOnly: crawlFields['sitemapOnly'] ?? quiet,
      includeSubdomains: becomes('scope', (value, name) => (asBoolean(value, name) ? 'subdomains' : 'host')),
      ignoreQueryParameters: becomes('ignore_query', asBoolean),
      allowExternalLinks: refuses('A map lists the URLs of one site.'),
      timeout: becomes('timeout', secondsIn),
      location: warns('Requests leave from where the service runs.'),
      headers: pageFields['headers'] ?? quiet,
      useMock: quiet,
      ignoreCache: quiet,
      useIndex: quiet,
      filterByPath: refuses('Filter the URLs of the response.', (value) => value === true),
    },
    to,
  );
  const { limit = 5_000, ...options } = to.options;
  if (options['url'] === undefined) throw badRequest('`url`: Give a URL.');
  if (Number(limit) > 30_000) to.warnings.push('`limit` is 30,000 at most.');
  return {
    body: { scope: 'subdomains', ignore_query: true, ...options, limit: Math.min(30_000, Number(limit)) },
    warnings: to.warnings,
    search,
  };
}

function started(): Translation {
  return { options: {}, warnings: [] };
}

/** These clients also give a host without its scheme. */
export function withScheme(text: string): string {
  const trimmed = text.trim();
  return /^[a-z][a-z\d+.-]*:/i.test(trimmed) && !/^[^/]+:\d+(?:[/?#]|$)/.test(trimmed) ? trimmed : `https://${trimmed}`;
}
