/** The content of a page as CommonMark with GFM tables, strikethrough and task lists. */
import type { ChildNode } from 'domhandler';
import { hasChildren, isTag, isText } from 'domhandler';
import { blockElements, textlessElements } from '../element-kinds.ts';
import type { PageContent } from '../page-content.ts';
import { blockWriters, writeBox } from './block-elements.ts';
import type { MarkdownPage } from './flow.ts';
import { Flow, joinBlocks } from './flow.ts';
import { inlineWriters } from './inline-elements.ts';
import { spanCellsMax } from './tables.ts';

/** `resolve` gives the absolute URL of a link or image, or undefined for what a reader should not follow. */
export function toMarkdown(content: PageContent, resolve: (reference: string) => string | undefined): string {
  const { nodes, skipped } = content;
  const page: MarkdownPage = { nodes, skipped, resolve, walk, spanCellsLeft: spanCellsMax, footnotes: undefined };
  const flow = new Flow(page, 'paragraph');
  walk(content.nodes, flow);
  flow.endParagraph(false);
  return joinBlocks(flow.blocks);
}

function walk(nodes: readonly ChildNode[], flow: Flow): void {
  for (const node of nodes) {
    if (isText(node)) {
      flow.inline.text(node.data);
    } else if (isTag(node)) {
      if (flow.page.skipped.has(node)) continue;
      const write = blockWriters.get(node.name) ?? inlineWriters.get(node.name);
      if (write !== undefined) write(node, flow);
      else if (blockElements.has(node.name)) writeBox(node, flow);
      else if (!textlessElements.has(node.name)) walk(node.children, flow);
    } else if (hasChildren(node)) {
      walk(node.children, flow);
    }
  }
}
