/** The difference between two texts, line by line. */
export interface TextDiff {
  /**
   * The texts were not compared in full: only the first {@link diffBytesMax} bytes of each were, or they differ in so much that all
   * lines between the first and the last difference count as changed, or lines after the first {@link diffLinesMax} are left out.
   */
  readonly isTruncated: boolean;
  /** In the order of the texts. Empty if they are equal. */
  readonly hunks: readonly Hunk[];
}

/** Lines that differ, with up to three equal ones before and after them. Numbers of lines begin at 1. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  readonly kind: LineKind;
  /** Joined they are the line, without its end. */
  readonly parts: readonly DiffPart[];
}

export const lineKinds = ['same', 'removed', 'added'] as const;
export type LineKind = (typeof lineKinds)[number];

export interface DiffPart {
  readonly text: string;
  /** Differs from the other text. Of a line that has no counterpart, all does. */
  readonly changed: boolean;
}

/** Bytes of each text that are compared. */
export const diffBytesMax = 1_000_000;
/** For the comparison of lines and words. */
export const diffMs = 2_000;
/** Lines of a difference. */
export const diffLinesMax = 50_000;
