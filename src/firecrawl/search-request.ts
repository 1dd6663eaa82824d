// The body of `POST /search`, translated into a query of the operator's search engine.
import { badRequest } from './facade-error.ts';
import { asNumber, asText, asTexts, asWhole, quiet, refuses, type Rules, translate, warns } from './fields.ts';
import { scrapeRequest } from './requests.ts';
import type { WebQuery } from './web-search.ts';

export interface SearchRequest {
  readonly query: WebQuery;
  readonly limit: number;
  readonly timeoutMs: number;
  /** Returns the body of the scrape of a result; undefined if results are not scraped. */
  readonly scrape: ((url: string) => Record<string, unknown>) | undefined;
  readonly warnings: readonly string[];
}

/** Scrapes of one search run side by side. */
const scrapedMax = 20;
const usualTimeoutMs = 60_000;
/** Times of `tbs`, and those of SearXNG. */
const times: Readonly<Record<string, string>> = { 'qdr:d': 'day', 'qdr:w': 'week', 'qdr:m': 'month', 'qdr:y': 'year' };

export function searchRequest(given: unknown): SearchRequest {
  const found = { query: '', limit: 5, timeoutMs: usualTimeoutMs, scrape: undefined as object | undefined };
  const form: Record<string, string> = {};
  const domains: string[] = [];
  const warnings: string[] = [];
  const rules: Rules = {
    query: (value, _to, name) => {
      found.query = asText(value, name).trim();
    },
    limit: (value, _to, name) => {
      found.limit = asWhole(1, 100)(value, name);
    },
    timeout: (value, _to, name) => {
      found.timeoutMs = asNumber(1, 300_000)(value, name);
    },
    scrapeOptions: (value) => {
      const asks = typeof value === 'object' && 'formats' in (value ?? {});
      if (asks && JSON.stringify((value as { formats: unknown }).formats) !== '[]') found.scrape = value as object;
    },
    sources: (value, _to, name) => {
      const types = Array.isArray(value) ? value.map((one: unknown) => typeOf(one)) : [];
      if (types.some((type) => type !== 'web')) throw badRequest(`\`${name}\`: Only "web" is available.`);
    },
    tbs: (value, _to, name) => {
      const time = times[asText(value, name)];
      if (time === undefined) throw badRequest(`\`${name}\`: Give one of ${Object.keys(times).join(', ')}.`);
      form['time_range'] = time;
    },
    lang: (value, _to, name) => {
      form['language'] = asText(value, name);
    },
    includeDomains: (value, _to, name) => {
      domains.push(
        asTexts(value, name)
          .map((domain) => `site:${domain}`)
          .join(' OR '),
      );
    },
    excludeDomains: (value, _to, name) => {
      domains.push(...asTexts(value, name).map((domain) => `-site:${domain}`));
    },
    country: warns('The search engine of the operator decides.'),
    location: warns('The search engine of the operator decides.'),
    highlights: warns('Results have the snippets of the search engine.'),
    categories: refuses('The search engine has one index.'),
    domainTools: refuses('There are no tools of domains.'),
    ignoreInvalidURLs: quiet,
    toolDetail: quiet,
    origin: quiet,
    integration: quiet,
  };
  translate(given, rules, { options: {}, warnings });
  if (found.query === '' || found.query.length > 1_000)
    throw badRequest('`query`: Give a text of 1 to 1,000 characters.');
  const { scrape: scrapeOptions } = found;
  if (scrapeOptions && found.limit > scrapedMax)
    throw badRequest(`\`limit\`: With \`scrapeOptions\`, ${scrapedMax} results at most.`);
  // Refuses wrong options before anything is searched.
  const first = scrapeOptions && scrapeRequest({ ...scrapeOptions, url: 'https://example.com/' });
  return {
    query: { ...form, q: [found.query, ...domains.filter((text) => text !== '')].join(' ') },
    limit: found.limit,
    timeoutMs: found.timeoutMs,
    scrape: first && ((url) => ({ ...first.body, url })),
    warnings: [...warnings, ...(first?.warnings ?? [])],
  };
}

function typeOf(source: unknown): unknown {
  return typeof source === 'object' && source !== null && 'type' in source ? source.type : source;
}
