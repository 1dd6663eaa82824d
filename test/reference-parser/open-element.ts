/** Tracks open elements during parsing and how far their end tags reach. No query needs a search. */
import type { ChildNode, Document, Element } from 'domhandler';
import { type Barrier, type ElementRules, rulesOf } from '../../src/extract/html/element-rules.ts';

/** Elements that share {@link ElementRules.family}. */
interface ElementFamily {
  innermost: OpenElement | undefined;
}

/** All elements of a page with one name. */
export interface ElementKind {
  readonly name: string;
  readonly rules: ElementRules;
  readonly family: ElementFamily;
  /** Number of elements that are open in the source but not in the tree, because they are too deep. */
  flattened: number;
}

/** Kinds and families of one page, by name. */
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

/** An open element on the stack. Reused after closing: a page opens thousands of elements, but only tens at a time. */
export class OpenElement {
  element: Element | Document;
  kind: ElementKind;
  /** Undefined for the document. */
  below: OpenElement | undefined;
  /** Undefined for the innermost. */
  above: OpenElement | undefined = undefined;
  /** The next outer element of its family. */
  outer: OpenElement | undefined;
  /** Nesting depth in the tree. Exceeds the number of elements below if some of those ended alone. */
  depth = 0;
  /** The content belongs to a drawing or a formula. */
  isForeign = false;
  /** True for code and everything inside it. */
  isCode = false;
  /** Receives the children: the element itself, unless it is not in the tree. */
  target: OpenElement = this;
  // For each barrier, the depth of the nearest such element: this one or one around it.
  scope = 0;
  list = 0;
  button = 0;
  table = 0;
  special = 0;
  items = 0;
  /** The children so far, followed by leftovers of an earlier element. */
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

  /** Adds a node in front of the last child. */
  insertBeforeLast(node: ChildNode): void {
    const last = this.#children[this.#count - 1];
    if (last === undefined) return this.append(node);
    node.prev = last.prev;
    if (last.prev !== null) last.prev.next = node;
    node.next = last;
    last.prev = node;
    node.parent = this.element;
    this.#children[this.#count - 1] = node;
    this.#children[this.#count++] = last;
  }

  /** Gives the element its children, in an array of exact size. */
  close(): void {
    if (this.#count > 0) this.element.children = this.#children.slice(0, this.#count);
    this.#count = 0;
  }

  /** Returns true if no such barrier stands between this element and `outer`. */
  reaches(outer: OpenElement, barrier: Barrier | undefined): boolean {
    return barrier === undefined || this[barrier] <= outer.depth;
  }
}
