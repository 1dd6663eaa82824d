import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseSitemap } from './sitemap.ts';

const base = 'https://example.com/maps/sitemap.xml';
const parse = (text: string) => parseSitemap(text, base);
const urlsOf = (text: string): string[] => parse(text).urls.map(({ url }) => url);
const urlset = (inner: string): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inner}</urlset>`;

describe('parseSitemap: formats', () => {
  it('parseSitemap: reads a urlset', () => {
    const text = urlset(
      '<url><loc>\n https://example.com/a \n</loc><lastmod> 2024-05-06 </lastmod><priority>1</priority></url>' +
        '<url><loc>https://example.com/b#c</loc></url>',
    );
    expect(parse(text)).toEqual({
      urls: [{ url: 'https://example.com/a', lastmod: '2024-05-06' }, { url: 'https://example.com/b' }],
      sitemaps: [],
    });
  });

  it('parseSitemap: reads a sitemapindex', () => {
    const text =
      '<sitemapindex><sitemap><loc>https://example.com/a.xml</loc><lastmod>2024</lastmod></sitemap></sitemapindex>';
    expect(parse(text)).toEqual({ urls: [], sitemaps: ['https://example.com/a.xml'] });
  });

  it('parseSitemap: reads RSS', () => {
    const text =
      '<rss><channel><link>https://example.com/</link><atom:link href="https://example.com/feed"/>' +
      '<item><link>https://example.com/a</link><pubDate>Mon, 06 May 2024 00:00:00 GMT</pubDate></item></channel></rss>';
    expect(parse(text).urls).toEqual([{ url: 'https://example.com/a', lastmod: 'Mon, 06 May 2024 00:00:00 GMT' }]);
  });

  it('parseSitemap: reads Atom', () => {
    const text =
      '<feed><link href="https://example.com/"/><entry><link rel="edit" href="/edit"/><link href="/a"/><updated>2024</updated></entry>' +
      '<entry><link rel="alternate" href="/b"/><link rel="enclosure" href="/b.mp3"/></entry></feed>';
    expect(parse(text).urls).toEqual([
      { url: 'https://example.com/a', lastmod: '2024' },
      { url: 'https://example.com/b' },
    ]);
  });

  it('parseSitemap: reads text with one URL per line', () => {
    expect(urlsOf('\uFEFFhttps://example.com/a\r\n\n  https://example.com/b  \nexample.com/c\n')).toEqual([
      'https://example.com/a',
      'https://example.com/b',
    ]);
  });
});

describe('parseSitemap: locations', () => {
  test.each([
    ['https://example.com/?a=1&amp;b=2', 'https://example.com/?a=1&b=2'],
    ['https://example.com/&#97;&#x62;', 'https://example.com/ab'],
    ['<![CDATA[https://example.com/?a&b]]>', 'https://example.com/?a&b'],
    ['<!-- here --> https://example.com/<!-- there -->a', 'https://example.com/a'],
    ['https://example.com/?a=1&b=2', 'https://example.com/?a=1&b=2'],
    ['/a', 'https://example.com/a'],
    ['//other.example/a', 'https://other.example/a'],
    ['https://bücher.example/é', 'https://xn--bcher-kva.example/%C3%A9'],
  ])('parseSitemap: reads the location %s as %s', (written, url) => {
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
  ])('parseSitemap: ignores the location "$0"', (written) => {
    expect(urlsOf(urlset(`<url><loc>${written}</loc></url><url><loc>/b</loc></url>`))).toEqual([
      'https://example.com/b',
    ]);
  });

  it('parseSitemap: returns the URLs of pages and their translations, not of images', () => {
    const text = urlset(
      '<url><image:image><image:loc>/a.png</image:loc></image:image><loc>/a</loc><xhtml:link rel="alternate" href="/de/a"/>' +
        '<xhtml:link rel="stylesheet" href="/a.css"/></url>',
    );
    expect(urlsOf(text).toSorted()).toEqual(['https://example.com/a', 'https://example.com/de/a']);
  });

  it('parseSitemap: returns each translation once, after all pages', () => {
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
    ['text after it', '<sitemapindex><sitemap><loc>/a.xml</loc>gone</sitemap></sitemapindex>', ['/a.xml']],
    ['truncated text', '<sitemapindex><sitemap>https://example.com/half', []],
  ])('parseSitemap: does not mix a location of an index with %s', (_, text, paths) => {
    expect(parse(text).sitemaps).toEqual(paths.map((path) => `https://example.com${path}`));
  });

  it('parseSitemap: begins a new entry at a second location', () => {
    expect(urlsOf(urlset('<url><loc>/a</loc><lastmod>2024</lastmod><loc>/b</loc></url>'))).toEqual([
      'https://example.com/a',
      'https://example.com/b',
    ]);
    const index = '<sitemapindex><sitemap><loc>/a.xml</loc><loc>/b.xml</loc></sitemap></sitemapindex>';
    expect(parse(index).sitemaps).toEqual(['https://example.com/a.xml', 'https://example.com/b.xml']);
  });

  it('parseSitemap: reads a location of an index without its own element', () => {
    const index =
      '<sitemapindex><sitemap>\n https://example.com/a.xml <lastmod>2024</lastmod></sitemap></sitemapindex>';
    expect(parse(index).sitemaps).toEqual(['https://example.com/a.xml']);
  });

  it('parseSitemap: returns the permanent link of an RSS item without a link', () => {
    const items =
      '<item><guid>https://example.com/a</guid></item><item><guid isPermaLink="false">https://example.com/b</guid></item>' +
      '<item><guid>https://example.com/c</guid><link>https://example.com/d</link></item><item><guid>17</guid></item>';
    expect(urlsOf(`<rss><channel>${items}</channel></rss>`)).toEqual([
      'https://example.com/a',
      'https://example.com/d',
    ]);
  });

  it('parseSitemap: returns the link of an RSS item, not of its images', () => {
    const image = '<image><url>/a.png</url><link>/</link></image>';
    expect(urlsOf(`<rss><channel>${image}<item><link>/a</link>${image}</item></channel></rss>`)).toEqual([
      'https://example.com/a',
    ]);
  });

  it('parseSitemap: accepts any prefix and any case', () => {
    expect(urlsOf('<sm:urlset><sm:url><sm:loc>/a</sm:loc></sm:url></sm:urlset>')).toEqual(['https://example.com/a']);
    expect(urlsOf('<URLSET><URL><LOC>/a</LOC></URL></URLSET>')).toEqual(['https://example.com/a']);
  });
});

