/**
 * Nodes with the interface of domhandler and css-select, without properties that nothing here reads: source positions,
 * namespaces, aliases. Such a tree takes two thirds of the memory, and the garbage collector copies it while a large
 * page is converted. Attributes and texts are ranges of the page until they are read.
 */
import type { ChildNode, Document, Element, ParentNode, Text } from 'domhandler';
import { type Attributes, noAttributes } from './attributes.ts';
import type { PageBytes, TextReader } from './page-bytes.ts';

/** Shared by all elements without children. Not frozen: iterating over arrays of two kinds is slower. */
const noChildren: ChildNode[] = [];

class TextNode {
  readonly type = 'text';
  parent: ParentNode | null = null;
  prev: ChildNode | null = null;
  next: ChildNode | null = null;
  /** Undefined for a text that is not of a page. */
  readonly page: PageBytes | undefined;
  readonly start: number;
  readonly stop: number;
  /** Undefined until it is read. */
  own: string | undefined;

  constructor(page: PageBytes | undefined, start: number, stop: number, own: string | undefined) {
    this.page = page;
    this.start = start;
    this.stop = stop;
    this.own = own;
  }

  get data(): string {
    return (this.own ??= this.page?.text(this.start, this.stop) ?? '');
  }

  set data(text: string) {
    this.own = text;
  }
}

class ElementNode {
  readonly type: 'tag' | 'script' | 'style';
  readonly name: string;
  children: ChildNode[] = noChildren;
  parent: ParentNode | null = null;
  prev: ChildNode | null = null;
  next: ChildNode | null = null;
  readonly page: PageBytes | undefined;
  readonly first: number;
  readonly stop: number;
  own: Attributes | undefined;

  constructor(name: string, page: PageBytes | undefined, first: number, stop: number, own: Attributes | undefined) {
    this.type = name === 'script' || name === 'style' ? name : 'tag';
    this.name = name;
    this.page = page;
    this.first = first;
    this.stop = stop;
    this.own = own;
  }

  get attribs(): Attributes {
    return (this.own ??= this.page?.attributesOf(this.first, this.stop) ?? noAttributes);
  }

  set attribs(attributes: Attributes) {
    this.own = attributes;
  }
}

class DocumentNode {
  readonly type = 'root';
  children: ChildNode[] = noChildren;
  readonly parent = null;
  readonly prev = null;
  readonly next = null;
}

/** Gives an element another name in place: its parent and siblings keep their references. */
export function renameElement(element: Element, name: string): void {
  Object.assign(element, { name });
}

/* oxlint-disable typescript/no-unsafe-type-assertion -- what is missing is what nobody reads */
export function newText(data: string): Text {
  return new TextNode(undefined, 0, 0, data) as unknown as Text;
}

/** A text of the page; see {@link rangeStart}. */
export function textOf(page: PageBytes, start: number, stop: number): Text {
  return new TextNode(page, start, stop, undefined) as unknown as Text;
}

export function newElement(name: string, attribs: Attributes): Element {
  return new ElementNode(name, undefined, 0, 0, attribs) as unknown as Element;
}

/** An element with the last attributes of the page, from `first` on. */
export function elementOf(page: PageBytes, name: string, first: number): Element {
  const stop = page.attributeCount;
  return new ElementNode(name, page, first, stop, first === stop ? noAttributes : undefined) as unknown as Element;
}

export function newDocument(): Document {
  return new DocumentNode() as unknown as Document;
}

/** Value of one attribute. Makes no object of all of them, as {@link Element.attribs} does. */
export function attributeOf(
  element: Element,
  name: 'class' | 'id' | 'role' | 'itemtype' | 'property',
): string | undefined {
  const { page, first, stop, own } = element as unknown as ElementNode;
  if (own === noAttributes) return undefined;
  return own === undefined && page !== undefined ? page.attribute(first, stop, name) : element.attribs[name];
}

/** Adds a text, of which no string is made if the page has it as it is. */
export function addTextTo(reader: TextReader, text: Text): void {
  const { page, start, stop, own } = text as unknown as TextNode;
  if (own !== undefined || page?.addTextTo(reader, start, stop) !== true) reader.addString(text.data);
}
