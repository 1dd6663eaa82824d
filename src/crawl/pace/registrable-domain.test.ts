import { expect, test } from 'vitest';
import { isSameSite } from './registrable-domain.ts';

test.each([
  ['https://a.example/', 'http://a.example:8080/', true],
  ['https://www.shop.co.uk/', 'https://api.shop.co.uk/', true],
  ['https://shop.co.uk/', 'https://other.co.uk/', false],
  ['https://me.github.io/', 'https://you.github.io/', false],
  ['http://10.0.0.1/', 'http://10.0.0.1/', true],
  ['http://10.0.0.1/', 'http://11.0.0.1/', false],
  ['http://[::1]/', 'http://[::2]/', false],
  ['http://localhost:1/', 'http://localhost:2/', true],
])('isSameSite: for %s and %s returns %s', (a, b, isSame) => {
  expect(isSameSite(new URL(a), new URL(b))).toBe(isSame);
});
