import { describe, expect, it } from 'vitest';
import { parseHtml } from '../html/parse-html.ts';
import { forbidsFollowing, robotsDirectives } from './robots-meta.ts';
import { scanPage } from './scan-page.ts';

const directivesOf = (html: string, sent: readonly string[] = []): ReadonlySet<string> =>
  robotsDirectives(scanPage(parseHtml(html)).metas, sent);

describe('what a page asks of robots', () => {
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
  ])('%s', (html, directives) => {
    expect([...directivesOf(html)]).toEqual(directives);
  });

  it('is told by the headers too', () => {
    expect([...directivesOf('<meta name=robots content=noindex>', ['noindex', 'nofollow'])]).toEqual([
      'noindex',
      'nofollow',
    ]);
  });

  it.each([' ', ':', 'a ', ' :', 'unavailable_after'])('costs no more than its size: %j', (part) => {
    const start = performance.now();
    directivesOf(`<meta name=robots content="x${part.repeat(500_000)}">`.repeat(5));
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

it.each([
  ['nofollow', true],
  ['none', true],
  ['noindex', false],
  ['follow', false],
  ['max-image-preview: none', false],
])('whether %j forbids following: %s', (directive, forbids) => {
  expect(forbidsFollowing(new Set(['index', directive]))).toBe(forbids);
});
