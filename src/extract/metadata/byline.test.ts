import { describe, expect, it } from 'vitest';
import { type Byline, readByline } from './byline.ts';
import { parseHtml } from '../html/parse-html.ts';
import { scanPage } from '../scan/scan-page.ts';

const bylineOf = (html: string): Byline => readByline(scanPage(parseHtml(html)).mainHeadings, 'month');
const lead = '<p>Hay that is stored before it is dry gets warm, and what gets warm can burn.</p>';

describe('readByline', () => {
  it.each<[what: string, html: string, expected: Byline]>([
    [
      'a time and a link',
      '<h1>Hay</h1><span>By <a rel=author href=/a/ada>Ada Field</a></span> <time datetime=2026-03-04T05:06:07Z>today</time>',
      { author: 'Ada Field', published: '2026-03-04T05:06:07Z' },
    ],
    [
      'class names, with a role after the name',
      '<h1>Hay</h1><div class=article__author><span class=author__name>Ada Field</span><span>Editor</span></div><div class=post-date>March 4, 2026</div>',
      { author: 'Ada Field', published: '2026-03-04' },
    ],
    [
      'several marked authors, once each',
      '<h1>Hay</h1><p>By <a rel=author href=/ada>Ada Field</a>, <a rel=author href=/bob>Bob Barn</a> and <a rel=author href=/ada>Ada Field</a></p>' +
        `${'<p>It dries in the sun.</p>'.repeat(9)}<a rel=author href=/cy>Cy Straw</a>`,
      { author: 'Ada Field, Bob Barn' },
    ],
    [
      'the name beside a rank',
      '<h1>Hay</h1><p class=author>Moderator</p><p class=author>Ada Field</p>',
      { author: 'Ada Field' },
    ],
    ['a name after its introduction', '<h1>Hay</h1><p>Written by</p><p>Ada Field</p>', { author: 'Ada Field' }],
    ['plain text', '<h1>Hay</h1><p>By Ada Field | March 4, 2026</p>', { author: 'Ada Field', published: '2026-03-04' }],
    [
      'two dates',
      '<h1>Hay</h1><p>Published 3/4/2026 · Updated 3/5/2026</p>',
      { published: '2026-03-04', modified: '2026-03-05' },
    ],
    ['a time of change only', '<h1>Hay</h1><p>Last updated</p><time>Mar 5, 2026</time>', { modified: '2026-03-05' }],
    [
      'microdata above the heading',
      '<div itemprop=author><b itemprop=name>Ada Field</b></div><meta><span itemprop=datePublished content=2026-03-04></span><h1>Hay</h1>',
      { author: 'Ada Field', published: '2026-03-04' },
    ],
  ])('readByline: reads %s', (_, html, expected) => {
    expect(bylineOf(html)).toEqual({ author: undefined, published: undefined, modified: undefined, ...expected });
  });

  it.each([
    ['no heading', '<p>By Ada Field, March 4, 2026</p>'],
    [
      'a teaser of another page',
      '<h1>News</h1><article><h2><a href=/b>Straw</a></h2><time>March 4, 2026</time></article>',
    ],
    ['a remark far below', `<h1>Hay</h1>${lead.repeat(20)}<span class=author>Bob</span> <time>March 4, 2026</time>`],
    [
      'a menu',
      '<nav><a rel=author href=/a>Ada Field</a><time>March 4, 2026</time></nav><h1>Hay</h1><footer>By Ada Field</footer>',
    ],
    [
      'labels that are not names',
      '<h1>Hay</h1><p class=byline>5 min read</p><a class=author href=/a>Follow us</a><p>Sort by</p><p>Color</p>',
    ],
    ['a hidden element', '<h1>Hay</h1><p style="display: none" class=author>Ada Field</p>'],
  ])('readByline: reads nothing from %s', (_, html) => {
    expect(Object.values(bylineOf(html)).filter((value) => value !== undefined)).toEqual([]);
  });

  it('readByline: takes linear time when all elements claim to hold an author', () => {
    const depth = 300;
    const html = `<h1>Hay</h1>${'<div class=author>'.repeat(depth)}${'<i class=author><b></b></i>'.repeat(50_000)}`;
    const start = process.cpuUsage();
    bylineOf(html);
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
  });
});
