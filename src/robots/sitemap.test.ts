import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseSitemap } from './sitemap.ts';

const base = 'https://example.com/maps/sitemap.xml';
const parse = (text: string) => parseSitemap(text, base);
const urlsOf = (text: string): string[] => parse(text).urls.map(({ url }) => url);
const urlset = (inner: string): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inner}</urlset>`;

describe('the forms of a sitemap', () => {
  it('urlset', () => {
    const text = urlset(
      '<url><loc>\n https://example.com/a \n</loc><lastmod> 2024-05-06 </lastmod><priority>1</priority></url>' +
        '<url><loc>https://example.com/b#c</loc></url>',
    );
    expect(parse(text)).toEqual({
      urls: [{ url: 'https://example.com/a', lastmod: '2024-05-06' }, { url: 'https://example.com/b' }],
      sitemaps: [],
    });
  });

  it('sitemapindex', () => {
    const text =
      '<sitemapindex><sitemap><loc>https://example.com/a.xml</loc><lastmod>2024</lastmod></sitemap></sitemapindex>';
    expect(parse(text)).toEqual({ urls: [], sitemaps: ['https://example.com/a.xml'] });
  });

  it('RSS', () => {
    const text =
      '<rss><channel><link>https://example.com/</link><atom:link href="https://example.com/feed"/>' +
      '<item><link>https://example.com/a</link><pubDate>Mon, 06 May 2024 00:00:00 GMT</pubDate></item></channel></rss>';
    expect(parse(text).urls).toEqual([{ url: 'https://example.com/a', lastmod: 'Mon, 06 May 2024 00:00:00 GMT' }]);
  });

  it('Atom', () => {
    const text =
      '<feed><link href="https://example.com/"/><entry><link rel="edit" href="/edit"/><link href="/a"/><updated>2024</updated></entry>' +
      '<entry><link rel="alternate" href="/b"/><link rel="enclosure" href="/b.mp3"/></entry></feed>';
    expect(parse(text).urls).toEqual([
      { url: 'https://example.com/a', lastmod: '2024' },
      { url: 'https://example.com/b' },
    ]);
  });

  it('one URL a line', () => {
    expect(urlsOf('\uFEFFhttps://example.com/a\r\n\n  https://example.com/b  \nexample.com/c\n')).toEqual([
      'https://example.com/a',
      'https://example.com/b',
    ]);
  });
});

describe('a location', () => {
  test.each([
    ['https://example.com/?a=1&amp;b=2', 'https://example.com/?a=1&b=2'],
    ['https://example.com/&#97;&#x62;', 'https://example.com/ab'],
    ['<![CDATA[https://example.com/?a&b]]>', 'https://example.com/?a&b'],
    ['<!-- here --> https://example.com/<!-- there -->a', 'https://example.com/a'],
    ['https://example.com/?a=1&b=2', 'https://example.com/?a=1&b=2'],
    ['/a', 'https://example.com/a'],
    ['//other.example/a', 'https://other.example/a'],
    ['https://bücher.example/é', 'https://xn--bcher-kva.example/%C3%A9'],
  ])('%s is %s', (written, url) => {
    expect(urlsOf(urlset(`<url><loc>${written}</loc></url>`))).toEqual([url]);
  });

  test.each([
    [''],
    ['example.com/a'],
    ['ftp://example.com/'],
    ['file:///etc/passwd'],
    ['javascript:alert(1)'],
    ['https://'],
    [`https://example.com/${'a'.repeat(8200)}`],
  ])('%.40s is none', (written) => {
    expect(urlsOf(urlset(`<url><loc>${written}</loc></url><url><loc>/b</loc></url>`))).toEqual([
      'https://example.com/b',
    ]);
  });

  it('is that of the page and of its translations, not of its images', () => {
    const text = urlset(
      '<url><image:image><image:loc>/a.png</image:loc></image:image><loc>/a</loc><xhtml:link rel="alternate" href="/de/a"/>' +
        '<xhtml:link rel="stylesheet" href="/a.css"/></url>',
    );
    expect(urlsOf(text).toSorted()).toEqual(['https://example.com/a', 'https://example.com/de/a']);
  });

  it('of a translation takes no place from the pages: each is named once, after them', () => {
    const languages = ['de', 'fr', 'it'];
    const entry = (path: string): string =>
      `<url><loc>/en/${path}</loc>${languages.map((of) => `<xhtml:link rel="alternate" hreflang="${of}" href="/${of}/${path}"/>`).join('')}</url>`;
    const paths = Array.from({ length: 20_000 }, (_, index) => String(index));
    const { urls, problem } = parse(urlset(paths.map(entry).join('')));
    // 60,000 translations, with room for 30,000.
    expect(problem).toBe('too_many');
    expect(urls).toHaveLength(50_000);
    expect(new Set(urls.map(({ url }) => url)).size).toBe(50_000);
    expect(urls.filter(({ url }) => url.includes('/en/'))).toHaveLength(20_000);
    expect(urlsOf(urlset(`${entry('1')}<url><loc>/de/1</loc></url>`))).toEqual(
      ['/en/1', '/de/1', '/fr/1', '/it/1'].map((path) => `https://example.com${path}`),
    );
  });

  it.each([
    ['text behind it', '<sitemapindex><sitemap><loc>/a.xml</loc>gone</sitemap></sitemapindex>', ['/a.xml']],
    ['an index cut off in its text', '<sitemapindex><sitemap>https://example.com/half', []],
  ])('in an index is not mixed with %s', (_, text, paths) => {
    expect(parse(text).sitemaps).toEqual(paths.map((path) => `https://example.com${path}`));
  });

  it('begins an entry of its own where the border between two was forgotten', () => {
    expect(urlsOf(urlset('<url><loc>/a</loc><lastmod>2024</lastmod><loc>/b</loc></url>'))).toEqual([
      'https://example.com/a',
      'https://example.com/b',
    ]);
    const index = '<sitemapindex><sitemap><loc>/a.xml</loc><loc>/b.xml</loc></sitemap></sitemapindex>';
    expect(parse(index).sitemaps).toEqual(['https://example.com/a.xml', 'https://example.com/b.xml']);
  });

  it('may stand in an index without an element of its own', () => {
    const index =
      '<sitemapindex><sitemap>\n https://example.com/a.xml <lastmod>2024</lastmod></sitemap></sitemapindex>';
    expect(parse(index).sitemaps).toEqual(['https://example.com/a.xml']);
  });

  it('is the permanent link of an RSS item that has no other', () => {
    const items =
      '<item><guid>https://example.com/a</guid></item><item><guid isPermaLink="false">https://example.com/b</guid></item>' +
      '<item><guid>https://example.com/c</guid><link>https://example.com/d</link></item><item><guid>17</guid></item>';
    expect(urlsOf(`<rss><channel>${items}</channel></rss>`)).toEqual([
      'https://example.com/a',
      'https://example.com/d',
    ]);
  });

  it('is that of the item, whatever images an RSS file has', () => {
    const image = '<image><url>/a.png</url><link>/</link></image>';
    expect(urlsOf(`<rss><channel>${image}<item><link>/a</link>${image}</item></channel></rss>`)).toEqual([
      'https://example.com/a',
    ]);
  });

  it('is found under any prefix and in any case', () => {
    expect(urlsOf('<sm:urlset><sm:url><sm:loc>/a</sm:loc></sm:url></sm:urlset>')).toEqual(['https://example.com/a']);
    expect(urlsOf('<URLSET><URL><LOC>/a</LOC></URL></URLSET>')).toEqual(['https://example.com/a']);
  });
});

