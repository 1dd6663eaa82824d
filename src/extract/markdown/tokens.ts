/** What one paragraph consists of, before it is written. */

export type MarkKind = 'strong' | 'em' | 'del' | 'link';

/** A formatting that stays open while the tree below its element is walked, across paragraphs if need be. */
export interface Mark {
  readonly kind: MarkKind;
  readonly element: string;
  /** How many marks of its kind it stands in. */
  readonly level: number;
  readonly href: string;
  readonly title: string;
  /** Inside another of its kind: it says nothing new. */
  readonly redundant: boolean;
  /** For a link around whole blocks, such as a card: links the heading only, or else the first paragraph only. */
  readonly onlyHeading: boolean;
  spent: boolean;
}

/** A mark within one paragraph: its opening and closing token share it. */
export interface Span {
  readonly mark: Mark;
  /** Markdown cannot say it here (`flanking.ts`), so neither marker is written. */
  isDropped: boolean;
  delimiter: string;
}

/**
 * `text` is raw, with collapsed white space. `raw` is finished Markdown. For `open` and `close`, `text` is what was
 * moved out of the mark: it stands before the opening marker, and behind the closing one.
 */
export interface Token {
  readonly kind: 'text' | 'code' | 'raw' | 'break' | 'open' | 'close';
  text: string;
  readonly span: Span | undefined;
}
