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
    ['relative to the page', '<a href="next">', ['https://example.com/docs/next']],
    ['relative to the base', '<base href="/v2/"><a href="next">', ['https://example.com/v2/next']],
    [
      'relative to a base that is itself relative',
      '<base href="sub/"><a href="a">',
      ['https://example.com/docs/sub/a'],
    ],
    ['the base counts wherever it stands', '<a href="a"><base href="/v2/">', ['https://example.com/v2/a']],
    [
      'a base without an address is none',
      '<base target=_top><base href="/v2/"><a href="a">',
      ['https://example.com/v2/a'],
    ],
    ['the first base counts', '<base href="/v2/"><base href="/v3/"><a href="a">', ['https://example.com/v2/a']],
    ['a base that is no web address is ignored', '<base href="data:x"><a href="a">', ['https://example.com/docs/a']],
    ['white space around and line ends inside', '<a href=" \n/a\tb ">', ['https://example.com/ab']],
    ['without fragments, once each', '<a href="/a#x"><a href="/a"><a href="/a#y">', ['https://example.com/a']],
    ['in document order', '<a href="/b"><link rel=next href="/a">', ['https://example.com/b', 'https://example.com/a']],
    [
      'areas and frames',
      '<area href="/1"><iframe src="/2"></iframe><frame src="/3">',
      ['/1', '/2', '/3'].map((path) => `https://example.com${path}`),
    ],
    [
      'link relations to pages',
      '<link rel="Canonical" href="/c"><link rel=prev href="/p"><link rel="x NEXT" href="/n">',
      ['/c', '/p', '/n'].map((path) => `https://example.com${path}`),
    ],
    [
      'alternates in another language',
      '<link rel=alternate hreflang=de href="/de"><link rel=alternate type="application/rss+xml" href="/feed">',
      ['https://example.com/de'],
    ],
    ['no style sheets and icons', '<link rel=stylesheet href="/s.css"><link rel=icon href="/i.png">', []],
    ['a refresh', '<meta http-equiv=Refresh content="0; URL=\'/moved\'">', ['https://example.com/moved']],
    ['a refresh of the page itself', '<meta http-equiv=refresh content="30">', []],
    [
      'only http and https',
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
      'in drawings, of SVG 1.1 and 2',
      '<svg><a xlink:href="/1"><text>One</text></a><g><a href="/2" xlink:href="/old"><path d=""/></a></g></svg><a href="/3">',
      ['/1', '/2', '/3'].map((path) => `https://example.com${path}`),
    ],
    [
      'in a map of areas that is drawn, with HTML inside',
      '<svg><foreignObject><div><a href="/1">One</a></div></foreignObject></svg>',
      ['https://example.com/1'],
    ],
    [
      'nothing of a drawing that draws or is part of it',
      '<svg><use href="/icons.svg#x"/><image xlink:href="/i.png"/><script href="/s.js"></script><a xlink:href="#top"/></svg>',
      // The page itself, as for any link to a fragment.
      ['https://example.com/docs/page'],
    ],
    [
      'what is for readers without JavaScript',
      '<noscript><a href="/plain"></a></noscript>',
      ['https://example.com/plain'],
    ],
  ])('%s', (_, html, urls) => {
    expect(urlsOf(html)).toEqual(urls);
  });

  it('drops user names and passwords, since a page must not make us log in', () => {
    expect(urlsOf('<a href="https://ann:secret@example.com/x#y">')).toEqual(['https://example.com/x']);
  });

  it('marks links that the page does not vouch for', () => {
    const links = linksOf('<a rel="noopener NoFollow" href="/1"></a><a href="/2"></a>');
    expect(links.map(({ nofollow }) => nofollow)).toEqual([true, false]);
  });

  it('marks all links of a page that says so', () => {
    expect(linksOf('<meta name=robots content="noindex, nofollow"><a href="/1"></a>')[0]?.nofollow).toBe(true);
  });

  it.each(['robots', 'Hayrake'])('marks all links of a page that says so to %s, in any of several metas', (name) => {
    const html = `<meta name=robots content=index><meta name=${name} content=none><a href="/1"></a>`;
    expect(linksOf(html)[0]?.nofollow).toBe(true);
  });

  it('may follow a URL that is linked both ways', () => {
    expect(linksOf('<a rel="ugc,nofollow" href="/1"></a>')).toEqual([{ url: 'https://example.com/1', nofollow: true }]);
    expect(linksOf('<a rel=nofollow href="/1"></a><a href="/1"></a>')).toEqual([
      { url: 'https://example.com/1', nofollow: false },
    ]);
  });

  it('stops at the limit', () => {
    const html = Array.from({ length: linksMax + 10 }, (_, n) => `<a href=${n}>`).join('x</a>');
    expect(linksOf(html)).toHaveLength(linksMax);
  });
});

