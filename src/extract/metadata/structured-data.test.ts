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
};

const articleMetadata = {
  title: 'Hay is dry',
  description: 'It did not rain.',
  author: 'Ada, Bob',
  publishedTime: '2026-01-02T03:04:05Z',
  modifiedTime: '2026-02-03',
  siteName: 'The Hay',
  image: 'https://example.com/a.png',
  keywords: ['hay', 'sun', 'rain'],
  type: 'NewsArticle',
};

const site = { '@type': 'WebSite', name: 'The Hay' };

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
    ['an article in a list', [{ '@type': 'WebSite', name: 'Other' }, article], articleMetadata],
    ['an article in a graph', { '@context': 'https://schema.org', '@graph': [article] }, articleMetadata],
    ['an article that is the main entity of a page', { '@type': 'WebPage', mainEntity: article }, articleMetadata],
    [
      'an article with the full name of its type',
      { ...article, '@type': 'http://schema.org/NewsArticle' },
      articleMetadata,
    ],
    [
      'persons and images by their @id',
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
      'the times of a page without an article',
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
      'the questions of a FAQ page',
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
      'breadcrumbs in the order of their position',
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
      'no article of several, as on a front page',
      [article, { ...article, headline: 'Another' }],
      { type: 'NewsArticle' },
    ],
    [
      'the one of several articles that is about this page',
      [
        { ...article, url: '/elsewhere', headline: 'Another' },
        { ...article, mainEntityOfPage: { '@id': 'b#main' } },
      ],
      articleMetadata,
    ],
    ['only the type of a job advertisement', { '@type': 'JobPosting', name: 'Mower' }, { type: 'JobPosting' }],
  ])('JSON-LD: reads %s', (_, jsonLd, expected) => {
    expect(of(jsonLd)).toEqual({ title: '', description: '', ...expected });
  });

  it.each([
    'Recipe',
    'Review',
    'ClaimReview',
    'HowTo',
    'VideoObject',
    'PodcastEpisode',
    'Dataset',
    'SoftwareApplication',
    'Course',
    'Book',
    'MedicalWebPage',
    'CreativeWork',
    ['Thing', 'Movie'],
  ])('JSON-LD: gives what describes a page about a %s', (type) => {
    const { publisher: _, ...work } = { ...article, '@type': type };
    const { title, description, author, publishedTime, modifiedTime, image } = of({ '@graph': [site, work] });
    expect({ title, description, author, publishedTime, modifiedTime }).toEqual({
      title: 'Hay is dry',
      description: 'It did not rain.',
      author: 'Ada, Bob',
      publishedTime: '2026-01-02T03:04:05Z',
      modifiedTime: '2026-02-03',
    });
    expect(image).toBe('https://example.com/a.png');
  });

  it('JSON-LD: gives no author of a video or review beside the subject', () => {
    const beside = { name: 'Making hay', author: 'Cy', datePublished: '2020-01-01' };
    const page = { '@type': 'WebPage', name: 'Hay', datePublished: '2026-01-02' };
    expect(of([page, { ...beside, '@type': 'VideoObject' }])).toMatchObject({ publishedTime: '2026-01-02' });
    expect(of([page, { ...beside, '@type': 'VideoObject' }])).not.toHaveProperty('author');
    expect(of({ ...beside, '@type': 'VideoObject', url: 'https://example.com/a/b/9' })).not.toHaveProperty('author');
    expect(of([product, { ...beside, '@type': 'Review' }])).not.toHaveProperty('author');
  });

  it.each([
    ['in the group', (variants: readonly unknown[], group: object) => ({ ...group, hasVariant: variants })],
    [
      'beside the group',
      (variants: readonly unknown[], group: object) => [...variants, { ...group, hasVariant: variants }],
    ],
  ])('JSON-LD: gives the price of a product with variants %s', (_, write) => {
    const { offers, sku, ...group } = product;
    const variants = [1, 2].map((size) => ({ '@type': 'Product', name: `Rake ${size}`, sku, offers }));
    expect(of(write(variants, { ...group, '@type': 'ProductGroup' }))).toMatchObject({
      productName: 'Rake & fork',
      productBrand: 'Hay Tools',
      productSku: '17',
      productPrice: '19.5',
      productCurrency: 'EUR',
      productAvailability: 'InStock',
    });
  });

  it('JSON-LD: comes after <meta>, except for authors and times', () => {
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

  it('<meta>: gives the price of a product', () => {
    const metas = { amount: '3.00', currency: 'EUR' };
    const html = Object.entries(metas).map(
      ([name, value]) => `<meta property="product:price:${name}" content="${value}">`,
    );
    expect(metadataOf(html.join(''))).toMatchObject({ productPrice: '3.00', productCurrency: 'EUR' });
  });

  it('<meta>: gives no author from the address of a profile', () => {
    expect(metadataOf('<meta property=article:author content="https://social.test/ada">')).not.toHaveProperty('author');
  });

  it.each([
    ['a comment for old browsers', '<!--\n{"@type":"Article","headline":"H"}\n-->'],
    ['a CDATA wrapper', '//<![CDATA[\n{"@type":"Article","headline":"H"}\n//]]>'],
    ['a CDATA wrapper around a list', '/*<![CDATA[*/[{"@type":"Article","headline":"H"}]/*]]>*/'],
    ['a semicolon', ' {"@type":"Article","headline":"H"};\n'],
    ['a comma after the last value', '{"@type":"Article","keywords":["a",],"headline":"H", }'],
    ['several objects', '{"@type":"Article","headline":"H"}\n{"@type":"WebSite","name":"W"}'],
    ['line breaks in strings', '{"@type":"Article","description":"a\nb","headline":"H"}'],
  ])('JSON-LD: is read in spite of %s', (_, text) => {
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
  ])('JSON-LD: ignores %j and reads the next script', (text) => {
    expect(metadataOf(script(text) + script('{"@type":"Article","headline":"H"}'))).toMatchObject({ title: 'H' });
    expect(metadataOf(script(text))).toEqual({ title: '', description: '' });
  });

  it.each<[why: string, text: string]>([
    ['100,000 brackets', '['.repeat(100_000)],
    ['30,000 nested graphs', `${'{"@graph":'.repeat(30_000)}1${'}'.repeat(30_000)}`],
    ['a long run of white space', `{${' '.repeat(charactersMax - 10)}x}`],
    ['commas before brackets', `{"a":[${',]'.repeat(charactersMax / 2 - 9)}]}`],
    ['many objects', '{"a":1} '.repeat(charactersMax / 8 - 9)],
    ['opening brackets and spaces', '[ '.repeat(charactersMax / 2 - 1)],
    ['semicolons', '; '.repeat(charactersMax / 2 - 1)],
    ['9,000 articles', `[${Array.from({ length: 9_000 }, () => '{"@type":"Article","url":"x"}').join(',')}]`],
    ['20,000 nested offers', `{"@type":"Product","offers":[${'{"offers":[{},{}]},'.repeat(20_000)}{}]}`],
    ['a type name of 400,000 characters', JSON.stringify({ '@type': 'x'.repeat(400_000) })],
  ])('JSON-LD: takes bounded processor time for %s', (_, text) => {
    const page = script(text);
    const start = process.cpuUsage();
    metadataOf(page);
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
  });

  it('JSON-LD: is ignored beyond charactersMax', () => {
    expect(of({ '@type': 'Article', headline: 'H', x: 'x'.repeat(charactersMax) })).toEqual({
      title: '',
      description: '',
    });
  });

  it('JSON-LD: is read only from scripts of its type', () => {
    expect(metadataOf('<script>{"@type":"Article","headline":"H"}</script>')).toEqual({ title: '', description: '' });
    expect(metadataOf('<script type="Application/LD+JSON; charset=utf-8">{"@type":"Article"}</script>')).toMatchObject({
      type: 'Article',
    });
  });
});
