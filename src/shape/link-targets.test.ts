// Links get other addresses and nothing else changes, in an independent GFM reader and for any HTML tree.
import * as fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { pages } from '../../test/any-html.ts';
import { timeGrowth } from '../../test/time-growth.ts';
import { parseHtml } from '../extract/html/parse-html.ts';
import { toMarkdown } from '../extract/write/markdown/to-markdown.ts';
import { withLinkTargets } from './link-targets.ts';

const known = new Map([
  ['http://a.example/b', 'b.md'],
  ['http://a.example/(c)', '%28c%29.md'],
  ['http://a.example/<d>', 'd.md'],
  ['http://a.example/x_y', 'x_y.md'],
]);
const converted = (text: string): string => withLinkTargets(text, (address) => known.get(address));

test.each([
  ['replaces the address of a link', 'a [b](http://a.example/b) c', 'a [b](b.md) c'],
  ['keeps an unknown address', '[b](http://a.example/other)', '[b](http://a.example/other)'],
  ['keeps a title', '[b](http://a.example/b "t (http://a.example/b)")', '[b](b.md "t (http://a.example/b)")'],
  ['reads parentheses in an address', '[b](http://a.example/(c))', '[b](%28c%29.md)'],
  ['reads angle brackets', '[b](<http://a.example/\\<d\\>>) [b](<http://a.example/b>)', '[b](d.md) [b](b.md)'],
  ['reads an escape in an address', '[b](http://a.example/x\\_y)', '[b](x_y.md)'],
  ['keeps the address of an image', '![b](http://a.example/b)', '![b](http://a.example/b)'],
  [
    'replaces the address of a link around an image',
    '[![b](http://a.example/b)](http://a.example/b)',
    '[![b](http://a.example/b)](b.md)',
  ],
  ['replaces the address of a definition', '[b][1]\n\n[1]: http://a.example/b "t"', '[b][1]\n\n[1]: b.md "t"'],
  ['keeps code', '`[b](http://a.example/b)`', '`[b](http://a.example/b)`'],
  ['keeps a code block', '    [b](http://a.example/b)', '    [b](http://a.example/b)'],
  ['replaces addresses in a table', '| a |\n| --- |\n| [b](http://a.example/b) |', '| a |\n| --- |\n| [b](b.md) |'],
  [
    'replaces addresses in a list',
    '- [b](http://a.example/b)\n  1. [c](http://a.example/b)',
    '- [b](b.md)\n  1. [c](b.md)',
  ],
])('withLinkTargets: %s', (_, given, expected) => {
  expect(converted(given)).toBe(expected);
});

test('withLinkTargets: takes processor time in proportion to the text when it has many short blocks', () => {
  expect(timeGrowth((items) => void withLinkTargets('- a\n'.repeat(items), () => undefined), 50_000)).toBeLessThan(3);
});

test('withLinkTargets: replaces the addresses of images when they are wanted', () => {
  const text = '[![a](b "t")](c) ![d](<e>)';
  expect(withLinkTargets(text, (address) => `${address}2`, { withImages: true })).toBe('[![a](b2 "t")](c2) ![d](e2)');
});

test('withLinkTargets: replaces each address of any page once', () => {
  fc.assert(
    fc.property(pages(false), (html) => {
      const text = toMarkdown({ nodes: parseHtml(html).children, skipped: new Set() }, (reference) => reference);
      const read = (markdown: string): string =>
        micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
      expect(withLinkTargets(text, () => undefined)).toBe(text);
      // Footnotes and addresses in the text are links for this reader only.
      const own = /<a href="(?!#|http|mailto)[^"]*"/g;
      expect(read(withLinkTargets(text, (address) => (/^(?:#|http|mailto)/.test(address) ? undefined : 'x')))).toBe(
        read(text).replaceAll(own, '<a href="x"'),
      );
    }),
    { numRuns: 300, seed: 1 },
  );
});
