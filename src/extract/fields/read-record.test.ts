import { describe, expect, test } from 'vitest';
import type { ExtractOption } from '../../core/extract.ts';
import { dataOf } from '../../../test/page-data.ts';

const extracted = (html: string, fields: ExtractOption['fields']): unknown => dataOf(html, { fields }).extracted;
const page = (body: string, lang = 'de'): string =>
  `<!doctype html><html lang="${lang}"><title>Garden rake - Hay</title><h1>Garden rake</h1>${body}</html>`;

describe('fields', () => {
  test('readRecord: reads fields by CSS, attribute and between', () => {
    const html = page(`<p class=maker> Hay  <b>Tools</b></p><img class=pic src="/a.png"><p>ISBN 12-3, new</p>
      <div class=about><p>A <em>good</em> rake.</p></div>`);
    expect(
      extracted(html, {
        maker: { css: '.maker' },
        picture: { css: 'img.pic', type: 'url' },
        source: { css: 'img', attribute: 'src' },
        isbn: { between: ['ISBN ', ','] },
        about: { css: '.about', type: 'markdown' },
        markup: { css: '.about', type: 'html' },
        none: { css: '.none' },
      }),
    ).toEqual({
      maker: 'Hay Tools',
      picture: 'https://example.com/a.png',
      source: '/a.png',
      isbn: '12-3',
      about: 'A *good* rake.',
      markup: '<div><p>A <em>good</em> rake.</p></div>',
      none: null,
    });
  });

  test.each([
    ['a row', '<table><tr><th>Verlag:</th><td>Hay Press</td></tr><tr><th>Jahr</th><td>1999</td></tr></table>'],
    ['a row without header cells', '<table><tr><td><b>Verlag</b></td><td>Hay Press</td></tr></table>'],
    [
      'a column',
      '<table><thead><tr><th>Jahr</th><th>Verlag</th></tr></thead><tbody><tr><td>1</td><td>Hay Press</td></tr></tbody></table>',
    ],
    ['a term', '<dl><dt>Jahr<dd>1999<dt>VERLAG<dd>Hay Press<dt>Ort<dd>Bonn</dl>'],
    ['terms in boxes', '<dl><div><dt>Verlag</dt><dd>Hay Press</dd></div></dl>'],
    ['a line', '<p>Jahr: 1999<br>Verlag: Hay Press<br>Ort: Bonn</p>'],
    ['a bold label', '<p><b>Jahr:</b> 1999 <b>Verlag:</b> Hay Press <b>Ort:</b> Bonn</p>'],
    [
      'a label and a value of one kind',
      '<div><span>Verlag</span><span>Hay Press</span><span>Ort</span><span>Bonn</span></div>',
    ],
    ['boxes', '<div><div class=l><span>Verlag</span></div><div class=v>Hay <i>Press</i></div></div>'],
    ['a list', '<ul><li>Jahr: 1999<li><strong>Verlag:</strong> <a href=x>Hay Press</a></ul>'],
  ])('readRecord: reads the text beside a label in %s', (_, html) => {
    expect(extracted(page(html), { publisher: { label: 'Verlag' } })).toEqual({ publisher: 'Hay Press' });
  });

  test('readRecord: takes the first alternative with a value of the type', () => {
    const price = [
      { css: '.new', type: 'price' },
      { label: 'Preis', type: 'price' },
    ] as const;
    const found = { price: { amount: 19.9, currency: 'EUR' } };
    expect(extracted(page('<p class=new>Auf Anfrage</p><p>Preis: 19,90 €</p>'), { price })).toEqual(found);
    expect(extracted(page('<p>Preis: 10 €</p><p class=new>19,90 €</p>'), { price })).toEqual(found);
  });

  test('readRecord: makes one object for each container, so that a missing value shifts no other', () => {
    const item = (name: string, price: string): string => `<li class=item><b>${name}</b>${price}</li>`;
    const html = page(`<ul>${item('A', '<i>1,50 €</i>')}${item('B', '')}${item('C', '<i>3 €</i>')}</ul>`);
    const { extracted: found, metadata } = dataOf(html, {
      fields: {
        items: { css: '.item', list: true, fields: { name: { css: 'b' }, price: { css: 'i', type: 'price' } } },
      },
    });
    expect(found).toEqual({
      items: [
        { name: 'A', price: { amount: 1.5, currency: 'EUR' } },
        { name: 'B', price: null },
        { name: 'C', price: { amount: 3, currency: 'EUR' } },
      ],
    });
    expect(metadata.extractedFrom?.problems).toEqual({ 'items[1].price': 'missing' });
  });

  test.each<readonly [string, string, string, unknown]>([
    ['a comma for decimals', 'de', '1.234,50 €', { amount: 1234.5, currency: 'EUR' }],
    ['a point for decimals', 'en', '$1,234.50', { amount: 1234.5, currency: 'USD' }],
    ['groups by space', 'fr', '1 234,50 €', { amount: 1234.5, currency: 'EUR' }],
    ['Indian groups', 'en', '₹1,23,456', { amount: 123456, currency: 'INR' }],
    ['Swiss groups', 'de-CH', 'CHF 1’234.–', { amount: 1234, currency: 'CHF' }],
    ['a number before the price', 'en', '2 pairs from $349', { amount: 349, currency: 'USD' }],
    ['cents in an element', 'en', '$19<sup>99</sup>', { amount: 19.99, currency: 'USD' }],
    ['a region that names the dollar', 'en-CA', '$5', { amount: 5, currency: 'CAD' }],
    ['a group by the language', 'de', '3.350 €', { amount: 3350, currency: 'EUR' }],
    ['three decimals that no price has', 'en', '€3.350', null],
    ['a group without a language', '', '3.350 €', null],
  ])('readRecord: reads a price with %s', (_, lang, text, price) => {
    const { extracted: found, metadata } = dataOf(page(`<p id=p>${text}</p><p id=q>x</p>`, lang), {
      fields: { price: { css: '#p', type: 'price' }, q: { css: '#q' } },
    });
    expect(found).toEqual({ price, q: 'x' });
    expect(metadata.extractedFrom?.problems).toEqual(price === null ? { price: 'ambiguous' } : {});
  });

  test('readRecord: decides what a mark means by the other numbers of the page, and keeps the text where it cannot', () => {
    const fields = { a: { css: '#a', type: 'number' }, b: { css: '#b', type: 'number' } } as const;
    const two = (a: string, b: string): string => page(`<p id=a>${a}</p><p id=b>${b}</p>`, '');
    expect(extracted(two('3.350', '12,5'), fields)).toEqual({ a: 3350, b: 12.5 });
    expect(extracted(two('3.350', '12.5'), fields)).toEqual({ a: 3.35, b: 12.5 });
    const { metadata, isIncomplete } = dataOf(two('3.350', '7'), { fields });
    expect(metadata.extractedFrom).toMatchObject({
      problems: { a: 'ambiguous' },
      fields: { a: { source: 'css', raw: '3.350' } },
    });
    expect(isIncomplete).toBe(true);
  });

  test('readRecord: decides the order of day and month by the other dates, otherwise by the language', () => {
    const fields = { a: { css: '#a', type: 'date' }, b: { css: '#b', type: 'date' }, c: { css: '#c' } } as const;
    const two = (lang: string, a: string, b: string): unknown =>
      extracted(page(`<p id=a>${a}</p><p id=b>${b}</p><p id=c>c</p>`, lang), fields);
    expect(two('en', '3/4/2026', '13/4/2026')).toMatchObject({ a: '2026-04-03', b: '2026-04-13' });
    expect(two('en', '3/4/2026', '4/13/2026')).toMatchObject({ a: '2026-03-04', b: '2026-04-13' });
    expect(two('en', '3/4/2026', '4/5/2026')).toMatchObject({ a: null, b: null });
    expect(two('en-GB', '3/4/2026', '2026')).toMatchObject({ a: '2026-04-03', b: null });
  });

  test('readRecord: reads texts that a map names, and no others', () => {
    const fields = {
      stock: { css: '.s', type: 'boolean', map: { 'Auf Lager': true, Ausverkauft: false } },
      price: { css: '.p', type: 'price', map: { Gratis: 0 } },
      x: { css: 'h1' },
    } as const;
    const html = (stock: string): string => page(`<p class=s>${stock}</p><p class=p>gratis</p>`);
    expect(extracted(html(' auf  lager'), fields)).toMatchObject({ stock: true, price: { amount: 0 } });
    expect(extracted(html('Ausverkauft'), fields)).toMatchObject({ stock: false });
    expect(extracted(html('Bald'), fields)).toMatchObject({ stock: null });
  });
});

