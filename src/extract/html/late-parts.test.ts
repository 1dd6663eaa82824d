import { expect, it } from 'vitest';
import { toText } from '../write/markdown/to-markdown.ts';
import { latePartsIn, moveLateParts } from './late-parts.ts';
import { parseHtml } from './parse-html.ts';

const read = (html: string): string => {
  const document = parseHtml(html);
  moveLateParts(document, latePartsIn(html));
  return toText({ nodes: document.children, skipped: new Set() }).replace(/\s+/g, ' ').trim();
};

it.each([
  [
    'its place',
    '<p>One</p><template id="B:0"></template><p>Three</p><div hidden id="S:4"><p>Two</p></div><script>$RC("B:0","S:4")</script>',
    'One Two Three',
  ],
  [
    'its place within another part',
    '<p>One</p><template id="B:0"></template><p>Four</p><div hidden id="S:0"><p>Two</p><template id="P:1"></template></div><div hidden id="S:1"><p>Three</p></div><script>$RS("S:1","P:1");$RC("B:0","S:0")</script>',
    'One Two Three Four',
  ],
  ['no place', '<p>One</p><div id="S:0"><p>Two</p></div><script>$RC("B:0","S:0")</script>', 'One Two'],
  [
    'a place within itself',
    '<p>One</p><div id="S:0"><p>Two</p><template id="B:0"></template></div><script>$RC("B:0","S:0")</script>',
    'One Two',
  ],
  [
    'places within each other',
    '<p>One</p><div id="S:0">Two<template id="B:1"></template></div><div id="S:1">Three<template id="B:0"></template></div><script>$RC("B:0","S:0");$RC("B:1","S:1")</script>',
    'One Two Three',
  ],
])('moveLateParts: moves a part that the page sends later, with %s', (_why, html, text) => {
  expect(read(html)).toBe(text);
});

it('moveLateParts: takes linear time for many parts', () => {
  const numbers = Array.from({ length: 20_000 }, (_, at) => at.toString(16));
  const html = `${numbers.map((at) => `<template id="B:${at}"></template>`).join('')}${numbers.map((at) => `<div id="S:${at}">a</div><script>$RC("B:${at}","S:${at}")</script>`).join('')}`;
  const start = process.cpuUsage().user;
  expect(read(html)).toBe('a'.repeat(20_000));
  expect(process.cpuUsage().user - start).toBeLessThan(3_000_000);
});

it('moveLateParts: keeps the tree as flat as the parser does', () => {
  const numbers = Array.from({ length: 5_000 }, (_, at) => at);
  const id = (at: number): string => at.toString(16);
  const part = (at: number): string =>
    `<div id="S:${id(at)}"><p>a<b><template id="B:${id(at + 1)}"></template></b></p></div>`;
  const moves = numbers.map((at) => `$RC("B:${id(at)}","S:${id(at)}")`).join(';');
  const html = `<template id="B:0"></template>${numbers.map(part).join('')}<script>${moves}</script>`;
  expect(read(html).replaceAll(' ', '')).toBe('a'.repeat(5_000));
});
