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
  it('extractMetadata: returns an empty title and description when the page has neither', () => {
    expect(metadataOf('<p>hello')).toEqual({ title: '', description: '' });
  });

  it.each<[why: string, html: string, expected: Partial<PageMetadata>]>([
    ['the title with white space collapsed', '<title>\n A &amp;\n  B </title>', { title: 'A & B', headline: 'A & B' }],
    [
      'the title of Open Graph when there is no other',
      '<title> </title><meta property=og:title content=OG>',
      { title: 'OG', headline: 'OG' },
    ],
    ['no title from an icon', '<svg><title>Icon</title></svg><title>Page</title>', { title: 'Page', headline: 'Page' }],
    ['the description', '<meta name=Description content=" d ">', { description: 'd' }],
    [
      'the description before that of Open Graph',
      '<meta property=og:description content=og><meta name=description content=d>',
      { description: 'd' },
    ],
    ['the language', '<html lang=de-CH>', { language: 'de-CH' }],
    [
      'the first canonical URL that is not empty',
      '<link rel=canonical href=""><link rel=canonical href=c>',
      { canonical: 'https://example.com/a/c' },
    ],
    ['the canonical URL as absolute URL', '<link rel=canonical href="../c#f">', { canonical: 'https://example.com/c' }],
    ['the author', '<meta name=author content="Ada">', { author: 'Ada' }],
    [
      'several authors, once each',
      '<meta name=author content="Ada Field"><meta name=author content="Bob Barn"><meta name=author content="Ada Field">',
      { author: 'Ada Field, Bob Barn' },
    ],
    [
      'several authors in microdata',
      '<meta itemprop=author content="Ada Field"><meta itemprop=author content="Bob Barn">',
      { author: 'Ada Field, Bob Barn' },
    ],
    [
      'the only time of the page, far below the heading',
      `<h1>Hay</h1>${'<p>It is stored when it is dry, or it gets warm and burns.</p>'.repeat(20)}<time datetime="2026-03-04T05:06">a day ago</time>`,
      { publishedTime: '2026-03-04T05:06:00' },
    ],
    [
      'the date of hAtom',
      `<h1>Hay</h1>${'<p>It is stored when it is dry, or it gets warm and burns.</p>'.repeat(20)}<abbr class=published title="2026-03-04T05:06:07+01:00">March</abbr>`,
      { publishedTime: '2026-03-04T05:06:07+01:00' },
    ],
    [
      'the date of RDFa next to the heading, before that of a comment',
      '<h1>Hay</h1><span property="dc:date dc:created" content="2026-03-04T05:06:07+01:00">gestern</span><p>x</p><span property=dc:date content=2026-03-09></span>',
      { publishedTime: '2026-03-04T05:06:07+01:00' },
    ],
    [
      'the only time of the page as its last change',
      `<h1>Hay</h1>${'<p>It is stored when it is dry, or it gets warm and burns.</p>'.repeat(20)}<p>Zuletzt aktualisiert am <time>2026-03-04</time></p>`,
      { modifiedTime: '2026-03-04' },
    ],
    [
      'no date when several below the text differ',
      `<h1>Hay</h1>${'<p>It is stored when it is dry, or it gets warm and burns.</p>'.repeat(20)}<time>2026-03-04</time><time>2026-03-05</time>`,
      {},
    ],
    ['no date from an abbreviation', '<h1>Hay</h1><abbr title="Best before end of 2026">BBE</abbr>', {}],
    [
      'no date within the title',
      '<title>Hay of 4 March 2026</title>',
      { title: 'Hay of 4 March 2026', headline: 'Hay of 4 March 2026' },
    ],
    ['a date in words', '<meta name=citation_publication_date content="2023 Jan 7">', { publishedTime: '2023-01-07' }],
    [
      'several creators of a record',
      '<meta name=DC.creator content="Ada Field"><meta name=viewport content=a><meta name=DC.creator content="Bob Barn">',
      { author: 'Ada Field, Bob Barn' },
    ],
    [
      'a list of authors in JSON-LD',
      '<script type="application/ld+json">{"@type":"Article","author":[{"@type":"Person","name":"Ada Field"},"Bob Barn",{"name":"Ada Field"}]}</script>',
      { author: 'Ada Field, Bob Barn', type: 'Article' },
    ],
    [
      'the times of publication and change',
      '<meta property=article:published_time content=2024-01-02><meta property=article:modified_time content=2024-03-04>',
      { publishedTime: '2024-01-02', modifiedTime: '2024-03-04' },
    ],
    [
      'the site name and the image',
      '<meta property=og:site_name content=S><meta property=og:image content=/i.png>',
      { siteName: 'S', image: 'https://example.com/i.png' },
    ],
    ['each keyword once', '<meta name=keywords content="a, b,,a">', { keywords: ['a', 'b'] }],
    ['the robots directives', '<meta name=robots content="NoIndex, follow">', { robots: ['noindex', 'follow'] }],
    [
      'the next value when the first is empty',
      '<meta name=author content=" "><meta name=author content=B>',
      { author: 'B' },
    ],
  ])('extractMetadata: reads %s', (_, html, expected) => {
    expect(metadataOf(html)).toEqual({ title: '', description: '', ...expected });
  });

  it.each<[why: string, html: string, headers: Headers, expected: Partial<PageMetadata>]>([
    ['a language', '<html lang="">', { contentLanguage: ' de-CH, en' }, { language: 'de-CH' }],
    ['no language before that of the page', '<html lang=fr>', { contentLanguage: 'de' }, { language: 'fr' }],
    ['no language when none comes first', '', { contentLanguage: ' , en' }, {}],
    ['the canonical URL', '', { link: '<../c#f>; rel="next canonical"' }, { canonical: 'https://example.com/c' }],
    [
      'the canonical URL without regard to <base>',
      '<base href="/v2/">',
      { link: '<c>; rel=canonical, <d>; rel=canonical' },
      { canonical: 'https://example.com/a/c' },
    ],
    [
      'no canonical URL when the page has one',
      '<link rel=canonical href=/page>',
      { link: '</header>; rel=canonical' },
      { canonical: 'https://example.com/page' },
    ],
    [
      'the canonical URL when that of the page is empty',
      '<link rel=canonical href="">',
      { link: '</c>; rel=canonical' },
      { canonical: 'https://example.com/c' },
    ],
    [
      'robots directives in addition to those of the page',
      '<meta name=robots content=noindex><meta name=hayrake content="NOINDEX, none">',
      { robots: ['noarchive', 'none'] },
      { robots: ['noindex', 'none', 'noarchive'] },
    ],
  ])('extractMetadata: takes from headers %s', (_, html, headers, expected) => {
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
    ['', 'itemprop'],
  ])('extractMetadata: takes the description %s when the page has %s %s %s %s in this order', (expected, ...parts) => {
    expect(metadataOf(parts.map((part) => descriptions[part]).join('')).description).toBe(expected);
  });

  it.each([
    ['<meta itemprop=datePublished content=2024-01-02>', 'publishedTime', '2024-01-02'],
    ['<meta itemprop=dateModified content=2024-01-02>', 'modifiedTime', '2024-01-02'],
    ['<meta itemprop=author content=Ada><meta name=author content=Bob>', 'author', 'Bob'],
    ['<meta itemprop=keywords content=a><meta name=keywords content=b,c>', 'keywords', ['b', 'c']],
  ])('extractMetadata: reads %s as %s', (html, field, expected) => {
    expect(metadataOf(html)[field]).toEqual(expected);
  });

  it('extractMetadata: cuts values at valueLengthMax', () => {
    expect(metadataOf(`<title>${'x'.repeat(1_000_000)}</title>`).title).toHaveLength(valueLengthMax);
  });

  it('extractMetadata: ignores <meta> named __proto__ or constructor', () => {
    expect(metadataOf('<meta name=__proto__ content=x><meta name=constructor content=y>')).toEqual({
      title: '',
      description: '',
    });
  });
});

