// Which words of changed lines differ. Changed lines that follow each other are compared as one text: nothing says which old line
// became which new one.
import { diffArrays } from 'diff';
import type { DiffLine, DiffPart, LineKind } from './text-diff.ts';

/** Parts of all lines. A text whose words all change has many small ones, each with its own names in JSON. */
const partsMax = 20_000;
/** Words that are removed and added, at most, before the lines count as changed in full. */
const editsMax = 2_000;
/** Share of a text that must be equal. With less, marks are noise: nothing is left of the lines but small words. */
const equalShareMin = 0.2;
/** Words, or single signs of scripts that put no space between words. */
const tokens =
  /\n|[^\S\n]+|[[\p{L}\p{M}\p{N}_]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+|[^]/gv;
const kinds: Readonly<Record<string, LineKind>> = { '-': 'removed', '+': 'added' };

/** Marks the words of many hunks, one after the other, until a moment (`performance.now()`). Later lines have no marks. */
export class WordMarks {
  readonly #until: number;
  #parts = partsMax;

  constructor(until: number) {
    this.#until = until;
  }

  /** `lines`: as in a patch. */
  mark(lines: readonly string[]): DiffLine[] {
    const marked: DiffLine[] = [];
    for (let at = 0; at < lines.length;) {
      const isSame = lines[at]?.startsWith(' ') === true;
      let end = at + 1;
      while (end < lines.length && lines[end]?.startsWith(' ') === isSame) end++;
      const block = lines.slice(at, end);
      for (const line of isSame ? block.map(wholeLine) : this.#markBlock(block)) marked.push(line);
      at = end;
    }
    return marked;
  }

  #markBlock(block: readonly string[]): DiffLine[] {
    const [old, now] = ['-', '+'].map((sign) =>
      block.filter((line) => line.startsWith(sign)).map((line) => line.slice(1)),
    );
    const left = this.#until - performance.now();
    const words = old?.length && now?.length && left > 0 && this.#parts > 0 ? compareWords(old, now, left) : undefined;
    if (!words) return block.map(wholeLine);
    const removed = words.old.values();
    const added = words.now.values();
    const marked = block.map((line): DiffLine => {
      const parts = (line.startsWith('-') ? removed : added).next().value ?? [];
      return { kind: kindOf(line), parts };
    });
    this.#parts -= marked.reduce((sum, { parts }) => sum + parts.length, 0);
    return marked;
  }
}

function kindOf(line: string): LineKind {
  return kinds[line[0] ?? ''] ?? 'same';
}

function wholeLine(line: string): DiffLine {
  const kind = kindOf(line);
  return { kind, parts: line.length === 1 ? [] : [{ text: line.slice(1), changed: kind !== 'same' }] };
}

interface Words {
  readonly old: readonly DiffPart[][];
  readonly now: readonly DiffPart[][];
}

/** The parts of each line. Undefined if the texts have too little in common. */
function compareWords(old: readonly string[], now: readonly string[], timeMs: number): Words | undefined {
  const before = old.join('\n');
  const after = now.join('\n');
  const changes = diffArrays(tokensOf(before), tokensOf(after), { timeout: timeMs, maxEditLength: editsMax });
  if (!changes) return undefined;
  const equal = changes.reduce(
    (sum, { added, removed, value }) => sum + (added || removed ? 0 : inked(value.join(''))),
    0,
  );
  if (equal < equalShareMin * Math.max(inked(before), inked(after))) return undefined;
  const parts = changes.map(({ added, removed, value }, index) => {
    const text = value.join('');
    const isBetween = index > 0 && index < changes.length - 1 && text.trim() === '' && !text.includes('\n');
    // A space between two changed words has changed with them.
    return { added, removed, part: { text, changed: added || removed || isBetween } };
  });
  return {
    old: linesOf(parts.flatMap(({ added, part }) => (added ? [] : [part]))),
    now: linesOf(parts.flatMap(({ removed, part }) => (removed ? [] : [part]))),
  };
}

function tokensOf(text: string): string[] {
  return text.match(tokens) ?? [];
}

/** Characters that are not white space. */
function inked(text: string): number {
  return text.length - (text.match(/\s/gu)?.length ?? 0);
}

function linesOf(parts: readonly DiffPart[]): DiffPart[][] {
  const lines: DiffPart[][] = [[]];
  for (const { text, changed } of parts) {
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      const line = lines.at(-1);
      const last = line?.at(-1);
      if (piece === '' || !line) continue;
      if (last?.changed === changed) line[line.length - 1] = { text: last.text + piece, changed };
      else line.push({ text: piece, changed });
    }
  }
  return lines;
}
