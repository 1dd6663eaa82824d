/** The parts of a paragraph before it is written. */

export type MarkKind = 'strong' | 'em' | 'del' | 'link';

/** Formatting that stays open while its element is walked, across paragraphs if necessary. */
export interface Mark {
  readonly kind: MarkKind;
  readonly element: string;
  /** Number of marks of its kind around it. */
  readonly level: number;
  readonly href: string;
  readonly title: string;
  /** Inside another mark of its kind, without further meaning. */
  readonly redundant: boolean;
  /** For a link around whole blocks, such as a card: links only the heading, or otherwise only the first paragraph. */
  readonly onlyHeading: boolean;
  spent: boolean;
}

/** A mark within one paragraph, shared by its opening and closing token. */
export interface Span {
  readonly mark: Mark;
  /** Markdown cannot express the mark here (`flanking.ts`), so neither marker is written. */
  isDropped: boolean;
  delimiter: string;
}

/**
 * `text` is unescaped, with collapsed white space. `raw` is finished Markdown. For `open` and `close`, `text` is
 * content moved out of the mark: before the opening marker or after the closing one.
 */
export interface Token {
  readonly kind: 'text' | 'code' | 'raw' | 'break' | 'open' | 'close';
  text: string;
  readonly span: Span | undefined;
}
