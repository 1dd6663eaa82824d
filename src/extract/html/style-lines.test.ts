import { isTag } from 'domhandler';
import { expect, it } from 'vitest';
import { toText } from '../write/markdown/to-markdown.ts';
import { parseHtml } from './parse-html.ts';
import { breakStyleLines, mayHoldStyleLines } from './style-lines.ts';

const read = (html: string): string => {
  const document = parseHtml(html);
  if (mayHoldStyleLines(html)) breakStyleLines(document);
  return toText({ nodes: document.children, skipped: new Set() });
};

it.each([
  ['a style', '<p style="white-space: pre-line">Oak\nAsh</p>', 'Oak\nAsh'],
  ['a style of a box around', '<div style="white-space:pre-wrap"><p>Oak <b>and\r\nAsh</b></p></div>', 'Oak and\nAsh'],
  ['a class', '<p class="whitespace-pre-line">Oak\nAsh</p>', 'Oak\nAsh'],
  ['nothing', '<p class="whitespace-nowrap">Oak\nAsh</p>', 'Oak Ash'],
])('breakStyleLines: shows lines of the source when %s says so', (_why, html, text) => {
  expect(read(html)).toBe(text);
});

it('breakStyleLines: keeps the tree whole', () => {
  const document = parseHtml('<p style="white-space: pre-line">a\nb<i>c</i></p>');
  breakStyleLines(document);
  const [paragraph] = document.children;
  const names: string[] = [];
  let node = paragraph !== undefined && isTag(paragraph) ? paragraph.children[0] : undefined;
  for (; node; node = node.next ?? undefined) names.push(isTag(node) ? node.name : node.type);
  expect(names).toEqual(['text', 'br', 'text', 'i']);
});
