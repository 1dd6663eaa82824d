/** What each element holds, found in one walk: asking every element again would be quadratic in deep pages. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { headingElements, textlessElements } from './element-kinds.ts';
import { visibleLength } from './visible-length.ts';

export interface Survey {
  readonly of: (element: ChildNode) => Holding;
  /** Characters of text on the whole page. */
  readonly textLength: number;
  readonly linkLength: number;
  /** Characters of all elements of that class: cards of a list are alike, and only together they are the page. */
  readonly lengthOfClass: (name: string) => number;
}

export interface Holding {
  textLength: number;
  /** Of {@link textLength}, how much is inside of links. */
  linkLength: number;
  hasH1: boolean;
  hasArticle: boolean;
  hasMath: boolean;
  hasImage: boolean;
  /** Of the text, so that two elements of equal hash and length say the same. */
  textHash: number;
  /** The heading that all of its text follows. */
  opensWith: Element | undefined;
}

export function surveyPage(nodes: readonly ChildNode[]): Survey {
  const holdings = new Map<ChildNode, Holding>();
  const lengths = new Map<string, number>();
  const whole = survey(nodes, false, holdings, lengths);
  return {
    of: (element) => holdings.get(element) ?? nothing,
    textLength: whole.textLength,
    linkLength: whole.linkLength,
    lengthOfClass: (name) => lengths.get(name) ?? 0,
  };
}

const nothing = emptyHolding();

function emptyHolding(): Holding {
  return {
    textLength: 0,
    linkLength: 0,
    hasH1: false,
    hasArticle: false,
    hasMath: false,
    hasImage: false,
    textHash: 0,
    opensWith: undefined,
  };
}

function survey(
  nodes: readonly ChildNode[],
  isInLink: boolean,
  holdings: Map<ChildNode, Holding>,
  lengths: Map<string, number>,
): Holding {
  const sum = emptyHolding();
  for (const node of nodes) {
    if (isText(node)) {
      const length = visibleLength(node.data);
      if (length === 0) continue;
      sum.textLength += length;
      sum.textHash = hashText(node.data, sum.textHash);
      if (isInLink) sum.linkLength += length;
    } else if (isTag(node) && imageElements.has(node.name)) {
      sum.hasImage = true;
    } else if (isTag(node) && !textlessElements.has(node.name)) {
      const holding = survey(node.children, isInLink || node.name === 'a', holdings, lengths);
      holdings.set(node, holding);
      sum.hasImage ||= holding.hasImage;
      if (holding.textLength === 0) continue;
      const name = node.attribs['class'];
      if (name !== undefined) lengths.set(name, (lengths.get(name) ?? 0) + holding.textLength);
      if (surrounding.has(node.name) || surroundingRoles.has(node.attribs['role'] ?? '')) continue;
      if (sum.textLength === 0) sum.opensWith = headingElements.has(node.name) ? node : holding.opensWith;
      sum.textLength += holding.textLength;
      // An only child has the hash of its parent.
      sum.textHash = sum.textHash === 0 ? holding.textHash : (Math.imul(sum.textHash, 31) + holding.textHash) | 0;
      sum.linkLength += holding.linkLength;
      sum.hasH1 ||= holding.hasH1 || node.name === 'h1';
      sum.hasArticle ||= holding.hasArticle || node.name === 'article';
      sum.hasMath ||= holding.hasMath || node.name === 'math';
    }
  }
  return sum;
}

/** Their text counts for themselves only: with a large menu, the content would be a small part of its page. */
const surrounding: ReadonlySet<string> = new Set(['nav', 'footer', 'dialog']);
const surroundingRoles: ReadonlySet<string> = new Set(['navigation', 'contentinfo', 'dialog', 'menu', 'search']);

const imageElements: ReadonlySet<string> = new Set(['img', 'iframe', 'video', 'audio', 'object', 'embed']);

/** White space does not count: the same text is indented differently in another place. */
function hashText(text: string, start: number): number {
  let hash = start;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x20) hash = (Math.imul(hash, 31) + code) | 0;
  }
  return hash;
}
