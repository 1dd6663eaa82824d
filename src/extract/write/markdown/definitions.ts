/**
 * Writes definition lists. Markdown has none, so each becomes a list: the bold term, a colon, the definition. Members
 * of an API (a signature with its description) and entries with headings of their own become terms and text instead: as
 * items, they would span many pages.
 */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import type { Block, Flow } from './flow.ts';
import { addBlocks, containersMax, itemsText, markerAfter, writeNote } from './lists.ts';
import type { Token } from './inline/tokens.ts';
import { writeInline } from './inline/write-inline.ts';
import { codeSpan } from './inline/spans.ts';
import { isSignature, signatureCode } from './signatures.ts';

export function writeDefinitions(list: Element, flow: Flow): void {
  if (flow.isLine || flow.depth >= containersMax) return flow.page.walk(list.children, flow);
  const parts: Part[] = [];
  collectParts(withoutNotes(list.children, flow), parts, flow);
  flow.endParagraph(false);
  if (parts.some(isSection)) for (const part of parts) writePart(part, flow);
  else writeItems(parts, flow);
}

/** Terms and their definitions. Either can be missing. */
interface Part {
  readonly terms: readonly Line[];
  /** Members of an API look alike, even those with a short description. */
  readonly isMember?: boolean;
  readonly blocks: Block[];
  /** Index in `blocks` at which each definition starts. */
  readonly starts: number[];
}

type Line = readonly Token[];

/** Writes the notes of older docutils: a term that is the label of a note, with its text in the definition after it. */
function withoutNotes(nodes: readonly ChildNode[], flow: Flow): readonly ChildNode[] {
  const labels = flow.page.footnotes?.labels;
  if (labels === undefined) return nodes;
  const others: ChildNode[] = [];
  let label: string | undefined;
  for (const node of nodes) {
    const own = isTag(node) && node.name === 'dt' ? labels.get(node) : undefined;
    if (own !== undefined) label = own;
    else if (label !== undefined && isTag(node) && node.name === 'dd') {
      writeNote(node.children, label, flow);
      label = undefined;
    } else others.push(node);
  }
  return others;
}

function collectParts(nodes: readonly ChildNode[], parts: Part[], flow: Flow): void {
  for (const node of nodes) {
    if (!isTag(node) || flow.page.skipped.has(node)) continue;
    if (node.name === 'dt') {
      flow.page.plain.end(1);
      const term = termLine(node, flow);
      if (term.length > 0) parts.push({ terms: [term], blocks: [], starts: [], isMember: isSignature(node) });
    } else if (node.name === 'dd') {
      flow.page.plain.end(1);
      addDefinition(flow.heldBack(node.children), parts);
    } else if (node.name === 'div' || node.name === 'dl' || node.name === 'section') {
      collectParts(node.children, parts, flow);
    } else {
      const blocks = [...flow.heldBack([node])];
      if (blocks.length > 0) parts.push({ terms: [], blocks, starts: [0] });
    }
  }
}

/** Bold sets a term off from its text. Code needs no bold. */
function termLine(term: Element, flow: Flow): Line {
  if (isSignature(term)) {
    const code = signatureCode(term, flow.page.skipped);
    flow.page.plain.put(code);
    return code === '' ? [] : [{ kind: 'raw', text: codeSpan(code, false), span: undefined }];
  }
  return flow.lineTokens(term.children, 'heading', holdsCode(term.children) ? undefined : 'strong');
}

function holdsCode(nodes: readonly ChildNode[]): boolean {
  return nodes.some((node) => isTag(node) && (codeNames.has(node.name) || holdsCode(node.children)));
}

const codeNames: ReadonlySet<string> = new Set(['code', 'tt', 'kbd', 'samp']);

/** Consecutive terms share the definition that follows; consecutive definitions share the terms before them. */
function addDefinition(blocks: readonly Block[], parts: Part[]): void {
  const before = parts.at(-1);
  if (before !== undefined && before.blocks.length > 0) {
    before.starts.push(before.blocks.length);
    for (const block of blocks) before.blocks.push(block);
    return;
  }
  let first = parts.length;
  while (first > 0 && parts[first - 1]?.blocks.length === 0) first--;
  const bare = parts.splice(first);
  const terms = bare.flatMap((part) => part.terms);
  parts.push({ terms, blocks: [...blocks], starts: [0], isMember: bare.some(({ isMember }) => isMember === true) });
}

function isSection({ blocks, isMember }: Part): boolean {
  return isMember === true || blocks.some(({ kind }) => kind === 'heading');
}

/** Returns true if all definitions are single paragraphs and fit on the line of the term. */
function isShort({ blocks, starts }: Part): boolean {
  return blocks.length === starts.length && blocks.length <= 2 && blocks.every(isLine);
}

function isLine({ tokens }: Block): boolean {
  return tokens?.every(({ kind }) => kind !== 'break') === true;
}

function writeItems(parts: readonly Part[], flow: Flow): void {
  const marker = markerAfter(flow.blocks.at(-1), false);
  const items = parts.map((part) => itemBlocks(part)).filter((blocks) => blocks.length > 0);
  if (items.length > 0) flow.add({ kind: 'list', text: itemsText(items, marker), marker });
}

/** The term and the first paragraph form one line; the rest follows below. */
function itemBlocks(part: Part): readonly Block[] {
  const { terms, blocks } = part;
  const onLine = isShort(part) ? blocks.length : blocks[0] !== undefined && isLine(blocks[0]) ? 1 : 0;
  const line = writeInline(lineOf({ terms, blocks: blocks.slice(0, onLine) }), 'item');
  const below = blocks
    .slice(onLine)
    .map((block) => written(block))
    .filter(({ text }) => text !== '');
  return line === '' ? below : [{ kind: 'paragraph', text: line, isExplicit: true }, ...below];
}

function written(block: Block): Block {
  if (block.tokens === undefined) return block;
  return { kind: 'paragraph', text: writeInline(block.tokens, 'paragraph'), isExplicit: true };
}

function lineOf({ terms, blocks }: Pick<Part, 'terms' | 'blocks'>): Line {
  const definitions = blocks.map(({ tokens }) => tokens ?? []);
  return joined([joined(terms, ', '), joined(definitions, '; ')], ': ');
}

/** Joins lines with `mark`, unless the text before ends with its own mark. */
function joined(lines: readonly Line[], mark: string): Line {
  const all: Token[] = [];
  for (const line of lines) {
    if (all.length > 0 && line.length > 0)
      all.push({ kind: 'text', text: endsItself(all) ? ' ' : mark, span: undefined });
    // Not spread: a line can have more tokens than a call can have arguments.
    for (const token of line) all.push(token);
  }
  return all;
}

function endsItself(line: Line): boolean {
  return /[:.!?;…：。！？]$/u.test(line.findLast(({ text }) => text !== '')?.text ?? '');
}

function writePart(part: Part, flow: Flow): void {
  // A field name (`Returns:`) belongs on the line of its text.
  if (part.blocks.length === 1 && isShort(part) && part.terms.length === 1 && part.terms.every(endsItself))
    return flow.add({ kind: 'paragraph', text: writeInline(lineOf(part), 'paragraph') });
  for (const term of part.terms) flow.add({ kind: 'paragraph', text: writeInline(term, 'paragraph') });
  for (const block of part.blocks) {
    if (block.tokens === undefined) addBlocks([block], flow);
    else flow.add({ ...written(block), isExplicit: block.isExplicit === true });
  }
}
