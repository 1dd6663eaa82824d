import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { urlTemplates } from './url-template.ts';

const origin = 'https://a.example';
const host = 'a.example:443';
const fine = (path: string): string => urlTemplates(new URL(path, origin)).fine.slice(host.length);
const coarse = (path: string): string | undefined => urlTemplates(new URL(path, origin)).coarse?.slice(host.length);
const numbers = (path: string): string => urlTemplates(new URL(path, origin)).numbers;

describe('urlTemplates: path', () => {
  test.each([
    ['the root only', '/', '/'],
    ['words', '/docs/getting-started/', '/docs/getting-started/'],
    ['a number', '/p/17', '/p/#'],
    ['numbers within a word', '/page-12-of-300.html', '/page-#-of-#.html'],
    ['a date', '/2031/05/17', '/#/#/#'],
    ['a date before a slug', '/2024/05/my-slug', '/#/#/my-slug'],
    ['digits in an encoding', '/%D0%BC%D0%B8%D1%80', '/%D0%BC%D0%B8%D1%80'],
    ['digits after an encoding', '/a%2012/%C3%A917', '/a%20#/%C3%A9#'],
    ['a random token', '/s/a8f3k2l9x0q7w5e1/page', '/s/{token}/page'],
    ['a token as a file name', '/s/507f1f77bcf86cd799439011.html', '/s/{token}.html'],
    ['a token with hyphens', '/s/dQ-w4w9Wg_XcQ1a8Zp0Kd/page', '/s/{token}/page'],
    ['a UUID', '/o/3f2504e0-4f89-11d3-9a0c-0305e82c3301/x', '/o/{token}/x'],
    ['a UUID with few letters', '/o/12345678-1234-4234-9234-12345678901a', '/o/{token}'],
    ['a short id', '/s/a8f3k2l9', '/s/a#f#k#l#'],
    ['a long word', '/internationalisation', '/internationalisation'],
    ['a long number', '/12345678901234567890', '/#'],
    ['numbers in a title', '/top-10-things-to-do-in-2024', '/top-#-things-to-do-in-#'],
    ['model names in a title', '/iphone15-or-galaxy-s24-review', '/iphone#-or-galaxy-s#-review'],
    ['an ASP.NET session', '/(S(lit3py55t21z5v55vlm25s55))/cart.aspx', '/{token}/cart.aspx'],
    ['an ASP.NET session with more', '/(X(1)S(lit3py55t21z5v55vlm25s55))/cart.aspx', '/{token}/cart.aspx'],
    ['a Java session', '/cart;jsessionid=0A1B2C3D', '/cart'],
    ['another session', '/cart;wosid=0A1B2C3D4E/view', '/cart;{token}/view'],
    ['a choice', '/cart;lang=en', '/cart;lang=en'],
    ['a repeated segment', '/x/y/y/y/z', '/x/y+/z'],
    ['a repeated group', '/a/b/a/b/a/b', '/(a/b)+'],
    ['a group repeated many times', '/a/b/a/b/a/b/a/b/a/b/c', '/(a/b)+/c'],
    ['a repeated slash', '/a////b', '/a/+/b'],
    ['a group that occurs twice', '/docs/en/docs/en/x', '/docs/en/docs/en/x'],
    ['a returning segment', '/a/c/a/b/d/a', '/{repeating}/a/b/c/d'],
    ['a returning segment in another order', '/a/b/d/a/c/a/a/', '/{repeating}/a/b/c/d'],
    ['a returning segment among numbers', '/a/1/a/2/a/3', '/{repeating}/#/a'],
    ['a long repeated group', '/a/b/c/d/e/f/g/h/i'.repeat(3), '/{repeating}/a/b/c/d/e/f/g/h/i'],
    ['equal numbers', '/v/3/issue/3/page/3', '/v/#/issue/#/page/#'],
  ])('urlTemplates: returns the fine template of a path with %s', (_, path, pattern) => {
    expect(fine(path)).toBe(pattern);
  });
});

