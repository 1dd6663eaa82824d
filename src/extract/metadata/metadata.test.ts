import { describe, expect, it } from 'vitest';
import type { PageMetadata } from '../../core/page.ts';
import { readJsonLd } from '../scan/json-ld.ts';
import { parseLinkHeader } from '../scan/link-header.ts';
import { extractMetadata } from './metadata.ts';
import { valueLengthMax } from './metadata-values.ts';
import { pageUrls } from '../scan/page-urls.ts';
import { parseHtml } from '../html/parse-html.ts';
import { robotsDirectives } from '../scan/robots-meta.ts';
import { scanPage } from '../scan/scan-page.ts';

interface Headers {
  readonly link?: string;
  readonly contentLanguage?: string;
  readonly robots?: readonly string[];
}

function metadataOf(html: string, { link = '', contentLanguage = '', robots = [] }: Headers = {}): PageMetadata {
  const elements = scanPage(parseHtml(html));
  return extractMetadata(
    elements,
    pageUrls('https://example.com/a/b', elements.base),
    {
      links: parseLinkHeader(link),
      refresh: '',
      contentLanguage,
      robots: robotsDirectives(elements.metas, robots),
      things: readJsonLd(elements.jsonLd),
    },
    'https://example.com/a/b',
  );
}

describe('extractMetadata', () => {
  it('always has a title and a description, and nothing else that the page lacks', () => {
    expect(metadataOf('<p>hello')).toEqual({ title: '', description: '' });
  });

  it.each<[why: string, html: string, expected: Partial<PageMetadata>]>([
    ['title, with white space collapsed', '<title>\n A &amp;\n  B </title>', { title: 'A & B', headline: 'A & B' }],
    [
      'title of Open Graph where there is no other',
      '<title> </title><meta property=og:title content=OG>',
      { title: 'OG', headline: 'OG' },
    ],
    ['no title from an icon', '<svg><title>Icon</title></svg><title>Page</title>', { title: 'Page', headline: 'Page' }],
    ['description', '<meta name=Description content=" d ">', { description: 'd' }],
    [
      'description before Open Graph',
      '<meta property=og:description content=og><meta name=description content=d>',
      { description: 'd' },
    ],
    ['language', '<html lang=de-CH>', { language: 'de-CH' }],
    [
      'canonical, the first that leads anywhere',
      '<link rel=canonical href=""><link rel=canonical href=c>',
      { canonical: 'https://example.com/a/c' },
    ],
    ['canonical, absolute', '<link rel=canonical href="../c#f">', { canonical: 'https://example.com/c' }],
    ['author', '<meta name=author content="Ada">', { author: 'Ada' }],
    [
      'times',
      '<meta property=article:published_time content=2024-01-02><meta property=article:modified_time content=2024-03-04>',
      { publishedTime: '2024-01-02', modifiedTime: '2024-03-04' },
    ],
    [
      'site name and image',
      '<meta property=og:site_name content=S><meta property=og:image content=/i.png>',
      { siteName: 'S', image: 'https://example.com/i.png' },
    ],
    ['keywords, once each', '<meta name=keywords content="a, b,,a">', { keywords: ['a', 'b'] }],
    ['robots directives', '<meta name=robots content="NoIndex, follow">', { robots: ['noindex', 'follow'] }],
    [
      'an empty value leaves room for the next',
      '<meta name=author content=" "><meta name=author content=B>',
      { author: 'B' },
    ],
  ])('%s', (_, html, expected) => {
    expect(metadataOf(html)).toEqual({ title: '', description: '', ...expected });
  });

  it.each<[why: string, html: string, headers: Headers, expected: Partial<PageMetadata>]>([
    ['a language', '<html lang="">', { contentLanguage: ' de-CH, en' }, { language: 'de-CH' }],
    ['no language before that of the page', '<html lang=fr>', { contentLanguage: 'de' }, { language: 'fr' }],
    ['no language at all', '', { contentLanguage: ' , en' }, {}],
    ['the original', '', { link: '<../c#f>; rel="next canonical"' }, { canonical: 'https://example.com/c' }],
    [
      'the original, not moved by a base',
      '<base href="/v2/">',
      { link: '<c>; rel=canonical, <d>; rel=canonical' },
      { canonical: 'https://example.com/a/c' },
    ],
    [
      'no original before that of the page',
      '<link rel=canonical href=/page>',
      { link: '</header>; rel=canonical' },
      { canonical: 'https://example.com/page' },
    ],
    [
      'the original where the page names none that can be one',
      '<link rel=canonical href="">',
      { link: '</c>; rel=canonical' },
      { canonical: 'https://example.com/c' },
    ],
    [
      'directives for robots, beside those of the page',
      '<meta name=robots content=noindex><meta name=hayrake content="NOINDEX, none">',
      { robots: ['noarchive', 'none'] },
      { robots: ['noindex', 'none', 'noarchive'] },
    ],
  ])('takes from headers %s', (_, html, headers, expected) => {
    expect(metadataOf(html, headers)).toEqual({ title: '', description: '', ...expected });
  });

  // Shops put a shortened text into `itemprop`, for search results of their own.
  const descriptions = {
    name: '<meta name=description content="by name">',
    both: '<meta itemprop=description name=description content="by name">',
    og: '<meta property=og:description content="of Open Graph">',
    itemprop: '<meta itemprop=description content="by it...">',
    jsonLd: '<script type="application/ld+json">{"@type":"Article","description":"of JSON-LD"}</script>',
  };
  it.each<[order: string, ...parts: (keyof typeof descriptions)[]]>([
    ['by name', 'name', 'itemprop', 'og', 'jsonLd'],
    ['by name', 'itemprop', 'name', 'og', 'jsonLd'],
    ['by name', 'jsonLd', 'og', 'itemprop', 'name'],
    ['by name', 'itemprop', 'both'],
    ['of Open Graph', 'itemprop', 'og', 'jsonLd'],
    ['of Open Graph', 'jsonLd', 'og', 'itemprop'],
    ['of JSON-LD', 'itemprop', 'jsonLd'],
    ['by it...', 'itemprop'],
  ])('takes the description %s where the page has, in this order, %s %s %s %s', (expected, ...parts) => {
    expect(metadataOf(parts.map((part) => descriptions[part]).join('')).description).toBe(expected);
  });

  it.each([
    ['<meta itemprop=datePublished content=2024-01-02>', 'publishedTime', '2024-01-02'],
    ['<meta itemprop=dateModified content=2024-01-02>', 'modifiedTime', '2024-01-02'],
    ['<meta itemprop=author content=Ada><meta name=author content=Bob>', 'author', 'Bob'],
    ['<meta itemprop=keywords content=a><meta name=keywords content=b,c>', 'keywords', ['b', 'c']],
  ])('reads %s', (html, field, expected) => {
    expect(metadataOf(html)[field]).toEqual(expected);
  });

  it('cuts values that are no metadata any more', () => {
    expect(metadataOf(`<title>${'x'.repeat(1_000_000)}</title>`).title).toHaveLength(valueLengthMax);
  });

  it('is not confused by names of the language', () => {
    expect(metadataOf('<meta name=__proto__ content=x><meta name=constructor content=y>')).toEqual({
      title: '',
      description: '',
    });
  });
});

