/// <reference lib="dom" />
// The values that the dashboard lists in a browser are read by the service, from the page and from others of its template.
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Field, FoundValue } from '../../packages/dashboard/pick/found-values.ts';
import { wantedData } from '../../src/extract/fields/page-data.ts';
import { extractPage } from '../../src/extract/extract-page.ts';
import { findBrowser } from '../../src/render/find-browser.ts';
import { isBrowserMissing } from './browser-session.ts';

const url = 'https://shop.example/tools/garden-rake';

describe.skipIf(isBrowserMissing)('values of a page (needs chromium-headless-shell)', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const binary = findBrowser('auto');
    browser = await chromium.launch({ ...(binary !== undefined && { executablePath: binary }) });
    page = await browser.newPage();
    const entry = `
      import { foundValues } from './found-values.ts';
      import { plainHtml } from './plain-html.ts';
      globalThis.found = (html, url) =>
        foundValues(new DOMParser().parseFromString('<body>' + plainHtml(html).html, 'text/html'), url);`;
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

  function find(html: string): Promise<readonly FoundValue[]> {
    return page.evaluate(
      ([text, address]) =>
        (globalThis as unknown as { found: (html: string, url: string) => readonly FoundValue[] }).found(text, address),
      [html, url] as const,
    );
  }

  test.each<[what: string, html: string, field: [string, Field], other: string, value: unknown]>([
    [
      'a cell, by the label beside it',
      '<table><tr><th>Weight</th><td>2 kg</td></tr><tr><th>Maker</th><td>Kiln Works</td></tr></table>',
      ['maker', { label: 'Maker' }],
      '<table><tr><th>Maker</th><td><b>Oak</b></td></tr></table>',
      'Oak',
    ],
    [
      'a description in Chinese',
      '<dl><dt>出版社：</dt><dd>干草出版社</dd></dl>',
      ['出版社', { label: '出版社' }],
      '<dl><dt>年</dt><dd>2001</dd><dt>出版社：</dt><dd>麦田</dd></dl>',
      '麦田',
    ],
    [
      'itemprop rather than a class',
      '<div class="css-1x9"><span class="price_a81f" itemprop="price">$ 19.90</span></div>',
      ['price', { css: '[itemprop="price"]', type: 'price' }],
      '<div class="css-7q2"><span class=was>$ 30</span><span class="price_bb01" itemprop="price">$ 7</span></div>',
      { amount: 7, currency: 'USD' },
    ],
    [
      'a class without digits, among others',
      '<div class="post-123"><p class="css-2bcd mt-4 amount">19.90</p></div>',
      ['amount', { css: '.amount', type: 'number' }],
      '<p class="ad">buy</p><div class="post-9"><p class="css-8abc amount mt-2">7.50</p></div>',
      7.5,
    ],
    [
      'no name that is made of the value or the address',
      '<main id="garden-rake"><p class="status-in-stock stock in-stock">In stock</p></main>',
      ['stock', { css: '.stock' }],
      '<main id="hoe"><p class="stock sold-out">Sold out</p></main>',
      'Sold out',
    ],
    ['the heading', '<h1 class="x81">Garden rake</h1>', ['title', { css: 'h1' }], '<h1 class="y2">Hoe</h1>', 'Hoe'],
    [
      'an element inside one with a name',
      '<section class="offer"><i></i><span>19.90</span></section>',
      ['offer_span', { css: '.offer span', type: 'number' }],
      '<section class="offer"><span>7.50</span></section>',
      7.5,
    ],
    [
      'all values of one name',
      '<ul><li class=tag>hay</li><li class=tag>straw</li></ul>',
      ['tag', { css: '.tag', list: true }],
      '<ul><li class=tag>rake</li><li class=tag>hoe</li></ul>',
      ['rake', 'hoe'],
    ],
    [
      'a date',
      '<time datetime="2026-03-04">4 March</time>',
      ['time', { css: 'time', type: 'date' }],
      '<time datetime="2026-05-06">x</time>',
      '2026-05-06',
    ],
  ])(
    'foundValues: finds %s, which the service reads from another page',
    async (_, html, [name, field], other, value) => {
      const found = await find(html);
      expect(found.find((one) => one.name === name)?.field).toEqual(field);
      for (const one of found) expect(read(html, { [one.name]: one.field })[one.name]).not.toBeNull();
      expect(read(other, { [name]: field })).toEqual({ [name]: value });
    },
  );

  test('foundValues: gives two values of one word two names, and none to an element without a name', async () => {
    const found = await find('<p class="a-price">7</p><p class="b-price">8</p><div><p>9</p></div>');
    expect(found.map(({ name, texts: [text] }) => [name, text])).toEqual([
      ['a_price', '7'],
      ['b_price', '8'],
    ]);
    expect((await find('<b id=price>7</b><i class=price>8</i>')).map(({ name }) => name)).toEqual(['price', 'price_2']);
  });

  /** The browser parses these for a minute and more. */
  test.each([
    ['elements that are never closed', `${'<div class=b><span>'.repeat(25_000)}x${'<p class=c></p>'.repeat(50_000)}`],
    ['elements next to each other', '<li class=k><b class=c>7</b></li>'.repeat(100_000)],
    ['one text', 'x'.repeat(5e6)],
    ['comments and scripts that never end', '<!-- <script> '.repeat(300_000)],
  ])('foundValues: a page of %s takes seconds of the processor', async (_name, body) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const cpuSeconds = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    };
    const before = await cpuSeconds();
    expect((await find(`<h1>7</h1>${body}`))[0]?.texts).toEqual(['7']);
    const taken = (await cpuSeconds()) - before;
    await session.detach();
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(10);
  });
});

function read(html: string, fields: Readonly<Record<string, Field>>): Readonly<Record<string, unknown>> {
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