describe('urlTemplates: query', () => {
  test.each([
    ['values', '/p?id=17', '/p?id'],
    ['unsorted names', '/p?b=1&a=2', '/p?a&b'],
    ['a repeated name', '/p?b=1&b=2', '/p?b'],
    ['a name without a value', '/p?all', '/p?all'],
    ['numbered names', '/p?f%5B0%5D=a&f%5B1%5D=b', '/p?f%5B#%5D'],
    ['a number as name', '/p?123', '/p?#'],
    ['a token as name', '/p?a8f3k2l9x0q7w5e1', '/p?#'],
    ['an empty query', '/p?', '/p'],
    ['empty parameters', '/p?&=1&', '/p'],
    ['a campaign parameter', '/p?utm_source=x', '/p'],
  ])('urlTemplates: returns the fine template of a query with %s', (_, path, pattern) => {
    expect(fine(path)).toBe(pattern);
  });

  it('urlTemplates: contains host and port', () => {
    expect(urlTemplates(new URL('http://b.example.:8080/p/1?x#y')).fine).toBe('b.example:8080/p/#?x');
  });
});

describe('urlTemplates: coarse', () => {
  test.each([
    ['parameters', '/shop/12?size=4&color=red', '/shop/#?'],
    ['one parameter', '/shop/12?size=4&size=5', undefined],
    ['no parameters', '/shop/12', undefined],
    ['a segment that occurs twice', '/blog/blog/hello', '/blog/{repeating}'],
    ['a segment that returns', '/a/b/c/b', '/a/{repeating}'],
    ['a loop', '/a/b/a/b/a/b', '/a/{repeating}'],
    ['a loop in all orders', '/a/c/a/b/d/a', '/a/{repeating}'],
    ['a loop and parameters', '/a/b/a/b/a/b?x=1&y=2', '/(a/b)+?'],
    ['a loop and one parameter', '/a/b/a/b?lang=en', '/a/{repeating}'],
    ['equal numbers', '/2005/05/05', undefined],
  ])('urlTemplates: returns the coarse template, if there is one, of a URL with %s', (_, path, pattern) => {
    expect(coarse(path)).toBe(pattern);
  });
});

describe('urlTemplates: numbers', () => {
  test.each([
    ['undated', '/calendar/2031/05'],
    ['undated', '/calendar/2031/5/7/'],
    ['undated', '/calendar/2031-05-17'],
    ['undated', '/calendar/2031-05-17T10:00'],
    ['undated', '/calendar/2031.05.html'],
    ['undated', '/calendar/20310517'],
    ['undated', '/calendar/2031/may'],
    ['undated', '/calendar/2031/W22'],
    ['undated', '/events?on=2031-05'],
    ['undated', '/events?m=203105'],
    ['undated', '/events?year=2031'],
    ['undated', '/events?tribe-bar-date=x'],
    ['undated', '/events?startDate=1'],
    ['undated', '/events?cal_id=1'],
    ['undated', '/rates?base=EUR&date=2031-05-17'],
    ['undated', '/rates?y=2031&m=5&d=17'],
    ['none', '/cars?make=1&year=2031'],
    ['none', '/shop?color=1&size=2'],
    ['none', '/a/b/a/b/a/b'],
    ['none', '/a/c/a/b/d/a'],
    ['all', '/'],
    ['all', '/p/17'],
    ['all', '/p/2031'],
    ['all', '/p/2031/17'],
    ['all', '/p/1812/05'],
    ['all', '/p/20319999'],
    ['all', '/p/120310517'],
    ['all', '/p?id=17'],
    ['all', '/p?id=17&id=18'],
    ['all', '/p?id=17&utm_source=x'],
    ['all', '/p?update=1'],
    ['all', '/p?dayton=1'],
    ['all', '/docs/en/docs/17'],
  ])('urlTemplates: counts the numbers "%s" of %s', (which, path) => {
    expect(numbers(path)).toBe(which);
  });
});

