/** Counts what the rules leave out of a page, without reading its text again. */

/** Names what stands outside the element that was chosen as the content. */
export const outsideRule = 'outside-content';
/** Names what stands in no post of a thread. */
export const postsRule = 'outside-posts';

export class DroppedLengths {
  readonly #lengths = new Map<string, number>();

  /** `length` is in visible characters, as {@link Box.ownLength}. */
  add(rule: string, length: number): void {
    if (length > 0) this.#lengths.set(rule, (this.#lengths.get(rule) ?? 0) + length);
  }

  /**
   * Returns the words by rule, estimated as {@link charactersPerWord} characters each: to count the words would cost 4 %
   * of the conversion. Contacts and notes outside the chosen element count too, although they are kept.
   */
  words(): Readonly<Record<string, number>> {
    const words: Record<string, number> = {};
    for (const [rule, length] of this.#lengths) words[rule] = Math.ceil(length / charactersPerWord);
    return words;
  }
}

const charactersPerWord = 6;
