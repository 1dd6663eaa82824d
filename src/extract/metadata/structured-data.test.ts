import { describe, expect, it } from 'vitest';
import { charactersMax, readJsonLd } from '../scan/json-ld.ts';
import { extractMetadata } from './metadata.ts';
import { pageUrls } from '../scan/page-urls.ts';
import { parseHtml } from '../html/parse-html.ts';
import { scanPage } from '../scan/scan-page.ts';

function metadataOf(html: string): Record<string, unknown> {
  const elements = scanPage(parseHtml(html));
  return extractMetadata(
    elements,
    pageUrls('https://example.com/a/b', elements.base),
    {
      links: [],
      refresh: '',
      contentLanguage: '',
      robots: new Set(),
      things: readJsonLd(elements.jsonLd),
    },
    'https://example.com/a/b',
  );
}

const script = (text: string): string => `<script type="application/ld+json">${text}</script>`;
const of = (jsonLd: unknown, rest = ''): Record<string, unknown> => metadataOf(script(JSON.stringify(jsonLd)) + rest);

const article = {
  '@context': 'https://schema.org',
  '@type': 'NewsArticle',
  headline: 'Hay is dry',
  description: 'It did not rain.',
  image: ['/a.png', '/b.png'],
  author: [{ '@type': 'Person', name: 'Ada' }, 'Bob', { '@type': 'Person', name: 'Ada' }],
  datePublished: '2026-01-02T03:04:05Z',
  dateModified: '2026-02-03',
  publisher: { '@type': 'Organization', name: 'The Hay' },
  keywords: ['hay', 'sun, rain'],
  inLanguage: 'en-GB',
};

const articleMetadata = {
  title: 'Hay is dry',
  description: 'It did not rain.',
  language: 'en-GB',
  author: 'Ada, Bob',
  publishedTime: '2026-01-02T03:04:05Z',
  modifiedTime: '2026-02-03',
  siteName: 'The Hay',
  image: 'https://example.com/a.png',
  keywords: ['hay', 'sun', 'rain'],
  type: 'NewsArticle',
};

