/**
 * Splits Markdown for a retrieval index: by heading, about equal in size, without cutting a table, list item or code
 * block.
 */
import { linksIn } from './inline-links.ts';
import { type Leaf, leavesOf } from './leaves.ts';
import { shapeMarkdown } from './shape-markdown.ts';

export interface Chunk {
  /** Headings that apply to the whole chunk, outermost first. */
  readonly headings: readonly string[];
  /** UTF-16 offsets; `end` is exclusive. Each chunk starts where the previous one ends. */
  readonly start: number;
  readonly end: number;
}

/** A part of the text that belongs to one chunk as a whole. */
interface Piece {
  readonly start: number;
  readonly end: number;
  /** Heading level; 0 if the piece is not a heading. */
  readonly level: number;
  readonly path: readonly Heading[];
  /** Set for a paragraph: only a paragraph can be split into several pieces. */
  readonly paragraph: Leaf | undefined;
}

interface Heading {
  readonly level: number;
  readonly text: string;
}

const headingCharsMax = 200;

/**
 * Yields chunks that cover the whole text in order, blank lines included. A chunk exceeds `charsMax` only for a table,
 * list item, code block or quote that is larger, or for text without a place to cut. A section that fits is one chunk;
 * small adjacent sections share one.
 */
export function* chunksOf(text: string, charsMax: number): Generator<Chunk> {
  let current: Piece[] = [];
  for (const piece of piecesOf(text, charsMax)) {
    if (beginsAnew(current, piece, charsMax)) {
      yield chunkOf(current);
      current = [];
    }
    while (current.length > 0 && piece.end - (current[0]?.start ?? 0) > charsMax) {
      const at = cutBefore(current);
      if (at === 0) break;
      yield chunkOf(current.slice(0, at));
      current = current.slice(at);
    }
    current.push(piece);
  }
  if (current.length > 0) yield chunkOf(current);
}

/** Returns true if the piece starts another part of the text, or a section when the chunk is at least half full. */
function beginsAnew(current: readonly Piece[], { level, start }: Piece, charsMax: number): boolean {
  const [first] = current;
  if (first === undefined || level === 0 || current.every((piece) => piece.level > 0)) return false;
  const own = first.path.at(-1)?.level ?? Infinity;
  if (level < own || (level === own && first.level === 0)) return true;
  return start - first.start >= charsMax / 2;
}

/**
 * Returns where to end a full chunk: before its last section, otherwise at its end. A heading stays with its text. 0
 * means that the chunk has to grow.
 */
function cutBefore(current: readonly Piece[]): number {
  let end = current.length;
  while (end > 0 && (current[end - 1]?.level ?? 0) > 0) end--;
  if (end === 0) return 0;
  if (end < current.length) return end;
  for (let at = end - 1; at > 0; at--) {
    if ((current[at]?.level ?? 0) > 0 && current[at - 1]?.level === 0) return at;
  }
  return end;
}

function chunkOf(pieces: readonly Piece[]): Chunk {
  const texts = pieces.filter(({ level }) => level === 0);
  const [first, ...others] = texts.length > 0 ? texts : pieces.slice(-1);
  let path = first?.path ?? [];
  for (const other of others) {
    let same = 0;
    while (same < path.length && path[same] === other.path[same]) same++;
    path = path.slice(0, same);
  }
  return {
    headings: path.map(({ text }) => text),
    start: pieces[0]?.start ?? 0,
    end: pieces.at(-1)?.end ?? 0,
  };
}

/** Covers the whole text: blank lines belong to the piece before them. */
function* piecesOf(text: string, charsMax: number): Generator<Piece> {
  let path: readonly Heading[] = [];
  let open: Piece | undefined;
  let item: number | undefined;
  for (const leaf of leavesOf(text)) {
    const outer = leaf.items[0];
    if (open !== undefined && outer !== undefined && outer === item) continue;
    const start = open === undefined ? 0 : leaf.start;
    if (open !== undefined) yield* cut(text, { ...open, end: leaf.start }, charsMax);
    item = outer;
    const level = outer === undefined ? leaf.level : 0;
    if (level > 0)
      path = [...path.filter((heading) => heading.level < level), { level, text: headingText(text, leaf) }];
    const paragraph = outer === undefined && leaf.kind === 'paragraph' ? leaf : undefined;
    open = { start, end: leaf.end, level, path, paragraph };
  }
  if (open !== undefined) yield* cut(text, { ...open, end: text.length }, charsMax);
}

/** Cuts a long paragraph at sentence ends, otherwise between words, and never inside a link or image. */
function* cut(text: string, piece: Piece, charsMax: number): Generator<Piece> {
  const { paragraph, end } = piece;
  let { start } = piece;
  if (paragraph === undefined || end - start <= charsMax) return yield piece;
  const links = linksIn(text, paragraph, new Map());
  const spans = links.toSorted((a, b) => a.start - b.start);
  let [sentence, space, span, covered] = [0, 0, 0, 0];
  cutting.lastIndex = start;
  for (let match = cutting.exec(text); match !== null; match = cutting.exec(text)) {
    const at = match.index + match[0].length;
    if (at >= end) break;
    if (at - start > charsMax && (sentence > start || space > start)) {
      const to = sentence > start ? sentence : space;
      yield { ...piece, start, end: to };
      start = to;
    }
    while (span < spans.length && (spans[span]?.start ?? 0) < at) {
      covered = Math.max(covered, spans[span]?.end ?? 0);
      span++;
    }
    if (at < covered || blockStart.test(text.slice(at, at + 12))) continue;
    if (/[.!?…。！？\n]/.test(match[0])) sentence = at;
    else space = at;
  }
  const last = sentence > start ? sentence : space;
  if (end - start > charsMax && last > start) {
    yield { ...piece, start, end: last };
    start = last;
  }
  yield { ...piece, start, end };
}

/** The text can be cut after each match. */
const cutting = /[.!?…]["')\]]{0,3}[ \n]|[。！？]|[ \n]/g;
/** Text that would start a block at the beginning of a chunk. */
const blockStart = /^(?:[-+*>#|=~`]|\d{1,9}[.)])/;

function headingText(text: string, { lines }: Leaf): string {
  const written = text.slice(lines[0], lines[1]).slice(0, 10 * headingCharsMax);
  const plain = shapeMarkdown(written, { links: 'none', images: 'none' });
  return plain
    .replaceAll(/(?<!\\)(?:[*`]+|~~)|[ \t]+#*[ \t]*$/g, '')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim()
    .slice(0, headingCharsMax)
    .toWellFormed();
}
