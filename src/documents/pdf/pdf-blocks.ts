/** Groups lines into headings, paragraphs, lists, code and tables by position and size. */
import type { Line } from './pdf-lines.ts';
import { joinedSpans, linkBetween, lineOf } from './pdf-lines.ts';
import type { Outline } from './pdf-outline.ts';
import type { Unit } from './pdf-rows.ts';
import type { Span } from './pdf-segments.ts';

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly spans: readonly Span[] }
  | { readonly kind: 'paragraph' | 'contents'; spans: readonly Span[]; lines: readonly Line[]; readonly right: number }
  | {
      readonly kind: 'item';
      /** Undefined for a bullet. */
      readonly number: number | undefined;
      readonly left: number;
      spans: readonly Span[];
      lines: readonly Line[];
      readonly right: number;
    }
  | { readonly kind: 'code'; text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly Span[])[][] };

export interface Measures {
  /** Font size of most of the text. */
  readonly size: number;
  /** Distance between lines, in em. */
  readonly leading: number;
}

/** The most common size by characters, and the most common distance between lines. */
export function measuresOf(pages: readonly (readonly Unit[])[]): Measures {
  const [sizes, steps] = [new Map<number, number>(), new Map<number, number>()];
  for (const units of pages) {
    let before: Line | undefined;
    for (const unit of units) {
      if (unit.kind === 'table') continue;
      const line = lineOf(unit.segments);
      const size = Math.round(line.size * 2) / 2;
      sizes.set(size, (sizes.get(size) ?? 0) + line.text.length);
      const step = before && before.size === line.size ? Math.round(((before.y - line.y) / line.size) * 10) / 10 : 0;
      if (step >= 0.9 && step <= 3) steps.set(step, (steps.get(step) ?? 0) + 1);
      before = line;
    }
  }
  const most = (counts: ReadonlyMap<number, number>, otherwise: number): number =>
    [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), [otherwise, 0])[0];
  return { size: most(sizes, 0), leading: most(steps, 1.2) };
}

export function blocksOf(units: readonly Unit[], measures: Measures, outline: Outline): Block[] {
  const blocks: Block[] = [];
  const column: Line[] = [];
  const groups: Line[][] = [];
  let group: Line[] = [];
  const end = (): void => {
    if (group.length > 0) groups.push(group);
    group = [];
  };
  const endColumn = (): void => {
    end();
    const edge = column.reduce((most, { right }) => Math.max(most, right), 0);
    for (const lines of groups) blocks.push(...groupBlocks(lines, edge, measures, outline));
    column.length = 0;
    groups.length = 0;
  };
  for (const unit of units) {
    if (unit.kind === 'table') {
      endColumn();
      blocks.push(unit);
      continue;
    }
    const line = lineOf(unit.segments);
    const before = group.at(-1);
    const above = column.at(-1);
    if (above && (above.angle !== line.angle || line.y - above.y > Math.max(line.size, above.size) / 2)) endColumn();
    if (before && (isApart(before, line, measures) || isOtherwiseCode(group, line))) end();
    group.push(line);
    column.push(line);
  }
  endColumn();
  return joinedCode(blocks);
}

/**
 * Returns true if `line` starts a new group: a gap, another size or weight, another column or angle, or a change
 * between text and a table of contents.
 */
function isApart(before: Line, line: Line, { leading }: Measures): boolean {
  const height = Math.max(before.size, line.size);
  const down = before.y - line.y;
  return (
    before.angle !== line.angle ||
    down > height * Math.max(leading * 1.3, 1.4) ||
    down < -height / 2 ||
    Math.min(before.size, line.size) < height * 0.85 ||
    before.isBold !== line.isBold ||
    before.heading !== line.heading ||
    before.isContents !== line.isContents ||
    line.left > before.right + height * 3
  );
}

/** Returns true if code starts or ends here. A line of code within a sentence belongs to the sentence. */
function isOtherwiseCode(group: readonly Line[], line: Line): boolean {
  const before = group.at(-1);
  if (!before || before.isCode === line.isCode) return false;
  if (Math.abs(before.left - line.left) > 1) return true;
  if (line.isCode) return before.right < line.right - line.size || sentenceEnd.test(before.text.trimEnd());
  return group.every(({ isCode }) => isCode) && (group.length > 1 || !/^[\p{Ll},.;]/u.test(line.text));
}

function groupBlocks(group: readonly Line[], edge: number, measures: Measures, outline: Outline): Block[] {
  const [first] = group;
  if (!first) return [];
  // The longest line marks the right edge. If all lines are short, use the edge of the column: then each line stands
  // alone.
  const longest = group.reduce((most, line) => Math.max(most, line.right), 0);
  const right = longest - first.left < (edge - first.left) * 0.4 ? edge : longest;
  if (group.length > 1 && group.every(({ isCode }) => isCode)) return [{ kind: 'code', text: codeOf(group) }];
  if (first.isContents) return group.map((line) => ({ kind: 'contents', spans: line.spans, lines: [line], right }));
  const level = headingLevel(group, right, measures, outline);
  if (level !== undefined) return [{ kind: 'heading', level, spans: joinedSpans(group, Infinity).map(unbroken) }];
  return paragraphsOf(group, right).map((lines) => textBlock(lines, right));
}

