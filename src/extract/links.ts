/** The links of a page that a crawl can follow. */
import type { Element } from 'domhandler';
import type { PageStatements } from './page-statements.ts';
import type { PageUrls } from './page-urls.ts';
import { forbidsFollowing } from './robots-meta.ts';
import type { PageElements } from './scan-page.ts';

export interface ExtractedLink {
  /** Absolute http(s) URL without a fragment. */
  readonly url: string;
  /** The page asks that this link is not followed: `rel=nofollow`, or robots nofollow for the whole page. */
  readonly nofollow: boolean;
}

export const linksMax = 50_000;

/**
 * Those of the headers, then those of the document in its order; each URL once, at most {@link linksMax}. A URL that is
 * linked both with and without nofollow may be followed.
 */
export function extractLinks(
  elements: PageElements,
  urls: PageUrls,
  statements: PageStatements,
): readonly ExtractedLink[] {
  const links = headerLinks(statements, urls);
  for (const element of elements.linking) {
    const reference = references[element.name]?.(element);
    const url = reference === undefined ? undefined : urls.crawlable(reference);
    if (url === undefined) continue;
    const nofollow = relations(element).includes('nofollow');
    const known = links.get(url);
    if (known === undefined && links.size >= linksMax) break;
    if (known !== false) links.set(url, nofollow);
  }
  const pageNofollow = forbidsFollowing(statements.robots);
  return Array.from(links, ([url, nofollow]) => ({ url, nofollow: pageNofollow || nofollow }));
}

/**
 * Where a browser goes before anybody can read the page: the URL of its first refresh, where that takes a second at most. Undefined
 * where there is none, or the page only loads itself again.
 */
export function immediateRefresh(
  elements: PageElements,
  urls: PageUrls,
  statements: PageStatements,
): string | undefined {
  const header = readRefresh(statements.refresh);
  if (header) return header.delaySeconds <= immediateSeconds ? urls.ofHeader(header.target) : undefined;
  const [first] = elements.metas
    .filter(isRefresh)
    .flatMap(({ attribs }) => readRefresh(attribs['content'] ?? '') ?? []);
  return first && first.delaySeconds <= immediateSeconds ? urls.crawlable(first.target) : undefined;
}

const immediateSeconds = 1;

/** By URL, whether it is not to be followed. */
function headerLinks(statements: PageStatements, urls: PageUrls): Map<string, boolean> {
  const links = new Map<string, boolean>();
  const refreshed = readRefresh(statements.refresh);
  const refreshedUrl = refreshed && urls.ofHeader(refreshed.target);
  if (refreshedUrl !== undefined) links.set(refreshedUrl, false);
  for (const { target, relations: rel, hasLanguage } of statements.links) {
    const url = isPageLink(rel, hasLanguage) ? urls.ofHeader(target) : undefined;
    if (url !== undefined) links.set(url, rel.includes('nofollow') && links.get(url) !== false);
  }
  return links;
}

/** Where an element leads, unresolved. */
const references: Readonly<Record<string, (element: Element) => string | undefined>> = {
  // SVG 1.1 writes `xlink:href`; in SVG 2 a `href` beside it counts.
  a: ({ attribs }) => attribs['href'] ?? attribs['xlink:href'],
  area: ({ attribs }) => attribs['href'],
  iframe: ({ attribs }) => attribs['src'],
  frame: ({ attribs }) => attribs['src'],
  link: (element) =>
    isPageLink(relations(element), element.attribs['hreflang'] !== undefined) ? element.attribs['href'] : undefined,
  meta: (element) => (isRefresh(element) ? readRefresh(element.attribs['content'] ?? '')?.target : undefined),
};

function isRefresh({ attribs }: Element): boolean {
  return attribs['http-equiv']?.toLowerCase() === 'refresh';
}

function relations(element: Element): readonly string[] {
  const relation = element.attribs['rel'];
  // Commas are not in the standard, and on the web.
  return relation === undefined ? [] : relation.toLowerCase().split(/[ \t\n\f\r,]+/);
}

/** `alternate` alone is a feed or an app; with a language it is the page in that language. */
function isPageLink(rel: readonly string[], hasLanguage: boolean): boolean {
  if (rel.includes('next') || rel.includes('prev') || rel.includes('canonical')) return true;
  return rel.includes('alternate') && hasLanguage;
}

interface Refresh {
  /** Infinite where that cannot be read: browsers ignore such a refresh. */
  readonly delaySeconds: number;
  readonly target: string;
}

/** Reads `5; url='next.html'`. Without a URL the page refreshes itself, which leads nowhere. */
function readRefresh(content: string): Refresh | undefined {
  const shortened = content.slice(0, refreshLengthMax);
  const [, delay = '', rest = ''] = /^\s*([\d.]*)\s*[;,\s]\s*(?:url\s*=\s*)?(.*)$/is.exec(shortened) ?? [];
  if (rest === '') return undefined;
  // As browsers do: a fraction is dropped, `.5` is 0.
  const delaySeconds = delay === '' ? Number.POSITIVE_INFINITY : Number.parseInt(`0${delay}`, 10);
  const quote = rest[0];
  if (quote !== '"' && quote !== "'") return { delaySeconds, target: rest };
  const end = rest.indexOf(quote, 1);
  return { delaySeconds, target: rest.slice(1, end === -1 ? undefined : end) };
}

const refreshLengthMax = 10_000;