describe('broken XML yields what can be read', () => {
  test.each([
    ['cut off behind a location', '<urlset><url><loc>/a</loc></url><url><loc>/b</loc>', ['/a', '/b']],
    ['cut off within a location', '<urlset><url><loc>/a</loc></url><url><loc>/b', ['/a']],
    ['a location that is not closed', '<urlset><url><loc>/a</url><url><loc>/b</loc></url></urlset>', ['/a', '/b']],
    ['an end without a beginning', '<urlset></url><url><loc>/a</loc></urlset>', ['/a']],
    ['no root', '<url><loc>/a</loc></url>', ['/a']],
    ['white space before the declaration', ' \n<?xml version="1.0"?><urlset><url><loc>/a</loc></url></urlset>', ['/a']],
    ['an entity that nobody defined', '<urlset><url><loc>/a&b;c</loc></url></urlset>', ['/a&b;c']],
  ])('%s', (_, text, paths) => {
    expect(urlsOf(text)).toEqual(paths.map((path) => `https://example.com${path}`));
  });
});

describe('a hostile file', () => {
  test.each([
    ['<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;">]><urlset><url><loc>/&c;</loc></url></urlset>', '/&c;'],
    ['<!DOCTYPE x SYSTEM "http://10.0.0.9/x.dtd"><urlset><url><loc>/a</loc></url></urlset>', '/a'],
    ['<urlset><url><loc>/a</loc></url><!DOCTYPE x></urlset>', '/a'],
  ])('with a document type is read, and nothing is expanded: %.40s', (text, path) => {
    expect(parse(text)).toEqual({ urls: [{ url: `https://example.com${path}` }], sitemaps: [] });
  });

  test.each([
    ['<?xml version="1.0"?>\n<!doctype html><html><body><url><loc>/a</loc></url></body></html>'],
    ['<HTML><p>Not found</p></HTML>'],
  ])('that is a page is none: %.40s', (text) => {
    expect(parse(text)).toEqual({ urls: [], sitemaps: [], problem: 'html' });
  });

  it('may name a document type where it is only text', () => {
    expect(parse('<urlset><url><loc>/a</loc><x><![CDATA[<!DOCTYPE x>]]></x></url></urlset>').problem).toBeUndefined();
  });

  it.each([
    ['white space', `<urlset><url><loc>${' '.repeat(9_000)}</loc>${'<loc></loc>'.repeat(1_000_000)}</url></urlset>`],
    ['white space in an index', `<sitemapindex><sitemap>${' '.repeat(9_000)}${'<loc></loc>'.repeat(1_000_000)}`],
  ])('of %s is no dearer than its size', (_, text) => {
    const start = process.cpuUsage();
    parse(text);
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(8);
  });

  it('is read up to 50,000 URLs', () => {
    const entry = '<url><loc>/a</loc></url>';
    expect(parse(urlset(entry.repeat(50_000))).problem).toBeUndefined();
    for (const text of [urlset(entry.repeat(51_000)), 'https://example.com/a\n'.repeat(51_000)]) {
      const { urls, problem } = parse(text);
      expect([urls.length, problem]).toEqual([50_000, 'too_many']);
    }
  });

  it('is read up to 500 sitemaps', () => {
    const { sitemaps, problem } = parse(
      `<sitemapindex>${'<sitemap><loc>/a</loc></sitemap>'.repeat(501)}</sitemapindex>`,
    );
    expect([sitemaps.length, problem]).toEqual([500, 'too_many']);
  });

  it('is read up to where it is nested too deeply', () => {
    const { urls, problem } = parse(`<urlset><url><loc>/a</loc></url>${'<a>'.repeat(1_000_000)}`);
    expect([urls.length, problem]).toEqual([1, 'too_deep']);
  });

  test.each([
    ['words', 'Not found.'],
    ['nothing', ''],
    ['a comment without an end', `<!--${'a'.repeat(1_000_000)}`],
    ['a million attributes', `<urlset ${'a="b" '.repeat(1_000_000)}>`],
  ])('of %s has no URLs', (_, text) => {
    expect(parse(text)).toEqual({ urls: [], sitemaps: [], problem: 'no_urls' });
  });

  it('never makes parsing throw', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '<urlset>',
        '<url>',
        '<loc>',
        '</loc>',
        '</url>',
        '<![CDATA[',
        ']]>',
        '<!--',
        '&amp;',
        '&#x110000;',
        '<?',
        '/a',
        '<__proto__>',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        for (const { url } of parse(`<${pieces.join('')}`).urls) expect(url).toMatch(/^https?:\/\//);
      }),
    );
  });
});
