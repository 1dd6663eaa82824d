import { describe, expect, test } from 'vitest';
import { type ResponseHeaders, cookiesOf, readFetchedHeaders, redirectLocation } from './response-head.ts';

const nothing = {
  contentType: '',
  contentEncoding: '',
  robotsTag: '',
  retryAfter: '',
  link: '',
  refresh: '',
  etag: '',
  lastModified: '',
  contentLanguage: '',
};

describe('readFetchedHeaders', () => {
  test.each<[why: string, headers: ResponseHeaders, expected: Partial<typeof nothing>]>([
    ['returns empty values without headers', {}, {}],
    [
      'returns the value of each header',
      {
        'content-type': 'text/html; charset=utf-8',
        'content-encoding': 'X-GZip',
        'x-robots-tag': 'noindex',
        'retry-after': '7',
        link: '</2>; rel=next',
        refresh: '5; url=/next',
        etag: 'W/"a"',
        'last-modified': 'Sat, 21 Nov 2026 10:00:00 GMT',
        'content-language': 'de, en',
      },
      {
        contentType: 'text/html; charset=utf-8',
        contentEncoding: 'gzip',
        robotsTag: 'noindex',
        retryAfter: '7',
        link: '</2>; rel=next',
        refresh: '5; url=/next',
        etag: 'W/"a"',
        lastModified: 'Sat, 21 Nov 2026 10:00:00 GMT',
        contentLanguage: 'de, en',
      },
    ],
    [
      'joins several values of a list header',
      { link: ['</1>', '</2>'], 'content-language': ['de', 'en'], 'x-robots-tag': ['noindex', 'nofollow'] },
      { link: '</1>, </2>', contentLanguage: 'de, en', robotsTag: 'noindex\nnofollow' },
    ],
    [
      'returns the first of several values of a single-value header',
      { etag: ['"a"', '"b"'], refresh: ['1', '2'] },
      { etag: '"a"', refresh: '1' },
    ],
    [
      'truncates values that are too long',
      {
        link: ['x'.repeat(16_000), 'y'.repeat(16_000)],
        'x-robots-tag': ['x'.repeat(16_000), 'y'.repeat(16_000)],
        refresh: `0; url=${'/'.repeat(20_000)}`,
        etag: 'x'.repeat(2_000),
        'last-modified': 'x'.repeat(2_000),
        'content-language': 'x'.repeat(2_000),
        'retry-after': '1'.repeat(2_000),
      },
      {
        link: `${'x'.repeat(16_000)}, ${'y'.repeat(382)}`,
        robotsTag: `${'x'.repeat(16_000)}\n${'y'.repeat(383)}`,
        refresh: `0; url=${'/'.repeat(16_377)}`,
        etag: 'x'.repeat(1_024),
        lastModified: 'x'.repeat(1_024),
        contentLanguage: 'x'.repeat(1_024),
        retryAfter: '1'.repeat(1_024),
      },
    ],
  ])('readFetchedHeaders: %s', (_, headers, expected) => {
    expect(readFetchedHeaders(headers)).toEqual({ ...nothing, ...expected });
  });
});

describe('cookiesOf', () => {
  test.each<[why: string, header: ResponseHeaders['set-cookie'], expected: readonly string[] | undefined]>([
    ['returns undefined without Set-Cookie', undefined, undefined],
    ['returns one cookie', 'a=1; Path=/', ['a=1; Path=/']],
    ['returns several cookies', ['a=1', 'b=2, 3'], ['a=1', 'b=2, 3']],
    ['truncates a cookie that is too long', ['a=1', `b=${'x'.repeat(9_000)}`], ['a=1', `b=${'x'.repeat(8_191)}`]],
    ['returns at most 128 cookies', Array.from({ length: 130 }, () => 'a=1'), Array.from({ length: 128 }, () => 'a=1')],
  ])('cookiesOf: %s', (_, header, expected) => {
    expect(cookiesOf({ 'set-cookie': header }).setCookies).toEqual(expected);
  });
});

describe('URLs in headers', () => {
  /** As undici hands it out: a character a byte. */
  const sent = (text: string): string => Buffer.from(text).toString('latin1');

  test.each([
    ['in its path', sent('/zürich'), '/z%C3%BCrich'],
    ['beyond the BMP', sent('/🌾?q=🌾'), '/%F0%9F%8C%BE?q=%F0%9F%8C%BE'],
    ['in its host name', sent('https://bücher.example/'), 'https://b%C3%BCcher.example/'],
    ['outside UTF-8', '/caf\u00e9', '/caf%E9'],
    ['that is already percent-encoded', '/z%C3%BCrich', '/z%C3%BCrich'],
  ])(
    'redirectLocation, readFetchedHeaders: percent-encode the bytes of a URL with a character %s',
    (_, header, expected) => {
      expect(redirectLocation(301, { location: header })).toBe(expected);
      expect(readFetchedHeaders({ link: [`<${header}>; rel=next`], refresh: `0; url=${header}` })).toMatchObject({
        link: `<${expected}>; rel=next`,
        refresh: `0; url=${expected}`,
      });
    },
  );

  test('redirectLocation: returns a location that a URL parser reads as sent', () => {
    const location = redirectLocation(301, { location: sent('//bücher.example/é') }) ?? '';
    expect(new URL(location, 'https://example.com/').href).toBe('https://xn--bcher-kva.example/%C3%A9');
  });
});