const product = {
  '@type': ['Product', 'Thing'],
  name: 'Rake &amp; fork',
  brand: { '@type': 'Brand', name: 'Hay Tools' },
  sku: 17,
  offers: { '@type': 'Offer', price: 19.5, priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
  aggregateRating: { '@type': 'AggregateRating', ratingValue: '4,5', reviewCount: '12' },
};

describe('JSON-LD', () => {
  it.each<[why: string, jsonLd: unknown, expected: Record<string, unknown>]>([
    ['an article', article, articleMetadata],
    ['in a list', [{ '@type': 'WebSite', name: 'Other' }, article], articleMetadata],
    ['in a graph', { '@context': 'https://schema.org', '@graph': [article] }, articleMetadata],
    ['as the main entity of a page', { '@type': 'WebPage', mainEntity: article }, articleMetadata],
    ['with full names of types', { ...article, '@type': 'http://schema.org/NewsArticle' }, articleMetadata],
    [
      'whose persons and images are things of their own',
      {
        '@graph': [
          { '@type': 'Article', author: { '@id': '#ada' }, image: { '@id': '#i' }, publisher: { '@id': '#nobody' } },
          { '@type': 'Person', '@id': '#ada', name: 'Ada' },
          { '@type': 'ImageObject', '@id': '#i', url: 'i.png' },
        ],
      },
      { author: 'Ada', image: 'https://example.com/a/i.png', type: 'Article' },
    ],
    [
      'times of the page where there is no article',
      { '@type': 'WebPage', datePublished: '2026', dateModified: '2027', description: 'd' },
      { publishedTime: '2026', modifiedTime: '2027', description: 'd', type: 'WebPage' },
    ],
    [
      'a product',
      product,
      {
        title: 'Rake & fork',
        type: 'Product',
        productName: 'Rake & fork',
        productBrand: 'Hay Tools',
        productSku: '17',
        productPrice: '19.5',
        productCurrency: 'EUR',
        productAvailability: 'InStock',
        ratingValue: 4.5,
        ratingCount: 12,
      },
    ],
    [
      'a product with a range of prices',
      { '@type': 'Product', offers: [{ '@type': 'AggregateOffer', lowPrice: '5.00', priceCurrency: 'USD' }] },
      { type: 'Product', productPrice: '5.00', productCurrency: 'USD' },
    ],
    [
      'a product whose price has a specification',
      {
        '@type': 'Product',
        offers: { priceSpecification: [{ price: '7', priceCurrency: 'CHF' }], availability: 'SoldOut' },
      },
      { type: 'Product', productPrice: '7', productCurrency: 'CHF', productAvailability: 'SoldOut' },
    ],
    [
      'questions',
      {
        '@type': 'FAQPage',
        mainEntity: [
          { '@type': 'Question', name: 'Why?' },
          { '@type': 'Question', name: 'How?' },
        ],
      },
      { type: 'FAQPage', questions: ['Why?', 'How?'] },
    ],
    [
      'breadcrumbs, by their position',
      {
        '@type': 'BreadcrumbList',
        itemListElement: [
          { '@type': 'ListItem', position: 2, item: { '@id': '/t', name: 'Tools' } },
          { '@type': 'ListItem', position: '1', name: 'Home' },
        ],
      },
      { breadcrumbs: ['Home', 'Tools'] },
    ],
    [
      'no article of several: it is a front page',
      [article, { ...article, headline: 'Another' }],
      { type: 'NewsArticle' },
    ],
    [
      'of several the one that says it is this page',
      [
        { ...article, url: '/elsewhere', headline: 'Another' },
        { ...article, mainEntityOfPage: { '@id': 'b#main' } },
      ],
      articleMetadata,
    ],
    ['nothing of a job advertisement but its type', { '@type': 'JobPosting', name: 'Mower' }, { type: 'JobPosting' }],
  ])('%s', (_, jsonLd, expected) => {
    expect(of(jsonLd)).toEqual({ title: '', description: '', ...expected });
  });

  it('comes after <meta>, but for authors and times', () => {
    const metas = ['description', 'author', 'date', 'last-modified', 'og:site_name', 'og:image', 'keywords']
      .map((name) => `<meta name=${name} content=meta>`)
      .join('');
    expect(of(article, `<html lang=de><title>Title</title>${metas}<meta property=og:type content=article>`)).toEqual({
      title: 'Title',
      headline: 'Title',
      description: 'meta',
      language: 'de',
      author: 'Ada, Bob',
      publishedTime: '2026-01-02T03:04:05Z',
      modifiedTime: '2026-02-03',
      siteName: 'meta',
      image: 'https://example.com/a/meta',
      keywords: ['meta'],
      type: 'NewsArticle',
      ogType: 'article',
    });
  });

  it('products are also read from <meta>', () => {
    const metas = { amount: '3.00', currency: 'EUR' };
    const html = Object.entries(metas).map(
      ([name, value]) => `<meta property="product:price:${name}" content="${value}">`,
    );
    expect(metadataOf(html.join(''))).toMatchObject({ productPrice: '3.00', productCurrency: 'EUR' });
  });

  it('an author is no address of a profile', () => {
    expect(metadataOf('<meta property=article:author content="https://social.test/ada">')).not.toHaveProperty('author');
  });

  it.each([
    ['a wrapper for old browsers', '<!--\n{"@type":"Article","headline":"H"}\n-->'],
    ['a wrapper for XML', '//<![CDATA[\n{"@type":"Article","headline":"H"}\n//]]>'],
    ['a wrapper for XML around a list', '/*<![CDATA[*/[{"@type":"Article","headline":"H"}]/*]]>*/'],
    ['a semicolon', ' {"@type":"Article","headline":"H"};\n'],
    ['line ends in strings', '{"@type":"Article","description":"a\nb","headline":"H"}'],
  ])('is read in spite of %s', (_, text) => {
    expect(metadataOf(script(text))).toMatchObject({ type: 'Article', title: 'H' });
  });

  it.each([
    '',
    'null',
    '7',
    '"x"',
    '[]',
    '{',
    '{"@type":',
    '{"@type":7}',
    '{"@type":[null,{}]}',
    'alert(1)',
    ']',
    '}[{',
  ])('that says nothing costs nothing: %s', (text) => {
    expect(metadataOf(script(text) + script('{"@type":"Article","headline":"H"}'))).toMatchObject({ title: 'H' });
    expect(metadataOf(script(text))).toEqual({ title: '', description: '' });
  });

  it.each<[why: string, text: string]>([
    ['100,000 brackets', '['.repeat(100_000)],
    ['100,000 graphs in each other', `${'{"@graph":'.repeat(30_000)}1${'}'.repeat(30_000)}`],
    ['white space', `{${' '.repeat(charactersMax - 10)}x}`],
    ['opening brackets and spaces', '[ '.repeat(charactersMax / 2 - 1)],
    ['semicolons', '; '.repeat(charactersMax / 2 - 1)],
    ['many articles', `[${Array.from({ length: 9_000 }, () => '{"@type":"Article","url":"x"}').join(',')}]`],
    ['many of everything', `{"@type":"Product","offers":[${'{"offers":[{},{}]},'.repeat(20_000)}{}]}`],
    ['long names', JSON.stringify({ '@type': 'x'.repeat(400_000) })],
  ])('is read in no time, or not at all: %s', (_, text) => {
    const page = script(text);
    const start = performance.now();
    metadataOf(page);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('beyond its bounds is not read', () => {
    expect(of({ '@type': 'Article', headline: 'H', x: 'x'.repeat(charactersMax) })).toEqual({
      title: '',
      description: '',
    });
  });

  it('in another script is none', () => {
    expect(metadataOf('<script>{"@type":"Article","headline":"H"}</script>')).toEqual({ title: '', description: '' });
    expect(metadataOf('<script type="Application/LD+JSON; charset=utf-8">{"@type":"Article"}</script>')).toMatchObject({
      type: 'Article',
    });
  });
});