describe('records', () => {
  const fields = { title: { css: 'h1' }, price: { css: '.price', type: 'price' } } as const;

  test('readRecord: gives no record to a page on which only its title was found', () => {
    const { extracted: found, metadata, isIncomplete } = dataOf(page('<p>Imprint</p>'), { fields });
    expect(found).toBeNull();
    expect(metadata.extractedFrom).toMatchObject({ rules: 0, fields: {}, problems: {} });
    expect(isIncomplete).toBe(false);
  });

  test('readRecord: gives a record with what is there to a page that the client names, and says what is missing', () => {
    const option = { fields, when: ['/shop/*'] };
    expect(dataOf(page('<p>Imprint</p>'), option).extracted).toEqual({ title: 'Garden rake', price: null });
    expect(dataOf('<p>Nothing</p>', option)).toMatchObject({ extracted: null, isIncomplete: true });
    expect(dataOf(page('<p class=price>1 €</p>'), option, false)).toMatchObject({
      extracted: null,
      isIncomplete: false,
    });
  });

  test('readRecord: says which fields were found, inside others too, and which have a value', () => {
    const one = { css: '.one', list: true, fields: { by: { css: 'b' }, at: { css: 'i' }, no: { css: 'u' } } } as const;
    const html = page('<p class=one><b>Ann</b></p><p class=one><i>now</i></p><p class=price>free</p>');
    const { found } = dataOf(html, { fields: { one, price: { css: '.price', type: 'price' }, no: { css: '.no' } } });
    expect(found).toEqual({ one: true, 'one.by': true, 'one.at': true, price: false });
    expect(dataOf(html, { fields: { one } }, false).found).toBeNull();
  });

  test('readRecord: changes its hash only with the record', () => {
    const hashOf = (html: string): unknown => dataOf(html, { fields }).metadata.extractedFrom?.hash;
    const one = hashOf(page('<p class=price>1 €</p>'));
    expect(hashOf(page('<p>other</p><div><p class="price b">1 €</p></div>'))).toBe(one);
    expect(hashOf(page('<p class=price>2 €</p>'))).not.toBe(one);
  });

  test('readRecord: cuts lists and selectors that are endless, and says so', () => {
    const long = page(`<p class=price>1 €</p>${`<li>${'x'.repeat(500)}`.repeat(2_000)}`);
    const list = dataOf(long, { fields: { ...fields, all: { css: 'li', list: true } } });
    expect(Buffer.byteLength(JSON.stringify(list.extracted))).toBeLessThanOrEqual(65_536);
    expect(list.metadata.extractedFrom?.problems).toEqual({ all: 'cut' });
    const slow = dataOf(page(`<p class=price>1 €</p>${'<i><b>'.repeat(20_000)}`), {
      fields: { ...fields, slow: { css: ':has(:has(:has(u))) ~ *' } },
    });
    expect(slow.extracted).toMatchObject({ title: 'Garden rake', price: { amount: 1 } });
    expect(slow.metadata.extractedFrom?.problems).toMatchObject({ '*': 'cut' });
    expect(slow.isIncomplete).toBe(true);
  });
});

