/**
 * Nodes with the interface of domhandler and css-select, without properties that nothing here reads: source positions,
 * namespaces, aliases. Such a tree takes two thirds of the memory, and the garbage collector copies it while a large
 * page is converted.
 */
import type { ChildNode, Document, Element, ParentNode, Text } from 'domhandler';
import type { Attributes } from '../../src/extract/html/attributes.ts';

/** Shared by all elements without children. Not frozen: iterating over arrays of two kinds is slower. */
const noChildren: ChildNode[] = [];

class TextNode {
  readonly type = 'text';
  data: string;
  parent: ParentNode | null = null;
  prev: ChildNode | null = null;
  next: ChildNode | null = null;

  constructor(data: string) {
    this.data = data;
  }
}

class ElementNode {
  readonly type: 'tag' | 'script' | 'style';
  readonly name: string;
  attribs: Attributes;
  children: ChildNode[] = noChildren;
  parent: ParentNode | null = null;
  prev: ChildNode | null = null;
  next: ChildNode | null = null;

  constructor(name: string, attribs: Attributes) {
    this.type = typeOf(name);
    this.name = name;
    this.attribs = attribs;
  }
}

class DocumentNode {
  readonly type = 'root';
  children: ChildNode[] = noChildren;
  readonly parent = null;
  readonly prev = null;
  readonly next = null;
}

function typeOf(name: string): ElementNode['type'] {
  return name === 'script' || name === 'style' ? name : 'tag';
}

/* oxlint-disable typescript/no-unsafe-type-assertion -- what is missing is what nobody reads */
export function newText(data: string): Text {
  return new TextNode(data) as unknown as Text;
}

export function newElement(name: string, attribs: Attributes): Element {
  return new ElementNode(name, attribs) as unknown as Element;
}

export function newDocument(): Document {
  return new DocumentNode() as unknown as Document;
}
