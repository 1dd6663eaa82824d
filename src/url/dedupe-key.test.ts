import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { dedupeKey, normalisedUrl } from './dedupe-key.ts';

const normalised = (url: string): string => normalisedUrl(new URL(url));

describe('two URLs that are one', () => {
  test.each([
    ['fragment', 'https://a.example/b#c', 'https://a.example/b'],
    ['empty fragment', 'https://a.example/b#', 'https://a.example/b'],
    ['default port', 'https://a.example:443/b', 'https://a.example/b'],
    ['case of scheme and host', 'HTTPS://A.EXAMPLE/b', 'https://a.example/b'],
    ['dot after the host name', 'https://a.example./b?c=a.example.', 'https://a.example/b?c=a.example.'],
    ['dot after the host name, with a port', 'https://a.example.:8443/b', 'https://a.example:8443/b'],
    ['IDN', 'https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['dot segments', 'https://a.example/x/%2e%2E/./b', 'https://a.example/b'],
    ['case of an encoding', 'https://a.example/%c3%a9', 'https://a.example/%C3%A9'],
    ['unencoded letter', 'https://a.example/é', 'https://a.example/%C3%A9'],
    ['needless encoding', 'https://a.example/%7Ejoe%2D%5f%2e%41', 'https://a.example/~joe-_.A'],
    ['needless encoding in the query', 'https://a.example/?q=%61', 'https://a.example/?q=a'],
    ['campaign', 'https://a.example/b?utm_source=x&utm_medium=y', 'https://a.example/b'],
    ['campaign among others', 'https://a.example/b?z=1&utm_source=x&a=2', 'https://a.example/b?z=1&a=2'],
    ['campaign, encoded', 'https://a.example/b?utm%5Fsource=x', 'https://a.example/b'],
    ['campaign in capitals', 'https://a.example/b?UTM_SOURCE=x', 'https://a.example/b'],
    ['clicks', 'https://a.example/?gclid=1&fbclid=2&msclkid=3&mc_eid=4&_ga=5', 'https://a.example/'],
    ['click without a value', 'https://a.example/?gclid', 'https://a.example/'],
    ['PHP session', 'https://a.example/?PHPSESSID=abc&id=1', 'https://a.example/?id=1'],
    ['ASP session', 'https://a.example/?ASPSESSIONIDQQ=abc', 'https://a.example/'],
    ['Java session', 'https://a.example/b;jsessionid=0A1B?c=d', 'https://a.example/b?c=d'],
    ['Java session within', 'https://a.example/b;JSESSIONID=0A1B;v=1/c', 'https://a.example/b;v=1/c'],
    ['random session, by its name', 'https://a.example/?sessionID=6gq2l0dn8jv3k1c9x7mz', 'https://a.example/'],
    ['random session', 'https://a.example/?sid=q7sdk2v9vq1n0f8h6m4t2r5b3c', 'https://a.example/'],
  ])('%s', (_, one, other) => {
    expect(normalised(one)).toBe(other);
    expect(dedupeKey(new URL(one))).toBe(dedupeKey(new URL(other)));
  });
});

describe('two URLs that may be two', () => {
  test.each([
    ['scheme', 'http://a.example/', 'https://a.example/'],
    ['port', 'https://a.example:8443/', 'https://a.example/'],
    ['www', 'https://www.a.example/', 'https://a.example/'],
    ['closing slash', 'https://a.example/b/', 'https://a.example/b'],
    ['index', 'https://a.example/index.html', 'https://a.example/'],
    ['doubled slash', 'https://a.example//b', 'https://a.example/b'],
    ['case of the path', 'https://a.example/B', 'https://a.example/b'],
    ['encoded slash', 'https://a.example/b%2Fc', 'https://a.example/b/c'],
    ['encoded percent', 'https://a.example/%2541', 'https://a.example/A'],
    ['plus and space', 'https://a.example/?q=a+b', 'https://a.example/?q=a%20b'],
    ['order of parameters', 'https://a.example/?a=1&b=2', 'https://a.example/?b=2&a=1'],
    ['empty query', 'https://a.example/?', 'https://a.example/'],
    ['a parameter that only ends like one', 'https://a.example/?my_utm_source=1', 'https://a.example/'],
    ['a primary key', 'https://a.example/?pk_id=1', 'https://a.example/'],
    ['a numbered sid', 'https://a.example/?sid=12345678901234567890123456', 'https://a.example/'],
    ['a worded sid', 'https://a.example/?sid=spring-collection-of-the-year-2024', 'https://a.example/'],
    ['the sid of an object', 'https://a.example/?sid=507f1f77bcf86cd799439011', 'https://a.example/'],
    ['a session before dots', 'https://a.example/b/..;jsessionid=1/c', 'https://a.example/c'],
  ])('%s', (_, one, other) => {
    expect(dedupeKey(new URL(one))).not.toBe(dedupeKey(new URL(other)));
  });
});

describe('the key', () => {
  it('is 22 characters of base64url, the same on every machine and in every release', () => {
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

  it('does not change when the normalised URL is normalised again', () => {
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
