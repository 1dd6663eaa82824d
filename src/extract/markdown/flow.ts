/** What the writers of blocks hand each other. */
import type { ChildNode } from 'domhandler';
import type { Footnotes } from './footnotes.ts';
import { InlineBuilder } from './inline-builder.ts';
import type { InlinePlace } from './write-inline.ts';
import { writeInline } from './write-inline.ts';

export interface Block {
  readonly kind: 'paragraph' | 'heading' | 'list' | 'code' | 'quote' | 'table' | 'rule';
  /** Without the prefix of what it stands in. */
  readonly text: string;
  /** For a list, its marker: two lists in a row need different ones. */
  readonly marker?: string;
  /** A paragraph that the page itself calls one, in contrast to text that just stands there. */
  readonly isExplicit?: boolean;
}

/** One page being written. */
export interface MarkdownPage {
  readonly nodes: readonly ChildNode[];
  /** Notes add what they make superfluous, when they are found. */
  skipped: ReadonlySet<ChildNode>;
  /** Looked for at the first link that may refer to one. */
  footnotes: Footnotes | undefined;
  /** Absolute URL for a reader, or undefined where the reference is not one to follow. */
  readonly resolve: (reference: string) => string | undefined;
  readonly walk: (nodes: readonly ChildNode[], flow: Flow) => void;
  /** Cells that colspan and rowspan may still add, over all tables. */
  spanCellsLeft: number;
}

/** A sequence of blocks being written: the page, a list item, a quote; or one line, where blocks become line breaks. */
export class Flow {
  readonly page: MarkdownPage;
  readonly blocks: Block[] = [];
  readonly inline: InlineBuilder;
  /** Lists and quotes around this. */
  readonly depth: number;
  readonly place: InlinePlace;

  constructor(page: MarkdownPage, place: InlinePlace, parent?: Flow, depth = parent?.depth ?? 0) {
    this.page = page;
    this.place = place;
    this.depth = depth;
    this.inline = new InlineBuilder(place === 'heading', parent?.inline.marks);
  }

  /** Everything has to fit into one line: a heading, a table cell. */
  get isLine(): boolean {
    return this.place === 'heading' || this.place === 'cell';
  }

  add(block: Block): void {
    this.endParagraph(false);
    if (block.text !== '' || block.kind === 'list') this.blocks.push(block);
  }

  endParagraph(isExplicit: boolean): void {
    if (this.isLine) return this.inline.break();
    if (this.inline.isEmpty) return void this.inline.take();
    const place = this.place === 'item' && this.blocks.length > 0 ? 'paragraph' : this.place;
    const text = writeInline(this.inline.take(), place);
    if (text !== '') this.blocks.push({ kind: 'paragraph', text, isExplicit });
  }

  /** The blocks of a container's children. */
  inner(nodes: readonly ChildNode[], place: InlinePlace): readonly Block[] {
    const flow = new Flow(this.page, place, this, this.depth + 1);
    this.page.walk(nodes, flow);
    flow.endParagraph(false);
    return flow.blocks;
  }

  /** The nodes as one line, blocks and all. */
  line(nodes: readonly ChildNode[], place: 'heading' | 'cell'): string {
    const flow = new Flow(this.page, place, this);
    this.page.walk(nodes, flow);
    return writeInline(flow.inline.take(), place);
  }
}

export function joinBlocks(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => text).join('\n\n');
}
