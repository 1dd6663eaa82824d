/** A box that rules are asked about, and what more than one of them wants to know about it. */
import type { Element } from 'domhandler';
import { firstGroup, groupOfNames } from '../measure/boilerplate-names.ts';
import type { NameGroup } from '../measure/boilerplate-names.ts';
import type { Box } from '../measure/measure-page.ts';
import type { PageKind } from '../measure/page-kind.ts';
import { textBeginning } from '../html/node-text.ts';
import { attributeOf } from '../html/nodes.ts';
import { startOfWords } from '../phrases/fold.ts';
import { isInSentence } from '../text/in-sentence.ts';
import type { EndHeadings } from './end-headings.ts';
import { isFolded } from './hidden-elements.ts';

/** Where a box stands. */
export interface Place {
  readonly kind: PageKind;
  /** The `<article>` or `<main>` around it, the innermost. */
  readonly article: Box | undefined;
  /** In the form that puts a product into the cart. */
  readonly isInOrder: boolean;
  /** In a box named as comments that stays. */
  readonly isInComments: boolean;
  /** The heading, summary or term that the box is part of. */
  readonly heading: Box | undefined;
  readonly page: Box;
  /** Of the document, in lower case. */
  readonly title: string;
  readonly ends: EndHeadings;
  readonly paragraphs: Paragraphs;
  /** A script shows all that is hidden. */
  readonly showsHidden: boolean;
}

export class Asked {
  readonly box: Box;
  readonly element: Element;
  /** The box that holds it. */
  readonly outer: Box;
  readonly place: Place;
  #group: NameGroup | undefined | 'unread' = 'unread';
  #isInSentence: boolean | undefined;
  #opening: string | undefined;
  #firstLetters: string | undefined;
  #isFolded: boolean | undefined;

  constructor(box: Box, element: Element, outer: Box, place: Place) {
    this.box = box;
    this.element = element;
    this.outer = outer;
    this.place = place;
  }

  /** Of the text of the page. */
  get share(): number {
    return this.box.textLength / Math.max(1, this.place.page.textLength);
  }

  get isMostlyLinks(): boolean {
    return isMostlyLinks(this.box);
  }

  /** Of its class and id. */
  get group(): NameGroup | undefined {
    if (this.#group === 'unread') {
      const id = attributeOf(this.element, 'id');
      this.#group = firstGroup(this.box.named.group, id === undefined ? undefined : groupOfNames(id));
    }
    return this.#group;
  }

  /** The beginning of its text, from the first word on; empty if it begins with something else. */
  get opening(): string {
    this.#opening ??= fromFirstWord(textBeginning(this.element.children, openingMax).trimStart());
    return this.#opening;
  }

  /** The beginning of {@link opening}, at least three characters if there are: most boxes are asked no more. */
  get firstLetters(): string {
    if (this.#firstLetters === undefined) {
      const text = textBeginning(this.element.children, firstLettersMax).trimStart();
      this.#firstLetters = text.length < firstLettersMin ? this.opening : fromFirstWord(text);
    }
    return this.#firstLetters;
  }

  get isInSentence(): boolean {
    return (this.#isInSentence ??= isInSentence(this.element));
  }

  get isFolded(): boolean {
    return (this.#isFolded ??= isFolded(this.element, this.box));
  }

  get isInHeading(): boolean {
    return this.place.heading !== undefined;
  }

  isNamed(names: RegExp): boolean {
    return names.test(attributeOf(this.element, 'class') ?? '') || names.test(attributeOf(this.element, 'id') ?? '');
  }
}

function fromFirstWord(text: string): string {
  const start = startOfWords(text);
  return start === -1 ? '' : text.slice(start);
}

/** Characters, with white space of the source. */
const openingMax = 200;
const firstLettersMax = 24;
/** Signs that can stand before the first word, and three letters. */
const firstLettersMin = 9;

export function isMostlyLinks({ textLength, linkLength }: Box): boolean {
  return linkLength >= textLength * 0.5;
}

/** The paragraphs of a page outside of what is around its content. An object, as {@link EndHeadings} is. */
export class Paragraphs {
  readonly #page: Box;
  #count: number | undefined;

  constructor(page: Box) {
    this.#page = page;
  }

  /** True if there are some beside the box. If not, what the page lists is its content. */
  areBeside(box?: Box): boolean {
    this.#count ??= countParagraphs(this.#page);
    return this.#count - (box === undefined ? 0 : countParagraphs(box)) >= paragraphsMin;
  }
}

/** True if a list of links of this length can follow the content of the page: there is other text, or more of it. */
export function canFollow(length: number, place: Place): boolean {
  const { textLength, linkLength } = place.page;
  if (place.kind !== 'product' && place.paragraphs.areBeside()) return true;
  return textLength - linkLength >= textLengthMin && length < textLength * endShareMax;
}

const textLengthMin = 200;
/** A larger part of the page is no end of it. */
export const endShareMax = 0.4;

/** A long text can be several, with line breaks between them. */
function countParagraphs({ element, boxes, ownLength, ownLinkLength }: Box): number {
  const length = ownLength - ownLinkLength;
  const isParagraph = element?.name === 'p' && length >= paragraphLengthMin;
  const own = Math.max(Number(isParagraph), Math.floor(length / blockLengthMin));
  return boxes.reduce((sum, box) => sum + (isAround(box) ? 0 : countParagraphs(box)), own);
}

function isAround({ element, named }: Box): boolean {
  return named.group !== undefined || aroundContent.has(element?.name ?? '');
}

const aroundContent: ReadonlySet<string> = new Set(['nav', 'footer', 'header', 'aside', 'form', 'dialog']);
const paragraphsMin = 3;
const paragraphLengthMin = 50;
/** The same without a mark. */
const blockLengthMin = 150;
