/** The part of a page that is written: a view on the tree, which itself is never changed. */
import type { ChildNode } from 'domhandler';

export interface PageContent {
  readonly nodes: readonly ChildNode[];
  /** Elements below that are left out, with all that is in them. */
  readonly skipped: ReadonlySet<ChildNode>;
}
