/** What the writers of blocks hand each other. */
import type { ChildNode } from 'domhandler';
import type { Footnotes } from './footnotes.ts';
import { InlineBuilder } from './inline-builder.ts';
import type { Token } from './tokens.ts';
import type { InlinePlace } from './write-inline.ts';
import { writeInline } from './write-inline.ts';

export interface Block {
  readonly kind: 'paragraph' | 'heading' | 'list' | 'code' | 'quote' | 'table' | 'rule';
  /** Without the prefix of what it stands in. */
  readonly text: string;
  /** For a list, its marker: two lists in a row need different ones. */
  readonly marker?: string;
  /** Of a paragraph that is not written yet, since it may become part of a longer line. */
  readonly tokens?: readonly Token[];
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
  /** Images without a text of their own that were written: what comes again is an icon. */
  readonly namelessImages: Set<string>;
  /** Titles of boxes that stand before the text of their box already. */
  readonly writtenTitles: Set<ChildNode>;
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
  readonly #holdsBack: boolean;

  constructor(page: MarkdownPage, place: InlinePlace, parent?: Flow, depth = parent?.depth ?? 0, holdsBack = false) {
    this.page = page;
    this.place = place;
    this.depth = depth;
    this.#holdsBack = holdsBack;
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
    if (this.#holdsBack)
      return void this.blocks.push({ kind: 'paragraph', text: '', tokens: this.inline.take(), isExplicit });
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

  /** As {@link inner}, but with paragraphs that are left to be written. */
  heldBack(nodes: readonly ChildNode[]): readonly Block[] {
    const flow = new Flow(this.page, 'paragraph', this, this.depth + 1, true);
    this.page.walk(nodes, flow);
    flow.endParagraph(false);
    return flow.blocks;
  }

  /** The nodes as one line, blocks and all. */
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
