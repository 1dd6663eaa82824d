import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { dedupeKey, normalisedUrl } from './dedupe-key.ts';

const normalised = (url: string): string => normalisedUrl(new URL(url));

describe('dedupeKey of equal URLs', () => {
  test.each([
    ['a fragment', 'https://a.example/b#c', 'https://a.example/b'],
    ['an empty fragment', 'https://a.example/b#', 'https://a.example/b'],
    ['a default port', 'https://a.example:443/b', 'https://a.example/b'],
    ['the case of scheme and host', 'HTTPS://A.EXAMPLE/b', 'https://a.example/b'],
    ['a dot after the host name', 'https://a.example./b?c=a.example.', 'https://a.example/b?c=a.example.'],
    ['a dot after the host name, with a port', 'https://a.example.:8443/b', 'https://a.example:8443/b'],
    ['an IDN', 'https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['dot segments', 'https://a.example/x/%2e%2E/./b', 'https://a.example/b'],
    ['the case of an encoding', 'https://a.example/%c3%a9', 'https://a.example/%C3%A9'],
    ['an unencoded letter', 'https://a.example/é', 'https://a.example/%C3%A9'],
    ['a needless encoding', 'https://a.example/%7Ejoe%2D%5f%2e%41', 'https://a.example/~joe-_.A'],
    ['a needless encoding in the query', 'https://a.example/?q=%61', 'https://a.example/?q=a'],
    ['campaign parameters', 'https://a.example/b?utm_source=x&utm_medium=y', 'https://a.example/b'],
    ['a campaign parameter among others', 'https://a.example/b?z=1&utm_source=x&a=2', 'https://a.example/b?z=1&a=2'],
    ['an encoded campaign parameter', 'https://a.example/b?utm%5Fsource=x', 'https://a.example/b'],
    ['a campaign parameter in capitals', 'https://a.example/b?UTM_SOURCE=x', 'https://a.example/b'],
    ['click ids', 'https://a.example/?gclid=1&fbclid=2&msclkid=3&mc_eid=4&_ga=5', 'https://a.example/'],
    ['a click id without a value', 'https://a.example/?gclid', 'https://a.example/'],
    ['a PHP session', 'https://a.example/?PHPSESSID=abc&id=1', 'https://a.example/?id=1'],
    ['an ASP session', 'https://a.example/?ASPSESSIONIDQQ=abc', 'https://a.example/'],
    ['a Java session', 'https://a.example/b;jsessionid=0A1B?c=d', 'https://a.example/b?c=d'],
    ['a Java session within the path', 'https://a.example/b;JSESSIONID=0A1B;v=1/c', 'https://a.example/b;v=1/c'],
    [
      'a random session id under a session name',
      'https://a.example/?sessionID=6gq2l0dn8jv3k1c9x7mz',
      'https://a.example/',
    ],
    ['a random sid', 'https://a.example/?sid=q7sdk2v9vq1n0f8h6m4t2r5b3c', 'https://a.example/'],
  ])('dedupeKey: ignores %s', (_, one, other) => {
    expect(normalised(one)).toBe(other);
    expect(dedupeKey(new URL(one))).toBe(dedupeKey(new URL(other)));
  });
});

describe('dedupeKey of different URLs', () => {
  test.each([
    ['the scheme', 'http://a.example/', 'https://a.example/'],
    ['the port', 'https://a.example:8443/', 'https://a.example/'],
    ['www', 'https://www.a.example/', 'https://a.example/'],
    ['a closing slash', 'https://a.example/b/', 'https://a.example/b'],
    ['an index file', 'https://a.example/index.html', 'https://a.example/'],
    ['a doubled slash', 'https://a.example//b', 'https://a.example/b'],
    ['the case of the path', 'https://a.example/B', 'https://a.example/b'],
    ['an encoded slash', 'https://a.example/b%2Fc', 'https://a.example/b/c'],
    ['an encoded percent sign', 'https://a.example/%2541', 'https://a.example/A'],
    ['plus and space', 'https://a.example/?q=a+b', 'https://a.example/?q=a%20b'],
    ['the order of parameters', 'https://a.example/?a=1&b=2', 'https://a.example/?b=2&a=1'],
    ['an empty query', 'https://a.example/?', 'https://a.example/'],
    [
      'a parameter that only ends like a campaign parameter',
      'https://a.example/?my_utm_source=1',
      'https://a.example/',
    ],
    ['a primary key', 'https://a.example/?pk_id=1', 'https://a.example/'],
    ['a numeric sid', 'https://a.example/?sid=12345678901234567890123456', 'https://a.example/'],
    ['a sid of words', 'https://a.example/?sid=spring-collection-of-the-year-2024', 'https://a.example/'],
    ['the sid of an object', 'https://a.example/?sid=507f1f77bcf86cd799439011', 'https://a.example/'],
    ['a session before dots', 'https://a.example/b/..;jsessionid=1/c', 'https://a.example/c'],
  ])('dedupeKey: distinguishes URLs by %s', (_, one, other) => {
    expect(dedupeKey(new URL(one))).not.toBe(dedupeKey(new URL(other)));
  });
});

describe('dedupeKey', () => {
  it('dedupeKey: is the same 22 characters of base64url on every machine', () => {
    expect(dedupeKey(new URL('https://example.com/'))).toBe('DxFdsGK3wN0DCxaHjJnepc');
  });

  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '%2e',
      '.',
      '/',
      ';jsessionid=',
      '%41',
      '%2541',
      '?',
      '&',
      'utm_a=',
      '%',
      '#',
      'sid=',
      "'",
      '..',
      'utm',
    ),
  );
  const urls = fc.array(part, { maxLength: 12 }).map((parts) => new URL(`https://a.example/${parts.join('')}`).href);

  it('normalisedUrl: is idempotent', () => {
    fc.assert(
      fc.property(urls, (url) => {
        const once = normalised(url);
        expect(normalised(once)).toBe(once);
        expect(dedupeKey(new URL(once))).toBe(dedupeKey(new URL(url)));
        expect(dedupeKey(new URL(url))).toMatch(/^[\w-]{22}$/);
      }),
      { numRuns: 2000 },
    );
  });
});
