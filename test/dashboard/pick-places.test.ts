/// <reference lib="dom" />
// A click on a page becomes a place of `fields`: proposed by the dashboard in a browser, and read by the service.
//
// Pages of one template differ in what must not matter: hashes and numbers in names, rows and blocks around the value, the
// value itself, and the language. So each proposal is read from such other pages too.
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Located, PickedField } from '../../packages/dashboard/pick/fields-of.ts';
import type { Block, Proposal } from '../../packages/dashboard/pick/places.ts';
import { wantedData } from '../../src/extract/fields/page-data.ts';
import { extractPage } from '../../src/extract/extract-page.ts';
import { findBrowser } from '../../src/render/find-browser.ts';
import { isBrowserMissing } from './browser-session.ts';

interface Proposed {
  readonly places: readonly Proposal[];
  readonly lists: readonly Proposal[];
  readonly blocks: readonly Omit<Block, 'element'>[];
  readonly type: string;
  readonly name: string;
  readonly text: string;
}

const url = 'https://shop.example/tools/garden-rake';

describe.skipIf(isBrowserMissing)('places of values (needs chromium-headless-shell)', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const binary = findBrowser('auto');
    browser = await chromium.launch({ ...(binary !== undefined && { executablePath: binary }) });
    page = await browser.newPage();
    const entry = `
      import { blocksAround, listPlacesOf, nameOf, placesOf, typeOf } from './places.ts';
      import { shownText } from './page-text.ts';
      import { plainHtml } from './plain-html.ts';
      import { extractOf } from './fields-of.ts';
      globalThis.extractOf = extractOf;
      globalThis.proposed = (html, inside, url) => {
        const source = new DOMParser().parseFromString('<body>' + plainHtml(html.replace(/<!><[a-z]\\w*/, (at) => at.slice(3) + ' data-mark')).html, 'text/html');
        const element = source.querySelector('[data-mark]');
        element.removeAttribute('data-mark');
        const scope = inside ? element.closest(inside) : source;
        const places = placesOf(element, scope, url);
        const [{ place }] = places;
        const type = typeOf(shownText(element), element);
        return {
          places,
          type,
          lists: listPlacesOf(element, source, url),
          blocks: blocksAround(element, url).map(({ css, count }) => ({ css, count })),
          name: nameOf(element, { place, type, taken: [] }),
          text: shownText(element),
        };
      };`;
    const { outputFiles } = await build({
      stdin: { contents: entry, resolveDir: 'packages/dashboard/pick', loader: 'ts' },
      bundle: true,
      write: false,
      format: 'iife',
    });
    await page.evaluate(outputFiles[0]!.text);
  });
  afterAll(async () => {
    await browser?.close();
  });

  /** What is proposed when the element after `<!>` is clicked. */
  async function propose(html: string, inside?: string): Promise<Proposed> {
    return page.evaluate(
      ([text, scope, address]) => {
        const { proposed } = globalThis as unknown as {
          proposed: (html: string, inside: string | undefined, url: string) => Proposed;
        };
        return proposed(text, scope, address);
      },
      [html, inside, url] as const,
    );
  }

  const rows = (...pairs: readonly (readonly [string, string])[]): string =>
    `<table>${pairs.map(([name, value]) => `<tr><th>${name}</th><td>${value}</td></tr>`).join('')}</table>`;

  /** The page on which a value is clicked: `<!>` is before its element. Further pages of the template, and their values. */
  const cases: readonly (readonly [string, string, readonly string[], readonly (string | null)[]])[] = [
    [
      'a row of a table',
      rows(['Weight', '2 kg'], ['Maker', '']).replace('<td></td>', '<!><td>Kiln Works</td>'),
      [rows(['Maker', 'Oak'], ['Weight', '1 kg']), rows(['Weight', '2 kg'])],
      ['Oak', null],
    ],
    [
      'a term in Chinese',
      '<dl><dt>出版社：</dt><!><dd>干草出版社</dd><dt>年</dt><dd>1999</dd></dl>',
      ['<dl><dt>年</dt><dd>2001</dd><dt>出版社：</dt><dd>麦田</dd></dl>'],
      ['麦田'],
    ],
    [
      'a line with a bold label',
      '<p><b>Verlag:</b> <!><a href=/p/1>Heu</a><br><b>Jahr:</b> 1999</p>',
      ['<p><b>Jahr:</b> 2001<br><b>Verlag:</b> <a href=/p/2>Stroh</a></p>'],
      ['Stroh'],
    ],
    [
      'a text with its label in it',
      '<ul><li>Year: 1999</li><!><li>Publisher: Hay Press</li></ul>',
      ['<ul><li>Publisher: Straw</li><li>Pages: 12</li><li>Year: 2001</li></ul>'],
      ['Straw'],
    ],
    [
      'itemprop rather than a class',
      '<div class="css-1x9"><!><span class="price_a81f" itemprop="price">$ 19.90</span><span class=was>$ 30</span></div>',
      ['<div class="css-7q2"><span class=was>$ 30</span><span class="price_bb01" itemprop="price">$ 7</span></div>'],
      ['$ 7'],
    ],
    [
      'a class without digits, among others',
      '<h1>Garden rake</h1><div class="post-123"><p class="css-1abc">new</p><!><p class="css-2bcd mt-4 amount">19.90</p></div>',
      [
        '<h1>Hoe</h1><p class="ad">buy</p><div class="post-9"><p class="css-8abc amount mt-2">7.50</p><p class="css-2bcd">old</p></div>',
      ],
      ['7.50'],
    ],
    [
      'no name that is made of the value or the address',
      '<main id="garden-rake"><p class="status status-in-stock"></p><!><p class="stock in-stock">In stock</p></main>',
      ['<main id="hoe"><p class="status status-sold-out"></p><p class="stock sold-out">Sold out</p></main>'],
      ['Sold out'],
    ],
    [
      'the first heading',
      '<div><h2>Menu</h2><!><h1 class="x81">Garden rake</h1><h2>More</h2></div>',
      ['<div><h2>Menu</h2><h2>Sale</h2></div><h1 class="y2">Hoe</h1>'],
      ['Hoe'],
    ],
    [
      'an element inside one with a name',
      '<div class="teaser"><span>old</span></div><section class="offer"><i></i><!><span>19.90</span></section>',
      ['<div class="teaser"><span>a</span><span>b</span></div><section class="offer"><span>7.50</span></section>'],
      ['7.50'],
    ],
    [
      'a value after another one, which is no label',
      '<div class="box"><b>Garden hoe</b> <!><span class="amount">19.90</span></div>',
      ['<div class="box"><b>Rake</b> <span class="amount">7</span></div>'],
      ['7'],
    ],
    [
      'a position, if nothing has a name',
      '<div><p>one</p><!><p>two</p></div>',
      ['<div><p>three</p><p>four</p></div>'],
      ['four'],
    ],
  ];

  test.each(cases)('pick: finds %s on other pages', async (_name, clicked, others, values) => {
    const { places, text } = await propose(clicked);
    const [first] = places;
    expect(first).toBeDefined();
    expect(first!.text).not.toBe('');
    expect(text).toContain(first!.text);
    const fields = { value: first!.place };
    expect(read(clicked.replace('<!>', ''), fields), JSON.stringify(first)).toEqual({ value: first!.text });
    expect(
      others.map((other) => read(other, fields)['value']),
      JSON.stringify(first),
    ).toEqual(values);
  });

  test('pick: the service reads from every place that is proposed what the dashboard shows', async () => {
    let proposals = 0;
    for (const [, clicked] of cases) {
      const { places } = await propose(clicked);
      for (const { place, text } of places) {
        proposals++;
        expect(read(clicked.replace('<!>', ''), { value: place }), JSON.stringify(place)).toEqual({ value: text });
      }
    }
    expect(proposals).toBeGreaterThan(cases.length);
  });

  test.each([
    [
      'the same label twice',
      rows(['Maker', 'Kiln'], ['Size', '']).replace('<td></td>', '<!><td>XL</td>') + rows(['Size', 'S']),
    ],
    ['a number as a label', '<table><tr><td>2</td><!><td>kg</td></tr></table>'],
    ['a row of headings', '<table><tr><th>Maker</th><!><th>Size</th></tr><tr><td>Kiln</td><td>XL</td></tr></table>'],
    ['more on the line', '<p><b>By:</b> <!><i>Ann</i> and <i>Bob</i></p>'],
  ])('pick: proposes no label when the page has %s', async (_name, html) => {
    const { places } = await propose(html);
    expect(places.map(({ place }) => place.label)).toEqual(places.map(() => undefined));
    expect(places.length).toBeGreaterThan(0);
  });

  const card = (name: string, price = ''): string =>
    `<li class="card"><h3 class="name">${name}</h3>${price === '' ? '' : `<span class="price">${price}</span>`}</li>`;
  const shop = `<ul class="cards">${card('Rake', '$ 19.90')}${card('Hoe').replace('<h3', '<!><h3')}${card('Axe', '$ 7')}</ul>`;

  test('pick: proposes all values of a list, and the blocks that hold one each', async () => {
    const { lists, blocks } = await propose(shop);
    const html = shop.replace('<!>', '');
    expect(lists[0]).toMatchObject({ matches: 3 });
    expect(read(html, { value: { ...lists[0]!.place, list: true } })).toEqual({ value: ['Rake', 'Hoe', 'Axe'] });
    expect(blocks).toEqual([{ css: '.card', count: 3 }]);
    const { places } = await propose(shop, '.card');
    const field = { type: 'text', isList: false, block: '.card' } as const;
    const picked: readonly PickedField[] = [
      { ...field, key: 1, name: 'name', place: places[0]!.place },
      { ...field, key: 2, name: 'price', place: { css: '.price' }, type: 'price' },
    ];
    const { fields } = await page.evaluate(
      (given) =>
        (globalThis as unknown as { extractOf: (picked: unknown) => { fields: Record<string, Located> } }).extractOf(
          given,
        ),
      picked,
    );
    expect(read(html, fields)).toEqual({
      cards: [
        { name: 'Rake', price: { amount: 19.9, currency: 'USD' } },
        { name: 'Hoe', price: null },
        { name: 'Axe', price: { amount: 7, currency: 'USD' } },
      ],
    });
  });

  test.each([
    ['<!><b class=price>19,90 €</b>', 'price', 'price'],
    ['<p>Seiten: <!><b>312</b></p>', 'integer', 'seiten'],
    ['<!><b class="rating-value">4.5</b>', 'number', 'rating_value'],
    ['<!><time datetime="2026-03-04">4 March</time>', 'date', 'date'],
    ['<!><img class=cover src=/a.png>', 'url', 'cover'],
    ['<!><h1>1984</h1>', 'integer', 'title'],
    ['<dl><dt>出版社<!><dd>干草出版社</dl>', 'text', '出版社'],
    ['<!><b>0049 221</b>', 'text', 'text'],
  ])('pick: names and types %s', async (html, type, name) => {
    expect(await propose(html)).toMatchObject({ type, name });
  });

  /** The browser parses these for a minute and more. */
  test.each([
    ['elements that are never closed', `${'<div class=b><span>'.repeat(25_000)}x${'<p class=c></p>'.repeat(50_000)}`],
    ['elements next to each other', '<li class=k><b class=c>7</b></li>'.repeat(100_000)],
    ['one text', 'x'.repeat(5e6)],
    ['comments and scripts that never end', '<!-- <script> '.repeat(300_000)],
  ])('pick: a page of %s takes seconds of the processor', async (_name, body) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const cpuSeconds = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    };
    const before = await cpuSeconds();
    const { text } = await propose(`<!><main>7</main>${body}`);
    expect(text).toBe('7');
    const taken = (await cpuSeconds()) - before;
    await session.detach();
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(10);
  });
});

function read(html: string, fields: Readonly<Record<string, Located>>): Readonly<Record<string, unknown>> {
  const wanted = wantedData({ schema: null, fields, declared: false, declared_things: false, when: [] });
  const { data } = extractPage(`<!doctype html><html lang="en"><title>T</title><body>${html}</body></html>`, {
    url,
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'markdown',
    content: 'auto',
    excludeElements: null,
    data: { wanted, isWanted: true },
  });
  return (
    (data?.extracted as Record<string, unknown> | null | undefined) ??
    Object.fromEntries(Object.keys(fields).map((name) => [name, null]))
  );
}