function unbroken(span: Span): Span {
  return { ...span, text: span.text.replaceAll('\n', ' ') };
}

/** Pages and tables can be turned by a right angle. */
function isUpright(angle = 0): boolean {
  return Math.abs(angle) % 90 < 3 || Math.abs(angle) % 90 > 87;
}

const headingLengthMax = 200;

function headingLevel(
  group: readonly Line[],
  right: number,
  { size: usual }: Measures,
  outline: Outline,
): number | undefined {
  const length = group.reduce((sum, { text }) => sum + text.length, 0);
  if (length > headingLengthMax || length === 0) return undefined;
  // A mark across the page is no heading.
  if (!isUpright(group[0]?.angle)) return undefined;
  const tagged = group[0]?.heading?.level;
  if (tagged !== undefined) return tagged;
  const text = joinedSpans(group, right)
    .map((span) => span.text)
    .join('');
  const stated = outline.take(text);
  if (stated !== undefined) return stated;
  const size = (group[0]?.size ?? 0) / (usual || 1);
  if (size < 1.15 || !/[\p{L}\p{N}]/u.test(text)) return undefined;
  return size >= 1.8 ? 1 : size >= 1.4 ? 2 : 3;
}

/**
 * A new paragraph starts at a list item, after a short line that ends a sentence, and at an indented or outdented line.
 */
function paragraphsOf(group: readonly Line[], right: number): Line[][] {
  const usual = usualLeft(group);
  const paragraphs: Line[][] = [];
  let number: number | undefined;
  for (const line of group) {
    const paragraph = paragraphs.at(-1);
    const [first, before] = [paragraph?.[0], paragraph?.at(-1)];
    const mark = markOf(line);
    const isItem = mark !== undefined && (!before || mark.number === undefined || mark.number === (number ?? 0) + 1);
    if (!paragraph || !first || !before || isItem) paragraphs.push([line]);
    else {
      const isSentence = sentenceEnd.test(before.text.trimEnd());
      const isEarly = linkBetween(before, line, right) === '\n';
      // The lines of an item stand below its text.
      const isInItem = markOf(first) !== undefined && line.left > first.left + 2;
      const off = line.left - usual;
      // Of two lines, either edge can be the usual one.
      const isIndented =
        (Math.abs(off) > line.size * 0.8 || (group.length === 2 && isSentence)) &&
        Math.abs(line.left - before.left) > line.size * 0.8 &&
        (off < 0 || isSentence || before.right < right - line.size);
      const isNew = (isEarly && isSentence) || (isIndented && !isCentred(line, before));
      if (isNew && !isInItem) paragraphs.push([line]);
      else paragraph.push(line);
    }
    if (isItem) ({ number } = mark);
  }
  return paragraphs;
}

const sentenceEnd = /[.!?:。！？：]["”’»)\]」』]?$/;

function isCentred(line: Line, before: Line): boolean {
  return Math.abs(line.left + line.right - before.left - before.right) < 6;
}

/** The leftmost of the most common edges: in a note of two lines, the first can be indented. */
function usualLeft(group: readonly Line[]): number {
  const counts = new Map<number, number>();
  for (const { left } of group) counts.set(Math.round(left), (counts.get(Math.round(left)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return Math.min(...[...counts].flatMap(([left, count]) => (count === most ? [left] : [])));
}

const bullet = /^\s*[•▪‣◦●■○∙\uf0a7\uf0b7\uf0d8\uf0fc]\s*|^\s*[–—*·-]\s+(?=\S)/;
const numbered = /^\s*\(?(\d{1,3})[.)]\s+(?=\S)/;

function markOf({ text }: Line): { readonly number: number | undefined; readonly length: number } | undefined {
  const found = bullet.exec(text);
  if (found) return { number: undefined, length: found[0].length };
  const [whole, digits] = numbered.exec(text) ?? [];
  return whole === undefined ? undefined : { number: Number(digits), length: whole.length };
}

function textBlock(lines: readonly Line[], right: number): Block {
  const [first] = lines;
  const mark = first && markOf(first);
  const spans = joinedSpans(lines, right);
  if (!first || !mark) return { kind: 'paragraph', spans, lines, right };
  return { kind: 'item', number: mark.number, left: first.left, spans: withoutStart(spans, mark.length), lines, right };
}

function withoutStart(spans: readonly Span[], length: number): Span[] {
  let left = length;
  return spans.flatMap((span) => {
    const text = span.text.slice(left);
    left = Math.max(0, left - span.text.length);
    return text === '' ? [] : [{ ...span, text }];
  });
}

const columnsMax = 200;

/** Keeps indentation. */
function codeOf(lines: readonly Line[]): string {
  const left = lines.reduce((least, line) => Math.min(least, line.left), Infinity);
  const longest = lines.reduce((most, line) => (line.text.length > most.text.length ? line : most));
  const width = (longest.right - longest.left) / (longest.text.length || 1) || 1;
  return lines
    .map(
      (line) =>
        ' '.repeat(Math.min(Math.max(Math.round((line.left - left) / width), 0), columnsMax)) + line.text.trimEnd(),
    )
    .join('\n');
}

/** Joins code blocks that an empty line separated. */
function joinedCode(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.kind === 'code' && last?.kind === 'code') last.text += `\n\n${block.text}`;
    else joined.push(block);
  }
  return joined;
}
