/** Removes pieces from one line of Markdown. */
import { separator } from './joint.ts';
import type { LeafKind } from './leaves.ts';

export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  /** True if the edit removes a bracket of a link or the whole link. */
  readonly isLink: boolean;
}

/** Marks at the start of a word. */
const opening = /(?:^|\s)[*_~]+$/;

/** A longer run of one mark is not a delimiter. */
const glanceMax = 40;

/** Returns the text between `from` and `to` with the edits applied. The rest keeps its meaning as Markdown. */
export function editedLine(text: string, from: number, to: number, edits: readonly Edit[], kind: LeafKind): string {
  if (edits.length === 0) return text.slice(from, to);
  const parts: string[] = [];
  let before = '';
  let gap: { readonly wasAfter: string; wasBefore: string; links: number } | undefined;
  let isStartCut = false;
  const add = (given: string): void => {
    if (given === '') return;
    let piece = given;
    if (gap !== undefined) {
      const after = piece.slice(0, glanceMax);
      // Collapse the spaces on both sides of the removed piece to one. Marks before a space cannot open: drop a space
      // after marks that did open.
      const isSpaced = before === '' || before.endsWith(' ') || (gap.wasAfter === '[' && opening.test(before));
      if (isSpaced && after.startsWith(' ')) piece = piece.replace(/^ +/, '');
      else {
        const marks = marksAround(before, after);
        if (marks > 0 && parts.length > 0) {
          parts.push((parts.pop() ?? '').slice(0, -marks));
          before = before.slice(0, -marks);
          piece = piece.slice(marks);
        } else {
          const between = separator({ before, after, ...gap, areLinks: gap.links > 1 });
          // An asterisk and a space at the start of a line begin a list.
          if (before !== '*' || between !== ' ') piece = between + piece;
        }
      }
      if (before === '') isStartCut = true;
      gap = undefined;
      if (piece === '') return;
    }
    parts.push(piece);
    before = piece.length >= glanceMax ? piece.slice(-glanceMax) : (before + piece).slice(-glanceMax);
  };
  let at = from;
  for (const edit of edits) {
    add(text.slice(at, edit.from));
    at = Math.min(edit.to, to);
    if (edit.insert === '') {
      gap ??= { wasAfter: text.charAt(edit.from), wasBefore: '', links: 0 };
      gap.wasBefore = text.charAt(at - 1);
      if (edit.isLink) gap.links++;
    } else add(edit.insert);
  }
  const isEndCut = at >= to;
  add(text.slice(at, to));
  let line = parts.join('');
  if (isEndCut && kind !== 'table') line = line.trimEnd();
  if (kind === 'heading') return isEndCut ? line.replace(/(^|\s)(#+)$/, String.raw`$1\$2`) : line;
  return isStartCut && kind === 'paragraph' ? withSafeStart(line) : line;
}

/** Length of the run of marks, if the same run stands on both sides of the removed piece. 0 otherwise. */
function marksAround(before: string, after: string): number {
  const mark = after.charAt(0);
  if ((mark !== '*' && mark !== '_' && mark !== '~') || !before.endsWith(mark)) return 0;
  let [left, right] = [0, 0];
  while (before.at(-1 - left) === mark) left++;
  while (after[right] === mark) right++;
  // An escaped mark is text.
  return left === right && before.at(-1 - left) !== '\\' ? left : 0;
}

/** Text taken out of a link can look like the start of a block. Escape it. */
function withSafeStart(line: string): string {
  const numbered = /^\d{1,9}(?=[.)](?:\s|$))/.exec(line)?.[0];
  if (numbered !== undefined) return `${numbered}\\${line.slice(numbered.length)}`;
  return blockStart.test(line) ? `\\${line}` : line;
}

const blockStart =
  /^(?:#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|~~~|```|=+\s*$|-[- ]*$|[*_][*_ ]*$|\[[^\]]{1,999}\]:|\[[ xX]\]\s|[|:](?=[^-]*-)[|: -]*$|<[A-Za-z/!?])/;