describe('declared data', () => {
  const product = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: 'Garden rake',
    brand: { '@type': 'Brand', name: 'Hay' },
    image: ['/a.png', '/b.png'],
    offers: { '@type': 'Offer', price: '19.90', priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
    aggregateRating: { '@type': 'AggregateRating', ratingValue: 4.5, reviewCount: '12' },
  };
  const card = { '@type': 'Product', name: 'Gift card', offers: { price: '50', priceCurrency: 'EUR' } };
  const crumbs = { '@type': 'BreadcrumbList', name: 'Garden rake', itemListElement: [{ name: 'Shop' }] };
  const script = (...things: readonly unknown[]): string =>
    things.map((thing) => `<script type="application/ld+json">${JSON.stringify(thing)}</script>`).join('');
  const schema = {
    properties: {
      title: { type: 'string' },
      price: { type: 'number' },
      offer: { type: 'object', properties: { amount: {}, currency: {} } },
      currency: { enum: ['EUR', 'USD'] },
      brand: { type: ['string', 'null'] },
      in_stock: { type: 'boolean' },
      rating: { type: 'number' },
      review_count: { type: 'integer' },
      images: { type: 'array', items: { type: 'string', format: 'uri' } },
      isbn: { type: 'string' },
    },
    required: ['title', 'price'],
  } as const;
  const record = {
    title: 'Garden rake',
    price: 19.9,
    offer: null,
    currency: 'EUR',
    brand: 'Hay',
    in_stock: true,
    rating: 4.5,
    review_count: 12,
    images: ['https://example.com/a.png', 'https://example.com/b.png'],
    isbn: null,
  };

  test.each([
    ['first', [product, crumbs, card]],
    ['last', [card, crumbs, product]],
    ['in a graph', [{ '@graph': [card, product, crumbs] }]],
  ])('readRecord: fills a schema from the subject of the page, %s among its neighbours', (_, things) => {
    const { extracted: found, metadata, isIncomplete } = dataOf(page(script(...things)), { schema });
    expect(found).toEqual(record);
    expect(metadata.extractedFrom?.fields['price']).toEqual({ source: 'declared', raw: '19.90' });
    expect(isIncomplete).toBe(false);
  });

  test('readRecord: fills a schema from microdata', () => {
    const html = page(`<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>Garden rake</b>
      <span itemprop=offers itemscope itemtype="https://schema.org/Offer"><meta itemprop=price content=19.90></span></div>`);
    expect(dataOf(html, { schema }).extracted).toMatchObject({ title: 'Garden rake', price: 19.9 });
  });

  test('readRecord: gives no record to a page that declares only neighbours', () => {
    expect(dataOf(page(script(card, { ...card, name: 'Hay fork' }, crumbs)), { schema }).extracted).toBeNull();
  });

  const article = { '@type': 'Article', '@id': '#a', headline: 'Garden rake' };
  const recipe = { '@type': 'Recipe', recipeIngredient: ['hay', 'salt'] };

  test.each<readonly [string, object]>([
    ['a shorter name and this page as its own', { name: 'rakes', mainEntityOfPage: 'https://example.com/shop/rake' }],
    ['this page around it', { name: 'rakes', isPartOf: { '@id': 'https://example.com/shop/rake#a' } }],
    ['a part of the name and the address', { name: 'rake garden rake', url: 'https://example.com/shop/rake' }],
    ['markup in its name', { name: '<strong>Garden</strong> rake' }],
  ])('readRecord: reads a recipe beside the article of the page that has %s', (_, values) => {
    const wanted = { properties: { ingredients: { type: 'array', items: {} } } } as const;
    for (const things of [
      [article, { ...recipe, ...values }],
      [{ ...recipe, ...values }, card, article],
    ])
      expect(dataOf(page(script({ '@graph': things })), { schema: wanted }).extracted).toEqual({
        ingredients: ['hay', 'salt'],
      });
  });

  test('readRecord: reads the only thing of a page whatever its name, and says that it is only that', () => {
    const other = { ...product, name: 'Rake, hay, wooden, 170 cm' };
    const site = { '@type': 'Organization', name: 'Hay Tools' };
    const { extracted: found, metadata } = dataOf(page(script(site, crumbs, other)), { schema });
    expect(found).toMatchObject({ title: 'Rake, hay, wooden, 170 cm', price: 19.9 });
    expect(metadata.extractedFrom?.certainty).toBe('only');
    expect(dataOf(page(script(product)), { schema }).metadata.extractedFrom?.certainty).toBeUndefined();
  });

  test('readRecord: reads the question of a page', () => {
    const question = { '@type': 'Question', name: 'Which rake?', answerCount: 3 };
    const wanted = { properties: { answer_count: { type: 'integer' }, name: { type: 'string' } } } as const;
    const html = page(script({ '@type': 'QAPage', mainEntity: question }));
    expect(dataOf(html, { schema: wanted }).extracted).toEqual({ answer_count: 3, name: 'Which rake?' });
  });

  test.each<readonly [string, readonly object[]]>([
    ['the heading', [{ name: 'Garden rake' }]],
    [
      'the address of the page',
      [
        { name: 'A rake that lasts', url: '/shop/rake' },
        { name: 'Another', url: '/x' },
      ],
    ],
    ['its page, with an address', [{ mainEntityOfPage: 'https://example.com/shop/rake' }]],
  ])('readRecord: reads a review that is what the page is about by %s', (_, reviews) => {
    const rating = { reviewRating: { ratingValue: 4 }, itemReviewed: { '@type': 'Product', name: 'Rake 3000' } };
    const things = reviews.map((one, at) => ({ '@type': 'Review', ...rating, reviewBody: `Words ${at}`, ...one }));
    const wanted = { properties: { rating: { type: 'number' }, text: { type: 'string' } } } as const;
    for (const all of [things, things.toReversed()])
      expect(dataOf(page(script(...all, crumbs)), { schema: wanted }).extracted).toEqual({
        rating: 4,
        text: 'Words 0',
      });
  });

  test('readRecord: reads no review of what the page is about as its subject', () => {
    const review = { '@type': 'Review', name: 'Good', reviewBody: 'Words', reviewRating: { ratingValue: 1 } };
    const wanted = { properties: { price: { type: 'number' }, text: { type: 'string' } } } as const;
    expect(dataOf(page(script(review)), { schema: wanted }).extracted).toBeNull();
    expect(dataOf(page(script(review, product)), { schema: wanted }).extracted).toEqual({ price: 19.9, text: null });
  });

  test.each([
    ['two offers', script({ ...product, offers: [{ price: 25 }, { price: '19.00' }] })],
    ['two things of one name', script(product, { ...product, offers: { price: 19 } })],
    [
      'variants',
      script({
        '@type': 'ProductGroup',
        name: 'Garden rake',
        hasVariant: [25, 19].map((price) => ({ offers: { price } })),
      }),
    ],
  ])('readRecord: takes the lowest price of %s, and says so', (_, html) => {
    const { extracted: found, metadata } = dataOf(page(html), { schema });
    expect(found).toMatchObject({ price: 19 });
    expect(metadata.extractedFrom?.problems).toMatchObject({ price: 'ambiguous' });
  });

  test('readRecord: says when a record lacks a required field', () => {
    const { offers: _, ...rest } = product;
    expect(dataOf(page(script(rest)), { schema })).toMatchObject({ extracted: { price: null }, isIncomplete: true });
  });

  test('readRecord: prefers where the client points to what the page declares', () => {
    const html = page(`${script(product)}<p class=price>17,50</p>`);
    const fields = { price: { css: '.price', type: 'number' } } as const;
    expect(dataOf(html, { schema, fields }).extracted).toMatchObject({ price: 17.5, brand: 'Hay' });
    expect(dataOf(page(script(product)), { schema, fields }).extracted).toMatchObject({ price: 19.9 });
    expect(dataOf(html, { schema, fields, declared: false }).extracted).toMatchObject({ price: 17.5, brand: null });
  });

  test('readRecord: lists what a page declares, its subject first, within 32 KiB', () => {
    const many = Array.from({ length: 300 }, (_, n) => ({
      '@type': 'Event',
      name: `E${n}`,
      description: 'x'.repeat(300),
    }));
    const { metadata, extracted: found } = dataOf(page(script(card, many, product)), { declared_things: true });
    expect(found).toBeUndefined();
    expect(metadata.declaredThings?.[0]).toMatchObject({
      source: 'json-ld',
      type: ['Product'],
      main: true,
      values: { brand: { name: 'Hay' } },
    });
    expect(metadata.declaredThings?.[1]).toMatchObject({ values: { name: 'Gift card' } });
    expect(Buffer.byteLength(JSON.stringify(metadata.declaredThings))).toBeLessThanOrEqual(32_768);
    expect((metadata.declaredThings?.length ?? 0) + (metadata.declaredThingsOmitted ?? 0)).toBe(302);
  });

  test('readRecord: counts scripts that cannot be read', () => {
    expect(dataOf(page('<script type="application/ld+json">{"a":</script>'), { schema }).unreadable).toBe(1);
  });
});

