/** HTML to a tree, within budgets that a hostile page cannot talk its way around. */
import type { Document } from 'domhandler';
import { isColour } from './colours.ts';
import { tokenize } from './html/tokenizer.ts';
import { TreeBuilder } from './html/tree-builder.ts';

/**
 * Elements and texts. The largest of 1,500 real pages had 70,000; a table of 30,000 rows and ten columns has 630,000 to 930,000. The number is what
 * fits into the memory and the time of a converter, whatever the page is made of (decision 36).
 */
export const nodesMax = 800_000;

/** Elements in each other. Browsers flatten what is nested deeper, and so is it here. All recursion over the tree relies on it. */
export const depthMax = 512;

export interface ParsedPage {
  readonly document: Document;
  /** The page has more than {@link nodesMax} nodes; the tree is that of its beginning. */
  readonly isCut: boolean;
}

/**
 * NUL characters are dropped, as browsers do in most places. There are no nodes for comments, document types and instructions, since nothing
 * reads them; nor, unless `keepsAll`, for elements that only colour code, of which a page of source code has a hundred thousand, and for
 * white space between the rows and cells of a table, which is a third of the nodes of many.
 */
export function parsePage(html: string, { keepsAll = false } = {}): ParsedPage {
  const isColourless = keepsAll ? never : isColour;
  const tree = new TreeBuilder({ nodesMax, depthMax, isColour: isColourless, keepsTableSpace: keepsAll });
  tokenize(nul.test(html) ? html.replaceAll('\0', '') : html, tree);
  return { document: tree.end(), isCut: tree.isFull };
}

/** For HTML that is known to be small. */
export function parseHtml(html: string, options: { readonly keepsAll?: boolean } = {}): Document {
  return parsePage(html, options).document;
}

function never(): boolean {
  return false;
}

// On text with characters beyond Latin-1, looking for the character as a string takes twice as long.
// oxlint-disable-next-line no-control-regex
const nul = /\0/;
