import { describe, expect, test } from 'vitest';
import { acceptsGzip, matchesTag } from './negotiation.ts';

describe('gzip', () => {
  test.each([
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['GZIP', true],
    ['x-gzip', true],
    ['br, gzip;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip;q=0.000, *', false],
    ['*', true],
    ['*;q=0', false],
    ['identity', false],
    ['deflate, br', false],
  ])('for Accept-Encoding: %s is used: %s', (header, used) => {
    expect(acceptsGzip(header)).toBe(used);
  });
});

describe('a tag', () => {
  test.each([
    [undefined, false],
    ['*', true],
    ['W/"a"', true],
    ['"a"', true],
    ['"b", W/"a"', true],
    ['"b"', false],
    ['a', false],
  ])('W/"a" is matched by If-None-Match: %s: %s', (header, matched) => {
    expect(matchesTag(header, 'W/"a"')).toBe(matched);
  });
});
