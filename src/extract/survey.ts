/** What each element holds, found in one walk: asking every element again would be quadratic in deep pages. */
import type { ChildNode } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { textlessElements } from './element-kinds.ts';

export interface Survey {
  readonly of: (element: ChildNode) => Holding;
  /** Characters of text on the whole page. */
  readonly textLength: number;
  readonly linkLength: number;
}

export interface Holding {
  textLength: number;
  /** Of {@link textLength}, how much is inside of links. */
  linkLength: number;
  hasH1: boolean;
  hasArticle: boolean;
  hasMath: boolean;
}

export function surveyPage(nodes: readonly ChildNode[]): Survey {
  const holdings = new Map<ChildNode, Holding>();
  const whole = survey(nodes, false, holdings);
  return {
    of: (element) => holdings.get(element) ?? nothing,
    textLength: whole.textLength,
    linkLength: whole.linkLength,
  };
}

const nothing: Holding = { textLength: 0, linkLength: 0, hasH1: false, hasArticle: false, hasMath: false };

function survey(nodes: readonly ChildNode[], isInLink: boolean, holdings: Map<ChildNode, Holding>): Holding {
  const sum = { ...nothing };
  for (const node of nodes) {
    if (isText(node)) {
      const length = visibleLength(node.data);
      sum.textLength += length;
      if (isInLink) sum.linkLength += length;
    } else if (isTag(node) && !textlessElements.has(node.name)) {
      const holding = survey(node.children, isInLink || node.name === 'a', holdings);
      holdings.set(node, holding);
      sum.textLength += holding.textLength;
      sum.linkLength += holding.linkLength;
      sum.hasH1 ||= holding.hasH1 || node.name === 'h1';
      sum.hasArticle ||= holding.hasArticle || node.name === 'article';
      sum.hasMath ||= holding.hasMath || node.name === 'math';
    }
  }
  return sum;
}

/** White space between elements is layout; within a text it hardly matters. */
function visibleLength(text: string): number {
  return text.length < shortTextMax ? text.trim().length : text.replace(/\s+/g, ' ').length;
}

const shortTextMax = 40;
