/**
 * Nodes with the interface of domhandler and css-select, without properties that nothing here reads: source positions,
 * namespaces, aliases. Such a tree takes two thirds of the memory, and the garbage collector copies it while a large
 * page is converted. Attributes and texts are ranges of the page until they are read.
 */
import type { ChildNode, Document, Element, ParentNode, Text } from 'domhandler';
import { isTag } from 'domhandler';
import { type Attributes, noAttributes } from './attributes.ts';
import { collapsed } from './white-space.ts';
import { firstIds } from './name-table.ts';
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
  /** See {@link collapsedText}. Undefined until it is read. */
  collapsed: string | undefined;

  constructor(page: PageBytes | undefined, start: number, stop: number, own: string | undefined) {
    this.page = page;
    this.start = start;
    this.stop = stop;
    this.own = own;
    this.collapsed = undefined;
  }

  get data(): string {
    return (this.own ??= this.page?.text(this.start, this.stop) ?? '');
  }

  set data(text: string) {
    this.own = text;
    this.collapsed = undefined;
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
  /** See {@link knownAttributes}. */
  known: number;

  constructor(name: string, page: PageBytes | undefined, first: number, stop: number, own: Attributes | undefined) {
    this.known = own === undefined ? (page?.firstNamesOf(first, stop) ?? 0) : bitsOf(own);
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
    this.known = bitsOf(attributes);
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

/** True if the element has no attributes. */
export function isBare(element: Element): boolean {
  return (element as unknown as ElementNode).own === noAttributes;
}

export type KnownAttribute = Exclude<keyof typeof firstIds, '' | 'img'>;

/** The bits of {@link knownAttributes}. */
export function attributeBits(...names: readonly KnownAttribute[]): number {
  return names.reduce((bits, name) => bits | (1 << firstIds[name]), 0);
}

/** Tells which attributes with a known name the element has; see {@link attributeBits}. Makes no object of them. */
export function knownAttributes(element: Element): number {
  return (element as unknown as ElementNode).known;
}

function bitsOf(attributes: Attributes): number {
  let bits = 0;
  if (attributes === noAttributes) return bits;
  for (const [name, id] of Object.entries(firstIds)) if (attributes[name] !== undefined) bits |= 1 << id;
  return bits;
}

/** Value of one attribute. Makes no object of all of them, as {@link Element.attribs} does. */
export function attributeOf(element: Element, name: KnownAttribute): string | undefined {
  const { page, first, stop, own, known } = element as unknown as ElementNode;
  if ((known & (1 << firstIds[name])) === 0) return undefined;
  return own === undefined && page !== undefined ? page.attribute(first, stop, name) : element.attribs[name];
}

/** Adds a text, of which no string is made if the page has it as it is. */
export function addTextTo(reader: TextReader, text: Text): void {
  const { page, start, stop, own } = text as unknown as TextNode;
  if (own !== undefined || page?.addTextTo(reader, start, stop) !== true) reader.addString(text.data);
}

/** The text as {@link collapsed} has it. Writers and checks of a beginning read it, so it is made once. */
export function collapsedText(text: Text): string {
  const node = text as unknown as TextNode;
  return (node.collapsed ??= collapsed(node.data));
}

/** Returns the elements that hold any of these nodes. */
export function elementsAround(nodes: Iterable<ChildNode>): ReadonlySet<ChildNode> {
  const around = new Set<ChildNode>();
  for (const node of nodes)
    for (let outer = node.parent; outer !== null && isTag(outer) && !around.has(outer); outer = outer.parent)
      around.add(outer);
  return around;
}
