import { expect, test } from 'vitest';
import { parseLifetime } from './lifetime.ts';

test.each([
  ['1m', 60_000],
  ['12h', 43_200_000],
  ['30d', 2_592_000_000],
])('parseLifetime: reads %s as %d ms', (text, ms) => {
  expect(parseLifetime(text)).toBe(ms);
});

test('parseLifetime: allows no lifetime beyond the largest date', () => {
  expect(new Date(Date.now() + parseLifetime('999999d')).toISOString()).toMatch(/^\+?00\d{4}-|^\d{4}-/);
});

test.each(['', '30', 'd', '0d', '01d', '-1d', '1w', '1.5d', '1d1h', '1 d', '1D', '1000000d', '1e3d'])(
  'parseLifetime: throws for %j',
  (text) => {
    expect(() => parseLifetime(text)).toThrow(/^--expires takes/);
  },
);
