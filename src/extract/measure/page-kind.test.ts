import { describe, expect, it } from 'vitest';
import { findPageKind } from './page-kind.ts';
import { parseHtml } from '../html/parse-html.ts';
import { scanPage } from '../scan/scan-page.ts';

const statement = (json: string): string => `<script type="application/ld+json">${json}</script>`;

describe('findPageKind', () => {
  it.each<[why: string, html: string, kind: string]>([
    ['a thread by microdata', '<div itemscope itemtype="https://schema.org/DiscussionForumPosting">', 'discussion'],
    ['a question with answers by JSON-LD', statement('{"@type": "QAPage"}'), 'discussion'],
    ['a thread by one of several types', statement('{"@type":["QAPage","WebPage"]}'), 'discussion'],
    ['a thread in noscript', '<noscript><div itemtype="http://schema.org/QAPage"></noscript>', 'discussion'],
    ['a thread by the numbers of its posts', '<p id=post-1><p id=post-2><p id=js-post-3>', 'discussion'],
    ['no thread in a blog', '<p id=post-1 class=hentry><p id=post-2 class=hentry><p id=post-3 class=hentry>', 'other'],
    ['a product by Open Graph', '<meta property="og:type" content="product">', 'product'],
    ["a product by the site's own type", '<meta property="og:type" content="shop:product">', 'product'],
    ['a product by its price', '<meta property="product:price:amount" content="9.90">', 'product'],
    ['a product by JSON-LD', statement('{"@type":"Product","name":"Kettle"}'), 'product'],
    ['no product in a list of products', statement('{"a":{"@type":"Product"},"b":{"@type":"Product"}}'), 'other'],
    ['an article about one product', statement('[{"@type":"NewsArticle"},{"@type":"Product"}]'), 'article'],
    ['an article by Open Graph', '<meta property="og:type" content="article">', 'article'],
    ['no thread in a FAQ page', statement('{"@type":"FAQPage"}'), 'other'],
    ['no kind in a page without statements', '<p>DiscussionForumPosting', 'other'],
  ])('findPageKind: recognizes %s', (_, html, kind) => {
    expect(findPageKind(scanPage(parseHtml(html)), '', [])).toBe(kind);
  });

  it('findPageKind: recognizes a thread by the name of one of its comments', () => {
    expect(findPageKind(scanPage(parseHtml('')), '', ['page wide', 'athing comtr'])).toBe('discussion');
    expect(findPageKind(scanPage(parseHtml('')), '', ['page wide', 'comtrs'])).toBe('other');
  });

  it.each<[url: string, html: string, kind: string]>([
    ['http://a.example/products/kettle', '', 'product'],
    ['http://a.example/shop/kitchen/kettle?size=2', '', 'product'],
    ['http://a.example/products/', '', 'other'],
    ['http://a.example/shop/kitchen', '', 'other'],
    ['http://a.example/?next=/products/kettle', '', 'other'],
    ['http://a.example/products/kettle', '<meta property="og:type" content="article">', 'article'],
    [
      'http://a.example/products/kettle',
      `<meta property="og:type" content="article">${statement('{"@type":"Product"}')}`,
      'product',
    ],
  ])('findPageKind: for %s with %j, returns %s', (url, html, kind) => {
    expect(findPageKind(scanPage(parseHtml(html)), url, [])).toBe(kind);
  });
});
