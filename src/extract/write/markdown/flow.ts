/** A written block, as the block writers pass it on. */
import type { ChildNode } from 'domhandler';
import type { PlainText } from '../plain-text.ts';
import type { Footnotes } from './footnotes.ts';
import { InlineBuilder } from './inline/inline-builder.ts';
import type { Token } from './inline/tokens.ts';
import type { InlinePlace } from './inline/write-inline.ts';
import { writeInline } from './inline/write-inline.ts';

export interface Block {
  readonly kind: 'paragraph' | 'heading' | 'list' | 'code' | 'quote' | 'table' | 'rule';
  /** Without the prefix of its container. */
  readonly text: string;
  /** Marker of a list: two lists in a row need different ones. */
  readonly marker?: string;
  /** Tokens of a paragraph that is not written yet, since it can become part of a longer line. */
  readonly tokens?: readonly Token[];
  /** True if the page marks the paragraph, as opposed to loose text. */
  readonly isExplicit?: boolean;
}

/** State of one page being written. */
export interface MarkdownPage {
  readonly nodes: readonly ChildNode[];
  /** Footnotes add the elements that they make redundant. */
  skipped: ReadonlySet<ChildNode>;
  /** Set at the first link that could refer to a footnote. */
  footnotes: Footnotes | undefined;
  /** Returns the absolute URL, or undefined if a reader must not follow the reference. */
  readonly resolve: (reference: string) => string | undefined;
  /** Of all that is written, in document order. */
  readonly plain: PlainText;
  readonly walk: (nodes: readonly ChildNode[], flow: Flow) => void;
  /** Addresses of images without text already written: a repetition is an icon. */
  readonly namelessImages: Set<string>;
  /** Titles of boxes already written before the text of their box. */
  readonly writtenTitles: Set<ChildNode>;
  /** Cells that colspan and rowspan can still add, over all tables. */
  spanCellsLeft: number;
  /** Links without text whose address can still be written. More of them are no mistake of an author. */
  bareLinksLeft: number;
}

/**
 * A sequence of blocks being written: the page, a list item or a quote. A heading or table cell is one line, in which
 * blocks become line breaks.
 */
export class Flow {
  readonly page: MarkdownPage;
  readonly blocks: Block[] = [];
  readonly inline: InlineBuilder;
  /** Number of lists and quotes around this flow. */
  readonly depth: number;
  readonly place: InlinePlace;
  readonly #holdsBack: boolean;

  constructor(page: MarkdownPage, place: InlinePlace, parent?: Flow, depth = parent?.depth ?? 0, holdsBack = false) {
    this.page = page;
    this.place = place;
    this.depth = depth;
    this.#holdsBack = holdsBack;
    this.inline = new InlineBuilder(place, page.plain, parent?.inline.marks);
  }

  /** True if everything must fit on one line: a heading or a table cell. */
  get isLine(): boolean {
    return this.place === 'heading' || this.place === 'cell';
  }

  add(block: Block): void {
    this.endBlock();
    if (block.text !== '' || block.kind === 'list') this.blocks.push(block);
  }

  /** Ends a paragraph before or after a block that has empty lines around it. */
  endBlock(): void {
    this.endParagraph(false);
    if (!this.isLine) this.page.plain.end(2);
  }

  endParagraph(isExplicit: boolean): void {
    if (this.isLine) return this.inline.break();
    this.page.plain.end(isExplicit ? 2 : 1);
    if (this.inline.isEmpty) return void this.inline.take();
    if (this.#holdsBack)
      return void this.blocks.push({ kind: 'paragraph', text: '', tokens: this.inline.take(), isExplicit });
    const place = this.place === 'item' && this.blocks.length > 0 ? 'paragraph' : this.place;
    const text = writeInline(this.inline.take(), place);
    if (text !== '') this.blocks.push({ kind: 'paragraph', text, isExplicit });
  }

  /** Writes the blocks of a container's children. */
  inner(nodes: readonly ChildNode[], place: InlinePlace): readonly Block[] {
    const flow = new Flow(this.page, place, this, this.depth + 1);
    if (place === 'item') this.page.plain.startItem();
    this.page.walk(nodes, flow);
    flow.endParagraph(false);
    if (place === 'item') this.page.plain.endItem();
    return place === 'item' ? withoutOuterRules(flow.blocks) : flow.blocks;
  }

  /** Like {@link inner}, but leaves paragraphs unwritten. */
  heldBack(nodes: readonly ChildNode[]): readonly Block[] {
    const flow = new Flow(this.page, 'paragraph', this, this.depth + 1, true);
    this.page.walk(nodes, flow);
    flow.endParagraph(false);
    return flow.blocks;
  }

  /** Writes the nodes as one line, including blocks. */
  line(nodes: readonly ChildNode[], place: 'heading' | 'cell'): string {
    return writeInline(this.lineTokens(nodes, place), place);
  }

  lineTokens(nodes: readonly ChildNode[], place: 'heading' | 'cell', mark?: 'strong'): readonly Token[] {
    const flow = new Flow(this.page, place, this);
    if (mark !== undefined) flow.inline.open(mark, mark);
    this.page.walk(nodes, flow);
    return flow.inline.take();
  }
}

export function joinBlocks(blocks: readonly Block[]): string {
  if (blocks.length === 1) return blocks[0]?.text ?? '';
  return blocks.map(({ text }) => text).join('\n\n');
}

/** Rules at the edges of an item only separate it from other items. */
export function withoutOuterRules(blocks: readonly Block[]): readonly Block[] {
  if (blocks[0]?.kind !== 'rule' && blocks.at(-1)?.kind !== 'rule') return blocks;
  const first = blocks.findIndex(({ kind }) => kind !== 'rule');
  return first === -1 ? blocks : blocks.slice(first, blocks.findLastIndex(({ kind }) => kind !== 'rule') + 1);
}
