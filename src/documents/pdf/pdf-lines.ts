/** A line of a column, ready to be joined with the next. */
import { htmlText, linkStart } from '../parts/html-text.ts';
import { parted } from './pdf-hyphens.ts';
import { areAlike, isBackwards, plainSpan, type Segment, type Span } from './pdf-segments.ts';

export interface Line extends Omit<Segment, 'tags'> {
  /** True for an entry of a table of contents: dots led to its page number. */
  readonly isContents: boolean;
  /** As the file tags it. */
  readonly heading: { readonly level: number } | undefined;
}

export function lineOf(parts: readonly Segment[]): Line {
  const segments =
    parts.length > 1 && isBackwards(parts) ? parts.toSorted((one, other) => other.right - one.right) : parts;
  const spans: Span[] = [];
  for (const segment of segments) {
    if (spans.length > 0) spans.push(plainSpan(' '));
    spans.push(...segment.spans);
  }
  const whole = spans.map(({ text }) => text).join('');
  const isContents = leaders.test(whole) || fewLeaders.test(whole.slice(-fewLeadersMax));
  const kept = isContents ? withoutLeaders(spans) : spans;
  const largest = segments.reduce((most, segment) => (segment.text.length > most.text.length ? segment : most));
  return {
    spans: kept,
    text: kept.map(({ text }) => text).join(''),
    left: segments.reduce((least, { left }) => Math.min(least, left), Infinity),
    right: segments.reduce((most, { right }) => Math.max(most, right), -Infinity),
    y: largest.y,
    size: largest.size,
    angle: largest.angle,
    isCode: segments.every(({ isCode }) => isCode),
    isBold: segments.every(({ isBold }) => isBold),
    isContents,
    heading: largest.tags?.heading,
  };
}

/** Dot leaders of a table of contents. */
export const leaders = /(?:[.·․…]\s?){4,}/;

/** Three dots before a page number, where a title nearly fills the line. After a comma, they are a series. */
const fewLeaders = /[^\s,;.·…]\s?(?:[.·]\s?){3}\s?\d{1,4}(?:,\s\d{1,4})*\s*$/;
/** Characters at the end of a line that are looked at. */
const fewLeadersMax = 60;

/** The dots can be spans of their own. */
function withoutLeaders(spans: readonly Span[]): Span[] {
  return spans.map((span) => ({ ...span, text: span.text.replaceAll(/(?:\s?[.·․…]){3,}\s?|^\s*[.·․…]\s*$/g, ' ') }));
}

const asian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff65]/u;

/**
 * Joins lines into one text. Hyphenated words and addresses are joined, and no space is put between two Chinese or
 * Japanese characters. If the first word of the next line would have fitted before `right`, the line break stays.
 */
export function joinedSpans(lines: readonly Line[], right: number): Span[] {
  const spans: Span[] = [];
  const put = (span: Span): void => {
    const last = spans.at(-1);
    if (last && areAlike(last, span)) spans[spans.length - 1] = { ...last, text: last.text + span.text };
    else if (span.text !== '') spans.push(span);
  };
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    for (const span of line.spans) put(span);
    const last = spans.at(-1);
    if (!next || !last) break;
    const between = linkBetween(line, next, right);
    if (between === '-') spans[spans.length - 1] = withoutHyphen(last);
    else if (between !== '')
      put(next.spans[0] && areAlike(last, next.spans[0]) ? { ...last, text: between } : plainSpan(between));
  }
  return spans;
}

/** Leaves the decision on the hyphen at the end to the other words of the file. */
export function withoutHyphen(span: Span): Span {
  return { ...span, text: span.text.replace(/[-\u2010]\s*$/, parted) };
}

/** Returns what separates two lines. `-` means that a hyphen at the end may be the file's or the word's. */
export function linkBetween(line: Line, next: Line, right: number): '-' | '' | ' ' | '\n' {
  const { text, right: end, isContents } = line;
  const [last = '', first = ''] = [text.trimEnd().at(-1), next.text.trimStart()[0]];
  const isParted = /[\p{L}\p{N}][-\u2010]\s*$/u.test(text) && /[\p{L}\p{N}]/u.test(first);
  // Code is never hyphenated: the hyphen is that of a name.
  const hyphen = line.spans.at(-1)?.isCode === true && next.spans[0]?.isCode === true ? '' : '-';
  if (isOneAddress(line, next)) return '';
  if (isParted && /\p{Ll}/u.test(first)) return hyphen;
  const word = firstWord(next.text);
  const isAsian = asian.test(last) && asian.test(first);
  const perCharacter = (next.right - next.left) / (next.text.length || 1);
  const needed = isAsian ? perCharacter * 2 : (word.length + 1) * perCharacter;
  if (isContents || end + needed < right - next.size * 0.5) return '\n';
  if (isParted) return hyphen;
  return isAsian ? '' : ' ';
}

/**
 * Returns true if an address or a path was parted: both halves are in one link whose URL has them in a row, or in code.
 */
function isOneAddress(line: Line, next: Line): boolean {
  const [end, start] = [line.spans.at(-1), next.spans[0]];
  if (!end || !start) return false;
  const [text, head] = [end.text.trimEnd(), firstWord(start.text).replace(/[.,;:)]+$/, '')];
  const tail = text.slice(text.lastIndexOf(' ') + 1);
  if (tail === '' || head === '') return false;
  if (/^https?:$/.test(tail) && head.startsWith('//')) return true;
  if (end.isCode && start.isCode && /^(?:https?:\/)?\/\S*[./]$/.test(tail) && /^[\p{L}\p{N}]/u.test(head)) return true;
  // An address without a link, parted after any letter: what follows is none of the words of a text.
  if (/(?:https?:\/\/|www\.)\S*[^\s.,;:)]$/.test(tail) && /[/?=&#%_]/.test(head.replace(/[/]$/, ''))) return true;
  return end.url !== undefined && end.url === start.url && end.url.includes(tail + head);
}

function firstWord(text: string): string {
  return /^\S+/.exec(text.trimStart())?.[0] ?? '';
}

export function spansHtml(spans: readonly Span[]): string {
  return spans
    .map(({ text, isCode, isRaised, url }) => {
      const words = text.replaceAll(/[^\S\n]+/g, ' ');
      const html = htmlText(words).replaceAll('\n', '<br>');
      const name = isCode ? 'code' : isRaised ? 'sup' : undefined;
      const marked = name === undefined ? html : html.replace(/\S(?:.*\S)?/s, `<${name}>$&</${name}>`);
      const start = linkStart(url);
      return start === undefined || words.trim() === '' ? marked : `${start}${marked}</a>`;
    })
    .join('')
    .trim();
}
