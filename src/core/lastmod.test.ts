import { expect, test } from 'vitest';
import { lastmodSays } from './lastmod.ts';

const at = Date.UTC(2026, 5, 15, 12);

test.each([
  ['still', '2026-06-01', 'a date long before'],
  ['still', '2026-06-13', 'a date of which no place on earth has anything left'],
  ['silent', '2026-06-14', 'a date that some places had yesterday'],
  ['silent', '2026-06-15', 'the date of the same day'],
  ['silent', '2026-07-01', 'a date to come'],
  ['still', '2026-05', 'an earlier month'],
  ['silent', '2026-06', 'the same month'],
  ['still', '2025', 'an earlier year'],
  ['silent', '2026', 'the same year'],
  ['still', '2026-06-15T11:40:00Z', 'a time twenty minutes before'],
  ['still', '2026-06-15T13:40:00.123+02:00', 'the same time in another zone'],
  ['still', '2026-06-15T11:40Z', 'a time without seconds'],
  ['silent', '2026-06-15T11:55:00Z', 'a time so short before that clocks can differ by more'],
  ['silent', '2026-06-15T00:00:00', 'a time of the same day without a zone'],
  ['still', '2026-06-13T00:00:00', 'a time without a zone long before'],
  ['still', 'Mon, 15 Jun 2026 11:40:00 GMT', 'an RSS date'],
  ['silent', 'Mon, 15 Jun 2026 11:58:00 GMT', 'an RSS date short before'],
  ['silent', 'yesterday', 'no date'],
  ['silent', '2026-13-45', 'no date of any calendar'],
  ['silent', '', 'nothing'],
])('lastmodSays: says %s when %j stands still, %s', (says, lastmod) => {
  expect(lastmodSays(lastmod, { at, lastmod })).toBe(says);
});

test.each([
  ['moved', '2026-06-02', '2026-06-01'],
  ['moved', '2026-06-01', '2026-06-02'],
  ['moved', '2026-06-01T00:00:00Z', '2026-06-01'],
  ['silent', undefined, '2026-06-01'],
])('lastmodSays: says %s when the sitemap says %j, and said %j before', (says, lastmod, before) => {
  expect(lastmodSays(lastmod, { at, lastmod: before })).toBe(says);
});
