/** A text of a page that is in no result. */
export interface DroppedText {
  /** The name of the rule that left it out. */
  readonly rule: string;
  /** Its beginning: at most 500 characters, white space as single spaces. */
  readonly text: string;
  /** The text is longer. */
  readonly cut?: true;
  /** Words of all of it. */
  readonly words: number;
}
