import { expect, test } from 'vitest';
import { isDue, isSampled, lastmodSays } from './revisit.ts';

const at = Date.UTC(2026, 5, 15, 12);
const minutes = 60_000;

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
  expect(lastmodSays(lastmod, { at, lastmod, sameSince: 0 })).toBe(says);
});

test.each([
  ['moved', '2026-06-02', '2026-06-01'],
  ['moved', '2026-06-01', '2026-06-02'],
  ['moved', '2026-06-01T00:00:00Z', '2026-06-01'],
  ['silent', undefined, '2026-06-01'],
  ['silent', '2026-06-01', null],
])('lastmodSays: says %s when the sitemap says %j, and said %j before', (says, lastmod, before) => {
  expect(lastmodSays(lastmod, { at, lastmod: before, sameSince: 0 })).toBe(says);
});

test.each([
  // Asked for once: nothing is known of how it changes.
  { same: 0, since: 0, due: true },
  { same: 100, since: 80, due: false },
  { same: 100, since: 95, due: true },
  { same: 1_000, since: 800, due: false },
])(
  'isDue: is $due when a page was the same for $same minutes, and was asked for $since minutes ago',
  ({ same, since, due }) => {
    const now = at + since * minutes;
    expect(isDue({ at, lastmod: null, sameSince: at - same * minutes }, now)).toBe(due);
  },
);

test('isDue: about doubles the time between requests in runs of every night', () => {
  const asked: number[] = [];
  let last = 0;
  for (let night = 1; night <= 40; night++) {
    // Runs begin some seconds earlier or later.
    const now = night * 1440 * minutes + (night % 3) * 20_000;
    if (!isDue({ at: last, lastmod: null, sameSince: 0 }, now)) continue;
    asked.push(night);
    last = now;
  }
  expect(asked).toEqual([1, 2, 4, 8, 16, 31]);
});

test('isSampled: chooses one of so many places in a row, others for another hash', () => {
  const chosen = (hashOf: (row: number) => number): number[] =>
    Array.from({ length: 1_000 }, (_, place) => place).filter((place) => isSampled(place, 20, hashOf));
  const [one, other] = [chosen((row) => row * 7), chosen((row) => row * 11 + 3)];
  expect(one.map((place) => Math.floor(place / 20))).toEqual(Array.from({ length: 50 }, (_, row) => row));
  expect(one.filter((place) => other.includes(place)).length).toBeLessThan(10);
});
