/** Reads what a page marks up in its elements: microdata and RDFa, as things like those of JSON-LD. */
import type { ChildNode, Document, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { attributeBits, knownAttributes } from '../html/nodes.ts';
import { type Thing, typesOf } from '../scan/json-ld.ts';

export type Markup = 'microdata' | 'rdfa';

export interface MarkedThing extends Thing {
  readonly markup: Markup;
}

const thingsMax = 500;
const valuesMax = 100;
const valueLengthMax = 10_000;
/** Characters of all values. */
const lengthMax = 500_000;
/** References of one thing to elements elsewhere (`itemref`). */
const referencesMax = 20;
/** Elements that are read by references. Without it, 500 things that refer to the whole page would read it 500 times. */
const referredElementsMax = 20_000;

/** Returns the things that are no value of another, in document order. Addresses are absolute. */
export function markedThings(document: Document, resolve: (href: string) => string | undefined): MarkedThing[] {
  const walk = new Walk(document, resolve);
  walk.visit(document.children, noOwners);
  return walk.found;
}

type Values = Record<string, unknown>;

/** The things around an element, whose values it can hold. */
interface Owners {
  readonly microdata: Values | undefined;
  readonly rdfa: Values | undefined;
}

const marking = attributeBits('itemscope', 'itemprop', 'typeof', 'property');

const noOwners: Owners = { microdata: undefined, rdfa: undefined };

class Walk {
  readonly found: MarkedThing[] = [];
  readonly #document: Document;
  readonly #resolve: (href: string) => string | undefined;
  #things = 0;
  #length = 0;
  #byId: Map<string, Element> | undefined;
  /** Elements that a thing refers to and that are being read: references can form circles. */
  readonly #referred = new Set<Element>();
  #referredElements = 0;

  constructor(document: Document, resolve: (href: string) => string | undefined) {
    this.#document = document;
    this.#resolve = resolve;
  }

  visit(nodes: readonly ChildNode[], owners: Owners): void {
    for (const node of nodes) {
      if (!isTag(node)) continue;
      this.#element(node, owners);
    }
  }

  #element(element: Element, owners: Owners): void {
    const { children } = element;
    if (this.#referred.size > 0 && ++this.#referredElements > referredElementsMax) return;
    if ((knownAttributes(element) & marking) === 0) {
      if (children.length > 0) this.visit(children, owners);
      return;
    }
    const inside = { microdata: this.#microdata(element, owners.microdata), rdfa: this.#rdfa(element, owners.rdfa) };
    if (children.length > 0) this.visit(children, inside);
  }

  /** Returns the thing that owns what the element contains. */
  #microdata(element: Element, owner: Values | undefined): Values | undefined {
    const { itemscope, itemtype = '', itemprop, itemid, itemref } = element.attribs;
    if (itemscope === undefined) {
      if (itemprop !== undefined && owner) this.#add(owner, itemprop, () => this.#valueOf(element));
      return owner;
    }
    const thing = this.#thing(typesOf(itemtype.split(/\s+/)), itemid);
    if (!thing) return undefined;
    if (itemprop === undefined || !owner) this.#found('microdata', thing);
    else this.#add(owner, itemprop, () => thing);
    for (const id of itemref?.split(/\s+/).slice(0, referencesMax) ?? []) {
      const referred = this.#elementOf(id);
      if (!referred || this.#referred.has(referred)) continue;
      this.#referred.add(referred);
      this.#element(referred, { microdata: thing, rdfa: undefined });
      this.#referred.delete(referred);
    }
    return thing;
  }

  #rdfa(element: Element, owner: Values | undefined): Values | undefined {
    const { typeof: type, property, resource, about } = element.attribs;
    if (type === undefined) {
      if (property !== undefined && owner) this.#add(owner, property, () => this.#valueOf(element));
      return owner;
    }
    const thing = this.#thing(typesOf(type.split(/\s+/)), resource ?? about);
    if (!thing) return undefined;
    if (property === undefined || !owner) this.#found('rdfa', thing);
    else this.#add(owner, property, () => thing);
    return thing;
  }

  /** Returns undefined beyond the limit. */
  #thing(types: readonly string[], id: string | undefined): Values | undefined {
    if (this.#things >= thingsMax) return undefined;
    this.#things++;
    const address = id === undefined ? undefined : this.#resolve(id);
    return { ...(types.length > 0 && { '@type': types }), ...(address !== undefined && { '@id': address }) };
  }

  #found(markup: Markup, values: Values): void {
    const types = values['@type'];
    if (Array.isArray(types)) this.found.push({ markup, types: types as string[], values });
  }

  #add(owner: Values, names: string, valueOf: () => unknown): void {
    let value: unknown;
    for (const name of names.split(/\s+/).slice(0, 10)) {
      const key = name.slice(0, 200).replace(/^(?:https?:\/\/schema\.org\/|schema:)/, '');
      if (key === '' || key === '__proto__') continue;
      value ??= valueOf();
      if (value === undefined || value === '') return;
      const known = owner[key];
      if (known === undefined) owner[key] = value;
      else if (!Array.isArray(known)) owner[key] = [known, value];
      else if (known.length < valuesMax) known.push(value);
    }
  }

  /** As the HTML standard defines it for microdata. Also reads `content` of any element, as search engines do. */
  #valueOf(element: Element): string | undefined {
    const { name, attribs } = element;
    const { content } = attribs;
    if (content !== undefined) return this.#counted(content);
    const address = attribs[addressAttributes[name] ?? ''];
    if (address !== undefined) return this.#counted(this.#resolve(address) ?? address);
    const value = attribs[valueAttributes[name] ?? ''];
    return this.#counted(value ?? markedText(element.children, valueLengthMax));
  }

  #counted(text: string): string | undefined {
    if (this.#length > lengthMax) return undefined;
    const value = text.slice(0, valueLengthMax).replace(/\s+/g, ' ').trim();
    this.#length += value.length;
    return value;
  }

  #elementOf(id: string): Element | undefined {
    this.#byId ??= idsOf(this.#document);
    return this.#byId.get(id);
  }
}

const addressAttributes: Readonly<Record<string, string>> = {
  a: 'href',
  area: 'href',
  link: 'href',
  img: 'src',
  audio: 'src',
  video: 'src',
  source: 'src',
  embed: 'src',
  iframe: 'src',
  track: 'src',
  object: 'data',
};
const valueAttributes: Readonly<Record<string, string>> = { time: 'datetime', data: 'value', meter: 'value' };

/** Returns the text of elements, without scripts and styles. */
export function markedText(nodes: readonly ChildNode[], lengthMax: number): string {
  const parts: string[] = [];
  let length = 0;
  const visit = (children: readonly ChildNode[]): void => {
    for (const node of children) {
      if (length > lengthMax) return;
      if (isText(node)) {
        parts.push(node.data);
        length += node.data.length;
      } else if (!isTag(node) || node.name === 'script' || node.name === 'style') continue;
      else if (node.name === 'br') parts.push('\n');
      else visit(node.children);
    }
  };
  visit(nodes);
  return parts.join('');
}

function idsOf(document: Document): Map<string, Element> {
  const found = new Map<string, Element>();
  const visit = (nodes: readonly ChildNode[]): void => {
    for (const node of nodes) {
      if (!isTag(node)) continue;
      const { id } = node.attribs;
      if (id !== undefined && !found.has(id)) found.set(id, node);
      visit(node.children);
    }
  };
  visit(document.children);
  return found;
}
