/** The sources of each metadata field. */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { textContent } from 'domutils';
import { authorNames, givenNameFirst, isAccount, isGroup, type SiteNames } from './author-names.ts';
import { type Byline, statedDate } from './byline.ts';
import { headlineOf } from './headline.ts';
import { type DayOrder, isoDate } from './iso-date.ts';
import {
  distinct,
  listed,
  listLengthMax,
  number,
  tidy,
  unescaped,
  type Value,
  valueLengthMax,
} from './metadata-values.ts';
import { isCanonical } from '../declared/page-subject.ts';
import { textBeginning } from '../html/node-text.ts';
import { fold } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';
import { isThreadUrl } from '../measure/thread-url.ts';
import type { PageStatements } from '../scan/page-statements.ts';
import type { PageUrls } from '../scan/page-urls.ts';
import type { PageElements } from '../scan/scan-page.ts';
import type { StructuredData } from './structured-data.ts';

/** Input of the metadata sources. */
export interface Stated {
  readonly elements: PageElements;
  /** The fetched URL of the page. */
  readonly url: string;
  /** Of that URL; empty if it cannot be parsed. */
  readonly place: { readonly host: string; readonly path: string };
  readonly urls: PageUrls;
  readonly statements: PageStatements;
  /** Returns the first value that is not empty. `name` is in lower case. */
  readonly meta: (name: string) => string | undefined;
  /** Returns all values, in order. */
  readonly metas: (name: string) => readonly string[];
  /** An `itemprop` describes a thing on the page, not always the page. */
  readonly itemprops: (name: string) => readonly string[];
  readonly data: StructuredData;
  readonly dayOrder: DayOrder | undefined;
  readonly isProduct: boolean;
  /** What readers see next to the heading. */
  readonly byline: () => Byline;
}

/** One source of a value. */
export interface MetadataSource {
  /** Name used in the documentation. */
  readonly name: string;
  readonly read: (page: Stated) => Value | undefined;
  /** What the page must have for a value. */
  readonly needs?: Mark | undefined;
}

/** Any `<meta>`; any thing in JSON-LD, microdata or RDFa. */
export type Mark = 'meta' | 'thing';

type Reader = MetadataSource['read'];

const source = (name: string, read: Reader, needs?: Mark): MetadataSource => ({ name, read, needs });
const metaSource = (name: string, read: Reader): MetadataSource => source(`meta ${name}`, read, 'meta');
const metas = (...names: readonly string[]): MetadataSource[] =>
  names.map((name) => metaSource(`\`${name}\``, ({ meta }) => meta(name)));
/** Each can be there once for each author. */
const authorMetas = (...names: readonly string[]): MetadataSource[] =>
  names.map((name) => metaSource(`\`${name}\``, (page) => joined(page.metas(name))));
const itemprops = (...names: readonly string[]): MetadataSource[] =>
  names.map((name) => source(`itemprop \`${name}\``, (page) => page.itemprops(name).find((one) => one !== ''), 'meta'));
/** Splits values at commas into lists. */
const lists = (sources: readonly MetadataSource[]): MetadataSource[] =>
  sources.map(({ name, read, needs }) => source(name, (page) => listed(read(page)), needs));
/** Tidies JSON-LD values like all others. */
const jsonLd = (name: string, read: (data: StructuredData, page: Stated) => Value | undefined): MetadataSource =>
  source(
    `JSON-LD ${name}`,
    (page) => {
      const value = read(page.data, page);
      if (typeof value === 'string') return unescaped(value);
      return Array.isArray(value) ? distinct(value.map(unescaped)) : value;
    },
    'thing',
  );

const authorLabel = phrases('by', 'author');

/** ISO 8601 if readable, otherwise as written. A value without a digit is not a date. */
const dates = (sources: readonly MetadataSource[]): MetadataSource[] =>
  sources.map(({ name, read, needs }) =>
    source(
      name,
      (page) => {
        const value = read(page);
        if (typeof value !== 'string' || !/\d/.test(value)) return undefined;
        return isoDate(value, page.dayOrder) ?? value;
      },
      needs,
    ),
  );
/**
 * Sources of each field, in order; the first with a value counts. JSON-LD comes first where it is more exact: it names
 * persons and gives times, whereas `<meta>` often has handles, addresses or the name of the site. docs/content.md is
 * generated from this table.
 */
