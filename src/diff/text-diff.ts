import type { z } from 'zod';
import type { Builder } from '../core/resource.ts';

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

export const lineKinds = ['same', 'removed', 'added'] as const;
export type LineKind = (typeof lineKinds)[number];

/** Lines that differ, with up to three equal ones before and after them. */
export const hunk = (z: Builder) => {
  const lineNumber = z.int().describe('From 1.');
  const part = z.object({
    text: z.string(),
    changed: z.boolean().describe('It differs from the other text.'),
  });
  return z.object({
    oldStart: lineNumber,
    oldLines: z.int(),
    newStart: lineNumber,
    newLines: z.int(),
    lines: z
      .array(
        z.object({
          kind: z.enum(lineKinds),
          parts: z.array(part).describe('Joined they are the line. Of one without a counterpart, all has changed.'),
        }),
      )
      .describe('As in a unified diff: with up to three equal lines before and after those that differ.'),
  });
};
export type Hunk = Readonly<z.output<ReturnType<typeof hunk>>>;
export type DiffLine = Readonly<Hunk['lines'][number]>;
export type DiffPart = Readonly<DiffLine['parts'][number]>;

/** Bytes of each text that are compared. */
export const diffBytesMax = 1_000_000;
/** For the comparison of lines and words. */
export const diffMs = 2_000;
/** Lines of a difference. */
export const diffLinesMax = 50_000;
