import { describe, expect, test } from 'vitest';
import type { FieldType } from '../../core/extract.ts';
import { dataOf, valueIn } from '../../../test/page-data.ts';

function read(type: FieldType, lang: string, text: string): readonly [unknown, string | undefined] {
  const attribute = lang === '' ? '' : ` lang="${lang}"`;
  return valueIn(`<html${attribute}><title>Rake</title><h1>Rake</h1><div class=v>${text}</div>`, {
    fields: { value: { css: '.v', type } },
  });
}

const price = (amount: number, currency: string | null): unknown => ({ amount, currency });

describe('numbers', () => {
  test.each<readonly [string, string, number]>([
    ['en', '1.2M', 1_200_000],
    ['en', '3.4k', 3_400],
    ['de', '1,2 Mio.', 1_200_000],
    ['ja', '3万', 30_000],
    ['en', '1½', 1.5],
    ['sv', '1 045:99 kr', 1045.99],
    ['en', '4.5 out of 5', 4.5],
    ['en', '4.5/5', 4.5],
    ['en', '170cm', 170],
    ['en', 'In stock (12)', 12],
    ['en', '- 60,000', 60_000],
    ['en', '-5 °C', -5],
    ['ja', '全3巻', 3],
    ['en', 'PT2H', 120],
    ['en', 'PT0H30M', 30],
  ])('readRecord: reads a number in %s whole from "%s"', (lang, text, value) => {
    expect(read('number', lang, text)).toEqual([value, undefined]);
  });

  test.each([
    ['12:30', 'type'],
    ['45:99', 'type'],
    ['2024/25', 'type'],
    ['1/2', 'type'],
    ['+43 1 58058', 'type'],
    ['H2O', 'type'],
    ['1m80', 'type'],
    ['1 h 30 min', 'type'],
    ['8-10', 'ambiguous'],
    ['25 to 30', 'ambiguous'],
  ])('readRecord: reads no part of a number from "%s"', (text, problem) => {
    expect(read('number', 'en', text)).toEqual([null, problem]);
  });

  test('readRecord: takes no mark in a whole number for decimals', () => {
    expect(read('integer', '', '1.234')).toEqual([1234, undefined]);
  });

  test.each<readonly [string, string, unknown]>([
    ['en', '2.885,- €', price(2885, 'EUR')],
    ['de', '2.885,- €', price(2885, 'EUR')],
    ['en', '1.699,– €*', price(1699, 'EUR')],
    ['sv', '1 045:99 kr', price(1045.99, 'SEK')],
    ['sv', '1 045:-', price(1045, 'SEK')],
    ['fr', '2 888€40', price(2888.4, 'EUR')],
    ['de', '1,2 Mio. €', price(1_200_000, 'EUR')],
    ['en', '₹1.25 Lakh', price(125_000, 'INR')],
    ['en', '<del>$29.99</del> <ins>$19.99</ins>', price(19.99, 'USD')],
    ['en', '<span style="color:red; display: none">$29.99</span> $19.99', price(19.99, 'USD')],
    ['de', '19,99 € (1,99 €/100 g)', price(19.99, 'EUR')],
    ['de', '19,99 € 1,99 €/100 g', price(19.99, 'EUR')],
    ['ko', '12,345원', price(12_345, 'KRW')],
    ['', '¥12,345', null],
    ['ja', '1,980円(税込)', price(1980, 'JPY')],
    ['tr', '49,90 TL', price(49.9, 'TRY')],
    ['en', 'RM12.90', price(12.9, 'MYR')],
    ['en', 'KSh 1,290', price(1290, 'KES')],
    ['ar', '12.90 ر.س', price(12.9, 'SAR')],
    ['ar', 'د.إ 12.90', price(12.9, 'AED')],
    ['es', 'S/ 12.90', price(12.9, 'PEN')],
    ['uk', '12,90 грн', price(12.9, 'UAH')],
    ['mk', '120 ден', price(120, 'MKD')],
    ['vi', '120.000 đ', price(120_000, 'VND')],
    ['fr-CA', '12.00 $ US', price(12, 'USD')],
    ['es-MX', '$1,299.00', price(1299, 'MXN')],
    ['en', 'Was $29.99 Now $19.99', null],
    ['en', '$25-30', null],
    ['en', '€1.299.', null],
    ['en', '1.299.', null],
  ])('readRecord: reads a price in %s whole or not at all from "%s"', (lang, text, value) => {
    const [found, problem] = read('price', lang, text);
    expect(problem === undefined ? found : problem).toEqual(value ?? 'ambiguous');
  });

  test.each(['Call 555-0100', 'Price on request (ref. 4711)', 'In 24 h lieferbar', '($1,234.00)', '12 km', 'AMD 7600'])(
    'readRecord: reads no price from "%s"',
    (text) => {
      expect(read('price', 'de', text)).toEqual([null, 'type']);
    },
  );

  test.each(['es', ''])('readRecord: says that the currency is not known when lang is "%s"', (lang) => {
    expect(read('price', lang, '$1,299.00')).toEqual([price(1299, null), 'ambiguous']);
  });

  test('readRecord: takes the currency from the name of the field', () => {
    const html = '<html lang=de><h1>Rake</h1><p class=v>19,90</p>';
    const { price_eur: inName, price: none } = valuesIn(html, 'price_eur', 'price');
    expect([inName, none]).toEqual([price(19.9, 'EUR'), null]);
  });

  const valuesIn = (html: string, ...names: readonly string[]): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      names
        .map((name) => {
          const fields = { [name]: { css: '.v', type: 'price' }, value: { css: 'h1' } } as const;
          return [name, dataOf(html, { fields }).extracted as Readonly<Record<string, unknown>>] as const;
        })
        .map(([name, record]) => [name, record[name]]),
    );
});

