/** Builds a tree from tags and text: tracks open elements, applies end tags and limits the depth. */
import type { ChildNode, Document, Text } from 'domhandler';
import { newAttributes } from './attributes.ts';
import type { Barrier } from './element-rules.ts';
import { isHighlightSpan } from './highlight-spans.ts';
import { type NameId, textName } from './name-table.ts';
import { elementOf, newDocument, textOf } from './nodes.ts';
import { type ElementKind, ElementKinds, OpenElement } from './open-element.ts';
import type { PageBytes } from './page-bytes.ts';

export interface TreeOptions {
  readonly nodesMax: number;
  readonly depthMax: number;
  /**
   * Keep elements that only colour code, and white space between the rows and cells of tables. Otherwise the content of
   * such an element goes to the element around it.
   */
  readonly keepsAll: boolean;
  /** A start tag that ends in `/>` closes its element, whatever the element. */
  readonly isXml: boolean;
}

/** Other names of `<img>`: one that browsers read, and that of AMP pages. */
const imageNames: ReadonlySet<string> = new Set(['image', 'amp-img']);

/**
 * Follows the HTML standard (13.2.6) where that is cheap. It does not create elements that the page leaves out (`html`,
 * `tbody`) or reopen formatting that ends within a block: these make trees larger than their source. If tags are closed
 * out of order, an inline element ends alone, and a block ends with its content.
 *
 * An element nested deeper than `depthMax` becomes a sibling at that depth, as in browsers. Its parent is closed in the
 * tree and counted as flattened, so that the parent's end tag closes nothing else.
 */
export class TreeBuilder {
  readonly #document = newDocument();
  readonly #nodesMax: number;
  readonly #depthMax: number;
  readonly #keepsAll: boolean;
  readonly #isXml: boolean;
  readonly #page: PageBytes;
  readonly #kinds: ElementKinds;
  #current: OpenElement;
  /** Closed elements, kept for reuse. */
  readonly #closed: OpenElement[] = [];
  #nodes = 0;
  /** The text node that further text extends. */
  #text: Text | undefined;
  /** Kinds with flattened elements, all of them open in `#flattenedIn`. */
  #flattened: ElementKind[] = [];
  #flattenedIn: OpenElement | undefined;

  constructor(page: PageBytes, { nodesMax, depthMax, keepsAll, isXml }: TreeOptions) {
    this.#page = page;
    this.#kinds = new ElementKinds(page.names);
    this.#nodesMax = nodesMax;
    this.#depthMax = depthMax;
    this.#keepsAll = keepsAll;
    this.#isXml = isXml;
    this.#current = new OpenElement(this.#document, this.kindOf(textName));
  }

  /** True once the tree has one node too many: the rest of the page is left out. */
  get isFull(): boolean {
    return this.#nodes > this.#nodesMax;
  }

