import { describe, expect, test } from 'vitest';
import { parseHtml } from '../html/parse-html.ts';
import { pageUrls } from '../scan/page-urls.ts';
import { markedThings } from './marked-things.ts';

const things = (html: string): unknown[] =>
  markedThings(parseHtml(html), pageUrls('https://example.com/shop/rake', undefined).readable).map(
    ({ markup, values }) => Object.assign({ markup }, values),
  );

const product = {
  '@type': ['Product'],
  name: 'Garden rake',
  image: 'https://example.com/rake.png',
  offers: { '@type': ['Offer'], price: '19.90', priceCurrency: 'EUR' },
};

describe('markedThings', () => {
  test('markedThings: reads microdata with things inside things', () => {
    const html = `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Garden
      <b>rake</b></h1><img itemprop=image src="/rake.png"><p><span itemprop=offers itemscope
      itemtype="http://schema.org/Offer"><meta itemprop=priceCurrency content=EUR>
      <span itemprop=price content="19.90">19,90 €</span></span></div>`;
    expect(things(html)).toEqual([
      { markup: 'microdata', ...product, offers: { '@type': ['Offer'], priceCurrency: 'EUR', price: '19.90' } },
    ]);
  });

  test('markedThings: reads RDFa Lite, with and without a prefix', () => {
    const html = `<div vocab="https://schema.org/" typeof="Product"><h1 property="schema:name">Garden rake</h1>
      <img property=image src="../rake.png"><div property=offers typeof=Offer><b property=price>19.90</b>
      <meta property=priceCurrency content=EUR></div></div>`;
    expect(things(html)).toEqual([{ markup: 'rdfa', ...product }]);
  });

  test('markedThings: reads values as the HTML standard says', () => {
    const html = `<div itemscope itemtype="https://schema.org/Event" itemid="/e/1"><time itemprop=startDate
      datetime="2026-05-01">May</time><data itemprop=sku value=17>seventeen</data><a itemprop="url sameAs"
      href="x">here</a><p itemprop=keywords>a</p><p itemprop=keywords>b</p></div>`;
    expect(things(html)).toEqual([
      {
        markup: 'microdata',
        '@type': ['Event'],
        '@id': 'https://example.com/e/1',
        startDate: '2026-05-01',
        sku: '17',
        url: 'https://example.com/shop/x',
        sameAs: 'https://example.com/shop/x',
        keywords: ['a', 'b'],
      },
    ]);
  });

  test('markedThings: follows itemref, also in a circle', () => {
    const html = `<div itemscope itemtype="https://schema.org/Book" itemref="more"><p itemprop=name>Hay</p></div>
      <p id=more itemprop=isbn>123</p><div id=a itemscope itemtype="https://schema.org/Book" itemref=a></div>`;
    expect(things(html)).toContainEqual({ markup: 'microdata', '@type': ['Book'], name: 'Hay', isbn: '123' });
  });

  test('markedThings: reads no metas of Open Graph and no name that would change its objects', () => {
    expect(things('<meta property="og:title" content=x><p itemprop=name>y</p>')).toEqual([]);
    expect(things('<p itemscope itemtype=Thing><b itemprop="__proto__">z</b></p>')).toEqual([
      { markup: 'microdata', '@type': ['Thing'] },
    ]);
  });

  test('markedThings: reads what many things refer to only up to a limit', () => {
    const refer = '<p itemscope itemtype="https://schema.org/Thing" itemref=all></p>'.repeat(500);
    const all = `<div id=all>${'<i class=x></i>'.repeat(30_000)}<b itemprop=name>far</b></div>`;
    expect(things(`${refer}${all}`).filter((thing) => (thing as { name?: string }).name === 'far')).toEqual([]);
    expect(things(`<p itemscope itemtype=Thing itemref=all></p><div id=all><b itemprop=name>near</b></div>`)).toEqual([
      { markup: 'microdata', '@type': ['Thing'], name: 'near' },
    ]);
  });
});
