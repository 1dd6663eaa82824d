/** Tags and text to a tree: what is open, what a tag ends, and how deep the tree may grow. */
import type { ChildNode, Document, Text } from 'domhandler';
import { type Attributes, newAttributes, noAttributes } from './attributes.ts';
import type { Barrier } from './element-rules.ts';
import { newDocument, newElement, newText } from './nodes.ts';
import { type ElementKind, ElementKinds, OpenElement } from './open-element.ts';

/** Whether an element in code does nothing but colour it. */
export type ColourTest = (name: string, attributes: Attributes) => boolean;

export interface TreeOptions {
  readonly nodesMax: number;
  readonly depthMax: number;
  /** Elements in code that the tree is not to have: what they hold becomes part of what they stand in. They are no nodes. */
  readonly isColour: ColourTest;
  /** Whether white space between the rows and cells of tables is part of the tree. */
  readonly keepsTableSpace: boolean;
}

/**
 * Follows the HTML standard (13.2.6) where that is cheap. Not done: elements that the page leaves out are not made (`html`,
 * `tbody`), nothing is moved out of tables, and formatting that ends amid a block is not opened again, since that is what makes
 * trees that are larger than their source. Where tags are not closed in order, an inline element ends alone, and a block with
 * all that it holds.
 *
 * An element that would be nested deeper than `depthMax` becomes a sibling at that depth, as in browsers: what it stands in is
 * closed in the tree and counted as flattened, so that its end tag closes nothing else.
 */
export class TreeBuilder {
  readonly #document = newDocument();
  readonly #nodesMax: number;
  readonly #depthMax: number;
  readonly #isColour: ColourTest;
  readonly #keepsTableSpace: boolean;
  readonly #kinds = new ElementKinds();
  #current: OpenElement;
  /** Closed, to be used again. */
  readonly #closed: OpenElement[] = [];
  #nodes = 0;
  /** The text that more text is added to. */
  #text: Text | undefined;
  /** Those that count elements as flattened, all of them open in `#flattenedIn`. */
  #flattened: ElementKind[] = [];
  #flattenedIn: OpenElement | undefined;

  constructor({ nodesMax, depthMax, isColour, keepsTableSpace }: TreeOptions) {
    this.#nodesMax = nodesMax;
    this.#depthMax = depthMax;
    this.#isColour = isColour;
    this.#keepsTableSpace = keepsTableSpace;
    this.#current = new OpenElement(this.#document, this.kindOf(''));
  }

  /** Has one node more than it should: the rest of the page is left out. */
  get isFull(): boolean {
    return this.#nodes > this.#nodesMax;
  }

