import { describe, expect, test } from 'vitest';
import { robotsTagDirectives } from './robots-tag.ts';

describe('robotsTagDirectives', () => {
  test.each([
    ['', []],
    ['noindex', ['noindex']],
    ['NoIndex, NOFOLLOW', ['noindex', 'nofollow']],
    ['googlebot: nofollow', []],
    ['googlebot: noindex, nofollow', []],
    ['googlebot: noindex\nnofollow', ['nofollow']],
    ['hayrake: nofollow', ['nofollow']],
    ['otherbot: noindex, HayRake: none', ['none']],
    ['robots: noarchive', ['noarchive']],
    ['unavailable_after: 25 Jun 2010 15:00:00 PST', ['unavailable_after: 25 jun 2010 15:00:00 pst']],
    ['noindex, max-snippet: 20, nofollow', ['noindex', 'max-snippet: 20', 'nofollow']],
    [' , ,', []],
  ])('robotsTagDirectives: reads %j as %j', (headers, directives) => {
    expect([...robotsTagDirectives(headers)]).toEqual(directives);
  });
});
