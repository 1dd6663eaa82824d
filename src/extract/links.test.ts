import { describe, expect, it } from 'vitest';
import type { ExtractedLink } from './links.ts';
import { extractLinks, linksMax } from './links.ts';
import { pageUrls } from './page-urls.ts';
import { parseHtml } from './parse-html.ts';
import { scanPage } from './scan-page.ts';

function linksOf(html: string, url = 'https://example.com/docs/page'): readonly ExtractedLink[] {
  const elements = scanPage(parseHtml(html));
  return extractLinks(elements, pageUrls(url, elements.base));
}
const urlsOf = (html: string): readonly string[] => linksOf(html).map(({ url }) => url);

describe('extractLinks', () => {
  it.each<[why: string, html: string, urls: readonly string[]]>([
    ['relative to the page', '<a href="next">', ['https://example.com/docs/next']],
    ['relative to the base', '<base href="/v2/"><a href="next">', ['https://example.com/v2/next']],
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
      '<link rel="Canonical" href="/c"><link rel=prev href="/p">',
      ['https://example.com/c', 'https://example.com/p'],
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
      '<a href="javascript:x()"><a href="mailto:a@b.c"><a href="ftp://e.com/"><a href="http://">',
      [],
    ],
    [
      'nothing in templates, scripts and comments',
      '<template><a href="/1"></a></template><script>"<a href=/2>"</script><!--<a href="/3">-->',
      [],
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

  it('may follow a URL that is linked both ways', () => {
    expect(linksOf('<a rel=nofollow href="/1"></a><a href="/1"></a>')).toEqual([
      { url: 'https://example.com/1', nofollow: false },
    ]);
  });

  it('stops at the limit', () => {
    const html = Array.from({ length: linksMax + 10 }, (_, n) => `<a href=${n}>`).join('x</a>');
    expect(linksOf(html)).toHaveLength(linksMax);
  });
});
