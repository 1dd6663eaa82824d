/** The content of a page where the client says which elements it is. */
import type { ChildNode, Document } from 'domhandler';
import { isTag } from 'domhandler';
import { defaultExcludeElements } from '../core/exclude-elements.ts';
import type { PageContent } from './page-content.ts';
import { selectElements } from './select-elements.ts';

export interface IncludeOptions {
  /** CSS selectors. */
  readonly includeElements: string;
  /** CSS selectors that the client gave; null where it gave none. */
  readonly excludeElements: string | null;
  readonly content: 'auto' | 'full';
}

/**
 * The outermost elements that the selectors name, in document order; undefined where they name none. What the client
 * excludes is left out with all that is in it. The list that stands where it excludes nothing takes no element that it named.
 */
export function includedContent(document: Document, options: IncludeOptions): PageContent | undefined {
  const included = selectElements(document, options.includeElements);
  if (included.size === 0) return undefined;
  const { excludeElements } = options;
  const removed = excludeElements === null ? new Set<ChildNode>() : selectElements(document, excludeElements);
  const skipped = excludeElements === null && options.content === 'full' ? byDefault(document, included) : removed;

  const nodes: ChildNode[] = [];
  const visit = (children: readonly ChildNode[]): void => {
    for (const node of children) {
      if (removed.has(node)) continue;
      if (included.has(node)) nodes.push(node);
      else if (isTag(node)) visit(node.children);
    }
  };
  visit(document.children);
  return nodes.length === 0 ? undefined : { nodes, skipped };
}

function byDefault(document: Document, included: ReadonlySet<ChildNode>): ReadonlySet<ChildNode> {
  return new Set([...selectElements(document, defaultExcludeElements)].filter((node) => !included.has(node)));
}
