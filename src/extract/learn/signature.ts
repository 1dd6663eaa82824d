/** The structure of a page in numbers, by which pages of one template are recognised. */
import { type ChildNode, isTag } from 'domhandler';
import { stableClasses } from './stable-names.ts';

/** Hashes of the kinds of elements on a page, each with the kind of its parent, sorted. */
export type Signature = readonly number[];

const tokensMax = 600;
const elementsMax = 20_000;

export function signatureOf(nodes: readonly ChildNode[]): Signature {
  const tokens = new Set<number>();
  let elements = 0;
  const visit = (children: readonly ChildNode[], parent: string): void => {
    for (const node of children) {
      if (!isTag(node) || tokens.size >= tokensMax || elements > elementsMax) continue;
      elements++;
      const kind = `${node.name}.${stableClasses(node).join('.')}`;
      tokens.add(hashOf(`${parent}>${kind}`));
      visit(node.children, kind);
    }
  };
  visit(nodes, '');
  return [...tokens].toSorted((one, other) => one - other);
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** On how many known pages each kind of element is. */
export interface Shares {
  readonly pages: number;
  readonly counts: ReadonlyMap<number, number>;
}

export function sharesOf(known: readonly Signature[]): Shares {
  const counts = new Map<number, number>();
  for (const signature of known) for (const token of signature) counts.set(token, (counts.get(token) ?? 0) + 1);
  return { pages: known.length, counts };
}

/** How alike two pages are, from 0 to 1. What nearly all known pages share counts little. */
export function likeness(one: Signature, other: Signature, { pages, counts }: Shares): number {
  let [shared, all, at] = [0, 0, 0];
  const others = new Set(other);
  const weightOf = (token: number): number => 1.05 - (counts.get(token) ?? 0) / Math.max(1, pages);
  for (const token of one) {
    const weight = weightOf(token);
    all += weight;
    if (others.delete(token)) shared += weight;
    at++;
  }
  for (const token of others) all += weightOf(token);
  return all === 0 || at === 0 ? Number(one.length === other.length) : shared / all;
}
