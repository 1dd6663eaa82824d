/** Metadata as the page states it in `<title>`, `<meta>`, Open Graph, `<html lang>` and headers. One small function a field. */
import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import type { PageMetadata } from '../core/page.ts';
import type { PageStatements } from './page-statements.ts';
import type { PageUrls } from './page-urls.ts';
import type { PageElements } from './scan-page.ts';

/** `title` and `description` are always there, everything else only where the page has it. */
export function extractMetadata(elements: PageElements, urls: PageUrls, statements: PageStatements): PageMetadata {
  const page: Stated = { elements, urls, statements, meta: metaValues(elements) };
  const metadata: Record<string, string | readonly string[]> = {};
  for (const [name, read] of Object.entries(fields)) {
    const value = read(page);
    if (value !== undefined && value.length > 0) metadata[name] = value;
  }
  return { title: '', description: '', ...metadata };
}

/** Characters kept of one value, and values kept of a list. */
export const valueLengthMax = 2_000;
const listLengthMax = 100;

interface Stated {
  readonly elements: PageElements;
  readonly urls: PageUrls;
  readonly statements: PageStatements;
  /** First value of the first of these names that has one. Names are lower case. */
  readonly meta: (...names: readonly string[]) => string | undefined;
}

const fields: Readonly<Record<string, (page: Stated) => string | readonly string[] | undefined>> = {
  title: ({ elements, meta }) =>
    (elements.title === undefined ? '' : tidy(textContent(elements.title))) ||
    meta('og:title', 'twitter:title', 'dc.title'),
  description: ({ meta }) => meta('description', 'og:description', 'twitter:description', 'dc.description'),
  language: ({ elements, statements, meta }) => {
    const attributes = elements.html?.attribs;
    return (
      tidy(attributes?.['lang'] ?? attributes?.['xml:lang'] ?? '') ||
      meta('content-language', 'og:locale') ||
      tidy(statements.contentLanguage.split(',', 1)[0] ?? '')
    );
  },
  // RFC 6596. A header counts as much as an element, and the large search engines document it so.
  canonical: ({ elements, urls, statements }) => {
    const isCanonical = ({ name, attribs }: Element): boolean =>
      name === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(attribs['rel'] ?? '');
    // The first that leads anywhere.
    for (const { attribs } of elements.linking.filter(isCanonical)) {
      const url = absolute(urls.crawlable, attribs['href']);
      if (url !== undefined) return url;
    }
    const header = statements.links.find(({ relations }) => relations.includes('canonical'));
    return absolute(urls.ofHeader, header?.target);
  },
  author: ({ meta }) => meta('author', 'article:author', 'dc.creator', 'twitter:creator', 'parsely-author'),
  publishedTime: ({ meta }) =>
    meta(
      'article:published_time',
      'datepublished',
      'date',
      'dc.date',
      'dcterms.created',
      'parsely-pub-date',
      'pubdate',
    ),
  modifiedTime: ({ meta }) =>
    meta('article:modified_time', 'og:updated_time', 'datemodified', 'last-modified', 'dcterms.modified'),
  siteName: ({ meta }) => meta('og:site_name', 'application-name'),
  image: ({ urls, meta }) =>
    absolute(urls.crawlable, meta('og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image')),
  keywords: ({ meta }) => list(meta('keywords', 'news_keywords')),
  robots: ({ statements }) => [...statements.robots].slice(0, listLengthMax),
};

function metaValues({ metas }: PageElements): Stated['meta'] {
  const values = new Map<string, string>();
  for (const { attribs } of metas) {
    const name = (attribs['property'] ?? attribs['name'] ?? attribs['itemprop'] ?? attribs['http-equiv'])
      ?.trim()
      .toLowerCase();
    const content = attribs['content'];
    if (name === undefined || content === undefined || values.has(name)) continue;
    const value = tidy(content);
    if (value !== '') values.set(name, value);
  }
  return (...names) => {
    for (const name of names) {
      const value = values.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

function absolute(resolve: PageUrls['crawlable'], reference: string | undefined): string | undefined {
  const url = reference === undefined || reference.trim() === '' ? undefined : resolve(reference);
  // Half a URL leads elsewhere: better none.
  return url !== undefined && url.length <= valueLengthMax ? url : undefined;
}

function list(value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const parts = value.split(/[,;]/).map((part) => part.trim());
  return [...new Set(parts)].filter((part) => part !== '').slice(0, listLengthMax);
}

/** Cut before anything else, so that a value of megabytes costs nothing. */
function tidy(value: string): string {
  return value
    .slice(0, valueLengthMax * 2)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, valueLengthMax)
    .toWellFormed();
}
