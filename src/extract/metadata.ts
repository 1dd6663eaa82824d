/** Metadata as the page states it in its elements, in JSON-LD and in headers. A table: for each field, where it is looked for. */
import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import { decodeHTML } from 'entities';
import type { PageMetadata } from '../core/page.ts';
import type { PageStatements } from './page-statements.ts';
import type { PageUrls } from './page-urls.ts';
import type { PageElements } from './scan-page.ts';
import { type StructuredData, structuredData } from './structured-data.ts';

/** `title` and `description` are always there, everything else only where the page has it. */
export function extractMetadata(elements: PageElements, urls: PageUrls, statements: PageStatements): PageMetadata {
  const page: Stated = {
    elements,
    urls,
    statements,
    meta: metaValues(elements),
    data: structuredData(statements.things, urls.isThisPage),
  };
  const metadata: Record<string, Value> = {};
  for (const [name, sources] of Object.entries(metadataSources)) {
    const value = firstOf(sources, page);
    if (value !== undefined) metadata[name] = value;
  }
  return { title: '', description: '', ...metadata };
}

/** Characters kept of one value, and values kept of a list. */
export const valueLengthMax = 2_000;
const listLengthMax = 100;

type Value = string | number | readonly string[];

interface Stated {
  readonly elements: PageElements;
  readonly urls: PageUrls;
  readonly statements: PageStatements;
  /** The value of the first element with this name that has one. Names are lower case. */
  readonly meta: (name: string) => string | undefined;
  readonly data: StructuredData;
}

/** One place to look. */
export interface MetadataSource {
  /** As the documentation calls it. */
  readonly name: string;
  readonly read: (page: Stated) => Value | undefined;
}

type Reader = MetadataSource['read'];

const source = (name: string, read: Reader): MetadataSource => ({ name, read });
const metas = (...names: readonly string[]): MetadataSource[] =>
  names.map((name) => source(`meta \`${name}\``, ({ meta }) => meta(name)));
const listsIn = (...names: readonly string[]): MetadataSource[] =>
  names.map((name) => source(`meta \`${name}\``, ({ meta }) => listed(meta(name))));
/** What JSON-LD says, tidied like all else. */
const jsonLd = (name: string, read: (data: StructuredData, page: Stated) => Value | undefined): MetadataSource =>
  source(`JSON-LD ${name}`, (page) => {
    const value = read(page.data, page);
    if (typeof value === 'string') return unescaped(value);
    return Array.isArray(value) ? distinct(value.map(unescaped)) : value;
  });

/**
 * Where each field is looked for; the first that says something counts. JSON-LD comes first where it is the more exact: it
 * names persons and gives times, where `<meta>` often has handles, addresses or the site's own name. docs/metadata.md is made
 * of this.
 */
