import { describe, expect, it } from 'vitest';
import { noThings } from './json-ld.ts';
import type { ExtractedLink } from './links.ts';
import { parseLinkHeader } from './link-header.ts';
import { extractLinks, immediateRefresh, linksMax } from './links.ts';
import { pageUrls } from './page-urls.ts';
import { parseHtml } from '../html/parse-html.ts';
import { robotsDirectives } from './robots-meta.ts';
import { scanPage } from './scan-page.ts';

interface Headers {
  readonly link?: string;
  readonly refresh?: string;
  readonly robots?: readonly string[];
}

function partsOf(html: string, { link = '', refresh = '', robots = [] }: Headers = {}) {
  const elements = scanPage(parseHtml(html));
  const statements = {
    links: parseLinkHeader(link),
    refresh,
    contentLanguage: '',
    robots: robotsDirectives(elements.metas, robots),
    things: noThings,
  };
  return [elements, pageUrls('https://example.com/docs/page', elements.base), statements] as const;
}

function linksOf(html: string, headers?: Headers): readonly ExtractedLink[] {
  return extractLinks(...partsOf(html, headers));
}
const urlsOf = (html: string, headers?: Headers): readonly string[] => linksOf(html, headers).map(({ url }) => url);

describe('extractLinks', () => {
  it.each<[why: string, html: string, urls: readonly string[]]>([
    ['links relative to the page', '<a href="next">', ['https://example.com/docs/next']],
    ['links relative to the base', '<base href="/v2/"><a href="next">', ['https://example.com/v2/next']],
    ['links relative to a relative base', '<base href="sub/"><a href="a">', ['https://example.com/docs/sub/a']],
    ['links relative to a base that comes later', '<a href="a"><base href="/v2/">', ['https://example.com/v2/a']],
    [
      'links relative to the first base with an address',
      '<base target=_top><base href="/v2/"><a href="a">',
      ['https://example.com/v2/a'],
    ],
    [
      'links relative to the first of two bases',
      '<base href="/v2/"><base href="/v3/"><a href="a">',
      ['https://example.com/v2/a'],
    ],
    [
      'links without regard to a base that is no web address',
      '<base href="data:x"><a href="a">',
      ['https://example.com/docs/a'],
    ],
    ['links without white space around and line breaks inside', '<a href=" \n/a\tb ">', ['https://example.com/ab']],
    ['links without fragments, once each', '<a href="/a#x"><a href="/a"><a href="/a#y">', ['https://example.com/a']],
    [
      'links in document order',
      '<a href="/b"><link rel=next href="/a">',
      ['https://example.com/b', 'https://example.com/a'],
    ],
    [
      'areas and frames',
      '<area href="/1"><iframe src="/2"></iframe><frame src="/3">',
      ['/1', '/2', '/3'].map((path) => `https://example.com${path}`),
    ],
    [
      'link relations that lead to pages',
      '<link rel="Canonical" href="/c"><link rel=prev href="/p"><link rel="x NEXT" href="/n">',
      ['/c', '/p', '/n'].map((path) => `https://example.com${path}`),
    ],
    [
      'alternates in another language only',
      '<link rel=alternate hreflang=de href="/de"><link rel=alternate type="application/rss+xml" href="/feed">',
      ['https://example.com/de'],
    ],
    ['no style sheets and icons', '<link rel=stylesheet href="/s.css"><link rel=icon href="/i.png">', []],
    ['the target of a refresh', '<meta http-equiv=Refresh content="0; URL=\'/moved\'">', ['https://example.com/moved']],
    ['nothing for a refresh of the page itself', '<meta http-equiv=refresh content="30">', []],
    [
      'only http and https links',
      ['javascript:x()', ' JavaScript:x()', 'mailto:a@b.c', 'tel:+1', 'data:text/html,x', 'ftp://e.com/', 'http://']
        .map((href) => `<a href="${href}"></a><iframe src="${href}"></iframe><link rel=next href="${href}">`)
        .join(''),
      [],
    ],
    [
      'nothing in templates, scripts and comments',
      '<template><a href="/1"></a></template><script>"<a href=/2>"</script><!--<a href="/3">-->',
      [],
    ],
    [
      'links in drawings of SVG 1.1 and 2',
      '<svg><a xlink:href="/1"><text>One</text></a><g><a href="/2" xlink:href="/old"><path d=""/></a></g></svg><a href="/3">',
      ['/1', '/2', '/3'].map((path) => `https://example.com${path}`),
    ],
    [
      'links in HTML inside a drawing',
      '<svg><foreignObject><div><a href="/1">One</a></div></foreignObject></svg>',
      ['https://example.com/1'],
    ],
    [
      'no references of a drawing to its parts',
      '<svg><use href="/icons.svg#x"/><image xlink:href="/i.png"/><script href="/s.js"></script><a xlink:href="#top"/></svg>',
      // The page itself, as for any link to a fragment.
      ['https://example.com/docs/page'],
    ],
    ['links in noscript', '<noscript><a href="/plain"></a></noscript>', ['https://example.com/plain']],
    [
      'no refresh in noscript',
      '<head><noscript><meta http-equiv=refresh content="0;url=/nojs"></noscript></head><a href="/a">a</a>',
      ['https://example.com/a'],
    ],
  ])('extractLinks: returns %s', (_, html, urls) => {
    expect(urlsOf(html)).toEqual(urls);
  });

  it('extractLinks: drops user names and passwords', () => {
    expect(urlsOf('<a href="https://ann:secret@example.com/x#y">')).toEqual(['https://example.com/x']);
  });

  it('extractLinks: marks links with rel=nofollow', () => {
    const links = linksOf('<a rel="noopener NoFollow" href="/1"></a><a href="/2"></a>');
    expect(links.map(({ nofollow }) => nofollow)).toEqual([true, false]);
  });

  it('extractLinks: marks all links when the robots meta says nofollow', () => {
    expect(linksOf('<meta name=robots content="noindex, nofollow"><a href="/1"></a>')[0]?.nofollow).toBe(true);
  });

  it.each(['robots', 'Hayrake'])('extractLinks: marks all links when one of several metas says none to %s', (name) => {
    const html = `<meta name=robots content=index><meta name=${name} content=none><a href="/1"></a>`;
    expect(linksOf(html)[0]?.nofollow).toBe(true);
  });

  it('extractLinks: does not mark a URL that is also linked without nofollow', () => {
    expect(linksOf('<a rel="ugc,nofollow" href="/1"></a>')).toEqual([{ url: 'https://example.com/1', nofollow: true }]);
    expect(linksOf('<a rel=nofollow href="/1"></a><a href="/1"></a>')).toEqual([
      { url: 'https://example.com/1', nofollow: false },
    ]);
  });

  it('extractLinks: returns at most linksMax links', () => {
    const html = Array.from({ length: linksMax + 10 }, (_, n) => `<a href=${n}>`).join('x</a>');
    expect(linksOf(html)).toHaveLength(linksMax);
  });
});