describe('what readers see of an article', () => {
  const title = '<title>Hay is dry | The Hay News</title>';

  it.each<[why: string, html: string, expected: Partial<PageMetadata>]>([
    ['the heading', `${title}<h1>Hay is dry</h1>`, { headline: 'Hay is dry' }],
    ['no heading of the site', `${title}<h1>The Hay News</h1>`, { headline: 'Hay is dry' }],
    [
      'the name of the site first',
      '<meta property=og:site_name content="The Hay News"><title>The Hay News - Hay is dry</title>',
      { headline: 'Hay is dry' },
    ],
    ['a title with a colon', '<title>Hay: a story</title>', { headline: 'Hay: a story' }],
    [
      'the documentation of the site',
      '<title>Rakes | Example documentation | Example</title><h1>The manual</h1>',
      { headline: 'Rakes' },
    ],
    [
      'a heading with the name of the site',
      '<meta property=og:site_name content=Barn><title>Old rakes | Barn</title><h1>Old rakes | Barn</h1>',
      { headline: 'Old rakes' },
    ],
    [
      'a heading at the end of a title that begins with the site',
      '<title>Example: Manual: 18: Rakes</title><h1>Rakes</h1>',
      { headline: 'Rakes' },
    ],
    ['a host after a colon', '<title>A day of hay: Example</title>', { headline: 'A day of hay' }],
    ['a mark that links to the heading', '<title>Rakes</title><h1>Rakes¶</h1>', { headline: 'Rakes' }],
    [
      'the authors of a paper, given name first',
      '<meta name=citation_author content="Field, Ada"><meta name=citation_author content="Barn, Bob B.">',
      { author: 'Ada Field, Bob B. Barn' },
    ],
    [
      'a person before a team and an account',
      '<meta name=author content="Hay Team"><h1>Hay is dry</h1><p>By Ada Field</p>',
      { author: 'Ada Field' },
    ],
    ['a team, if nothing else is there', '<meta name=author content="Hay Team">', { author: 'Hay Team' }],
    ['no account', '<meta name=author content=AdaF><h1>Hay is dry</h1><p>Text</p>', { author: undefined }],
    ['no credits', '<meta name=author content="content: Hay">', { author: undefined }],
    ['no section next to the heading', '<h1>Hay</h1><p class=author>Personal finance</p>', { author: undefined }],
    [
      'a statement before the byline',
      `<meta name=author content=Ada><h1>Hay is dry</h1><p>By Bob Barn, March 4, 2026</p>`,
      { author: 'Ada', publishedTime: '2026-03-04' },
    ],
    ['a time in ISO 8601', '<meta name=date content="Dec 19th 2025">', { publishedTime: '2025-12-19' }],
    ['a time that cannot be read', '<meta name=date content="03/04/2025">', { publishedTime: '03/04/2025' }],
    ['no time that is none', '<meta name=date content="undefined">', { publishedTime: undefined }],
    ['no handle', '<meta name=author content="@ada">', { author: undefined }],
    [
      'what is labelled as the author',
      '<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Ada Field">',
      { author: 'Ada Field' },
    ],
    [
      'no buyers of a product',
      '<meta property=og:type content=product><h1>Rake</h1><p>By Bob Barn, March 4, 2026</p>',
      { author: undefined, publishedTime: undefined },
    ],
  ])('takes %s', (_, html, expected) => {
    expect(metadataOf(html)).toMatchObject(
      Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined)),
    );
    for (const name of Object.keys(expected)) expect(metadataOf(html)[name]).toBe(expected[name]);
  });

  it('takes the day that the URL names', () => {
    const elements = scanPage(parseHtml('<p>hello'));
    const url = 'https://example.com/2026/03/04/hay.html';
    const said = { links: [], refresh: '', contentLanguage: '', robots: new Set<string>(), things: readJsonLd([]) };
    expect(extractMetadata(elements, pageUrls(url, undefined), said, url)['publishedTime']).toBe('2026-03-04');
  });
});
