import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { urlTemplates } from './url-template.ts';

const origin = 'https://a.example';
const host = 'a.example:443';
const fine = (path: string): string => urlTemplates(new URL(path, origin)).fine.slice(host.length);
const coarse = (path: string): string | undefined => urlTemplates(new URL(path, origin)).coarse?.slice(host.length);
const numbers = (path: string): string => urlTemplates(new URL(path, origin)).numbers;

describe('the template of a path', () => {
  test.each([
    ['root', '/', '/'],
    ['words', '/docs/getting-started/', '/docs/getting-started/'],
    ['number', '/p/17', '/p/#'],
    ['numbers within a word', '/page-12-of-300.html', '/page-#-of-#.html'],
    ['date', '/2031/05/17', '/#/#/#'],
    ['date before a slug', '/2024/05/my-slug', '/#/#/my-slug'],
    ['digits of an encoding stay', '/%D0%BC%D0%B8%D1%80', '/%D0%BC%D0%B8%D1%80'],
    ['digits behind an encoding do not', '/a%2012/%C3%A917', '/a%20#/%C3%A9#'],
    ['random token', '/s/a8f3k2l9x0q7w5e1/page', '/s/{token}/page'],
    ['token as a file', '/s/507f1f77bcf86cd799439011.html', '/s/{token}.html'],
    ['token with hyphens', '/s/dQ-w4w9Wg_XcQ1a8Zp0Kd/page', '/s/{token}/page'],
    ['UUID', '/o/3f2504e0-4f89-11d3-9a0c-0305e82c3301/x', '/o/{token}/x'],
    ['UUID with few letters', '/o/12345678-1234-4234-9234-12345678901a', '/o/{token}'],
    ['short id', '/s/a8f3k2l9', '/s/a#f#k#l#'],
    ['long word', '/internationalisation', '/internationalisation'],
    ['long number', '/12345678901234567890', '/#'],
    ['title with numbers', '/top-10-things-to-do-in-2024', '/top-#-things-to-do-in-#'],
    ['title with models', '/iphone15-or-galaxy-s24-review', '/iphone#-or-galaxy-s#-review'],
    ['ASP.NET session', '/(S(lit3py55t21z5v55vlm25s55))/cart.aspx', '/{token}/cart.aspx'],
    ['ASP.NET session with more', '/(X(1)S(lit3py55t21z5v55vlm25s55))/cart.aspx', '/{token}/cart.aspx'],
    ['Java session', '/cart;jsessionid=0A1B2C3D', '/cart'],
    ['other session', '/cart;wosid=0A1B2C3D4E/view', '/cart;{token}/view'],
    ['choice', '/cart;lang=en', '/cart;lang=en'],
    ['repeated segment', '/x/y/y/y/z', '/x/y+/z'],
    ['repeated group', '/a/b/a/b/a/b', '/(a/b)+'],
    ['repeated group, however often', '/a/b/a/b/a/b/a/b/a/b/c', '/(a/b)+/c'],
    ['repeated slash', '/a////b', '/a/+/b'],
    ['twice', '/docs/en/docs/en/x', '/docs/en/docs/en/x'],
    ['returning segment', '/a/c/a/b/d/a', '/{repeating}/a/b/c/d'],
    ['returning segment, other order', '/a/b/d/a/c/a/a/', '/{repeating}/a/b/c/d'],
    ['returning among numbers', '/a/1/a/2/a/3', '/{repeating}/#/a'],
    ['long group', '/a/b/c/d/e/f/g/h/i'.repeat(3), '/{repeating}/a/b/c/d/e/f/g/h/i'],
    ['equal numbers', '/v/3/issue/3/page/3', '/v/#/issue/#/page/#'],
  ])('%s', (_, path, pattern) => {
    expect(fine(path)).toBe(pattern);
  });
});

describe('the template of a query', () => {
  test.each([
    ['names without values', '/p?id=17', '/p?id'],
    ['sorted', '/p?b=1&a=2', '/p?a&b'],
    ['once', '/p?b=1&b=2', '/p?b'],
    ['without a value', '/p?all', '/p?all'],
    ['numbered', '/p?f%5B0%5D=a&f%5B1%5D=b', '/p?f%5B#%5D'],
    ['number', '/p?123', '/p?#'],
    ['token', '/p?a8f3k2l9x0q7w5e1', '/p?#'],
    ['empty', '/p?', '/p'],
    ['nothing in it', '/p?&=1&', '/p'],
    ['campaign', '/p?utm_source=x', '/p'],
  ])('%s', (_, path, pattern) => {
    expect(fine(path)).toBe(pattern);
  });

  it('names the host and its port', () => {
    expect(urlTemplates(new URL('http://b.example.:8080/p/1?x#y')).fine).toBe('b.example:8080/p/#?x');
  });
});

describe('the wider template', () => {
  test.each([
    ['any parameters', '/shop/12?size=4&color=red', '/shop/#?'],
    ['one parameter', '/shop/12?size=4&size=5', undefined],
    ['no parameters', '/shop/12', undefined],
    ['a segment that stands twice', '/blog/blog/hello', '/blog/{repeating}'],
    ['a segment that comes back', '/a/b/c/b', '/a/{repeating}'],
    ['a loop', '/a/b/a/b/a/b', '/a/{repeating}'],
    ['a loop of all orders', '/a/c/a/b/d/a', '/a/{repeating}'],
    ['a loop with parameters', '/a/b/a/b/a/b?x=1&y=2', '/(a/b)+?'],
    ['a loop with one parameter', '/a/b/a/b?lang=en', '/a/{repeating}'],
    ['equal numbers', '/2005/05/05', undefined],
  ])('%s', (_, path, pattern) => {
    expect(coarse(path)).toBe(pattern);
  });
});

describe('the numbers that count', () => {
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
  ])('are %s of those on %s', (which, path) => {
    expect(numbers(path)).toBe(which);
  });
});

describe('one family', () => {
  const family = (path: string): string => urlTemplates(new URL(path, origin)).family;
  test.each([
    ['numbers', '/p/17', '/p/18'],
    ['parameters', '/shop?color=red', '/shop?color=red&size=7'],
    ['none and some parameters', '/shop', '/shop?page=2'],
    ['a month and its days', '/calendar/2031/05', '/calendar/2031/05/17'],
    ['months and days by different names', '/events/month/2031-05', '/events/day/2031-05-17'],
    ['an event and its month', '/events/2031/05/17/harvest', '/events?date=2031-05'],
    ['growing paths', '/a/b/a/b', '/a/b/a/b/a/b/a'],
    ['visits', '/s/a8f3k2l9x0q7w5e1/about', '/s/b9f3k2l9x0q7w5e2/contact'],
  ])('are %s', (_, one, other) => {
    expect(family(one)).toBe(family(other));
  });

  test.each([
    ['pages with names', '/docs/intro', '/docs/install'],
    ['a list and its items', '/photos', '/photo/17'],
    ['an archive and the days in it', '/archive', '/weather/2031/05/17'],
    ['hosts', '/p/17', 'https://b.example/p/17'],
  ])('are not %s', (_, one, other) => {
    expect(family(one)).not.toBe(family(other));
  });
});

describe('whatever the URL', () => {
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

  it('has templates, hardly longer than itself', () => {
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

  it('has the template of a URL with other numbers and ids', () => {
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

  it('takes no longer than its length', () => {
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