describe('hostile pages', () => {
  const declare = (thing: object): string => `<script type="application/ld+json">${JSON.stringify(thing)}</script>`;

  test('readRecord: cuts lists of a thing that refers to itself, and says so', () => {
    const again = Array.from({ length: 100 }, () => ({ '@id': 'x' }));
    const html = page(declare({ '@type': 'Product', '@id': 'x', name: 'Garden rake', review: again }));
    const reviews = (depth: number): object => ({
      type: 'array',
      items: {
        properties: { name: { type: 'string' }, ...(depth > 0 && { review: reviews(depth - 1) }) },
      },
    });
    const schema = { properties: { review: reviews(4) } } as unknown as ExtractOption['schema'];
    const { metadata, isIncomplete } = dataOf(html, { schema });
    expect(Object.values(metadata.extractedFrom!.problems)).toContain('cut');
    expect(isIncomplete).toBe(true);
  });

  test('readRecord: says that a page was cut when no value is left', () => {
    const html = page(`<p class=text>${'hay '.repeat(20_000)}</p>`);
    const { extracted: record, metadata, isIncomplete } = dataOf(html, { fields: { text: { css: '.text' } } });
    expect(record).toBeNull();
    expect(metadata.extractedFrom!.problems).toEqual({ text: 'cut' });
    expect(isIncomplete).toBe(true);
  });

  test.each([
    ['a run of marks', `1${'.'.repeat(100_000)}1`],
    ['a run of digits', '1'.repeat(100_000)],
  ])('readRecord: reads no number in %s', (_, text) => {
    const html = page(`<p class=n>${text}</p><p class=m>12 €</p>`);
    expect(extracted(html, { n: { css: '.n', type: 'number' }, m: { css: '.m', type: 'price' } })).toEqual({
      n: null,
      m: { amount: 12, currency: 'EUR' },
    });
  });

  test('readRecord: gives up on labels that take too long, and says so', () => {
    const html = page(`<table><tr>${'<td>Preis</td>'.repeat(20_000)}</tr></table>`);
    const { metadata } = dataOf(html, { fields: { price: { label: 'Preis' }, title: { css: 'h1' } } });
    expect(metadata.extractedFrom!.problems).toMatchObject({ '*': 'cut' });
  });
});