describe('urlTemplates: family', () => {
  const family = (path: string): string => urlTemplates(new URL(path, origin)).family;
  test.each([
    ['with different numbers', '/p/17', '/p/18'],
    ['with different parameters', '/shop?color=red', '/shop?color=red&size=7'],
    ['with and without parameters', '/shop', '/shop?page=2'],
    ['of a month and its days', '/calendar/2031/05', '/calendar/2031/05/17'],
    ['of months and days under different names', '/events/month/2031-05', '/events/day/2031-05-17'],
    ['of an event and its month', '/events/2031/05/17/harvest', '/events?date=2031-05'],
    ['that grow', '/a/b/a/b', '/a/b/a/b/a/b/a'],
    ['with different visit tokens', '/s/a8f3k2l9x0q7w5e1/about', '/s/b9f3k2l9x0q7w5e2/contact'],
  ])('urlTemplates: returns the same family for URLs %s', (_, one, other) => {
    expect(family(one)).toBe(family(other));
  });

  test.each([
    ['with different names', '/docs/intro', '/docs/install'],
    ['of a list and its items', '/photos', '/photo/17'],
    ['of an archive and its days', '/archive', '/weather/2031/05/17'],
    ['of different hosts', '/p/17', 'https://b.example/p/17'],
  ])('urlTemplates: returns different families for URLs %s', (_, one, other) => {
    expect(family(one)).not.toBe(family(other));
  });
});

describe('urlTemplates: any URL', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      ...'/ /a /b /a/b /1 // ;sid= ?a= &b= ? & = % %2 %25 ( (S( ) a8f3k2l9x0q7w5e1 2031 -05 {token} + . é'.split(' '),
    ),
  );
  const urls = fc
    .array(part, { maxLength: 30 })
    .map((parts) => URL.parse(`${origin}/${parts.join('')}`))
    .filter((url) => url !== null);

  it('urlTemplates: returns templates hardly longer than the URL', () => {
    fc.assert(
      fc.property(urls, (url) => {
        const templates = urlTemplates(url);
        for (const template of [templates.fine, templates.coarse ?? '']) {
          expect(template.length).toBeLessThanOrEqual(url.href.length + 30);
        }
        expect(templates.fine.startsWith(`${host}/`)).toBe(true);
        expect(templates.coarse).not.toBe(templates.fine);
      }),
      { numRuns: 3000 },
    );
  });

  it('urlTemplates: returns the same template for other numbers and tokens', () => {
    const word = fc.stringMatching(/^[a-z][a-z.~-]{0,8}$/);
    const segment = fc.oneof(word, word, fc.constant('#'), fc.constant('page-#'), fc.constant('{token}'));
    fc.assert(
      fc.property(fc.uniqueArray(segment, { maxLength: 8 }), fc.nat(9_999), fc.nat(9_999), (segments, one, other) => {
        const pattern = `/${segments.join('/')}`;
        const filled = (number: number) =>
          pattern.replaceAll('{token}', `a8f3k2l9x0q7w5e${number}`).replaceAll('#', String(number));
        expect(fine(filled(one))).toBe(
          pattern === '/'
            ? '/'
            : new URL(pattern.replaceAll('#', '0'), origin).pathname
                .replaceAll('0', '#')
                .replaceAll('%7B', '{')
                .replaceAll('%7D', '}'),
        );
        expect(fine(filled(other))).toBe(fine(filled(one)));
      }),
    );
  });

  it('urlTemplates: takes linear time for hostile URLs', () => {
    const hostile = [
      '/a'.repeat(4_000),
      '/a/a/b/b'.repeat(1_000),
      '/a/b/c/d/e/f/g/h/i'.repeat(440),
      '/'.repeat(8_000),
      `/${';a='.repeat(2_600)}`,
      `/${'(S('.repeat(2_600)}`,
      `/${'2031-'.repeat(1_600)}`,
      `/${'a1-'.repeat(2_600)}`,
      `/?${'a1&'.repeat(2_600)}`,
    ].map((path) => new URL(`${origin}${path}`));
    const before = process.cpuUsage();
    for (const url of hostile) urlTemplates(url);
    // Takes 3 ms of CPU time. Work quadratic in 4,000 segments would take longer.
    expect(process.cpuUsage(before).user).toBeLessThan(500_000);
  });
});