describe('headline, author and times of an article', () => {
  const title = '<title>Hay is dry | The Hay News</title>';

  it.each<[why: string, html: string, expected: Partial<PageMetadata>]>([
    ['the heading', `${title}<h1>Hay is dry</h1>`, { headline: 'Hay is dry' }],
    ['no heading that names the site', `${title}<h1>The Hay News</h1>`, { headline: 'Hay is dry' }],
    [
      'the title without the site name before it',
      '<meta property=og:site_name content="The Hay News"><title>The Hay News - Hay is dry</title>',
      { headline: 'Hay is dry' },
    ],
    ['a title with a colon', '<title>Hay: a story</title>', { headline: 'Hay: a story' }],
    [
      'the title without the documentation of the site',
      '<title>Rakes | Example documentation | Example</title><h1>The manual</h1>',
      { headline: 'Rakes' },
    ],
    [
      'the heading without the site name',
      '<meta property=og:site_name content=Barn><title>Old rakes | Barn</title><h1>Old rakes | Barn</h1>',
      { headline: 'Old rakes' },
    ],
    [
      'the heading at the end of a title that begins with the site',
      '<title>Example: Manual: 18: Rakes</title><h1>Rakes</h1>',
      { headline: 'Rakes' },
    ],
    ['the title without a host after a colon', '<title>A day of hay: Example</title>', { headline: 'A day of hay' }],
    ['the heading without its link sign', '<title>Rakes</title><h1>Rakes¶</h1>', { headline: 'Rakes' }],
    [
      'the authors of a paper, given name first',
      '<meta name=citation_author content="Field, Ada"><meta name=citation_author content="Barn, Bob B.">',
      { author: 'Ada Field, Bob B. Barn' },
    ],
    [
      'a person before a team or an account',
      '<meta name=author content="Hay Team"><h1>Hay is dry</h1><p>By Ada Field</p>',
      { author: 'Ada Field' },
    ],
    ['a team when nothing else is there', '<meta name=author content="Hay Team">', { author: 'Hay Team' }],
    ['no account name', '<meta name=author content=AdaF><h1>Hay is dry</h1><p>Text</p>', { author: undefined }],
    ['no label of credits', '<meta name=author content="content: Hay">', { author: undefined }],
    ['no section name next to the heading', '<h1>Hay</h1><p class=author>Personal finance</p>', { author: undefined }],
    [
      'the <meta> author before the byline',
      `<meta name=author content=Ada><h1>Hay is dry</h1><p>By Bob Barn, March 4, 2026</p>`,
      { author: 'Ada', publishedTime: '2026-03-04' },
    ],
    ['a time converted to ISO 8601', '<meta name=date content="Dec 19th 2025">', { publishedTime: '2025-12-19' }],
    ['a time that cannot be read as it is', '<meta name=date content="03/04/2025">', { publishedTime: '03/04/2025' }],
    ['no time from the word undefined', '<meta name=date content="undefined">', { publishedTime: undefined }],
    ['no handle', '<meta name=author content="@ada">', { author: undefined }],
    [
      'the name labelled as author',
      '<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Ada Field">',
      { author: 'Ada Field' },
    ],
    [
      'no reviewer of a product',
      '<meta property=og:type content=product><h1>Rake</h1><p>By Bob Barn, March 4, 2026</p>',
      { author: undefined, publishedTime: undefined },
    ],
  ])('extractMetadata: takes as headline or author %s', (_, html, expected) => {
    expect(metadataOf(html)).toMatchObject(
      Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined)),
    );
    for (const name of Object.keys(expected)) expect(metadataOf(html)[name]).toBe(expected[name]);
  });

  it('extractMetadata: takes the day in the URL as publishedTime', () => {
    const elements = scanPage(parseHtml('<p>hello'));
    const url = 'https://example.com/2026/03/04/hay.html';
    const said = { links: [], refresh: '', contentLanguage: '', robots: new Set<string>(), things: readJsonLd([]) };
    expect(extractMetadata(elements, pageUrls(url, undefined), said, url)['publishedTime']).toBe('2026-03-04');
  });
});