describe('parseSitemap: broken XML', () => {
  test.each([
    ['is truncated after a location', '<urlset><url><loc>/a</loc></url><url><loc>/b</loc>', ['/a', '/b']],
    ['is truncated within a location', '<urlset><url><loc>/a</loc></url><url><loc>/b', ['/a']],
    ['has an unclosed location', '<urlset><url><loc>/a</url><url><loc>/b</loc></url></urlset>', ['/a', '/b']],
    ['has an end tag without a start tag', '<urlset></url><url><loc>/a</loc></urlset>', ['/a']],
    ['has no root', '<url><loc>/a</loc></url>', ['/a']],
    [
      'has white space before the declaration',
      ' \n<?xml version="1.0"?><urlset><url><loc>/a</loc></url></urlset>',
      ['/a'],
    ],
    ['has an unknown entity', '<urlset><url><loc>/a&b;c</loc></url></urlset>', ['/a&b;c']],
  ])('parseSitemap: returns the readable URLs when the XML %s', (_, text, paths) => {
    expect(urlsOf(text)).toEqual(paths.map((path) => `https://example.com${path}`));
  });
});

describe('parseSitemap: hostile files', () => {
  test.each([
    ['<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;">]><urlset><url><loc>/&c;</loc></url></urlset>', '/&c;'],
    ['<!DOCTYPE x SYSTEM "http://10.0.0.9/x.dtd"><urlset><url><loc>/a</loc></url></urlset>', '/a'],
    ['<urlset><url><loc>/a</loc></url><!DOCTYPE x></urlset>', '/a'],
  ])('parseSitemap: expands no entity of a document type: $0', (text, path) => {
    expect(parse(text)).toEqual({ urls: [{ url: `https://example.com${path}` }], sitemaps: [] });
  });

  test.each([
    ['<?xml version="1.0"?>\n<!doctype html><html><body><url><loc>/a</loc></url></body></html>'],
    ['<HTML><p>Not found</p></HTML>'],
  ])('parseSitemap: returns the problem html for $0', (text) => {
    expect(parse(text)).toEqual({ urls: [], sitemaps: [], problem: 'html' });
  });

  it('parseSitemap: accepts a document type in text', () => {
    expect(parse('<urlset><url><loc>/a</loc><x><![CDATA[<!DOCTYPE x>]]></x></url></urlset>').problem).toBeUndefined();
  });

  it.each([
    ['white space', `<urlset><url><loc>${' '.repeat(9_000)}</loc>${'<loc></loc>'.repeat(1_000_000)}</url></urlset>`],
    ['white space in an index', `<sitemapindex><sitemap>${' '.repeat(9_000)}${'<loc></loc>'.repeat(1_000_000)}`],
  ])('parseSitemap: takes linear time for %s', (_, text) => {
    const start = process.cpuUsage();
    parse(text);
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(8);
  });

  it('parseSitemap: returns at most 50,000 URLs', () => {
    const entry = '<url><loc>/a</loc></url>';
    expect(parse(urlset(entry.repeat(50_000))).problem).toBeUndefined();
    for (const text of [urlset(entry.repeat(51_000)), 'https://example.com/a\n'.repeat(51_000)]) {
      const { urls, problem } = parse(text);
      expect([urls.length, problem]).toEqual([50_000, 'too_many']);
    }
  });

  it('parseSitemap: returns at most 500 sitemaps', () => {
    const { sitemaps, problem } = parse(
      `<sitemapindex>${'<sitemap><loc>/a</loc></sitemap>'.repeat(501)}</sitemapindex>`,
    );
    expect([sitemaps.length, problem]).toEqual([500, 'too_many']);
  });

  it('parseSitemap: stops where elements are nested too deeply', () => {
    const { urls, problem } = parse(`<urlset><url><loc>/a</loc></url>${'<a>'.repeat(1_000_000)}`);
    expect([urls.length, problem]).toEqual([1, 'too_deep']);
  });

  test.each([
    ['words', 'Not found.'],
    ['nothing', ''],
    ['a comment without an end', `<!--${'a'.repeat(1_000_000)}`],
    ['a million attributes', `<urlset ${'a="b" '.repeat(1_000_000)}>`],
  ])('parseSitemap: returns the problem no_urls for %s', (_, text) => {
    expect(parse(text)).toEqual({ urls: [], sitemaps: [], problem: 'no_urls' });
  });

  it('parseSitemap: never throws', () => {
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
