import { describe, expect, it } from 'vitest';
import { parseHtml } from '../html/parse-html.ts';
import { forbidsFollowing, robotsDirectives } from './robots-meta.ts';
import { scanPage } from './scan-page.ts';

const directivesOf = (html: string, sent: readonly string[] = []): ReadonlySet<string> =>
  robotsDirectives(scanPage(parseHtml(html)).metas, sent);

describe('robotsDirectives', () => {
  it.each<[html: string, directives: readonly string[]]>([
    ['', []],
    ['<meta name=robots content="NoIndex, follow">', ['noindex', 'follow']],
    ['<meta name=" ROBOTS " content="noindex nofollow;noarchive">', ['noindex', 'nofollow', 'noarchive']],
    ['<meta name=robots content="noindex"><meta name=robots content="nofollow, noindex">', ['noindex', 'nofollow']],
    ['<meta name=robots content="index"><meta name=Hayrake content="none">', ['index', 'none']],
    ['<meta name=otherbot content=nofollow><meta property=robots content=nofollow><meta name=robots>', []],
    ['<meta name=robots content=" ,; , ">', []],
    [
      '<meta name=robots content="max-image-preview: none, max-snippet:20">',
      ['max-image-preview: none', 'max-snippet:20'],
    ],
    ['<meta name=robots content="noindex max-snippet:20 nofollow">', ['noindex', 'max-snippet:20', 'nofollow']],
    [
      '<meta name=robots content="unavailable_after: 25 Jun 2010 15:00:00 PST, noarchive">',
      ['unavailable_after: 25 jun 2010 15:00:00 pst', 'noarchive'],
    ],
  ])('robotsDirectives: reads %j', (html, directives) => {
    expect([...directivesOf(html)]).toEqual(directives);
  });

  it('robotsDirectives: adds the directives of headers', () => {
    expect([...directivesOf('<meta name=robots content=noindex>', ['noindex', 'nofollow'])]).toEqual([
      'noindex',
      'nofollow',
    ]);
  });

  it.each([' ', ':', 'a ', ' :', 'unavailable_after'])(
    'robotsDirectives: takes processor time in proportion to its input: %j',
    (part) => {
      const start = process.cpuUsage();
      directivesOf(`<meta name=robots content="x${part.repeat(500_000)}">`.repeat(5));
      expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
    },
  );
});

it.each([
  ['nofollow', true],
  ['none', true],
  ['noindex', false],
  ['follow', false],
  ['max-image-preview: none', false],
])('forbidsFollowing: for the directive %j, returns %s', (directive, forbids) => {
  expect(forbidsFollowing(new Set(['index', directive]))).toBe(forbids);
});
