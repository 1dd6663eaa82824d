import type { ChildNode } from 'domhandler';

/** A place of the page, or a part of its text. */
export interface Place {
  readonly nodes: readonly ChildNode[];
  /** A part of their text, or an attribute. Absent if the value is all that the nodes show. */
  readonly text?: string;
  /** Written for programs: by what the page declares, or in an attribute. @default false */
  readonly isPlain?: boolean;
  /** There are others that say otherwise. @default false */
  readonly isChoice?: boolean;
}