describe('written for programs', () => {
  test.each<readonly [string, string, object]>([
    ['an attribute', '<b class=v data-price="12.999">12,999 €</b>', { css: '.v', attribute: 'data-price' }],
    ['a meta', '<meta class=v content="12.999">', { css: '.v' }],
    ['a data element', '<data class=v value="12.999">12,999</data>', { css: '.v' }],
  ])('readRecord: reads %s as programs write, whatever the language', (_, html, locator) => {
    const page = `<html lang=de><h1>Rake</h1>${html}`;
    expect(valueIn(page, { fields: { value: { ...locator, type: 'number' } } })).toEqual([12.999, undefined]);
  });

  const schema = { properties: { value: { type: 'number' } } } as const;
  const offer = '{"@type":"Product","name":"Rake","value":"1.299"}';

  test.each([
    [
      'microdata',
      '<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>Rake</b><i itemprop=value>1.299</i> €</div>',
    ],
    ['JSON-LD', `<script type="application/ld+json">${offer}</script><p>1.299 €`],
  ])('readRecord: doubts a number in %s that the page shows as another', (_, html) => {
    expect(valueIn(`<html lang=de><h1>Rake</h1>${html}`, { schema })).toEqual([null, 'ambiguous']);
  });

  test('readRecord: reads three decimals of a declaration that the page does not show as thousands', () => {
    const html = (shown: string): string =>
      `<html lang=de><h1>Rake</h1><script type="application/ld+json">${offer}</script><p>${shown}`;
    expect(valueIn(html('1,299'), { schema })).toEqual([1.299, undefined]);
    expect(valueIn(html(''), { schema })).toEqual([1.299, undefined]);
  });
});

describe('dates', () => {
  test.each([
    '3–5 March 2026',
    'from 3 March to 5 April 2026',
    'March 3 – April 5, 2026',
    'vom 3. bis 5. März 2026',
    '3 March 2026 - 5 April 2026',
  ])('readRecord: takes no day of several from "%s"', (text) => {
    expect(read('date', 'en', text)).toEqual([null, 'ambiguous']);
  });

  test.each([
    ['Published: 3 March 2026, 10:00', '2026-03-03T10:00:00'],
    ['Room 5, 3 March 2026', '2026-03-03'],
    ['Version 2 of March 3, 2026', '2026-03-03'],
    ['2026-03-03T10:00 to 2026-03-03T12:00', '2026-03-03T10:00:00'],
  ])('readRecord: reads the day from "%s"', (text, date) => {
    expect(read('date', 'en', text)).toEqual([date, undefined]);
  });
});

