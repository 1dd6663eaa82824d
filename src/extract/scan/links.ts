/** Extracts the links that a crawl can follow. */
import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import { attributeOf, isBare } from '../html/nodes.ts';
import { meansLogout } from '../phrases/logout.ts';
import type { PageStatements } from './page-statements.ts';
import type { PageUrls } from './page-urls.ts';
import { forbidsFollowing } from './robots-meta.ts';
import type { PageElements } from './scan-page.ts';

export interface ExtractedLink {
  /** Absolute http(s) URL without a fragment. */
  readonly url: string;
  /** The page asks crawlers not to follow this link: `rel=nofollow`, or robots nofollow for the whole page. */
  readonly nofollow: boolean;
  /** Its text says that it ends a session. Present only where that was asked for. */
  readonly isLogout?: boolean;
}

export const linksMax = 50_000;

/**
 * Returns the links of the headers, then those of the document in order. Each URL occurs once, at most {@link linksMax}
 * in all. A URL linked both with and without nofollow counts as followable. `findsLogout`: notes which links end a session.
 */
export function extractLinks(
  elements: PageElements,
  urls: PageUrls,
  statements: PageStatements,
  findsLogout = false,
): readonly ExtractedLink[] {
  const links = headerLinks(statements, urls);
  const logouts = new Set<string>();
  for (const element of elements.linking) {
    const reference = references[element.name]?.(element);
    const url = reference === undefined ? undefined : urls.crawlable(reference);
    if (url === undefined) continue;
    const nofollow = relations(element).includes('nofollow');
    const known = links.get(url);
    if (known === undefined && links.size >= linksMax) break;
    if (known !== false) links.set(url, nofollow);
    if (findsLogout && meansLogout(textContent(element))) logouts.add(url);
  }
  const pageNofollow = forbidsFollowing(statements.robots);
  return Array.from(links, ([url, nofollow]) => ({
    url,
    nofollow: pageNofollow || nofollow,
    ...(logouts.has(url) && { isLogout: true }),
  }));
}

/** URLs of the frames of a page. */
export function framesOf({ linking }: PageElements, urls: PageUrls): readonly string[] {
  return linking
    .filter(({ name }) => name === 'frame' || name === 'iframe')
    .flatMap(({ attribs }) => urls.crawlable(attribs['src'] ?? '') ?? []);
}

/**
 * Returns the URL to which a browser with scripts goes before anybody can read the page: that of the first refresh, if its
 * delay is at most one second. Returns undefined if there is no such refresh, or if it names no URL and reloads the page.
 */
export function immediateRefresh(
  elements: PageElements,
  urls: PageUrls,
  statements: PageStatements,
): string | undefined {
  const header = readRefresh(statements.refresh);
  if (header) return header.delaySeconds <= immediateSeconds ? urls.ofHeader(header.target) : undefined;
  const [first] = elements.refreshes.flatMap(({ attribs }) => readRefresh(attribs['content'] ?? '') ?? []);
  return first && first.delaySeconds <= immediateSeconds ? urls.crawlable(first.target) : undefined;
}

const immediateSeconds = 1;

/** Maps each URL to its nofollow flag. */
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

/** Returns the unresolved target of an element. */
const references: Readonly<Record<string, (element: Element) => string | undefined>> = {
  // SVG 1.1 uses `xlink:href`; in SVG 2, `href` takes precedence.
  a: (element) => attributeOf(element, 'href') ?? (isBare(element) ? undefined : element.attribs['xlink:href']),
  area: (element) => attributeOf(element, 'href'),
  iframe: (element) => attributeOf(element, 'src'),
  frame: (element) => attributeOf(element, 'src'),
  link: (element) =>
    isPageLink(relations(element), attributeOf(element, 'hreflang') !== undefined)
      ? attributeOf(element, 'href')
      : undefined,
  meta: ({ attribs }) => readRefresh(attribs['content'] ?? '')?.target,
};

function relations(element: Element): readonly string[] {
  const relation = attributeOf(element, 'rel');
  // Commas are not standard but occur on the web.
  return relation === undefined ? noRelations : relation.toLowerCase().split(/[ \t\n\f\r,]+/);
}

const noRelations: readonly string[] = [];

/** `alternate` alone is a feed or an app; with a language it is a translation of the page. */
function isPageLink(rel: readonly string[], hasLanguage: boolean): boolean {
  if (rel.includes('next') || rel.includes('prev') || rel.includes('canonical')) return true;
  return rel.includes('alternate') && hasLanguage;
}

interface Refresh {
  /** Infinite if the delay is unreadable: browsers ignore such a refresh. */
  readonly delaySeconds: number;
  readonly target: string;
}

/** Parses `5; url='next.html'`. Without a URL, the page reloads itself, which leads nowhere. */
function readRefresh(content: string): Refresh | undefined {
  const shortened = content.slice(0, refreshLengthMax);
  const [, delay = '', rest = ''] = /^\s*([\d.]*)\s*[;,\s]\s*(?:url\s*=\s*)?(.*)$/is.exec(shortened) ?? [];
  if (rest === '') return undefined;
  // Drop fractions as browsers do: `.5` is 0.
  const delaySeconds = delay === '' ? Number.POSITIVE_INFINITY : Number.parseInt(`0${delay}`, 10);
  const quote = rest[0];
  if (quote !== '"' && quote !== "'") return { delaySeconds, target: rest };
  const end = rest.indexOf(quote, 1);
  return { delaySeconds, target: rest.slice(1, end === -1 ? undefined : end) };
}

const refreshLengthMax = 10_000;
