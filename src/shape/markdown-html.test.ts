import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, test } from 'vitest';
import { timeGrowth } from '../../test/time-growth.ts';
import { markdownHtml } from './markdown-html.ts';

const html = (text: string): string => markdownHtml(text).html;

/** Without what only lays out. */
const tidy = (written: string): string =>
  written
    .replaceAll(/<p>|<\/p>|\s+(?=<)|(?<=>)\s+|<\/?(?:thead|tbody)>| title="[^"]*"| \/(?=>)/g, '')
    .replaceAll(/<(th|td) align="\w+">/g, '<$1>')
    .replaceAll('&gt;', '>');

describe('markdownHtml', () => {
  test.each([
    ['headings', '# One #\n\n## Two ##x\n\nThree\n===\n\nFour\nlines\n---\n'],
    ['emphasis', '*a* **b** ***c*** _d_ e_f_g ~~h~~ *i **j** k* 2 * 3 * 4 **l *m** n*'],
    ['code', '`a` ``b ` c`` `<d>` `*e*` `unclosed\n\n    indented\n      more\n\n```js\nif (a < b) {\n  c\n}\n```'],
    ['links', '[a](b) [c](<d?e=1&amp;f> "t") [f *g*](h\\)i) ![j](k) [![l](m)](n) \\[o](p) `[q](r)` [s] (t)'],
    ['references', '[a][b] [b] [c][] [d][none]\n\n[b]: /b "t"\n[C]: <c>\n'],
    ['autolinks', '<https://a.example/b> <c@d.example> https://e.example/f. (www.g.example/h) xhttps://i.example'],
    ['lists', '- a\n- b\n  1. c\n  2. d\n\n     e\n- f\n\n5. g\n6. h\n\n* i\n\n  j\n'],
    ['quotes', '> a\nb\n>\n> c\n\nd\n\n- e\n\n  > f\n'],
    ['tables', '| a | b |\n|---|:-:|\n| [c](d) | `e \\| f` |\n| g | |\n\nh'],
    ['breaks and escapes', 'a  \nb\\\nc\nd \\* &amp; & < >'],
    ['HTML', '<div>\n<a href="b">c</a>\n</div>\n\nd <b>e</b> <title> f\n'],
  ])('markdownHtml: writes what a Markdown library writes when the text has %s', (_, text) => {
    const expected = micromark(text, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
    expect(tidy(html(text))).toBe(tidy(expected));
  });

  test.each([
    ['<script>\n<a href="b">\n</script>', ''],
    ['a <textarea> b', '<p>a &lt;textarea> b</p>'],
    ['a <!-- b > c', '<p>a  c</p>'],
    ['a <b c="d> e', '<p>a &lt;b c=&quot;d&gt; e</p>'],
  ])('markdownHtml: keeps the rest of the page when HTML would contain it: %j', (text, expected) => {
    expect(html(text).trim().replaceAll('"', '&quot;').replace('d>', 'd&gt;')).toBe(expected);
  });

  test('markdownHtml: returns the first heading', () => {
    expect(markdownHtml('a\n\n## *B* & c\n\n# D').heading).toBe('<em>B</em> &amp; c');
    expect(markdownHtml('a').heading).toBe('');
  });

  const repeats = ['[', '[](', '![', '*a', '**a _b ', '`', '<a ', '<!-- ', '> ', '- ', '- a\n', '[a](b) ', 'http://'];
  const lines = ['a|b\n-|-\n', '[a]: b\n', '[a]: b\n\n[a]', '```\n', '    a\n', '# a\n', '<div>\n', '1. a\n   - b\n'];
  test.each([...repeats, ...lines])(
    'markdownHtml: takes processor time in proportion to the text when it repeats %j',
    (part) => {
      expect(timeGrowth((size) => void markdownHtml(part.repeat(size / part.length)), 30_000)).toBeLessThan(3);
    },
  );
});
