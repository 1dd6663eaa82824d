import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pageUrls } from './page-urls.ts';

const piece = constantFrom(
  '../',
  './',
  '/',
  '//',
  'a',
  'b.html',
  '..',
  '.',
  '#',
  '#x.y',
  '?q=1',
  '%2e',
  'ü',
  ' ',
  '~',
  '-',
  ':',
  'x:y',
  '@',
  '\\',
  '_',
);
const page = constantFrom(
  'http://example.com/',
  'http://example.com/a',
  'http://example.com/a/b/c.html',
  'https://example.com:8443/a/b/?x=/y#/z',
  'http://[::1]:80/a/',
  'http://example.com/a//b/',
);

describe('readable', () => {
  test('readable: resolves any reference as a URL parser does', () => {
    assert(
      property(page, array(piece, { maxLength: 6 }), (url, pieces) => {
        const reference = pieces.join('');
        const href = new URL(url).href;
        const parsed = URL.parse(reference, href);
        const isReadable = parsed !== null && /^(?:https?|mailto|tel):$/.test(parsed.protocol);
        expect(pageUrls(href, undefined).readable(reference)).toBe(isReadable ? parsed.href : undefined);
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ['b.html', 'http://example.com/x/b.html'],
    ['../b.html', 'http://example.com/b.html'],
    ['../../../b/#c', 'http://example.com/b/#c'],
    ['a/../b', 'http://example.com/x/b'],
    ['#c', 'http://example.com/x/y.html?z#c'],
  ])('readable: resolves %j to %s', (reference, expected) => {
    expect(pageUrls('http://example.com/x/y.html?z', undefined).readable(reference)).toBe(expected);
  });

  test.each([
    ['?q=é', 'http://example.com/x/y.html?q=%E9'],
    ['/é?q=é#é', 'http://example.com/%C3%A9?q=%E9#%C3%A9'],
    ['https://u:p@é.example/?q=é', 'https://u:p@xn--9ca.example/?q=%E9'],
    ['mailto:a@b.example?subject=é', 'mailto:a@b.example?subject=%C3%A9'],
    ['/?q=%C3%A9', 'http://example.com/?q=%C3%A9'],
    ['/?q=洪', 'http://example.com/?q=%26%2327946%3B'],
  ])('readable: resolves %s to %s when the page is windows-1252', (reference, expected) => {
    expect(pageUrls('http://example.com/x/y.html?z', undefined, 'windows-1252').readable(reference)).toBe(expected);
  });

  test('crawlable: encodes the query of a link with a user name when the page is windows-1252', () => {
    const { crawlable } = pageUrls('http://example.com/', undefined, 'windows-1252');
    expect(crawlable('http://u:p@other.example/?q=é#é')).toBe('http://other.example/?q=%E9');
  });
});
