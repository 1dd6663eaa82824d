/** Addresses and code within a line, with as much quoting as they need and no more. */

/** What a match is replaced with. Once for all: a template with a tag is called each time. */
const escapedMatch = String.raw`\$&`;
export const escapedPipe = String.raw`\|`;

/** Angle brackets only where the address needs them. */
export function linkTarget(href: string, title: string): string {
  const address = /^$|[\s<>()\\]/.test(href) ? angled(href) : href;
  return title === '' ? address : `${address} "${title.replace(/["\\]/g, escapedMatch)}"`;
}

function angled(href: string): string {
  const line = href.replace(/[\r\n]/g, encodeURIComponent);
  // Balanced brackets without white space read well as they are.
  if (/^[^\s<>()\\]*(?:\([^\s<>()\\]*\)[^\s<>()\\]*)*$/.test(line) && line !== '') return line;
  return `<${line.replace(/[<>\\]/g, escapedMatch)}>`;
}

/** As many back-ticks as it takes, with a space inside where the text begins or ends with one. */
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

/** A pipe ends a cell, and a backslash does not escape one behind another backslash: no code span can hold both. */
function codeElement(text: string): string {
  const written = text.replaceAll(/[!-/:-@[-`{-~]/g, escapedMatch).replaceAll(escapedPipe, '&#124;');
  return `<code>${written}</code>`;
}

/** Splitting is linear, where a pattern with white space on both sides of a line end is not. */
function onOneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}
