/** Recognizes headings of what follows the content of a page: other articles, comments, the author, ways to share. */
import type { Element } from 'domhandler';
import { nodeText } from '../html/node-text.ts';
import type { PageKind } from '../measure/page-kind.ts';
import { type Folded, fold } from '../phrases/fold.ts';
import { readingLength } from '../text/reading-length.ts';
import { phrases } from '../phrases/phrases.ts';

export function isEndHeading(text: string): boolean {
  if (text.length >= lengthMax || readingLength(text) >= lengthMax * 2) return false;
  const start = text.search(word);
  if (start === -1) return false;
  if (!(endPhrases.mayStart(text, start) || /\d/.test(text))) return false;
  const line = fold(text.slice(start));
  const bare = line.replace(ends, '') as Folded;
  if (endPhrases.isLine(line) || (bare !== line && endPhrases.isLine(bare))) return true;
  return /\d/.test(bare) && endPhrases.isLine(bare.replace(counts, '').trim() as Folded);
}

/**
 * The end headings of one page. Remembers each heading, since every box that opens with it asks. An object and not a
 * function that captures the page: V8 keeps the last function of a call site, and with it the tree of a page, which
 * doubled the time of a page.
 */
export class EndHeadings {
  readonly #known = new Map<Element, boolean>();

  /** Characters in lines of prose that the walk through the page has passed. */
  proseBefore: number;

  /** Of the end heading after which the walk is. */
  #rank: string | undefined;

  constructor(kind: PageKind) {
    // What a shop says of its product can be no prose.
    this.proseBefore = kind === 'product' ? Infinity : 0;
  }

  /** The walk is after an end heading, and before the next heading of its rank. */
  get isPassed(): boolean {
    return this.#rank !== undefined;
  }

  pass(heading: Element): void {
    if (this.has(heading)) this.#rank ??= heading.name;
    else if (this.#rank !== undefined && heading.name <= this.#rank) this.#rank = undefined;
  }

  has(heading: Element): boolean {
    let is = this.#known.get(heading);
    if (is === undefined) {
      is = isEndHeading(nodeText(heading.children));
      this.#known.set(heading, is);
    }
    return is;
  }
}

const lengthMax = 60;
/** Emojis, arrows and brackets can stand before the words. */
const word = /[^\p{S}\ufe0f\u200d\s【「『《〈［[]/u;
const ends = /[\s:.!?…。】」』》〉»›>→\]]{1,4}$/;
/** "3 comments", "Comments (3)". */
const counts = /^\d[\d.,]{0,9}|\s?[([]?\d[\d.,]{0,9}[)\]]?$/g;

const endPhrases = phrases('end');
