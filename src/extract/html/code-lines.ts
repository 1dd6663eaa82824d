/**
 * Turns listings with an element for each line into preformatted text: those of Doxygen, SyntaxHighlighter, Crayon and
 * GitHub, and code in fields for text. Otherwise each line would be a paragraph, line numbers would be text, comments
 * would be removed by their class, and fields as input.
 */
import type { ChildNode, Document, Element, ParentNode } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { noAttributes } from './attributes.ts';
import { nodeText } from './node-text.ts';
import { attributeOf, newElement, newText, renameElement } from './nodes.ts';

/** Changes the page: each listing gets one `<pre>`, columns of line numbers become empty. */
export function joinCodeLines(document: Document): void {
  visit(document);
}

function visit(outer: ParentNode): void {
  for (const node of outer.children) {
    if (!isTag(node) || node.name === 'pre') continue;
    if (node.name === 'textarea') {
      if (isListing(node)) renameElement(node, 'pre');
    } else if (isNumberColumn(node)) node.children = [];
    else if (node.name === 'table' && isListing(node) && joinTable(node)) continue;
    else if (!isListing(node) || !joinLines(node)) visit(node);
  }
}

/** Returns true for a box of lines. Runs for every box of a page, so most are told apart without a pattern. */
export function isListing(element: Element): boolean {
  const { name } = element;
  if (name !== 'div' && name !== 'table' && name !== 'textarea') return false;
  const names = attributeOf(element, 'class');
  if (names === undefined) return false;
  if (name === 'table') return tables.test(names);
  if (name === 'textarea') return fields.test(names) && !/^\s*[<[]/.test(nodeText(element.children));
  if (names.includes('fragment') || names.includes('crayon-pre')) return listings.test(names);
  // Style sheets of whole sites name boxes `container` too.
  return names.includes('container') && isCodeCell(element.parent) && /(?:^|\s)container(?:\s|$)/.test(names);
}

/** Lines of files on GitHub, and the signatures of Doxygen. */
const tables = /(?:^|\s)(?:highlight|diff-table|js-file-line-container|memname)(?:\s|$)/;
/** Fields with markup are for embedding the page elsewhere. */
const fields = /(?:^|[\s_-])(?:\w*[eE]xample)?(?:[cC]ode|[sS]ource|[sS]nippet)(?:$|[\s_-])/;
const listings = /(?:^|\s)(?:fragment|crayon-pre)(?:\s|$)/;

function isCodeCell(parent: ParentNode | null): boolean {
  return parent !== null && isTag(parent) && parent.name === 'td' && hasClass(parent, /(?:^|\s)code(?:\s|$)/);
}

/** The cell before the cell with the code. */
function isNumberColumn(element: Element): boolean {
  if (element.name !== 'td' || !hasClass(element, /(?:^|\s)(?:gutter|crayon-nums)(?:\s|$)/)) return false;
  let after = element.next;
  while (after !== null && !isTag(after)) after = after.next;
  return after !== null && hasClass(after, /(?:^|\s)(?:code|crayon-code)(?:\s|$)/);
}

/** Returns false, and changes nothing, if the rows are no lines of code. */
function joinTable(table: Element): boolean {
  const cells: Element[] = [];
  const isSignature = hasClass(table, /(?:^|\s)memname(?:\s|$)/);
  collectCells(table.children, isSignature ? /(?:)/ : /(?:^|\s)blob-code(?:\s|$)/, cells);
  if (cells.length === 0) return false;
  const lines = cells.map((cell) => nodeText(cell.children).replaceAll('\u00a0', ' '));
  const text = newText(isSignature ? signatureOf(lines) : lines.map((one) => one.trimEnd()).join('\n'));
  text.parent = table;
  table.children = [text];
  renameElement(table, 'pre');
  return true;
}

function collectCells(nodes: readonly ChildNode[], names: RegExp, cells: Element[]): void {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    if (node.name !== 'td') collectCells(node.children, names, cells);
    else if (names.test(node.attribs['class'] ?? '')) cells.push(node);
  }
}

function signatureOf(parts: readonly string[]): string {
  const line = parts
    .map((part) => part.replaceAll(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
    .join(' ');
  return line.replaceAll(/ (?=[(),])/g, '').replaceAll('( ', '(');
}

/** Returns false, and changes nothing, if the element has something other than lines. */
function joinLines(listing: Element): boolean {
  const lines: string[] = [];
  if (!collectLines(listing.children, lines) || lines.length === 0) return false;
  const text = newText(lines.join('\n'));
  const pre = newElement('pre', noAttributes);
  pre.children = [text];
  text.parent = pre;
  pre.parent = listing;
  listing.children = [pre];
  return true;
}

function collectLines(nodes: readonly ChildNode[], lines: string[]): boolean {
  for (const node of nodes) {
    if (isText(node) ? node.data.trim() !== '' : isTag(node) && !collectLine(node, lines)) return false;
  }
  return true;
}

function collectLine(element: Element, lines: string[]): boolean {
  if (hasClass(element, line)) {
    lines.push(lineText(element).trimEnd());
    return true;
  }
  // Anchors and the descriptions that appear over names. Doxygen wraps the lines of a block that can be folded.
  if (element.name === 'a' || hasClass(element, aside)) return true;
  return hasClass(element, /(?:^|\s)fold(?:open|closed)(?:\s|$)/) && collectLines(element.children, lines);
}

const line = /(?:^|\s)(?:line|crayon-line)(?:\s|$)/;
const aside = /(?:^|\s)ttc(?:\s|$)/;

function lineText(element: Element): string {
  const parts: string[] = [];
  const hasNumber = addText(element.children, parts);
  const text = parts.join('').replaceAll('\u00a0', ' ');
  // One space separates the number from the line.
  return hasNumber && text.startsWith(' ') ? text.slice(1) : text;
}

function addText(nodes: readonly ChildNode[], parts: string[]): boolean {
  let hasNumber = false;
  for (const node of nodes) {
    if (isText(node)) parts.push(node.data);
    else if (!isTag(node)) continue;
    else if (hasClass(node, /(?:^|\s)lineno(?:\s|$)/)) hasNumber = true;
    else if (!hasClass(node, aside)) hasNumber = addText(node.children, parts) || hasNumber;
  }
  return hasNumber;
}

function hasClass({ attribs }: Element, pattern: RegExp): boolean {
  const names = attribs['class'];
  return names !== undefined && pattern.test(names);
}