export const metadataSources: Readonly<Record<string, readonly MetadataSource[]>> = {
  title: [
    source('`<title>`', ({ elements }) => (elements.title === undefined ? '' : tidy(textContent(elements.title)))),
    ...metas('og:title', 'twitter:title', 'dc.title'),
    jsonLd('`headline`, `name`', ({ headline }) => headline),
  ],
  description: [
    ...metas('description', 'og:description', 'twitter:description', 'dc.description'),
    jsonLd('`description`', ({ description }) => description),
  ],
  language: [
    source('`<html lang>`', ({ elements }) =>
      tidy(elements.html?.attribs['lang'] || elements.html?.attribs['xml:lang'] || ''),
    ),
    ...metas('content-language', 'og:locale'),
    source('header `Content-Language`', ({ statements }) => tidy(statements.contentLanguage.split(',', 1)[0] ?? '')),
    jsonLd('`inLanguage`', ({ language }) => language),
  ],
  // RFC 6596. A header counts as much as an element, and the large search engines document it so.
  canonical: [
    source('`<link rel=canonical>`', ({ elements, urls }) => {
      // The first that leads anywhere.
      for (const { attribs } of elements.linking.filter(isCanonical)) {
        const url = absolute(urls.crawlable, attribs['href']);
        if (url !== undefined) return url;
      }
      return undefined;
    }),
    source('header `Link`', ({ urls, statements }) => {
      const header = statements.links.find(({ relations }) => relations.includes('canonical'));
      return absolute(urls.ofHeader, header?.target);
    }),
  ],
  author: [
    jsonLd('names of `author`', ({ authors }) => distinct(authors.map(unescaped)).join(', ') || undefined),
    ...metas('author', 'article:author', 'dc.creator', 'twitter:creator', 'parsely-author').map(({ name, read }) =>
      // Often that of a profile, which is no name.
      source(name, (page) => unlessAddress(read(page))),
    ),
  ],
  publishedTime: [
    jsonLd('`datePublished`', ({ published }) => published),
    ...metas(
      'article:published_time',
      'datepublished',
      'date',
      'dc.date',
      'dcterms.created',
      'parsely-pub-date',
      'pubdate',
    ),
  ],
  modifiedTime: [
    jsonLd('`dateModified`', ({ modified }) => modified),
    ...metas('article:modified_time', 'og:updated_time', 'datemodified', 'last-modified', 'dcterms.modified'),
  ],
  siteName: [
    ...metas('og:site_name', 'application-name'),
    jsonLd('name of `publisher`', ({ publisher }) => publisher),
    jsonLd('name of `WebSite`', ({ siteName }) => siteName),
  ],
  image: [
    ...['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'].map((name) =>
      source(`meta \`${name}\``, ({ urls, meta }) => absolute(urls.crawlable, meta(name))),
    ),
    jsonLd('`image`', ({ image }, { urls }) => absolute(urls.crawlable, image)),
  ],
  keywords: [
    ...listsIn('keywords', 'news_keywords'),
    jsonLd('`keywords`', ({ keywords }) => keywords.flatMap((keyword) => listed(unescaped(keyword)) ?? [])),
  ],
  type: [jsonLd('`@type`', ({ type }) => type)],
  ogType: metas('og:type'),
  productName: [jsonLd('`name` of a product', ({ product }) => product?.name)],
  productBrand: [jsonLd('name of `brand`', ({ product }) => product?.brand), ...metas('product:brand', 'og:brand')],
  productSku: [jsonLd('`sku`, `mpn`', ({ product }) => product?.sku), ...metas('product:retailer_item_id')],
  productPrice: [
    jsonLd('`price`, `lowPrice` of `offers`', ({ product }) => product?.price),
    ...metas('product:price:amount', 'og:price:amount'),
  ],
  productCurrency: [
    jsonLd('`priceCurrency` of `offers`', ({ product }) => product?.currency),
    ...metas('product:price:currency', 'og:price:currency'),
  ],
  productAvailability: [
    jsonLd('`availability` of `offers`', ({ product }) => product?.availability),
    ...metas('product:availability', 'og:availability'),
  ],
  ratingValue: [jsonLd('`ratingValue` of `aggregateRating`', ({ rating }) => number(rating.value))],
  ratingCount: [jsonLd('`ratingCount`, `reviewCount` of `aggregateRating`', ({ rating }) => number(rating.count))],
  breadcrumbs: [jsonLd('names of `BreadcrumbList`', ({ breadcrumbs }) => breadcrumbs)],
  questions: [jsonLd('names in `FAQPage`, `QAPage`', ({ questions }) => questions)],
  robots: [
    source('meta `robots`, `hayrake` and header `X-Robots-Tag`, together', ({ statements }) =>
      [...statements.robots].slice(0, listLengthMax),
    ),
  ],
};

function firstOf(sources: readonly MetadataSource[], page: Stated): Value | undefined {
  for (const { read } of sources) {
    const value = read(page);
    if (value !== undefined && (typeof value === 'number' || value.length > 0)) return value;
  }
  return undefined;
}

function unlessAddress(value: Value | undefined): Value | undefined {
  return typeof value === 'string' && /^https?:/i.test(value) ? undefined : value;
}

function isCanonical({ name, attribs }: Element): boolean {
  return name === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(attribs['rel'] ?? '');
}

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
  return (name) => values.get(name);
}

function absolute(resolve: PageUrls['crawlable'], reference: string | undefined): string | undefined {
  const url = reference === undefined || reference.trim() === '' ? undefined : resolve(reference);
  // Half a URL leads elsewhere: better none.
  return url !== undefined && url.length <= valueLengthMax ? url : undefined;
}

function listed(value: string | undefined): readonly string[] | undefined {
  return value === undefined ? undefined : distinct(value.split(/[,;]/).map((part) => part.trim()));
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== '').slice(0, listLengthMax);
}

/** `4,5` is how half of the world writes it. */
function number(text: string | undefined): number | undefined {
  const value =
    text === undefined || !/^\s*\d{1,12}(?:[.,]\d{1,12})?\s*$/.test(text) ? Number.NaN : Number(text.replace(',', '.'));
  return Number.isNaN(value) ? undefined : value;
}

/** Templates escape what they write for HTML, also where it is none. */
function unescaped(value: string): string {
  return tidy(value.includes('&') ? decodeHTML(value.slice(0, valueLengthMax * 2)) : value);
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
