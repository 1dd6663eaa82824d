/**
 * Writes the blocks as HTML, one piece per page. A paragraph continues across columns and pages; an `<hr>` separates
 * pages that do not share a paragraph.
 */
import { element, htmlText } from '../parts/html-text.ts';
import type { Block } from './pdf-blocks.ts';
import { withHyphens } from './pdf-hyphens.ts';
import { joinedSpans, linkBetween, spansHtml, withoutHyphen } from './pdf-lines.ts';
import { plainSpan, type Span } from './pdf-segments.ts';

export function pagesHtml(pages: readonly Block[][], usualSize: number): readonly string[] {
  const continued = new Set<number>();
  let open: Block | undefined;
  const texts = pages.map((blocks, page) => {
    const kept: Block[] = [];
    // A paragraph does not continue across a page without text.
    if (blocks.length === 0) open = undefined;
    for (const block of blocks) {
      const isFirst = kept.length === 0 && page > 0;
      if (open && isContinuation(open, block)) {
        proceed(open, block);
        if (isFirst) continued.add(page);
        continue;
      }
      kept.push(block);
      // Footnotes can stand between the halves of a paragraph.
      if (!isNote(block, usualSize) || !open) open = block;
    }
    return kept;
  });
  const html: string[] = [];
  let isRuled = false;
  for (const [page, blocks] of texts.entries()) {
    const text = blocksHtml(blocks);
    isRuled ||= !continued.has(page);
    if (text === '') continue;
    html.push(html.length > 0 && isRuled ? `<hr>${text}` : text);
    isRuled = false;
  }
  return withHyphens(html);
}

function isNote(block: Block, usualSize: number): boolean {
  return block.kind === 'paragraph' && (block.lines[0]?.size ?? usualSize) < usualSize * 0.93;
}

/** Returns true if `block` continues `open`: same size, and `open` does not end a sentence. */
function isContinuation(open: Block, block: Block): boolean {
  if (open.kind === 'code') return false;
  if ((open.kind !== 'paragraph' && open.kind !== 'item') || block.kind !== 'paragraph') return false;
  const [last, first] = [open.lines.at(-1), block.lines[0]];
  if (
    !last ||
    !first ||
    Math.abs(last.size - first.size) > 0.5 ||
    last.isBold !== first.isBold ||
    last.angle !== first.angle
  )
    return false;
  // Only at a column break: a gap within one column separates paragraphs.
  if (last.y - first.y > 0 && first.left < last.right) return false;
  const [end, start] = [last.text.trimEnd(), first.text.trimStart()];
  if (/^\p{Ll}/u.test(start)) return !/[.!?。！？:]["”’»)\]]?$/u.test(end);
  const isFull = open.lines.length === 1 || last.right > open.right - last.size * 2;
  return isFull && open.lines.length > 1 && !/[.!?:;。！？：；…]["”’»)\]」』]?$/u.test(end);
}

function proceed(open: Block, block: Block): void {
  if ((open.kind !== 'paragraph' && open.kind !== 'item') || block.kind !== 'paragraph') return;
  const [last, first] = [open.lines.at(-1), block.lines[0]];
  if (!last || !first) return;
  const between = linkBetween(last, first, last.right);
  const spans = [...open.spans];
  const end = spans.at(-1);
  if (end && between === '-') spans[spans.length - 1] = withoutHyphen(end);
  else if (between !== '') spans.push(plainSpan(' '));
  open.spans = [...spans, ...block.spans];
  open.lines = block.lines;
}

function blocksHtml(blocks: readonly Block[]): string {
  const parts: string[] = [];
  let list: ListWriter | undefined;
  for (const [index, block] of blocks.entries()) {
    if (
      block.kind === 'item' &&
      (list || block.number === undefined || block.number === 1 || isNextItem(blocks[index + 1], block.number))
    ) {
      list ??= new ListWriter();
      list.add(block);
      continue;
    }
    if (list) parts.push(list.end());
    list = undefined;
    parts.push(blockHtml(block));
  }
  if (list) parts.push(list.end());
  return parts.join('').replaceAll('</ul><ul class="contents">', '');
}

function isNextItem(block: Block | undefined, number: number): boolean {
  return block?.kind === 'item' && block.number === number + 1;
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return element(`h${block.level}`, spansHtml(block.spans));
    case 'code':
      return element('pre', element('code', htmlText(block.text)));
    case 'table': {
      const row = (cells: readonly (readonly Span[])[], name: string): string =>
        element('tr', cells.map((cell) => element(name, spansHtml(cell))).join(''));
      return element('table', block.rows.map((cells, index) => row(cells, index === 0 ? 'th' : 'td')).join(''));
    }
    case 'contents':
      return `<ul class="contents">${element('li', spansHtml(block.spans))}</ul>`;
    case 'item':
      return element('p', spansHtml(joinedSpans(block.lines, block.right)));
    case 'paragraph': {
      const html = spansHtml(block.spans);
      return html === ''
        ? ''
        : element('p', block.lines.every(({ isBold }) => isBold) ? element('strong', html) : html);
    }
  }
}

const depthMax = 5;

/** Nests items by their indentation. */
class ListWriter {
  readonly #parts: string[] = [];
  readonly #open: { readonly tag: string; readonly left: number }[] = [];

  add({ number, left, spans }: Extract<Block, { kind: 'item' }>): void {
    const tag = number === undefined ? 'ul' : 'ol';
    while (this.#open.length > 1 && left < (this.#open.at(-1)?.left ?? 0) - 5) this.#close();
    const inner = this.#open.at(-1);
    if (inner && left > inner.left + 5 && this.#open.length < depthMax) this.#begin(tag, left, number);
    else if (inner?.tag === tag) this.#parts.push('</li>');
    else {
      if (inner) this.#close();
      this.#begin(tag, left, number);
    }
    this.#parts.push(`<li>${spansHtml(spans)}`);
  }

  end(): string {
    while (this.#open.length > 0) this.#close();
    return this.#parts.join('');
  }

  #begin(tag: string, left: number, number: number | undefined): void {
    this.#open.push({ tag, left });
    this.#parts.push(number === undefined || number === 1 ? `<${tag}>` : `<${tag} start="${number}">`);
  }

  #close(): void {
    this.#parts.push(`</li></${this.#open.pop()?.tag ?? 'ul'}>`);
  }
}
