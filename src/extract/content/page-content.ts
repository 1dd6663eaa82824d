/** The part of a page that is written: a view of the tree, which is never changed. */
import type { ChildNode } from 'domhandler';

export interface PageContent {
  readonly nodes: readonly ChildNode[];
  /** Descendants that are left out with their content. */
  readonly skipped: ReadonlySet<ChildNode>;
}
