import { describe, expect, it } from 'vitest';
import type { PageMetadata } from '../core/page.ts';
import { readJsonLd } from './json-ld.ts';
import { parseLinkHeader } from './link-header.ts';
import { extractMetadata, valueLengthMax } from './metadata.ts';
import { pageUrls } from './page-urls.ts';
import { parseHtml } from './parse-html.ts';
import { robotsDirectives } from './robots-meta.ts';
import { scanPage } from './scan-page.ts';

interface Headers {
  readonly link?: string;
  readonly contentLanguage?: string;
  readonly robots?: readonly string[];
}

function metadataOf(html: string, { link = '', contentLanguage = '', robots = [] }: Headers = {}): PageMetadata {
  const elements = scanPage(parseHtml(html));
  return extractMetadata(elements, pageUrls('https://example.com/a/b', elements.base), {
    links: parseLinkHeader(link),
    refresh: '',
    contentLanguage,
    robots: robotsDirectives(elements.metas, robots),
    things: readJsonLd(elements.jsonLd),
  });
}

describe('extractMetadata', () => {
  it('always has a title and a description, and nothing else that the page lacks', () => {
    expect(metadataOf('<p>hello')).toEqual({ title: '', description: '' });
  });

  it.each<[why: string, html: string, expected: Partial<PageMetadata>]>([
    ['title, with white space collapsed', '<title>\n A &amp;\n  B </title>', { title: 'A & B' }],
    [
      'title of Open Graph where there is no other',
      '<title> </title><meta property=og:title content=OG>',
      { title: 'OG' },
    ],
    ['no title from an icon', '<svg><title>Icon</title></svg><title>Page</title>', { title: 'Page' }],
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
