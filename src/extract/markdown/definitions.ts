/** Definition lists. Markdown has none: short ones become a list, long ones (API references) terms and text. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import type { Block, Flow } from './flow.ts';
import { containersMax } from './lists.ts';

export function writeDefinitions(list: Element, flow: Flow): void {
  if (flow.isLine || flow.depth >= containersMax) return flow.page.walk(list.children, flow);
  const parts: Part[] = [];
  collectParts(list.children, parts, flow);
  flow.endParagraph(false);
  if (parts.every(isShort)) writeShort(parts, flow);
  else for (const part of parts) writePart(part, flow);
}

type Part = { readonly term: string; readonly blocks: readonly Block[] };

/** A term and its definitions. Either may be missing. */
function collectParts(nodes: readonly ChildNode[], parts: Part[], flow: Flow): void {
  for (const node of nodes) {
    if (!isTag(node) || flow.page.skipped.has(node)) continue;
    if (node.name === 'dt') {
      const term = flow.line(node.children, 'heading');
      if (term !== '') parts.push({ term, blocks: [] });
    } else if (node.name === 'dd') {
      const blocks = flow.inner(node.children, 'paragraph');
      const last = parts.at(-1);
      if (last === undefined) parts.push({ term: '', blocks });
      else parts[parts.length - 1] = { term: last.term, blocks: [...last.blocks, ...blocks] };
    } else if (node.name === 'div' || node.name === 'dl' || node.name === 'section') {
      collectParts(node.children, parts, flow);
    } else {
      parts.push({ term: '', blocks: flow.inner([node], 'paragraph') });
    }
  }
}

function isShort({ blocks }: Part): boolean {
  return blocks.every(({ kind, text }) => kind === 'paragraph' && !text.includes('\n')) && blocks.length <= 2;
}

function writeShort(parts: readonly Part[], flow: Flow): void {
  const lines = parts.flatMap(({ term, blocks }) => {
    const text = blocks.map((block) => block.text).join('; ');
    const label = strong(term);
    return label === '' && text === '' ? [] : [`- ${label}${label !== '' && text !== '' ? ': ' : ''}${text}`];
  });
  if (lines.length > 0) flow.add({ kind: 'list', text: lines.join('\n'), marker: '-' });
}

function writePart({ term, blocks }: Part, flow: Flow): void {
  const label = strong(term);
  if (label !== '') flow.add({ kind: 'paragraph', text: label });
  flow.blocks.push(...blocks);
}

/** Bold where that is safe: not around markup or escapes of its own. */
function strong(term: string): string {
  return term === '' || /[*_`[\\]/.test(term) ? term : `**${term}**`;
}
