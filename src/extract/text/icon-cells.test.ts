import { expect, it } from 'vitest';
import { toMarkdown } from '../write/markdown/to-markdown.ts';
import { parseHtml } from '../html/parse-html.ts';
import { selectElements } from '../html/select-elements.ts';
import { toHtml } from '../write/to-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

it.each<[why: string, cell: string, sign: string]>([
  ['a tick of an icon font', '<i class="icon icon-check green"></i>', '✓'],
  ['a cross of an icon font', '<span><i class="fa-solid fa-xmark"></i></span>', '✗'],
  ['a cross for an unchecked icon', '<i class="icon-uncheck check"></i>', '✗'],
  ['a tick of an SVG sprite', '<svg><use href="#check"></use></svg>', '✓'],
  ['the title of a drawing', '<svg><title>Sold\n apart</title><path d=""/></svg>', 'Sold apart'],
  ['the label of an empty element', '<span class=dot aria-label="Yes, from May"></span>', 'Yes, from May'],
  ['nothing for a drawing without a title', '<svg><path d=""/></svg>', ''],
  ['nothing for an icon that is no tick', '<i class="icon-checkbox no-wrap"></i>', ''],
  ['nothing for a button', '<button class=close aria-label=Close></button>', ''],
  ['nothing for an excluded icon', '<i class="out check"></i>', ''],
  ['the text next to an icon', '<i class=check></i> 14', '14'],
])('table cells: show %s', (_, cell, sign) => {
  const document = parseHtml(`<table><tr><th>Rake<th>Tines<tr><td>Long<td>${cell}<tr><td>Short<td>9</table>`);
  const content = { nodes: document.children, skipped: selectElements(document, '.out') };
  expect(toText(content).split('\n')[1]?.split('\t')[1] ?? '').toBe(sign);
  expect(toMarkdown(content, () => undefined)).toContain(`| Long | ${sign} |`);
  expect(toHtml(content, () => undefined).replaceAll(/<(?!\/?td)[^>]*>/g, '')).toMatch(
    new RegExp(`<td>Long\\s*</td><td>\\s*${sign}\\s*</td>`),
  );
});

it('table cells: show a tick for a cell named yes', () => {
  const { children: nodes } = parseHtml('<table><tr><th>Rake<th>Tines<tr><td>Long<td class=yes></td></table>');
  expect(toMarkdown({ nodes, skipped: new Set() }, () => undefined)).toContain('| Long | ✓ |');
});
