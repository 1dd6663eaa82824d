/** The elements that are open while a page is parsed, and how far their ends reach. No question about them takes a search. */
import type { ChildNode, Document, Element } from 'domhandler';
import { type Barrier, type ElementRules, rulesOf } from './element-rules.ts';

/** Elements that {@link ElementRules.family} puts together. */
interface ElementFamily {
  innermost: OpenElement | undefined;
}

/** All elements of a page with one name. */
export interface ElementKind {
  readonly name: string;
  readonly rules: ElementRules;
  readonly family: ElementFamily;
  /** How many are open in the source, but no longer in the tree, since they are too deep. */
  flattened: number;
}

/** What is open by name, for one page. */
export class ElementKinds {
  readonly #kinds = new Map<string, ElementKind>();
  readonly #families = new Map<string, ElementFamily>();

  of(name: string): ElementKind {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    const rules = rulesOf(name);
    const family = rules.name === '' ? { innermost: undefined } : this.family(rules.family);
    const kind = { name: rules.name || name, rules, family, flattened: 0 };
    this.#kinds.set(name, kind);
    return kind;
  }

  family(name: string): ElementFamily {
    let family = this.#families.get(name);
    if (family === undefined) {
      family = { innermost: undefined };
      this.#families.set(name, family);
    }
    return family;
  }
}

/**
 * An element that more may be added to, on top of those that it stands in. Used again for another element once it is closed:
 * a page opens thousands, and has tens of them open at a time.
 */
export class OpenElement {
  element: Element | Document;
  kind: ElementKind;
  /** Undefined of the document. */
  below: OpenElement | undefined;
  /** Undefined of the innermost. */
  above: OpenElement | undefined = undefined;
  /** The next outer of its family. */
  outer: OpenElement | undefined;
  /** How many elements deep it is nested in the tree, which is more than lie below it where some of those ended alone. */
  depth = 0;
  /** Whether its content is that of a drawing or a formula. */
  isForeign = false;
  /** Whether it is code, or stands in code. */
  isCode = false;
  /** Where what stands in it is put: itself, unless the tree does not have it. */
  target: OpenElement = this;
  // For each barrier the depth of the nearest: of this element itself, or of one that it stands in.
  scope = 0;
  list = 0;
  button = 0;
  table = 0;
  special = 0;
  items = 0;
  /** The children so far, and behind them what is left of those of an earlier element. */
  readonly #children: ChildNode[] = [];
  #count = 0;

  constructor(element: Element | Document, kind: ElementKind) {
    this.element = element;
    this.kind = kind;
  }

  open(element: OpenElement['element'], kind: ElementKind, below: OpenElement, isForeign: boolean): void {
    const { is } = kind.rules;
    const depth = below.depth + 1;
    this.element = element;
    this.kind = kind;
    this.below = below;
    this.outer = kind.family.innermost;
    this.depth = depth;
    this.isForeign = isForeign;
    this.isCode = !isForeign && (below.isCode || kind.rules.isCode);
    this.target = this;
    this.scope = is.scope ? depth : below.scope;
    this.list = is.list ? depth : below.list;
    this.button = is.button ? depth : below.button;
    this.table = is.table ? depth : below.table;
    this.special = is.special ? depth : below.special;
    this.items = is.items ? depth : below.items;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  append(node: ChildNode): void {
    const previous = this.#count === 0 ? undefined : this.#children[this.#count - 1];
    if (previous !== undefined) {
      previous.next = node;
      node.prev = previous;
    }
    node.parent = this.element;
    this.#children[this.#count++] = node;
  }

  /** Gives the element its children, in an array that is no larger than they are. */
  close(): void {
    if (this.#count > 0) this.element.children = this.#children.slice(0, this.#count);
    this.#count = 0;
  }

  /** Whether there is no such barrier between this and an element that it stands in. */
  reaches(outer: OpenElement, barrier: Barrier | undefined): boolean {
    return barrier === undefined || this[barrier] <= outer.depth;
  }
}
