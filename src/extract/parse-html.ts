/** HTML to a tree, within budgets that a hostile page cannot talk its way around. */
import type { Document } from 'domhandler';
import { isColour } from './colours.ts';
import { tokenize } from './html/tokenizer.ts';
import { TreeBuilder } from './html/tree-builder.ts';

/** The page is larger than anything a person wrote. What was parsed so far is thrown away. */
export class ParseBudgetError extends Error {
  override readonly name = 'ParseBudgetError';

  constructor(limit: number) {
    super(`The page has more than ${limit} nodes.`);
  }
}

/** Around 100 MB of tree. The largest of 1,500 real pages had 70,000 nodes. */
export const nodesMax = 500_000;

/** Elements in each other. Browsers flatten what is nested deeper, and so is it here. All recursion over the tree relies on it. */
export const depthMax = 512;

/**
 * Throws a {@link ParseBudgetError}, and nothing else. NUL characters are dropped, as browsers do in most places. There are no
 * nodes for comments, document types and instructions, since nothing reads them; nor, unless `keepsColours`, for elements that
 * only colour code, of which a page of source code has a hundred thousand.
 */
export function parseHtml(html: string, { keepsColours = false } = {}): Document {
  const tree = new TreeBuilder({ nodesMax, depthMax, isColour: keepsColours ? never : isColour });
  tokenize(nul.test(html) ? html.replaceAll('\0', '') : html, tree);
  if (tree.isFull) throw new ParseBudgetError(nodesMax);
  return tree.end();
}

function never(): boolean {
  return false;
}

// On text with characters beyond Latin-1, looking for the character as a string takes twice as long.
// oxlint-disable-next-line no-control-regex
const nul = /\0/;
