/** Definition lists. Markdown has none: short ones become a list, long ones (API references) terms and text. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import type { Block, Flow } from './flow.ts';
import { addBlocks, containersMax, markerAfter, writeNote } from './lists.ts';
import type { Token } from './tokens.ts';
import { writeInline } from './write-inline.ts';
import { isSignature, signatureCode } from './signatures.ts';

export function writeDefinitions(list: Element, flow: Flow): void {
  if (flow.isLine || flow.depth >= containersMax) return flow.page.walk(list.children, flow);
  const parts: Part[] = [];
  collectParts(withoutNotes(list.children, flow), parts, flow);
  flow.endParagraph(false);
  if (parts.every(isShort)) writeShort(parts, flow);
  else for (const part of parts) writePart(part, flow);
}

/** Terms and what they mean. Either may be missing. */
interface Part {
  readonly terms: readonly Line[];
  /** Members of an API all look the same, however little there is to say of one. */
  readonly isMember?: boolean;
  readonly blocks: readonly Block[];
}

type Line = readonly Token[];

/** Writes what older docutils has as notes: a term with the name of one, its text in the definition behind it. */
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
      const term = termLine(node, flow);
      if (term.length > 0) parts.push({ terms: [term], blocks: [], isMember: isSignature(node) });
    } else if (node.name === 'dd') {
      addDefinition(flow.heldBack(node.children), parts);
    } else if (node.name === 'div' || node.name === 'dl' || node.name === 'section') {
      collectParts(node.children, parts, flow);
    } else {
      parts.push({ terms: [], blocks: flow.heldBack([node]) });
    }
  }
}

/** Bold tells a term from its text, as code does by itself. */
function termLine(term: Element, flow: Flow): Line {
  if (isSignature(term)) {
    const code = signatureCode(term, flow.page.skipped);
    return code === '' ? [] : [{ kind: 'raw', text: code, span: undefined }];
  }
  return flow.lineTokens(term.children, 'heading', holdsCode(term.children) ? undefined : 'strong');
}

function holdsCode(nodes: readonly ChildNode[]): boolean {
  return nodes.some((node) => isTag(node) && (codeNames.has(node.name) || holdsCode(node.children)));
}

const codeNames: ReadonlySet<string> = new Set(['code', 'tt', 'kbd', 'samp']);

/** Terms in a row share the definition that follows. */
function addDefinition(blocks: readonly Block[], parts: Part[]): void {
  const terms: Line[] = [];
  let isMember = false;
  let last = parts.at(-1);
  if (last !== undefined && last.blocks.length > 0) {
    parts[parts.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] };
    return;
  }
  for (; last !== undefined && last.blocks.length === 0; last = parts.at(-1)) {
    terms.unshift(...last.terms);
    isMember ||= last.isMember === true;
    parts.pop();
  }
  parts.push({ terms, blocks, isMember });
}

function isShort({ blocks, isMember }: Part): boolean {
  return (
    isMember !== true &&
    blocks.length <= 2 &&
    blocks.every(({ tokens }) => tokens?.every(({ kind }) => kind !== 'break') === true)
  );
}

function writeShort(parts: readonly Part[], flow: Flow): void {
  const marker = markerAfter(flow.blocks.at(-1), false);
  const lines = parts.map((part) => writeInline(lineOf(part), 'item')).filter((line) => line !== '');
  if (lines.length > 0) flow.add({ kind: 'list', text: lines.map((line) => `${marker} ${line}`).join('\n'), marker });
}

function lineOf({ terms, blocks }: Part): Line {
  const definitions = blocks.map(({ tokens }) => tokens ?? []);
  return joined([joined(terms, ', '), joined(definitions, '; ')], ': ');
}

/** With the mark between them, unless what stands before has one of its own. */
function joined(lines: readonly Line[], mark: string): Line {
  const all: Token[] = [];
  for (const line of lines) {
    if (all.length > 0 && line.length > 0)
      all.push({ kind: 'text', text: endsItself(all) ? ' ' : mark, span: undefined });
    all.push(...line);
  }
  return all;
}

function endsItself(line: Line): boolean {
  return /[:.!?;…：。！？]$/u.test(line.findLast(({ text }) => text !== '')?.text ?? '');
}

function writePart(part: Part, flow: Flow): void {
  // The name of a field (`Returns:`) belongs to the line that follows.
  if (part.blocks.length === 1 && isShort(part) && part.terms.length === 1 && part.terms.every(endsItself))
    return flow.add({ kind: 'paragraph', text: writeInline(lineOf(part), 'paragraph') });
  for (const term of part.terms) flow.add({ kind: 'paragraph', text: writeInline(term, 'paragraph') });
  for (const block of part.blocks) {
    if (block.tokens === undefined) addBlocks([block], flow);
    else
      flow.add({
        kind: 'paragraph',
        text: writeInline(block.tokens, 'paragraph'),
        isExplicit: block.isExplicit === true,
      });
  }
}