describe('links of headers', () => {
  it.each<[why: string, headers: Headers, urls: readonly string[]]>([
    ['pagination', { link: '</2>; rel="next", </0>; rel="prev"' }, ['/2', '/0']],
    ['the canonical URL', { link: '</original>; rel="canonical"' }, ['/original']],
    ['other languages', { link: '</de>; rel=alternate; hreflang=de, </feed>; rel=alternate' }, ['/de']],
    [
      'no style sheets and preconnects',
      { link: '</s.css>; rel="preload stylesheet", <https://cdn.example>; rel=preconnect' },
      [],
    ],
    ['only http and https links', { link: '<javascript:x()>; rel=next', refresh: '0; url=data:text/html,x' }, []],
    ['links without fragments, once each', { link: '</2#a>; rel=next, </2>; rel=canonical' }, ['/2']],
    ['the target of a refresh', { refresh: "0; URL='/moved'" }, ['/moved']],
    ['nothing for a refresh of the page itself', { refresh: '30' }, []],
  ])('extractLinks: returns from headers %s', (_, headers, paths) => {
    expect(urlsOf('', headers)).toEqual(paths.map((path) => `https://example.com${path}`));
  });

  it('extractLinks: returns links of headers first, without regard to <base>', () => {
    const html = '<base href="/v2/"><a href="a"></a>';
    expect(urlsOf(html, { link: '<b>; rel=next', refresh: '0; url=c' })).toEqual([
      'https://example.com/docs/c',
      'https://example.com/docs/b',
      'https://example.com/v2/a',
    ]);
  });

  it('extractLinks: marks links of headers with nofollow', () => {
    const link = '</1>; rel="next nofollow", </2>; rel="next nofollow", </2>; rel=prev, </3>; rel="prev nofollow"';
    expect(linksOf('<a href="/3"></a>', { link })).toEqual([
      { url: 'https://example.com/1', nofollow: true },
      { url: 'https://example.com/2', nofollow: false },
      { url: 'https://example.com/3', nofollow: false },
    ]);
  });

  it.each<[why: string, html: string, robots: readonly string[]]>([
    ['the page', '<meta name=robots content=nofollow>', []],
    ['a header', '', ['none']],
  ])('extractLinks: marks the links of headers when %s says nofollow', (_, html, robots) => {
    const links = linksOf(`${html}<a href="/1"></a>`, { link: '</2>; rel=next', refresh: '0; url=/3', robots });
    expect(links.map(({ nofollow }) => nofollow)).toEqual([true, true, true]);
  });
});

