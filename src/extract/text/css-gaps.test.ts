import { describe, expect, it } from 'vitest';
import { toMarkdown } from '../write/markdown/to-markdown.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

describe('gaps of a style sheet', () => {
  it.each<[why: string, html: string, text: string]>([
    ['labels in a row', '<div><span>Part: R7</span><span>Maker: Heu</span></div>', 'Part: R7 Maker: Heu'],
    ['a maker before a name', '<h3><span>Heuer</span><span>Rake 60 wide</span></h3>', 'Heuer Rake 60 wide'],
    ['a label before a number', '<span>Article number</span><span>802</span>', 'Article number 802'],
    ['a number before a label', '<span>12 €</span> <span>9 to 5</span><span>Monday</span>', '12 € 9 to 5 Monday'],
    ['a value in capitals and a label', '<span>Part: R</span><span>Maker: Heu</span>', 'Part: R Maker: Heu'],
    ['a title before its text', '<li><b>Long tines</b>They reach far.</li>', '- Long tines They reach far.'],
    ['links to two places', '<a href=/a>all rakes</a><a href=/b>forks</a>', 'all rakes forks'],
    ['names that link to two places', '<a href=/a>HEU</a><a href=/b>Rake</a>', 'HEU Rake'],
    ['elements around a comment', '<span>Rake one</span><!-- or --><span>Fork</span>', 'Rake one Fork'],
    ['a label and a value in a box', '<div><span>TitleLeading</span><span>The</span></div>', 'TitleLeading The'],
    [
      'a label with an icon and a value',
      '<div><span>Windproof<svg><path /></svg></span><span>6/6</span></div>',
      'Windproof 6/6',
    ],
    ['a name and a count', '<div><a href=/b>Backlog</a><span>8</span></div>', 'Backlog 8'],
    [
      'a label after a unit',
      '<div><span>Total (USD)</span><span>Up to 80%</span><span>Resolved</span></div>',
      'Total (USD) Up to 80% Resolved',
    ],
    [
      'a value with a unit before a label',
      '<div><span class=v>32 Ω at 1K</span><span class=l>Sound</span></div>',
      '32 Ω at 1K Sound',
    ],
    ['links without an address', '<div><a href=#>Expand</a><a href=#>Collapse</a></div>', 'Expand Collapse'],
    ['a price after a word', '<p>now<span>$761.98</span></p>', 'now $761.98'],
  ])('toText and toMarkdown: put a space between %s', (_, html, text) => {
    expect(plain(html)).toBe(text);
    expect(withoutMarks(html)).toBe(text);
  });

  it.each<[why: string, html: string, text: string]>([
    ['a word in two styles', '<b>Hay</b><i>Rake</i>', 'HayRake'],
    ['a word that continues after an element', '<b>Two hay</b>rakes and forks', 'Two hayrakes and forks'],
    ['a word split over two spans', '<span>Two hay</span><span>rakes and forks</span>', 'Two hayrakes and forks'],
    ['a word after its first letter', '<span>A</span>ll of the hay', 'All of the hay'],
    ['a name with a dot', 'See also hay.rake.<a href=/o>Tines</a>', 'See also hay.rake.Tines'],
    ['a number split over two spans', '<span>in the year 20</span><span>24 or so</span>', 'in the year 2024 or so'],
    ['a formula', 'Water is H<sub>2</sub>O in all states', 'Water is H₂O in all states'],
    ['links to one place', '<a href=/a>ra</a><a href=/a>kes</a>', 'rakes'],
    ['a script without spaces', '<a href=/a>干草</a><a href=/b>耙子</a>', '干草耙子'],
    ['code', '<code><a href=/a>Hay</a><a href=/b>Rake</a></code>', 'HayRake'],
    ['a word in two styles in a box', '<div><b>Hay</b><i>Rake</i></div>', 'HayRake'],
    ['a name in two styles', '<h2><span>Hay</span><span>Rake</span></h2>', 'HayRake'],
    [
      'a name in two styles in a text',
      '<div>We sell the <span>Hay</span><span>Rake</span>.</div>',
      'We sell the HayRake.',
    ],
    ['letters one by one', '<div><span>i</span><span>H</span><span>a</span><span>y</span></div>', 'iHay'],
    ['a number in two sizes', '<div><span>$761</span><span>98</span></div>', '$76198'],
    ['a currency with its country', '<div><span>US</span><span>$5</span></div>', 'US$5'],
  ])('toText and toMarkdown: put no space into %s', (_, html, text) => {
    expect(plain(html)).toBe(text);
    expect(withoutMarks(html)).toBe(text);
  });
});

function plain(html: string): string {
  return toText({ nodes: parseHtml(html).children, skipped: new Set() });
}

function withoutMarks(html: string): string {
  const markdown = toMarkdown({ nodes: parseHtml(html).children, skipped: new Set() }, (reference) => reference);
  return markdown.replaceAll(/\]\([^)]*\)|[[*_`#]/g, '').trim();
}
