/** Writes lists, and elements that a page nests in them by mistake. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { isLeftEmpty } from './empty-elements.ts';
import type { Block, Flow } from './flow.ts';
import { joinBlocks, withoutOuterRules } from './flow.ts';

/** Deeper lists and quotes are written at this depth: each level adds a prefix to every line inside. */
export const containersMax = 20;

const listNames: ReadonlySet<string> = new Set(['ul', 'ol', 'menu', 'dir']);

export function writeList(list: Element, flow: Flow): void {
  if (flow.isLine) return writeAsLines(list, flow);
  if (flow.depth >= containersMax) return flow.page.walk(list.children, flow);
  flow.page.plain.end(2);
  const items: Item[] = [];
  collectItems(list.children, items, flow);
  for (const { nodes, label } of items) if (label !== undefined) writeNote(nodes, label, flow);
  const others = items.filter(({ label }) => label === undefined);
  if (others.length > 0) writeItems(others, list, flow);
}

/** Writes a list in a table cell or heading: with markers, but not as a Markdown list. */
function writeAsLines(list: Element, flow: Flow): void {
  const isOrdered = list.name === 'ol';
  let number = wholeNumber(list.attribs['start']) ?? 1;
  for (const item of list.children) {
    if (!isTag(item) || item.name !== 'li' || flow.page.skipped.has(item)) {
      flow.page.walk([item], flow);
      continue;
    }
    number = wholeNumber(item.attribs['value']) ?? number;
    writeLine(item, isOrdered ? `${number}. ` : '- ', flow);
    number++;
  }
}

function writeLine({ children }: Element, marker: string, flow: Flow): void {
  flow.inline.break();
  flow.inline.text(marker);
  flow.page.walk(children, flow);
  flow.inline.break();
}

/** Writes a `<li>` outside any list. */
export function writeLooseItem(item: Element, flow: Flow): void {
  if (flow.isLine) return writeLine(item, '- ', flow);
  const label = flow.page.footnotes?.labels.get(item);
  if (label !== undefined) return writeNote(item.children, label, flow);
  if (flow.depth >= containersMax) {
    flow.endParagraph(false);
    flow.page.walk(item.children, flow);
    return flow.endParagraph(false);
  }
  const previous = flow.inline.isEmpty ? flow.blocks.at(-1) : undefined;
  const text = itemText(flow.inner(item.children, 'item'), '- ', false);
  if (previous?.kind === 'list' && previous.marker === looseMarker) {
    flow.blocks.pop();
    flow.add({ kind: 'list', text: `${previous.text}\n${text}`, marker: looseMarker });
  } else if (text !== '-') {
    flow.add({ kind: 'list', text, marker: looseMarker });
  }
}

export function writeNote(nodes: readonly ChildNode[], label: string, flow: Flow): void {
  flow.page.plain.startItem(`[${label}] `);
  const text = joinBlocks(flow.inner(nodes, 'paragraph'));
  flow.page.plain.endItem();
  const definition = text === '' ? '' : ` ${text.replace(/\n(?=[^\n])/g, '\n    ')}`;
  flow.add({ kind: 'paragraph', text: `[^${label}]:${definition}` });
}

/** Distinguishes stray items from a list, so that the next stray item joins them. */
const looseMarker = '- ';

interface Item {
  readonly nodes: ChildNode[];
  readonly value: number | undefined;
  /** Label of a footnote. */
  readonly label?: string | undefined;
}

function collectItems(nodes: readonly ChildNode[], items: Item[], flow: Flow): void {
  for (const node of nodes) {
    if (flow.page.skipped.has(node)) continue;
    if (isTag(node) && node.name === 'li') {
      const label = flow.page.footnotes?.labels.get(node);
      items.push({ nodes: [...node.children], value: wholeNumber(node.attribs['value']), label });
    } else if (isTag(node) && listNames.has(node.name)) {
      // A list directly in a list belongs to the item before it.
      const last = items.at(-1);
      if (last === undefined) items.push({ nodes: [node], value: undefined });
      else last.nodes.push(node);
    } else if (
      isTag(node) &&
      node.children.some((child) => isTag(child) && (child.name === 'li' || child.name === 'div'))
    ) {
      collectItems(node.children, items, flow);
    } else if (isTag(node) || (isText(node) && node.data.trim() !== '')) {
      items.push({ nodes: [node], value: undefined });
    }
  }
}

