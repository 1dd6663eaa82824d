import { describe, expect, test } from 'vitest';
import { extractPage } from '../extract-page.ts';

const metadataOf = (html: string): Record<string, unknown> =>
  extractPage(`<title>Garden rake - Hay</title><h1>Garden rake</h1>${html}`, {
    url: 'https://example.com/rake',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'text',
    content: 'auto',
    excludeElements: null,
  }).metadata;

const marked = (name: string, price: string): string =>
  `<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>${name}</b><p itemprop=author>A buyer</p>
  <span itemprop=offers itemscope itemtype="https://schema.org/Offer"><i itemprop=price>${price}</i></span></div>`;
const script = '<script type="application/ld+json">{"@type":"Product","name":"Garden rake","sku":"R1",}}</script>';

describe('metadata of marked-up pages', () => {
  test('extractPage: reads the product of a page from microdata, whatever stands beside it', () => {
    for (const html of [
      marked('Garden rake', '19.90') + marked('Gift card', '50'),
      marked('Gift card', '50') + marked('Garden rake', '19.90'),
    ])
      expect(metadataOf(html)).toMatchObject({ type: 'Product', productName: 'Garden rake', productPrice: '19.90' });
  });

  test('extractPage: prefers JSON-LD to microdata, and takes no author from a comment', () => {
    const metadata = metadataOf(script + marked('Gift card', '50'));
    expect(metadata).toMatchObject({ productName: 'Garden rake', productSku: 'R1' });
    expect(metadata).not.toHaveProperty('productPrice');
    expect(metadata).not.toHaveProperty('author');
  });
});