describe('immediateRefresh', () => {
  const meta = (content: string): string => `<meta http-equiv="Refresh" content="${content}">`;
  it.each<readonly [why: string, html: string, header: string | undefined, target: string | undefined]>([
    ['at once, returns its target', meta('0; url=/next'), undefined, '/next'],
    ['after a second, returns its target', meta("1;URL='/next'"), undefined, '/next'],
    ['after a part of a second, returns its target', meta('.5, /next'), undefined, '/next'],
    ['after less than two seconds, returns its target', meta('1.9; /next'), undefined, '/next'],
    ['after two seconds, returns undefined', meta('2; url=/next'), undefined, undefined],
    ['without a time, returns undefined', meta('; url=/next'), undefined, undefined],
    ['of the page itself, returns undefined', meta('0'), undefined, undefined],
    ['to no web address, returns undefined', meta('0; url=javascript:x()'), undefined, undefined],
    ['in a header, returns its target', '', '0; url=/next', '/next'],
    ['in a header and in the page, returns that of the header', meta('0; url=/other'), '0; url=/next', '/next'],
    ['after a later one in a header, returns undefined', meta('0; url=/other'), '5; url=/next', undefined],
    [
      'after a later one in the page, returns undefined',
      meta('5; url=/other') + meta('0; url=/next'),
      undefined,
      undefined,
    ],
    ['in noscript, returns undefined', `<noscript>${meta('0; url=/next')}</noscript>`, undefined, undefined],
    [
      'in an element of noscript, returns that after it',
      `<noscript><div>${meta('0; url=/nojs')}</div></noscript>${meta('0; url=/next')}`,
      undefined,
      '/next',
    ],
    ['in a template, returns undefined', `<template>${meta('0; url=/next')}</template>`, undefined, undefined],
  ])('immediateRefresh: for a refresh %s', (_, html, header, target) => {
    const expected = target === undefined ? undefined : `https://example.com${target}`;
    expect(immediateRefresh(...partsOf(html, header === undefined ? {} : { refresh: header }))).toBe(expected);
  });
});
