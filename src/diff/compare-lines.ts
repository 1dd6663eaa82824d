// Which lines differ between two texts. The library is bounded in time and in edits, whose square is the memory that it
// takes; beyond that, everything between the first and the last difference counts as changed.
import { structuredPatch, type StructuredPatchHunk } from 'diff';
import { diffBytesMax, diffLinesMax, diffMs } from './text-diff.ts';

/** Equal lines around those that differ. */
const context = 3;
/** Lines that are removed and added, at most, before the library gives up. */
const editsMax = 4_000;
/** Of the time for everything. The rest is for words. */
const linesShare = 0.6;

export interface LineDiff {
  readonly isTruncated: boolean;
  /** Each line begins with a space, `-` or `+`. */
  readonly hunks: readonly StructuredPatchHunk[];
}

/** Compares two texts. The last line of a text counts as ended. */
export function compareLines(before: string, after: string, timeMs: number = diffMs): LineDiff {
  const [old, isOldCut] = cut(before);
  const [now, isNowCut] = cut(after);
  const options = { context, timeout: timeMs * linesShare, maxEditLength: editsMax };
  const patch = structuredPatch('', '', old, now, undefined, undefined, options);
  const { hunks, isShort } = withinLines(patch?.hunks ?? [wholeHunk(linesOf(old), linesOf(now))]);
  return { hunks, isTruncated: isOldCut || isNowCut || !patch || isShort };
}

function cut(text: string): readonly [text: string, isCut: boolean] {
  const isLong = Buffer.byteLength(text) > diffBytesMax;
  const kept = isLong ? new TextDecoder().decode(Buffer.from(text).subarray(0, diffBytesMax), { stream: true }) : text;
  return [kept === '' || kept.endsWith('\n') ? kept : `${kept}\n`, isLong];
}

function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

/** One hunk from the first line that differs to the last one. */
function wholeHunk(old: readonly string[], now: readonly string[]): StructuredPatchHunk {
  const shorter = Math.min(old.length, now.length);
  let before = 0;
  while (before < shorter && old[before] === now[before]) before++;
  let after = 0;
  while (after < shorter - before && old.at(-1 - after) === now.at(-1 - after)) after++;
  const start = Math.max(0, before - context);
  const end = Math.max(0, after - context);
  return {
    oldStart: start + 1,
    oldLines: old.length - start - end,
    newStart: start + 1,
    newLines: now.length - start - end,
    lines: [
      ...old.slice(start, before).map((line) => ` ${line}`),
      ...old.slice(before, old.length - after).map((line) => `-${line}`),
      ...now.slice(before, now.length - after).map((line) => `+${line}`),
      ...old.slice(old.length - after, old.length - end).map((line) => ` ${line}`),
    ],
  };
}

function withinLines(hunks: readonly StructuredPatchHunk[]): Pick<LineDiff, 'hunks'> & { readonly isShort: boolean } {
  const kept: StructuredPatchHunk[] = [];
  let room = diffLinesMax;
  for (const hunk of hunks) {
    if (hunk.lines.length > room) {
      if (room > 0) kept.push(shortened(hunk, room));
      return { hunks: kept, isShort: true };
    }
    room -= hunk.lines.length;
    kept.push(hunk);
  }
  return { hunks: kept, isShort: false };
}

/** Half of the room is for removed lines: they come first, and would leave none for those that were added. */
function shortened(hunk: StructuredPatchHunk, room: number): StructuredPatchHunk {
  const left = { '-': room / 2, '+': room / 2 };
  const lines = hunk.lines.filter((line) => {
    const sign = line[0];
    if (sign === '-' || sign === '+') return left[sign]-- > 0;
    return false;
  });
  const [removed, added] = (['-', '+'] as const).map((sign) => lines.filter((line) => line.startsWith(sign)).length);
  const leading = hunk.lines.findIndex((line) => !line.startsWith(' '));
  return {
    oldStart: hunk.oldStart + leading,
    oldLines: removed ?? 0,
    newStart: hunk.newStart + leading,
    newLines: added ?? 0,
    lines,
  };
}
