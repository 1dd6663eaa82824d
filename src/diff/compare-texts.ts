import { FILE_HEADERS_ONLY, formatPatch } from 'diff';
import { WordMarks } from './changed-words.ts';
import { compareLines } from './compare-lines.ts';
import { diffMs, type TextDiff } from './text-diff.ts';

/** Of the time for everything. */
const wordsUntil = 0.9;

/** Compares two texts, and marks changed words. `timeMs` bounds it, but for a last step of some milliseconds. */
export function compareTexts(before: string, after: string, timeMs: number = diffMs): TextDiff {
  const marks = new WordMarks(performance.now() + timeMs * wordsUntil);
  const { isTruncated, hunks } = compareLines(before, after, timeMs);
  return { isTruncated, hunks: hunks.map((hunk) => Object.assign({}, hunk, { lines: marks.mark(hunk.lines) })) };
}

/** Heading of a patch. */
export interface PatchNames {
  readonly url: string;
  /** When the page was found changed, in milliseconds since the epoch. */
  readonly at: number;
}

/** The difference as a unified diff. If it was truncated, a comment before it says so. */
export function patchOf(before: string, after: string, { url, at }: PatchNames, timeMs: number = diffMs) {
  const { isTruncated, hunks } = compareLines(before, after, timeMs);
  const newHeader = new Date(at).toISOString();
  const files = { oldFileName: url, newFileName: url, oldHeader: undefined, newHeader };
  const patch = formatPatch({ ...files, hunks: [...hunks] }, FILE_HEADERS_ONLY);
  return { isTruncated, text: `${isTruncated ? truncatedComment : ''}${patch}` };
}

const truncatedComment = '# truncated: true: the texts are too large, or differ too much, to be compared in full\n';
