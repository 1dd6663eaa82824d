/** Moves parts that React streams to the end of a page to where its script would move them. */
import type { ChildNode, Document, Element, ParentNode } from 'domhandler';
import { isTag } from 'domhandler';
import { depthMax } from './parse-html.ts';

/** Returns the pairs of a place and its part, by id. Empty for most pages. */
export function latePartsIn(html: string): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  if (!html.includes('$R')) return places;
  for (const [, kind, one = '', other = ''] of html.matchAll(move)) {
    if (kind === 'C') places.set(one, other);
    else places.set(other, one);
  }
  return places;
}

/** `$RC("B:1","S:4")` puts a part into its place, `$RS("S:4","P:1")` a part of another. */
const move = /\$R([CS])\("([BSP]:[\da-f]{1,8})","([BSP]:[\da-f]{1,8})"/g;

/** Changes the document. A part stays where it is if its place is missing or would nest it too deeply. */
export function moveLateParts(document: Document, places: ReadonlyMap<string, string>): void {
  const found = new Map<string, Late>();
  collect(document, new Set([...places.keys(), ...places.values()]), found);
  const parts = new Map<ChildNode, Late>();
  for (const [placeId, partId] of places) {
    const place = found.get(placeId);
    const part = found.get(partId);
    if (place !== undefined && part !== undefined) parts.set(place.element, part);
  }
  const late = new Set<ChildNode>([...parts.values()].map(({ element }) => element));
  arrange(document, 0, { parts, late });
  // Of parts in each other's places, none was reached.
  if (parts.size > 0) link(document, [...document.children, ...[...parts.values()].map(({ element }) => element)]);
}

interface Late {
  readonly element: Element;
  /** Levels of elements in it. */
  readonly height: number;
}

/** Returns the height. */
function collect({ children }: ParentNode, ids: ReadonlySet<string>, found: Map<string, Late>): number {
  let height = 0;
  for (const node of children) {
    if (!isTag(node)) continue;
    const inner = collect(node, ids, found);
    height = Math.max(height, inner + 1);
    const { id } = node.attribs;
    if (id !== undefined && ids.has(id)) found.set(id, { element: node, height: inner });
  }
  return height;
}

interface Moves {
  /** By their places. Each is moved once. */
  readonly parts: Map<ChildNode, Late>;
  readonly late: ReadonlySet<ChildNode>;
}

/** Goes through each list of children once, since a page can have thousands of parts. */
function arrange(parent: ParentNode, depth: number, moves: Moves): void {
  const { parts, late } = moves;
  if (parent.children.some((node) => parts.has(node) || late.has(node))) {
    const children: ChildNode[] = [];
    const pending = parent.children.toReversed();
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      const part = parts.get(node);
      if (part !== undefined && depth + part.height <= depthMax) {
        parts.delete(node);
        for (const inner of part.element.children.toReversed()) pending.push(inner);
      } else if (!late.has(node)) children.push(node);
    }
    link(parent, children);
  }
  for (const node of parent.children) if (isTag(node)) arrange(node, depth + 1, moves);
}

function link(parent: ParentNode, children: ChildNode[]): void {
  parent.children = children;
  for (const [at, node] of children.entries()) {
    node.parent = parent;
    node.prev = children[at - 1] ?? null;
    node.next = children[at + 1] ?? null;
  }
}