describe('the links of headers', () => {
  it.each<[why: string, headers: Headers, urls: readonly string[]]>([
    ['pagination', { link: '</2>; rel="next", </0>; rel="prev"' }, ['/2', '/0']],
    ['the original', { link: '</original>; rel="canonical"' }, ['/original']],
    ['other languages', { link: '</de>; rel=alternate; hreflang=de, </feed>; rel=alternate' }, ['/de']],
    [
      'nothing that is no page',
      { link: '</s.css>; rel="preload stylesheet", <https://cdn.example>; rel=preconnect' },
      [],
    ],
    ['only http and https', { link: '<javascript:x()>; rel=next', refresh: '0; url=data:text/html,x' }, []],
    ['without fragments, once each', { link: '</2#a>; rel=next, </2>; rel=canonical' }, ['/2']],
    ['a refresh', { refresh: "0; URL='/moved'" }, ['/moved']],
    ['a refresh of the page itself', { refresh: '30' }, []],
  ])('%s', (_, headers, paths) => {
    expect(urlsOf('', headers)).toEqual(paths.map((path) => `https://example.com${path}`));
  });

  it('come first, and are not moved by a base', () => {
    const html = '<base href="/v2/"><a href="a"></a>';
    expect(urlsOf(html, { link: '<b>; rel=next', refresh: '0; url=c' })).toEqual([
      'https://example.com/docs/c',
      'https://example.com/docs/b',
      'https://example.com/v2/a',
    ]);
  });

  it('are marked where the page does not vouch for them', () => {
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
  ])('are all marked when %s says so', (_, html, robots) => {
    const links = linksOf(`${html}<a href="/1"></a>`, { link: '</2>; rel=next', refresh: '0; url=/3', robots });
    expect(links.map(({ nofollow }) => nofollow)).toEqual([true, true, true]);
  });
});

describe('a refresh that takes a second at most', () => {
  const meta = (content: string): string => `<meta http-equiv="Refresh" content="${content}">`;
  it.each<readonly [why: string, html: string, header: string | undefined, target: string | undefined]>([
    ['at once', meta('0; url=/next'), undefined, '/next'],
    ['after a second', meta("1;URL='/next'"), undefined, '/next'],
    ['after a part of one', meta('.5, /next'), undefined, '/next'],
    ['after less than two', meta('1.9; /next'), undefined, '/next'],
    ['later', meta('2; url=/next'), undefined, undefined],
    ['without a time', meta('; url=/next'), undefined, undefined],
    ['of the page itself', meta('0'), undefined, undefined],
    ['to no web address', meta('0; url=javascript:x()'), undefined, undefined],
    ['in a header', '', '0; url=/next', '/next'],
    ['in a header, which comes first', meta('0; url=/other'), '0; url=/next', '/next'],
    ['after a later one in a header', meta('0; url=/other'), '5; url=/next', undefined],
    ['after a later one', meta('5; url=/other') + meta('0; url=/next'), undefined, undefined],
    ['for readers without scripts', `<noscript>${meta('0; url=/next')}</noscript>`, undefined, '/next'],
    ['in a template, which is not shown', `<template>${meta('0; url=/next')}</template>`, undefined, undefined],
  ])('%s', (_, html, header, target) => {
    const expected = target === undefined ? undefined : `https://example.com${target}`;
    expect(immediateRefresh(...partsOf(html, header === undefined ? {} : { refresh: header }))).toBe(expected);
  });
});
