import { describe, expect, test } from 'vitest';
import { acceptsGzip, matchesTag } from './negotiation.ts';

describe('acceptsGzip', () => {
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
  ])('acceptsGzip: for Accept-Encoding %s returns %s', (header, used) => {
    expect(acceptsGzip(header)).toBe(used);
  });
});

describe('matchesTag', () => {
  test.each([
    [undefined, false],
    ['*', true],
    ['W/"a"', true],
    ['"a"', true],
    ['"b", W/"a"', true],
    ['"b"', false],
    ['a', false],
  ])('matchesTag: for If-None-Match %s and the tag W/"a" returns %s', (header, matched) => {
    expect(matchesTag(header, 'W/"a"')).toBe(matched);
  });
});
