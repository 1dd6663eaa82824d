/** Selects the content of a page by the client's selectors. */
import type { ChildNode, Document } from 'domhandler';
import { isTag } from 'domhandler';
import { defaultExcludeElements } from '../../core/exclude-elements.ts';
import type { PageContent } from './page-content.ts';
import { selectElements } from '../html/select-elements.ts';

export interface IncludeOptions {
  /** CSS selectors. */
  readonly includeElements: string;
  /** The client's CSS selectors; null if the client gave none. */
  readonly excludeElements: string | null;
  readonly content: 'auto' | 'full';
}

/**
 * Returns the outermost elements that match, in document order; undefined if none match. Elements that the client
 * excludes are left out with their content. If the client excludes none and keeps the full page, the default list
 * applies, but never to an included element.
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
