/** A parser that reads strings and makes all nodes at once: the parser of src has to make the same trees. */
import type { Document } from 'domhandler';
import { isHighlightSpan } from './highlight-spans.ts';
import { tokenize } from './tokenizer.ts';
import { depthMax, nodesMax } from '../../src/extract/html/parse-html.ts';
import { TreeBuilder } from './tree-builder.ts';

interface ParsedPage {
  readonly document: Document;
  /** The page has more than {@link nodesMax} nodes; the tree holds its beginning. */
  readonly isCut: boolean;
}

export function parsePage(html: string, { keepsAll = false, isXml = false } = {}): ParsedPage {
  const isLeftOut = keepsAll ? never : isHighlightSpan;
  const tree = new TreeBuilder({ nodesMax, depthMax, isHighlightSpan: isLeftOut, keepsTableSpace: keepsAll, isXml });
  const isWhole = tokenize(nul.test(html) ? html.replaceAll('\0', '') : html, tree, isXml);
  if (isXml && !isWhole) return parsePage(html, { keepsAll });
  return { document: tree.end(), isCut: tree.isFull };
}

function never(): boolean {
  return false;
}

// If the text has characters beyond Latin-1, searching for a string instead takes twice as long.
// oxlint-disable-next-line no-control-regex
const nul = /\0/;