export const metadataSources: Readonly<Record<string, readonly MetadataSource[]>> = {
  title: [
    source('`<title>`', ({ elements }) => (elements.title === undefined ? '' : tidy(textContent(elements.title)))),
    ...metas('og:title'),
    jsonLd('`headline`, `name`', ({ headline }) => headline),
  ],
  description: [
    ...metas('description', 'og:description', 'twitter:description'),
    jsonLd('`description`', ({ description }) => description),
  ],
  language: [
    source('`<html lang>`', ({ elements }) =>
      tidy(elements.html?.attribs['lang'] || elements.html?.attribs['xml:lang'] || ''),
    ),
    ...metas('content-language', 'og:locale'),
    source('header `Content-Language`', ({ statements }) => tidy(statements.contentLanguage.split(',', 1)[0] ?? '')),
  ],
  // RFC 6596. A header counts as much as an element; the large search engines document this.
  canonical: [
    source('`<link rel=canonical>`', ({ elements, urls }) => {
      // The first with a valid URL.
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
  headline: [
    source(
      '`<h1>` with half of the words of the `title`, otherwise the title without the site name; the only `<h1>` of the main content wins if it stands above the text',
      headline,
    ),
  ],
  author: [
    jsonLd('names of `author`', ({ authors }, page) =>
      personOf(
        joined(
          authors.flatMap(
            ({ name, isPerson }) => authorNames(unescaped(name), isPerson ? undefined : siteOf(page)) ?? [],
          ),
        ),
        page,
      ),
    ),
    ...[
      ...authorMetas('author', 'article:author', 'dc.creator', 'dcterms.creator'),
      metaSource('`citation_author`', (page) => joined(page.metas('citation_author').map(givenNameFirst))),
      ...authorMetas('parsely-author', 'byl'),
      metaSource('`twitter:data1` with a matching label', ({ meta }) =>
        authorLabel.isLine(fold(meta('twitter:label1') ?? '')) ? meta('twitter:data1') : undefined,
      ),
      source('itemprop `author`', (page) => joined(page.itemprops('author')), 'meta'),
    ].map(({ name, read }) =>
      source(
        name,
        (page) => {
          const value = read(page);
          return typeof value === 'string' && value !== ''
            ? personOf(authorNames(value, siteOf(page)), page)
            : undefined;
        },
        'meta',
      ),
    ),
    source('the byline next to the `<h1>`; in a thread without any of these, those who posted', ({ byline }) =>
      authorNames(byline().author ?? '', undefined),
    ),
  ],
  publishedTime: dates([
    jsonLd('`datePublished`', ({ published }) => published),
    ...metas(
      'article:published_time',
      'og:published_time',
      'date',
      'dc.date',
      'dcterms.date',
      'citation_publication_date',
      'parsely-pub-date',
      'publication_date',
    ),
    ...itemprops('datepublished'),
    source('the date next to the `<h1>`', ({ byline }) => byline().published),
    source('the day in the URL', ({ url }) => dayInUrl(url)),
    source('the only date that an element marks', (page) => onlyDate(page).published),
  ]),
  modifiedTime: dates([
    jsonLd('`dateModified`', ({ modified }) => modified),
    ...metas('article:modified_time', 'og:updated_time', 'datemodified', 'last-modified'),
    ...itemprops('datemodified'),
    source('the modification date next to the `<h1>`', ({ byline }) => byline().modified),
    source('the only date that an element marks', (page) => onlyDate(page).modified),
  ]),
  siteName: [
    ...metas('og:site_name', 'application-name'),
    jsonLd('name of `publisher`', ({ publisher }) => publisher),
    jsonLd('name of `WebSite`', ({ siteName }) => siteName),
  ],
  image: [
    ...['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'].map((name) =>
      metaSource(`\`${name}\``, ({ urls, meta }) => absolute(urls.crawlable, meta(name))),
    ),
    jsonLd('`image`', ({ image }, { urls }) => absolute(urls.crawlable, image)),
  ],
  keywords: [
    ...lists([...metas('keywords', 'news_keywords'), ...itemprops('keywords')]),
    jsonLd('`keywords`', ({ keywords }) => keywords.flatMap((keyword) => listed(unescaped(keyword)) ?? [])),
  ],
  type: [jsonLd('`@type`', ({ type }) => type)],
  ogType: metas('og:type'),
  productName: [jsonLd('`name` of a product', ({ product }) => product?.name)],
  productBrand: [jsonLd('name of `brand`', ({ product }) => product?.brand), ...metas('product:brand')],
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

/** A page that states its team, its site or an account as the author can show the person. */
function personOf(stated: string | undefined, page: Stated): string | undefined {
  if (stated === undefined || stated === '') return stated;
  // In a forum the account is the author.
  const isAuthorless = isAccount(stated) && !isThreadUrl(page.url);
  const isSite = authorNames(stated, siteOf(page)) === undefined;
  if (!isAuthorless && !isSite && !isGroup(stated)) return stated;
  const shown = authorNames(page.byline().author ?? '', siteOf(page));
  if (shown !== undefined && !isGroup(shown) && !isAccount(shown)) return shown;
  return isAuthorless ? undefined : stated;
}

function absolute(resolve: PageUrls['crawlable'], reference: string | undefined): string | undefined {
  const url = reference === undefined || reference.trim() === '' ? undefined : resolve(reference);
  // A truncated URL leads elsewhere: return none.
  return url !== undefined && url.length <= valueLengthMax ? url : undefined;
}

function joined(names: readonly string[]): string {
  return names.length === 0 ? '' : distinct(names).join(', ');
}

function headline({ elements, place, meta, data }: Stated): string {
  const title = elements.title === undefined ? '' : tidy(textContent(elements.title));
  const { host } = place;
  const site = { name: meta('og:site_name') ?? data.siteName, host, isStartPage: place.path === '/' };
  return headlineOf(title || (meta('og:title') ?? ''), elements.mainHeadings, site);
}

function siteOf({ place: { host }, meta, data }: Stated): SiteNames {
  return { host, names: [meta('og:site_name'), meta('application-name'), data.publisher, data.siteName] };
}

/** Below the text of a page, dates also belong to comments and to other pages: only one alone is sure. */
function onlyDate({ elements, place, dayOrder, isProduct }: Stated): Pick<Byline, 'published' | 'modified'> {
  if (isProduct || place.path === '/') return {};
  let only: { readonly element: Element; readonly date: string } | undefined;
  for (const element of elements.dated) {
    const stated = statedDate(element);
    if (stated === undefined || isBeside(element)) continue;
    const shown = element.name === 'time' ? textBeginning(element.children, labelLengthMax) : '';
    const date = isoDate(stated, dayOrder) ?? isoDate(shown, dayOrder);
    if (date === undefined) continue;
    if (only !== undefined && only.date.slice(0, 10) !== date.slice(0, 10)) return {};
    only ??= { element, date };
  }
  if (only === undefined) return {};
  return isChange(only.element) ? { modified: only.date } : { published: only.date };
}

function isChange({ attribs, parent }: Element): boolean {
  const said = fold(textBeginning(parent === null ? [] : parent.children, labelLengthMax));
  return (
    /updated|modified/i.test(`${attribs['class'] ?? ''} ${attribs['itemprop'] ?? ''} ${attribs['property'] ?? ''}`) ||
    updated.lastIn(said) > published.lastIn(said)
  );
}

const labelLengthMax = 80;
const published = phrases('published');
const updated = phrases('updated');

/** The footer of an article is part of it. */
function isBeside(element: Element): boolean {
  let isInFooter = false;
  for (let { parent } = element; parent !== null && isTag(parent); { parent } = parent) {
    if (parent.name === 'nav' || parent.name === 'aside') return true;
    if (parent.name === 'article' || parent.name === 'main') return false;
    isInFooter ||= parent.name === 'footer';
  }
  return isInFooter;
}

/** Reads `/2026/03/04/` and `/2026-03-04-hay`. */
function dayInUrl(url: string): string | undefined {
  const day = /[/_-]((?:19|20)\d\d)([/-])(\d\d)\2(\d\d)(?=[/_.-]|$)/.exec(url.slice(0, valueLengthMax));
  return day === null ? undefined : isoDate(`${day[1]}-${day[3]}-${day[4]}`);
}
