/** Finds boxes that are alike: entries of a list, cards, rows, slides. What is true of most of them is true of all. */
import type { Box } from '../measure/measure-page.ts';

/** Undefined for a box without a class that is no entry of a list: nothing says that it is like the box next to it. */
export function keyOfLike({ element }: Box): string | undefined {
  if (element === undefined) return undefined;
  const names = element.attribs['class'];
  return names === undefined && !listElements.has(element.name) ? undefined : `${element.name} ${names ?? ''}`;
}

/** Fewer like boxes are no list whose majority could decide. */
export const likeMin = 3;

const listElements: ReadonlySet<string> = new Set(['li', 'tr', 'ul', 'ol']);

/**
 * The like boxes of one page. Reads the children of a box once and answers once for each list, since every entry of a
 * list can ask, and a page can be one list.
 */
export class LikeBoxes {
  readonly #known = new Map<Box, Map<string, readonly Box[]>>();
  readonly #answers = new Map<readonly Box[], Map<string, boolean>>();

  /** Returns the children of `outer` with the element name and the class of this child, itself included. */
  of(box: Box, outer: Box): readonly Box[] {
    const key = keyOfLike(box);
    if (key === undefined) return [box];
    let lists = this.#known.get(outer);
    if (lists === undefined) {
      lists = Map.groupBy(outer.boxes, (one) => keyOfLike(one) ?? '');
      this.#known.set(outer, lists);
    }
    return lists.get(key) ?? [box];
  }

  /** Returns what `answer` says of the list. `question` is its name. */
  ask(list: readonly Box[], question: string, answer: () => boolean): boolean {
    let answers = this.#answers.get(list);
    if (answers === undefined) {
      answers = new Map();
      this.#answers.set(list, answers);
    }
    let known = answers.get(question);
    if (known === undefined) {
      known = answer();
      answers.set(question, known);
    }
    return known;
  }
}
