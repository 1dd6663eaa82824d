/** Parses HTML to a tree within budgets that a hostile page cannot exceed. */
import type { Document } from 'domhandler';
import { PageBytes } from './page-bytes.ts';
import { tokenize } from './tokenizer.ts';
import { TreeBuilder } from './tree-builder.ts';

/**
 * Elements and texts. The largest of 1,500 real pages had 70,000; a table of 30,000 rows and ten columns has 630,000 to
 * 930,000. The limit fits the memory and time of a converter, whatever the page consists of: see
 * docs/decisions/storage.md.
 */
export const nodesMax = 800_000;

/** Nesting depth. Deeper elements are flattened, as in browsers. All recursion over the tree relies on this. */
export const depthMax = 512;

export interface ParsedPage {
  readonly document: Document;
  /** The page with a character for each byte of its UTF-8: for searches for ASCII. */
  readonly ascii: string;
  /** The page has more than {@link nodesMax} nodes; the tree holds its beginning. */
  readonly isCut: boolean;
}

/**
 * Drops NUL characters, as browsers do in most places. Creates no nodes for comments, document types and instructions,
 * since nothing reads them. Unless `keepsAll` is set, it also drops elements that only colour code (a page of source
 * code has a hundred thousand) and white space between the rows and cells of a table (a third of the nodes in many).
 *
 * With `isXml`, a page whose tags match is read as XML as far as that changes its text: `<script src="a.js"/>` does not
 * contain the rest of the page. Browsers show nothing of other XML; here it is read as HTML.
 */
export function parsePage(source: string | Uint8Array, { keepsAll = false, isXml = false } = {}): ParsedPage {
  return parse(source, { keepsAll, isXml, isShared: true });
}

/** For HTML known to be small. The page that was read before stays in use. */
export function parseHtml(html: string, { keepsAll = false }: { readonly keepsAll?: boolean } = {}): Document {
  return parse(html, { keepsAll, isXml: false, isShared: false }).document;
}

interface ParseOptions {
  readonly keepsAll: boolean;
  readonly isXml: boolean;
  readonly isShared: boolean;
}

function parse(source: string | Uint8Array, { keepsAll, isXml, isShared }: ParseOptions): ParsedPage {
  const page = new PageBytes(withoutNul(source), isShared);
  const tree = new TreeBuilder(page, { nodesMax, depthMax, keepsAll, isXml });
  const isWhole = tokenize(page, tree, isXml);
  if (isXml && !isWhole) return parse(source, { keepsAll, isXml: false, isShared });
  return { document: tree.end(), ascii: page.ascii, isCut: tree.isFull };
}

function withoutNul(source: string | Uint8Array): string | Uint8Array {
  if (typeof source === 'string') return nul.test(source) ? source.replaceAll('\0', '') : source;
  return source.includes(0) ? source.filter((byte) => byte !== 0) : source;
}

// If the text has characters beyond Latin-1, searching for a string instead takes twice as long.
// oxlint-disable-next-line no-control-regex
const nul = /\0/;
