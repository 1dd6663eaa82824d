/** Writes the content of a page as CommonMark with GFM tables, strikethrough, task lists and footnotes. */
import type { ChildNode } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { isCssGap } from '../../text/css-gaps.ts';
import { blockElements, textlessElements } from '../../html/element-kinds.ts';
import type { PageContent } from '../../content/page-content.ts';
import { blockWriters, writeBox } from './block-elements.ts';
import { PlainText } from '../plain-text.ts';
import type { MarkdownPage } from './flow.ts';
import { Flow, joinBlocks } from './flow.ts';
import { bareLinksMax, type ElementWriter, inlineWriters } from './inline-elements.ts';
import { spanCellsMax } from './table-grid.ts';

export interface Written {
  readonly markdown: string;
  /** Paragraphs separated, list items and table rows on their own lines. */
  readonly text: string;
  /** Such as `## Sizes`, in document order. */
  readonly headings: readonly string[];
}

/** `resolve` returns the absolute URL of a link or image, or undefined if a reader must not follow it. */
export function writePage(content: PageContent, resolve: (reference: string) => string | undefined): Written {
  const { nodes, skipped } = content;
  const page: MarkdownPage = {
    nodes,
    skipped,
    resolve,
    walk,
    plain: new PlainText(),
    namelessImages: new Set(),
    writtenTitles: new Set(),
    spanCellsLeft: spanCellsMax,
    bareLinksLeft: bareLinksMax,
    footnotes: undefined,
  };
  const flow = new Flow(page, 'paragraph');
  walk(content.nodes, flow);
  flow.endParagraph(false);
  return { markdown: joinBlocks(flow.blocks), text: page.plain.toString(), headings: page.plain.headings };
}

export function toMarkdown(content: PageContent, resolve: (reference: string) => string | undefined): string {
  return writePage(content, resolve).markdown;
}

/** The same for any addresses. */
export function toText(content: PageContent): string {
  return writePage(content, () => undefined).text;
}

function walk(nodes: readonly ChildNode[], flow: Flow): void {
  let before: ChildNode | undefined;
  for (const node of nodes) {
    if (isTag(node) && (flow.page.skipped.has(node) || flow.page.writtenTitles.has(node))) continue;
    if (!flow.inline.isCode && isCssGap(before, node)) flow.inline.space();
    before = node;
    if (isText(node)) {
      flow.inline.node(node);
    } else if (isTag(node)) {
      const write = writers.get(node.name);
      if (write === undefined) walk(node.children, flow);
      else write(node, flow);
    }
  }
}

/** One lookup per element. An element that is not listed is replaced by its content. */
const writers: ReadonlyMap<string, ElementWriter> = new Map<string, ElementWriter>([
  ...Array.from(textlessElements, (name) => [name, writeNothing] as const),
  ...Array.from(blockElements, (name) => [name, writeBox] as const),
  ...inlineWriters,
  ...blockWriters,
]);

function writeNothing(): void {}
