/** Reads JSON as templates write it into pages: with commas after the last value, without commas between objects, escaped. */
import { decodeHTML } from 'entities';

export interface LenientJson {
  readonly values: readonly unknown[];
  /** Something was left that is no JSON. */
  readonly isCut: boolean;
}

/** Half of an object is not reliable, so it counts as unreadable. */
export function readLenientJson(text: string): LenientJson {
  try {
    return { values: [JSON.parse(text)], isCut: false };
  } catch {
    // It may become readable.
  }
  const read = readObjects(text);
  if (read.values.length > 0 || !text.includes('&')) return read;
  return readObjects(decodeHTML(text));
}

function readObjects(text: string): LenientJson {
  const values: unknown[] = [];
  let isCut = false;
  let at = 0;
  for (;;) {
    const start = nextStart(text, at);
    if (start === -1) return { values, isCut: isCut || hasMore(text.slice(at)) };
    if (hasMore(text.slice(at, start))) isCut = true;
    const { json, end } = repaired(text, start);
    at = end;
    try {
      values.push(JSON.parse(json));
    } catch {
      isCut = true;
    }
  }
}

/** Returns where the next object begins, or the list around it; -1 if there is none. */
function nextStart(text: string, from: number): number {
  start.lastIndex = from;
  return start.exec(text)?.index ?? -1;
}

const start = /\{|(?<!CDATA)\[(?=\s*[[{"\]])/g;

/** Whether text between objects says something: not a wrapper for old browsers, nor a separator, nor a brace too many. */
function hasMore(between: string): boolean {
  return /[^\s,;\]})]/.test(between.replace(/\/\*.{0,200}?\*\/|<!--|-->|<!\[CDATA\[|\]\]>|\/\//gs, ''));
}

const closers: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Copies one object or list to its end, without what JSON does not allow between its values. */
function repaired(text: string, from: number): { readonly json: string; readonly end: number } {
  const parts: string[] = [];
  const open: string[] = [];
  // A comma is written when a value follows.
  let hasComma = false;
  tokens.lastIndex = from;
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [token] = found;
    const end = tokens.lastIndex;
    const first = token.charAt(0);
    // A text or comment without an end: a further search for it could take long.
    if (token === '"' || (token === '/' && text[end] === '*')) break;
    if (token === ',') hasComma = true;
    else if (token === ']' || token === '}') {
      hasComma = false;
      if (token !== open.at(-1)) continue;
      parts.push(token);
      open.pop();
      if (open.length === 0) return { json: parts.join(''), end };
    } else if (!token.startsWith('/')) {
      const follows = (first === '{' || first === '[') && /^[\]}]/.test(parts.at(-1) ?? '');
      if (hasComma || follows) parts.push(',');
      hasComma = false;
      const closer = closers[first];
      if (closer !== undefined) open.push(closer);
      parts.push(first === '"' ? text.slice(found.index, end).replace(controls, ' ') : token);
    }
  }
  return { json: '', end: text.length };
}

/** Strings, comments, punctuation, and runs of everything else. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|\/\*.*?\*\/|\/\/[^\n]*|[[\]{},]|[^\s"/[\]{},]+|["/]/gs;
// oxlint-disable-next-line no-control-regex
const controls = /[\0-\x1f]+/g;
