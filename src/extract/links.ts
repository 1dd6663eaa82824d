/** The links of a page that a crawl can follow. */
import type { Element } from 'domhandler';
import type { PageUrls } from './page-urls.ts';
import type { PageElements } from './scan-page.ts';

export interface ExtractedLink {
  /** Absolute http(s) URL without a fragment. */
  readonly url: string;
  /** The page asks that this link is not followed: `rel=nofollow`, or robots nofollow for the whole page. */
  readonly nofollow: boolean;
}

export const linksMax = 50_000;

/**
 * In document order, each URL once, at most {@link linksMax}. A URL that is linked both with and without nofollow may
 * be followed.
 */
export function extractLinks(elements: PageElements, urls: PageUrls): readonly ExtractedLink[] {
  const pageNofollow = elements.metas.some(isNofollowMeta);
  const links = new Map<string, boolean>();
  for (const element of elements.linking) {
    const reference = references[element.name]?.(element);
    const url = reference === undefined ? undefined : urls.crawlable(reference);
    if (url === undefined) continue;
    const nofollow = pageNofollow || relations(element).includes('nofollow');
    const known = links.get(url);
    if (known === undefined && links.size >= linksMax) break;
    if (known !== false) links.set(url, nofollow);
  }
  return Array.from(links, ([url, nofollow]) => ({ url, nofollow }));
}

/** Where an element leads, unresolved. */
const references: Readonly<Record<string, (element: Element) => string | undefined>> = {
  a: ({ attribs }) => attribs['href'],
  area: ({ attribs }) => attribs['href'],
  iframe: ({ attribs }) => attribs['src'],
  frame: ({ attribs }) => attribs['src'],
  link: (element) => (isPageLink(element) ? element.attribs['href'] : undefined),
  meta: ({ attribs }) =>
    attribs['http-equiv']?.toLowerCase() === 'refresh'
      ? refreshTarget(attribs['content']?.slice(0, refreshLengthMax) ?? '')
      : undefined,
};

function relations(element: Element): readonly string[] {
  const relation = element.attribs['rel'];
  return relation === undefined ? [] : relation.toLowerCase().split(/[ \t\n\f\r]+/);
}

/** `alternate` alone is a feed or an app; with a language it is the page in that language. */
function isPageLink(element: Element): boolean {
  const rel = relations(element);
  if (rel.includes('next') || rel.includes('prev') || rel.includes('canonical')) return true;
  return rel.includes('alternate') && element.attribs['hreflang'] !== undefined;
}

/** The URL of `5; url='next.html'`. Without a URL the page refreshes itself, which leads nowhere. */
function refreshTarget(content: string): string | undefined {
  const rest = /^\s*[\d.]*\s*[;,\s]\s*(?:url\s*=\s*)?(.*)$/is.exec(content)?.[1];
  if (rest === undefined || rest === '') return undefined;
  const quote = rest[0];
  if (quote !== '"' && quote !== "'") return rest;
  const end = rest.indexOf(quote, 1);
  return rest.slice(1, end === -1 ? undefined : end);
}

const refreshLengthMax = 10_000;

function isNofollowMeta({ attribs }: Element): boolean {
  if (attribs['name']?.trim().toLowerCase() !== 'robots') return false;
  const directives = (attribs['content'] ?? '').toLowerCase().split(/[\s,]+/);
  return directives.includes('nofollow') || directives.includes('none');
}
