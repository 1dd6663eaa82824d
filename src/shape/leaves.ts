/**
 * Splits Markdown (CommonMark, GFM tables and footnotes) into blocks in one pass over the lines: where each block
 * starts and ends, and where the text stands on each line. Linear in the text. A tab counts as one column, and a link
 * definition takes one line.
 */
import { Containers, type Place } from './containers.ts';

export interface Leaf {
  readonly kind: LeafKind;
  /** Start of its first line, including quote markers, list markers and indents. */
  readonly start: number;
  /** End of its last line, exclusive, with the newline. */
  end: number;
  /** 1 to 6 for a heading, otherwise 0. */
  readonly level: number;
  /** Two numbers for each line: start and end of its content. */
  readonly lines: readonly number[];
  /** Numbers of the list items around it, outermost first. Footnotes count as items. */
  readonly items: readonly number[];
}

export type LeafKind = 'paragraph' | 'heading' | 'table' | 'code' | 'html' | 'rule' | 'definition';

interface OpenLeaf extends Leaf {
  kind: LeafKind;
  level: number;
  readonly lines: number[];
  /** Matches the line that ends a fence or HTML block. Undefined if a blank line ends the block. */
  readonly closedBy: RegExp | undefined;
}

const fenceStart = /(`{3,}(?!.*`)|~{3,})/y;
const headingStart = /(#{1,6})(?:[ \t]|$)/my;
const rule = /(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$/my;
const underline = /(=+|-+)[ \t]*$/my;
const delimiterRow = /\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/my;
const definition = /\[(?!\^)(?:[^[\]\\\n]|\\.){1,999}\]:[ \t]*\S/y;
const htmlUntil: readonly (readonly [start: RegExp, end: RegExp])[] = [
  [/<(?:pre|script|style|textarea)(?:[\s>]|$)/imy, /<\/(?:pre|script|style|textarea)>/i],
  [/<!--/y, /-->/],
  [/<\?/y, /\?>/],
  [/<![A-Za-z]/y, />/],
];
const htmlBlock =
  /<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[\s/>]|$)/imy;
const htmlAlone = /<\/?[A-Za-z][^<>\n]*>[ \t]*$/my;

function at(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

/** Yields the leaves in order. Blank lines belong to no leaf. */
export function* leavesOf(text: string): Generator<Leaf> {
  const containers = new Containers(text);
  let open: OpenLeaf | undefined;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const next = newline === -1 ? end : newline + 1;
    const place = containers.enter(start, end, open?.kind === 'paragraph');
    if (open !== undefined) {
      const continued = continuation(text, open, place);
      if (continued !== undefined) {
        if (continued !== 'blank') {
          open.lines.push(place.content, end);
          open.end = next;
        }
        if (continued === 'last') {
          yield open;
          open = undefined;
        }
        start = next;
        continue;
      }
      yield open;
      open = undefined;
    }
    containers.begin(place);
    if (place.content < end) {
      const kind = newLeaf(text, place);
      const content = kind.kind === 'heading' ? behindMarks(text, place, kind.level) : place.content;
      open = { ...kind, start, end: next, lines: [content, end], items: containers.items };
      if (isWhole(text, open, place)) {
        yield open;
        open = undefined;
      }
    }
    start = next;
  }
  if (open !== undefined) yield open;
}

/** Returns how the line continues the open leaf; undefined if it does not belong to it. */
function continuation(text: string, open: OpenLeaf, place: Place): 'more' | 'last' | 'blank' | undefined {
  const { content, end, isInside, indent } = place;
  const isBlank = content >= end;
  if (open.closedBy !== undefined) {
    if (!isInside) return undefined;
    return open.closedBy.test(text.slice(content, end)) ? 'last' : 'more';
  }
  if (open.kind === 'code') return isInside && isBlank ? 'blank' : isInside && indent >= 4 ? 'more' : undefined;
  if (isBlank) return undefined;
  if (open.kind === 'html') return isInside ? 'more' : undefined;
  if (open.kind === 'table') return isInside && !place.hasMarker && !startsBlock(text, place) ? 'more' : undefined;
  if (place.hasMarker) return undefined;
  if (!isInside) return startsBlock(text, place) ? undefined : 'more';
  const setext = indent < 4 ? at(underline, text, content) : null;
  if (setext !== null) {
    open.kind = 'heading';
    open.level = setext[0].startsWith('=') ? 1 : 2;
    return 'last';
  }
  if (startsBlock(text, place)) return undefined;
  if (open.lines.length === 2 && isTable(text, open.lines, place)) open.kind = 'table';
  return 'more';
}

function isTable(text: string, [from = 0, to = 0]: readonly number[], { content, end }: Place): boolean {
  if (at(delimiterRow, text, content) === null) return false;
  const row = text.slice(content, end);
  const head = text.slice(from, to);
  return (row.includes('|') || head.includes('|')) && cells(head) === cells(row);
}

function cells(row: string): number {
  const inner = row.trim().replace(/^\|/, '').replace(/\|$/, '');
  return (inner.replaceAll(/\\./g, '').match(/\|/g)?.length ?? 0) + 1;
}

/** Returns true if the line can interrupt a paragraph. */
function startsBlock(text: string, { content, indent }: Place): boolean {
  if (indent >= 4) return false;
  return (
    at(headingStart, text, content) !== null ||
    at(fenceStart, text, content) !== null ||
    at(rule, text, content) !== null ||
    at(htmlBlock, text, content) !== null ||
    htmlUntil.some(([start]) => at(start, text, content) !== null)
  );
}

type Kind = Pick<OpenLeaf, 'kind' | 'level' | 'closedBy'>;
const paragraph: Kind = { kind: 'paragraph', level: 0, closedBy: undefined };

function newLeaf(text: string, { content, indent }: Place): Kind {
  if (indent >= 4) return { kind: 'code', level: 0, closedBy: undefined };
  switch (text.charAt(content)) {
    case '#': {
      const marks = at(headingStart, text, content)?.[1];
      return marks === undefined ? paragraph : { kind: 'heading', level: marks.length, closedBy: undefined };
    }
    case '`':
    case '~': {
      const fence = at(fenceStart, text, content)?.[1];
      if (fence === undefined) return paragraph;
      return { kind: 'code', level: 0, closedBy: new RegExp(`^[ \\t]*${fence.charAt(0)}{${fence.length},}[ \\t]*$`) };
    }
    case '*':
    case '-':
    case '_':
      return at(rule, text, content) === null ? paragraph : { kind: 'rule', level: 0, closedBy: undefined };
    case '[':
      return at(definition, text, content) === null ? paragraph : { kind: 'definition', level: 0, closedBy: undefined };
    case '<':
      return htmlLeaf(text, content);
    default:
      return paragraph;
  }
}

function behindMarks(text: string, { content, end }: Place, level: number): number {
  let index = content + level;
  while (index < end && (text[index] === ' ' || text[index] === '\t')) index++;
  return index;
}

function htmlLeaf(text: string, content: number): Kind {
  for (const [start, end] of htmlUntil)
    if (at(start, text, content) !== null) return { kind: 'html', level: 0, closedBy: end };
  const isHtml = at(htmlBlock, text, content) !== null || at(htmlAlone, text, content) !== null;
  return isHtml ? { kind: 'html', level: 0, closedBy: undefined } : paragraph;
}

/** Returns true if the leaf ends on its first line. */
function isWhole(text: string, { kind, closedBy }: OpenLeaf, { content, end }: Place): boolean {
  if (kind === 'html' && closedBy !== undefined) return closedBy.test(text.slice(content, end));
  return kind === 'heading' || kind === 'rule' || kind === 'definition';
}
