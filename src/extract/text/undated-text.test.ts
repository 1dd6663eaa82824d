import { expect, test } from 'vitest';
import { undatedNumbers, undatedText } from './undated-text.ts';

const day = 'https://a.example/weather/2031/05/17';
const squeezed = (text: string, url = day): string => undatedText(text, url).replace(/\s+/g, ' ').trim();

test.each([
  ['17 may 2031', 'may'],
  ['saturday, 17th of may', 'saturday, of may'],
  ['2031-05-17 and 17.05.2031 and 5/17/31', 'and and'],
  ['2031年5月17日', ''],
  ['from 08:00 to 21:30:15', 'from to'],
  ['before: 16, next: 18', 'before: , next:'],
  ['high 24.5, low 9', 'high 24.5, low 9'],
  ['1,987 visitors, 1013.5 hpa', '1,987 visitors, 1013.5 hpa'],
  ['room 117, 1,317 people', 'room 117, 1,317 people'],
])('undatedText: reduces %j to %j', (text, left) => {
  expect(squeezed(text)).toBe(left);
});

test('undatedText: removes the days around the first of January when the URL has this date', () => {
  expect(squeezed('31 december, 1 january, 2 january', 'https://a.example/c/2031/1/1')).toBe(
    'december, january, january',
  );
});

test('undatedNumbers: removes the days of a month and keeps the other numbers in order', () => {
  expect(undatedNumbers('1 2 3 4 5 6 7 8 9 10 11 12')).toBe('');
  expect(undatedNumbers('18 1 2 3 4 5 6 7 19 8 9 10')).toBe('18 19');
  expect(undatedNumbers('high 24.5 low 9 rain 3')).toBe('24.5 9 3');
  expect(undatedNumbers('no events')).toBe('');
});
