import { expect, it } from 'vitest';
import { toMarkdown } from '../write/markdown/to-markdown.ts';
import { parseHtml } from '../html/parse-html.ts';
import { selectElements } from '../html/select-elements.ts';
import { toHtml } from '../write/to-html.ts';
import { toText } from '../write/to-text.ts';

it.each<[why: string, cell: string, sign: string]>([
  ['a tick of an icon font', '<i class="icon icon-check green"></i>', '✓'],
  ['a cross of one', '<span><i class="fa-solid fa-xmark"></i></span>', '✗'],
  ['a tick that is taken away', '<i class="icon-uncheck check"></i>', '✗'],
  ['a drawing from a sheet of them', '<svg><use href="#check"></use></svg>', '✓'],
  ['a drawing with a title', '<svg><title>Sold\n apart</title><path d=""/></svg>', 'Sold apart'],
  ['what is read aloud', '<span class=dot aria-label="Yes, from May"></span>', 'Yes, from May'],
  ['no drawing that says nothing', '<svg><path d=""/></svg>', ''],
  ['no icon of another thing', '<i class="icon-checkbox no-wrap"></i>', ''],
  ['nothing to press', '<button class=close aria-label=Close></button>', ''],
  ['nothing that was left out', '<i class="out check"></i>', ''],
  ['text before all', '<i class=check></i> 14', '14'],
])('a cell says %s', (_, cell, sign) => {
  const document = parseHtml(`<table><tr><th>Rake<th>Tines<tr><td>Long<td>${cell}<tr><td>Short<td>9</table>`);
  const content = { nodes: document.children, skipped: selectElements(document, '.out') };
  expect(toText(content).split('\n')[1]?.split('\t')[1] ?? '').toBe(sign);
  expect(toMarkdown(content, () => undefined)).toContain(`| Long | ${sign} |`);
  expect(toHtml(content, () => undefined).replaceAll(/<(?!\/?td)[^>]*>/g, '')).toMatch(
    new RegExp(`<td>Long\\s*</td><td>\\s*${sign}\\s*</td>`),
  );
});

it('a cell that is drawn itself', () => {
  const { children: nodes } = parseHtml('<table><tr><th>Rake<th>Tines<tr><td>Long<td class=yes></td></table>');
  expect(toMarkdown({ nodes, skipped: new Set() }, () => undefined)).toContain('| Long | ✓ |');
});
