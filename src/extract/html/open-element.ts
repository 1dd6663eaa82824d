/** The elements that are open while a page is parsed, and how far their ends reach. No question about them takes a search. */
import type { Document, Element } from 'domhandler';
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

/** An element that more may be added to, on top of those that it stands in. */
export class OpenElement {
  readonly element: Element | Document;
  readonly kind: ElementKind;
  /** Undefined of the document. */
  below: OpenElement | undefined;
  /** Undefined of the innermost. */
  above: OpenElement | undefined = undefined;
  /** The next outer of its family. */
  readonly outer: OpenElement | undefined;
  /** How many elements deep it is nested in the tree, which is more than lie below it where some of those ended alone. */
  readonly depth: number;
  /** Whether its content is that of a drawing or a formula. */
  readonly isForeign: boolean;
  // For each barrier the depth of the nearest: of this element itself, or of one that it stands in.
  readonly scope: number;
  readonly list: number;
  readonly button: number;
  readonly table: number;
  readonly special: number;
  readonly items: number;

  constructor(element: Element | Document, kind: ElementKind, below: OpenElement | undefined, isForeign: boolean) {
    const { is } = kind.rules;
    const depth = below === undefined ? 0 : below.depth + 1;
    this.element = element;
    this.kind = kind;
    this.below = below;
    this.outer = kind.family.innermost;
    this.depth = depth;
    this.isForeign = isForeign;
    this.scope = is.scope || below === undefined ? depth : below.scope;
    this.list = is.list || below === undefined ? depth : below.list;
    this.button = is.button || below === undefined ? depth : below.button;
    this.table = is.table || below === undefined ? depth : below.table;
    this.special = is.special || below === undefined ? depth : below.special;
    this.items = is.items || below === undefined ? depth : below.items;
  }

  /** Whether there is no such barrier between this and an element that it stands in. */
  reaches(outer: OpenElement, barrier: Barrier | undefined): boolean {
    return barrier === undefined || this[barrier] <= outer.depth;
  }
}