/** Ways to write a price: `a` as the language writes numbers, `w` its whole part, `c` its cents. */
const ways: readonly ((a: string, w: string, c: string, sign: string, code: string) => string)[] = [
  (a, _w, _c, sign) => `${sign}${a}`,
  (a, _w, _c, sign) => `${sign} ${a}`,
  (a, _w, _c, sign) => `${a}${sign}`,
  (a, _w, _c, sign) => `${a} ${sign}`,
  (a, _w, _c, sign) => `${a}&nbsp;${sign}`,
  (a, _w, _c, sign) => `${a}\u202f${sign}`,
  (a, _w, _c, _s, code) => `${code} ${a}`,
  (a, _w, _c, _s, code) => `${a} ${code}`,
  (a, _w, _c, _s, code) => `${a} ${code.toLowerCase()}`,
  (a, _w, _c, sign) => `<b>${a}</b> <i>${sign}</i>`,
  (a, _w, _c, sign) => `<i>${sign}</i><b>${a}</b>`,
  (a, _w, _c, sign) => `<del>${a.replace(/^\d/, '9')} ${sign}</del> <ins>${a} ${sign}</ins>`,
  (a, _w, _c, sign) => `<s>${sign}${a.replace(/^\d/, '9')}</s> ${sign}${a}`,
  (a, _w, _c, sign) => `<span hidden>1 ${sign}</span>${a} ${sign}`,
  (a, _w, _c, sign) => `${a} ${sign}*`,
  (a, _w, _c, sign) => `${a} ${sign}.`,
  (a, _w, _c, sign) => `(${a} ${sign} new)`,
  (a, _w, _c, sign) => `Rake, 12 teeth: ${a} ${sign}`,
  (a, _w, _c, sign) => `2 pairs from ${sign}${a}`,
  (a, _w, _c, sign) => `${a} ${sign} / 100 g`,
  (a, _w, _c, sign) => `${a} ${sign} (1 ${sign}/kg)`,
  (a, _w, _c, sign) => `Price: ${a} ${sign}`,
  (a, _w, _c, sign) => `Price - ${a} ${sign}`,
  (_a, w, _c, sign) => `${w},- ${sign}`,
  (_a, w, _c, sign) => `${w},– ${sign}`,
  (_a, w, c, sign) => (c === '' ? `${w} ${sign}` : `${sign}${w}<sup>${c}</sup>`),
  (_a, w, c, sign) => (c === '' ? `${w} ${sign}` : `${w}${sign}${c}`),
  (a, _w, _c, sign) => `\n  ${a}\n  ${sign}\n`,
  (a, _w, _c, sign) => `-${a} ${sign}`.slice(1),
  (a, _w, _c, sign) => `${a} ${sign} ${a} ${sign}`,
];
const languages = [
  ['en', 'USD'],
  ['de', 'EUR'],
  ['fr', 'EUR'],
  ['pl', 'PLN'],
  ['sv', 'SEK'],
  ['pt-BR', 'BRL'],
  ['ja', 'JPY'],
  ['en-IN', 'INR'],
] as const;

test.each([true, false])('readRecord: reads 30 ways to write a price in eight languages, with lang: %s', (hasLang) => {
  const wrong: string[] = [];
  let [open, all] = [0, 0];
  for (const [lang, code] of languages)
    for (const [at, way] of ways.entries())
      for (const given of [7, 19.9, 1299, 12_345.5, 1_234_567]) {
        const hasCents = code !== 'JPY' && !/,[-–]/.test(way('', 'w', 'c', '', ''));
        const amount = hasCents ? given : Math.trunc(given);
        const number = new Intl.NumberFormat(lang, { minimumFractionDigits: hasCents && given % 1 > 0 ? 2 : 0 });
        const parts = number.formatToParts(amount);
        const whole = parts
          .filter(({ type }) => type === 'integer' || type === 'group')
          .map(({ value }) => value)
          .join('');
        const cents = parts.find(({ type }) => type === 'fraction')?.value ?? '';
        const sign = new Intl.NumberFormat(lang, { style: 'currency', currency: code })
          .formatToParts(1)
          .find(({ type }) => type === 'currency')!.value;
        const text = way(number.format(amount), whole, cents, sign, code);
        const [found, problem] = read('price', hasLang ? lang : '', text);
        all++;
        if (found === null || problem !== undefined) open++;
        else if (JSON.stringify(found) !== JSON.stringify({ amount, currency: code }))
          wrong.push(`${lang} ${at}: ${text} gives ${JSON.stringify(found)}`);
      }
  expect(wrong).toEqual([]);
  expect(open / all).toBeLessThanOrEqual(hasLang ? 0.05 : 1);
});