function writeItems(items: readonly Item[], list: Element, flow: Flow): void {
  const written = items.map(({ nodes, value }) => ({
    blocks: flow.inner(nodes, 'item'),
    value,
    // The author left an item of white space empty on purpose. Items with icons and the like are dropped.
    isKept: nodes.every((node) => isText(node)),
  }));
  const kept = written.filter(({ blocks, isKept }) => blocks.length > 0 || isKept);
  // `- - -` would be a rule.
  const from = flow.depth > 0 && list.name !== 'ol' ? kept.findIndex(({ blocks }) => blocks.length > 0) : 0;
  kept.splice(0, from === -1 ? kept.length : from);
  flow.endParagraph(false);
  if (!kept.some(({ blocks }) => blocks.length > 0) && !(kept.length > 0 && isLeftEmpty(list))) return;

  const isOrdered = list.name === 'ol';
  // Teasers and API members are list items only for the style sheet: an item with a heading needs no bullet.
  if (!isOrdered && list.attribs['class'] !== undefined && kept.every(({ blocks }) => holdsHeading(blocks)))
    return addBlocks(
      kept.flatMap(({ blocks }) => blocks),
      flow,
    );
  const marker = markerAfter(flow.blocks.at(-1), isOrdered);
  const isLoose = kept.some(({ blocks }) => hasGap(blocks));
  const isReversed = isOrdered && list.attribs['reversed'] !== undefined;
  let number = wholeNumber(list.attribs['start']) ?? (isReversed ? kept.length : 1);
  let text = '';
  for (const { blocks, value } of kept) {
    number = value ?? number;
    if (text !== '') text += isLoose ? '\n\n' : '\n';
    text += itemText(
      isOrdered ? blocks : withoutBullet(blocks),
      isOrdered ? `${clamped(number)}${marker} ` : `${marker} `,
      isLoose,
    );
    number += isReversed ? -1 : 1;
  }
  flow.add({ kind: 'list', text, marker });
}

/** Pages that hide the bullets of a list write their own. */
function withoutBullet(blocks: readonly Block[]): readonly Block[] {
  const [first] = blocks;
  if (first?.kind !== 'paragraph' || !bullet.test(first.text)) return blocks;
  return [{ ...first, text: first.text.replace(bullet, '') }, ...blocks.slice(1)];
}

const bullet = /^[•‣◦▪▫●○■□·∙]\s*(?=[^\s•‣◦▪▫●○■□·∙])/u;

function holdsHeading(blocks: readonly Block[]): boolean {
  return blocks.some(({ kind }) => kind === 'heading');
}

/** Chooses a marker that differs from the list before, since two lists with one marker would merge. */
export function markerAfter(before: Block | undefined, isOrdered: boolean): string {
  const taken = before?.kind === 'list' ? before.marker : undefined;
  if (isOrdered) return taken === '.' ? ')' : '.';
  return taken?.trim() === '-' ? '*' : '-';
}

/** Adds blocks written elsewhere. A list changes its marker if it now follows a list with the same one. */
export function addBlocks(blocks: readonly Block[], flow: Flow): void {
  for (const block of blocks) {
    const marker = block.kind === 'list' ? markerAfter(flow.blocks.at(-1), /^\d/.test(block.text)) : undefined;
    if (marker === undefined || flow.blocks.at(-1)?.marker?.trim() !== block.marker?.trim()) flow.blocks.push(block);
    // Only items start at the very beginning of a line.
    else flow.blocks.push({ ...block, marker, text: block.text.replace(/^(\d*)[-*.)](?= |$)/gm, `$1${marker}`) });
  }
}

/** Writes the items as a list. If lists in one item follow each other, they get different markers when added to it. */
export function itemsText(items: readonly (readonly Block[])[], marker: string): string {
  const kept = items.map((blocks) => withoutOuterRules(blocks));
  const isLoose = kept.some((blocks) => hasGap(blocks));
  return kept.map((blocks) => itemText(blocks, `${marker} `, isLoose)).join(isLoose ? '\n\n' : '\n');
}

function itemText(blocks: readonly Block[], lead: string, isLoose: boolean): string {
  if (blocks.length === 0) return lead.trimEnd();
  let text = '';
  let previous: Block | undefined;
  for (const block of blocks) {
    if (previous !== undefined) text += isLoose || needsGap(previous, block) ? '\n\n' : '\n';
    text += block.kind === 'rule' ? '___' : block.text;
    previous = block;
  }
  if (!text.includes('\n')) return lead + text;
  // Empty lines need no indentation.
  return lead + text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(lead.length)}`);
}

function hasGap(blocks: readonly Block[]): boolean {
  if (blocks.length < 2) return false;
  return blocks.some(({ isExplicit }, index) => isExplicit === true && blocks[index + 1]?.kind !== 'list') &&
    blocks.length > 1
    ? true
    : blocks.some((block, index) => {
        const previous = blocks[index - 1];
        return previous !== undefined && needsGap(previous, block);
      });
}

/** Returns true if, without an empty line, the second block would be read as part of the first. */
function needsGap(first: Block, second: Block): boolean {
  if (first.kind === 'quote' || first.kind === 'list' || first.kind === 'table') return true;
  if (first.isExplicit === true && second.isExplicit === true) return true;
  // Right after a line of text, micromark drops a line end of code, and reads the number of a list in a quote as text.
  if (second.kind === 'code' || second.kind === 'quote') return true;
  if (second.kind === 'heading') return false;
  // Only a list that starts with 1 can follow a paragraph directly.
  if (second.kind === 'list') return first.kind === 'paragraph' && !/^(?:[-*] |1[.)] )(?!\d+[.)] )\S/.test(second.text);
  return first.kind === 'paragraph' || second.kind === 'table';
}

function wholeNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*-?\d{1,12}\s*$/.test(value) ? Number(value) : undefined;
}

/** Markdown list numbers are not negative and have at most nine digits. */
function clamped(number: number): number {
  return Math.min(999_999_999, Math.max(0, number));
}