  /** The whole page; nothing may be added to it any more. */
  end(): Document {
    while (this.#current.below !== undefined) this.#pop();
    this.#current.close();
    return this.#document;
  }

  /** Whether what comes is inside of a drawing or a formula. */
  get isForeign(): boolean {
    return this.#current.isForeign;
  }

  /** Of a name in lower case. */
  kindOf(name: string): ElementKind {
    return this.#kinds.of(name);
  }

  text(data: string): void {
    const { isHead, isTablePart } = this.#current.kind.rules;
    if (isHead && data.trim() !== '') this.#pop();
    else if (isTablePart && !this.#keepsTableSpace && data.trim() === '') return;
    if (this.#text !== undefined) {
      this.#text.data += data;
      return;
    }
    const text = newText(data);
    this.#append(text);
    this.#text = text;
  }

  /** There is no node for it, but it parts the text around it. */
  comment(): void {
    this.#text = undefined;
  }

  /** Whether the content of the element is markup. `holdsText`: it begins with text, or is empty. */
  open(kind: ElementKind, attributes: Attributes, isSelfClosing: boolean, holdsText: boolean): boolean {
    const { rules } = kind;
    if (this.#current.isForeign && rules.endsForeign) while (this.#current.isForeign) this.#pop();
    const isForeign = this.#current.isForeign || rules.isForeign;
    if (!isForeign) {
      if (rules.isOnly && this.#isOpen(kind)) {
        this.#addAttributes(kind, attributes);
        return true;
      }
      this.#endImplied(kind);
    }
    if (this.#current.depth >= this.#depthMax) this.#flatten();
    if (this.#current.isCode && holdsText && this.#isColour(kind.name, attributes) && !this.#isAtStart()) {
      this.#pushColour(kind);
      return true;
    }
    const element = newElement(kind.name === 'image' && !isForeign ? 'img' : kind.name, attributes);
    this.#append(element);
    if (isForeign ? isSelfClosing : rules.isVoid) return true;
    this.#push(element, kind, isForeign && !rules.isForeignText);
    return isForeign || rules.content === 'markup';
  }

  close(kind: ElementKind): void {
    // Whatever comes after these is part of the body all the same.
    if (kind.name === 'body' || kind.name === 'html') return;
    if (this.#current.kind === kind && this.#current !== this.#flattenedIn) this.#pop();
    else this.#end(kind);
  }

  #isOpen({ family, flattened }: ElementKind): boolean {
    return family.innermost !== undefined || flattened > 0;
  }

  #append(node: ChildNode): void {
    this.#current.target.append(node);
    this.#text = undefined;
    this.#nodes++;
  }

  #push(element: OpenElement['element'], kind: ElementKind, isForeign: boolean): void {
    const open = this.#closed.pop() ?? new OpenElement(element, kind);
    open.open(element, kind, this.#current, isForeign);
    this.#current.above = open;
    this.#current = open;
    kind.family.innermost = open;
  }

  /** Its text becomes one with the text around it. */
  #pushColour(kind: ElementKind): void {
    const { target } = this.#current;
    this.#push(target.element, kind, false);
    this.#current.target = target;
  }

  /** A line end at the start of preformatted text is dropped, but not that of an element at its start. */
  #isAtStart(): boolean {
    const { target } = this.#current;
    return target.isEmpty && target.kind.name === 'pre';
  }

  #pop(): void {
    const { kind, below, outer, target } = this.#current;
    if (below === undefined) return;
    if (this.#current === this.#flattenedIn) this.#forgetFlattened();
    kind.family.innermost = outer;
    below.above = undefined;
    if (target === this.#current) this.#text = undefined;
    this.#close(this.#current);
    this.#current = below;
  }

  #close(open: OpenElement): void {
    open.close();
    this.#closed.push(open);
  }

  #popThrough(last: OpenElement): void {
    while (this.#current !== last) this.#pop();
    this.#pop();
  }

  /** What a start tag ends that has no end tag. */
  #endImplied({ rules }: ElementKind): void {
    while (this.#current !== this.#flattenedIn && rules.endsInnermost.has(this.#current.kind.name)) this.#pop();
    for (const name of rules.endsFamilies) {
      const { innermost } = this.#kinds.family(name);
      if (innermost === undefined || !this.#reaches(innermost, rules.endsFamiliesUpTo)) continue;
      this.#popThrough(innermost);
      break;
    }
    if (this.#current.kind.rules.isHead && !rules.isHeadContent) this.#pop();
  }

  #reaches(open: OpenElement, barrier: Barrier | undefined): boolean {
    return !this.#isBehindFlattened(open) && this.#current.reaches(open, barrier);
  }

  /** Whether flattened elements are open that stand in this one. */
  #isBehindFlattened(open: OpenElement): boolean {
    return this.#flattenedIn !== undefined && open.depth <= this.#flattenedIn.depth;
  }

  /** An end tag of what may not be the innermost element. */
  #end(kind: ElementKind): void {
    const { innermost } = kind.family;
    if (kind.flattened > 0 && (innermost === undefined || this.#isBehindFlattened(innermost))) {
      kind.flattened--;
      while (this.#current !== this.#flattenedIn) this.#pop();
      return;
    }
    // Any heading is ended by any.
    const isOpen = innermost !== undefined && (innermost.kind === kind || kind.rules.family === 'h1');
    if (!isOpen || !this.#current.reaches(innermost, kind.rules.endsUpTo)) this.#endNothing(kind);
    else if (kind.rules.endsAlone && !this.#current.reaches(innermost, 'special')) this.#remove(innermost);
    else this.#popThrough(innermost);
  }

  /** The standard makes elements of these end tags. */
  #endNothing(kind: ElementKind): void {
    if (kind.name !== 'p' && kind.name !== 'br') return;
    this.open(kind, noAttributes, false, false);
    if (kind.name === 'p') this.#pop();
  }

  /** Takes an element from below others, which stay open. */
  #remove(open: OpenElement): void {
    const { kind, above, below, outer } = open;
    if (above === undefined || below === undefined) return;
    if (open === this.#flattenedIn) this.#flattenedIn = below;
    above.below = below;
    below.above = above;
    for (let inner: OpenElement | undefined = above; inner?.target === open; inner = inner.above) {
      inner.target = below.target;
      this.#text = undefined;
    }
    kind.family.innermost = outer;
    this.#close(open);
  }

  #addAttributes({ name, family }: ElementKind, attributes: Attributes): void {
    const element = family.innermost?.element;
    if (name === 'form' || element === undefined || !('attribs' in element)) return;
    if (element.attribs === noAttributes) element.attribs = newAttributes();
    for (const [attribute, value] of Object.entries(attributes)) element.attribs[attribute] ??= value;
  }

  #flatten(): void {
    const { kind } = this.#current;
    this.#pop();
    kind.flattened++;
    this.#flattened.push(kind);
    this.#flattenedIn = this.#current;
  }

  #forgetFlattened(): void {
    for (const kind of this.#flattened) kind.flattened = 0;
    this.#flattened = [];
    this.#flattenedIn = undefined;
  }
}
