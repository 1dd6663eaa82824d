/** Writes addresses and code within a line, with the least quoting that works. */
import { oneLine } from '../../../html/node-text.ts';

/** Replacement for a match. A constant, since a tagged template is called each time. */
const escapedMatch = String.raw`\$&`;
export const escapedPipe = String.raw`\|`;

/** A bar in an address would end the cell of a table, and so would one in a title. */
export function cellLinkTarget(href: string, title: string): string {
  return linkTarget(href.replaceAll('|', '%7C'), title).replaceAll('|', escapedPipe);
}

/** Uses angle brackets only if the address needs them. The title must come from {@link tidyTitle}. */
export function linkTarget(href: string, title: string): string {
  const address = /^$|[\s<>()\\]/.test(href) ? angled(href) : href;
  return title === '' ? address : `${address} "${quoted(title)}"`;
}

/** In the text itself, a line end could begin another block, and `&copy;` would become a sign. */
function quoted(title: string): string {
  return title.replace(/["\\]|&(?=#?\w+;)/g, escapedMatch).replaceAll('\n', '&#10;');
}

/** Keeps line ends, which HTML counts as part of a title, and no other white space at the edges. */
export function tidyTitle(title: string | undefined): string {
  if (title === undefined || title.trim() === '') return '';
  const lines = title.includes('\n') ? title.split('\n') : [title];
  return lines.map(oneLine).join('\n');
}

function angled(href: string): string {
  const line = href.replace(/[\r\n]/g, encodeURIComponent);
  // Balanced brackets without white space need no quoting.
  if (/^[^\s<>()\\]*(?:\([^\s<>()\\]*\)[^\s<>()\\]*)*$/.test(line) && line !== '') return line;
  return `<${line.replace(/[<>\\]/g, escapedMatch)}>`;
}

/** Uses enough back-ticks, and pads the code with spaces if it starts or ends with a back-tick. */
export function codeSpan(text: string, isInCell: boolean): string {
  const line = text.includes('\n') ? onOneLine(text) : text;
  if (isInCell && line.includes(escapedPipe)) return codeElement(line);
  const code = isInCell ? line.replaceAll('|', escapedPipe) : line;
  const fence = code.includes('`') ? fenceFor(code) : '`';
  const needsPadding =
    code.startsWith('`') || code.endsWith('`') || (code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '');
  return needsPadding ? `${fence} ${code} ${fence}` : fence + code + fence;
}

function fenceFor(code: string): string {
  const runs = new Set((code.match(/`+/g) ?? []).map((run) => run.length));
  let length = 1;
  while (runs.has(length)) length++;
  return '`'.repeat(length);
}

/**
 * In a cell, no code span can hold a backslash before a pipe: the pipe ends the cell, and after a backslash it cannot
 * be escaped.
 */
function codeElement(text: string): string {
  const written = text.replaceAll(/[!-/:-@[-`{-~]/g, escapedMatch).replaceAll(escapedPipe, '&#124;');
  return `<code>${written}</code>`;
}

/** Splitting is linear. A pattern with white space on both sides of a line end is not. */
function onOneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}
