/** The form of a rule that decides whether a box of a page is written. */
import type { NameGroup } from '../measure/boilerplate-names.ts';
import type { Box } from '../measure/measure-page.ts';
import type { PageKind } from '../measure/page-kind.ts';
import type { Asked } from './asked.ts';

/** What a box must have so that a rule can say anything about it. */
export type Need = 'role' | 'hiding' | 'heading' | 'links';

interface Rule {
  /** Kinds of pages on which it is asked. @default all */
  readonly kinds?: readonly PageKind[];
  readonly when: (asked: Asked) => boolean;
}

/** Leaves a box out. */
export interface Drop extends Rule {
  readonly name: string;
  /** Elements about which it is asked. @default all but headings, code and the parts of a table */
  readonly elements?: readonly string[] | 'every';
  /** Asked only if the box has it, so that most boxes are asked about few rules. @default nothing */
  readonly needs?: Need;
  /** Only about boxes with such a name. @default all */
  readonly group?: NameGroup;
  /** Only shields that name it hold it off. @default false */
  readonly isStrict?: boolean;
}

/** Keeps a box that drops would leave out. */
export interface Shield extends Rule {
  readonly name: string;
  /** The drops that it holds off, by name. */
  readonly from: readonly string[] | 'all';
  /** Elements about which it is asked. @default all */
  readonly elements?: readonly string[];
}

/** Notes that a rule leaves a box out. */
export type Skip = (box: Box, rule: string) => void;