  /** Finishes and returns the tree. Nothing can be added afterwards. */
  end(): Document {
    while (this.#current.below !== undefined) this.#pop();
    this.#current.close();
    return this.#document;
  }

  /** That of the innermost open element. */
  get current(): ElementKind {
    return this.#current.kind;
  }

  /** True inside a drawing or a formula. */
  get isForeign(): boolean {
    return this.#current.isForeign;
  }

  kindOf(name: NameId): ElementKind {
    return this.#kinds.of(name);
  }

  /** Adds a range of the page. */
  text(start: number, stop: number): void {
    const { isHead, isTablePart } = this.#current.kind.rules;
    let table: OpenElement | undefined;
    if (isHead || isTablePart) {
      const isBlank = this.#page.isBlank(start, stop);
      if (isHead && !isBlank) this.#pop();
      else if (isTablePart) {
        if (!isBlank) table = this.#openTable();
        else if (!this.#keepsAll) return;
      }
    }
    // White space that stays between cells is not the beginning of a text that moves.
    if (table !== undefined && this.#text?.parent === this.#current.element) this.#text = undefined;
    if (this.#text !== undefined) {
      this.#text.data += this.#page.text(start, stop);
      return;
    }
    const text = textOf(this.#page, start, stop);
    this.#append(text, table);
    this.#text = text;
  }

  /** A comment gets no node, but separates the text around it. */
  comment(): void {
    this.#text = undefined;
  }

  /**
   * Returns true if the content of the element is markup. Its attributes are those of the page from `first` on.
   * `holdsText` means that it starts with text or is empty.
   */
  open(kind: ElementKind, first: number, isSelfClosing: boolean, holdsText: boolean): boolean {
    const { rules } = kind;
    if (this.#current.isForeign && rules.endsForeign) while (this.#current.isForeign) this.#pop();
    const isForeign = this.#current.isForeign || rules.isForeign;
    if (!isForeign) {
      if (rules.isOnly && this.#isOpen(kind)) {
        this.#addAttributes(kind, first);
        return true;
      }
      this.#endImplied(kind);
    }
    if (this.#current.depth >= this.#depthMax) this.#flatten();
    let isEmpty = isForeign ? isSelfClosing : rules.isVoid || (this.#isXml && isSelfClosing);
    let table: OpenElement | undefined;
    if (this.#current.kind.rules.isTablePart) {
      if (!rules.staysInTable) table = this.#openTable();
      // Between rows, a form is empty: its rows belong to the table.
      else if (kind.name === 'form') isEmpty = true;
    }
    if (
      table === undefined &&
      !isEmpty &&
      this.#current.isCode &&
      holdsText &&
      !this.#keepsAll &&
      kind.name === 'span' &&
      isHighlightSpan(this.#page, first) &&
      !this.#isAtStart()
    ) {
      this.#page.dropAttributes(first);
      this.#pushColour(kind);
      return true;
    }
    const element = elementOf(this.#page, imageNames.has(kind.name) && !isForeign ? 'img' : kind.name, first);
    this.#append(element, table);
    if (isEmpty) return true;
    this.#push(element, kind, isForeign && !rules.isForeignText && !this.#isHtmlAnnotation(kind, first));
    return isForeign || rules.content === 'markup';
  }

  close(kind: ElementKind): void {
    // Everything after these end tags still belongs to the body.
    if (kind.name === 'body' || kind.name === 'html') return;
    if (this.#current.kind === kind && this.#current !== this.#flattenedIn) this.#pop();
    else this.#end(kind);
  }

  #isOpen({ family, flattened }: ElementKind): boolean {
    return family.innermost !== undefined || flattened > 0;
  }

  /** With a table, adds the node in front of it. */
  #append(node: ChildNode, table?: OpenElement): void {
    if (table?.below === undefined) this.#current.target.append(node);
    else table.below.target.insertBeforeLast(node);
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

  /** The text of the element merges with the text around it. */
  #pushColour(kind: ElementKind): void {
    const { target } = this.#current;
    this.#push(target.element, kind, false);
    this.#current.target = target;
  }

  /** A line end at the start of preformatted text is dropped, so an element there must keep its node. */
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

  /** Closes elements that the start tag ends without an end tag. */
  #endImplied({ rules }: ElementKind): void {
    while (this.#current !== this.#flattenedIn && rules.endsInnermost.has(this.#current.kind.name)) this.#pop();
    for (const name of rules.endsFamilies) {
      const { innermost } = this.#kinds.family(name);
      if (innermost === undefined || !this.#reaches(innermost, rules.endsFamiliesUpTo)) continue;
      this.#popThrough(innermost);
      break;
    }
    if (this.#current.kind.rules.isHead && !rules.isHeadContent) this.#pop();
    else if (rules.standsIn !== undefined) this.#endStrays(rules.standsIn);
    else if (rules.name === 'table') this.#endTable();
  }

  /** Closes what is open between the parts of a table and does not belong there, such as columns before a row. */
  #endStrays(holders: ReadonlySet<string>): void {
    if (holders.has(this.#current.kind.name) || this.#openTable() === undefined) return;
    while (!holders.has(this.#current.kind.name)) this.#pop();
  }

  /** A table between the rows of a table ends it. */
  #endTable(): void {
    const table = this.#current.kind.rules.isTablePart ? this.#openTable() : undefined;
    if (table !== undefined) this.#popThrough(table);
  }

  /** The table whose parts are open here, if it is in the tree. */
  #openTable(): OpenElement | undefined {
    const { innermost } = this.#kinds.family('table');
    if (innermost === undefined || this.#current.isForeign) return undefined;
    return this.#reaches(innermost, 'table') ? innermost : undefined;
  }

  #reaches(open: OpenElement, barrier: Barrier | undefined): boolean {
    return !this.#isBehindFlattened(open) && this.#current.reaches(open, barrier);
  }

  /** Returns true if flattened elements inside `open` are still open. */
  #isBehindFlattened(open: OpenElement): boolean {
    return this.#flattenedIn !== undefined && open.depth <= this.#flattenedIn.depth;
  }

  /** Applies an end tag whose element is perhaps not the innermost. */
  #end(kind: ElementKind): void {
    const { innermost } = kind.family;
    if (kind.flattened > 0 && (innermost === undefined || this.#isBehindFlattened(innermost))) {
      kind.flattened--;
      while (this.#current !== this.#flattenedIn) this.#pop();
      return;
    }
    // Any heading's end tag ends any heading.
    const isOpen = innermost !== undefined && (innermost.kind === kind || kind.rules.family === 'h1');
    if (!isOpen || !this.#current.reaches(innermost, kind.rules.endsUpTo)) this.#endNothing(kind);
    else if (kind.rules.endsAlone && !this.#current.reaches(innermost, 'special')) this.#remove(innermost);
    else this.#popThrough(innermost);
  }

  /** The standard creates elements for these end tags. */
  #endNothing(kind: ElementKind): void {
    if (kind.name !== 'p' && kind.name !== 'br') return;
    this.open(kind, this.#page.attributeCount, false, false);
    if (kind.name === 'p') this.#pop();
  }

  /** Removes an element from the stack; the elements above it stay open. */
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

  #addAttributes({ name, family }: ElementKind, first: number): void {
    const element = family.innermost?.element;
    if (name === 'form' || element === undefined || !('attribs' in element)) return;
    const added = this.#page.attributesOf(first, this.#page.attributeCount);
    const before = element.attribs;
    element.attribs = Object.assign(newAttributes(), before, added, before);
    this.#page.dropAttributes(first);
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

  /** Returns true for a part of a formula that says that it contains HTML. */
  #isHtmlAnnotation({ name }: ElementKind, first: number): boolean {
    if (name !== 'annotation-xml') return false;
    return htmlType.test(this.#page.attribute(first, this.#page.attributeCount, 'encoding') ?? '');
  }
}

const htmlType = /^(?:text\/html|application\/xhtml\+xml)$/i;
