/**
 * Writes Markdown (CommonMark, GFM) as HTML, to be read like a page: its links, its text. Not for display: HTML in the
 * Markdown stays. Linear in the text, unlike Markdown libraries.
 */
import { escapeHtml, filteredTag, inlineHtml } from './inline-html.ts';
import type { Definitions } from './inline-links.ts';
import { type Leaf, leavesOf } from './leaves.ts';
import { definitionsIn } from './shape-markdown.ts';

export interface MarkdownHtml {
  readonly html: string;
  /** The first heading, as HTML; empty if there is none. */
  readonly heading: string;
}

export function markdownHtml(text: string): MarkdownHtml {
  return new HtmlWriter(text).written();
}

interface OpenItem {
  readonly item: number;
  readonly list: 'ul' | 'ol' | 'div';
}

class HtmlWriter {
  readonly #text: string;
  readonly #definitions: Definitions;
  readonly #parts: string[] = [];
  readonly #open: OpenItem[] = [];
  #quotes = 0;
  #heading = '';

  constructor(text: string) {
    this.#text = text;
    this.#definitions = definitionsIn(text);
  }

  written(): MarkdownHtml {
    for (const leaf of leavesOf(this.#text)) if (leaf.kind !== 'definition') this.#leaf(leaf);
    this.#quote(0);
    this.#closeItems(0);
    return { html: this.#parts.join(''), heading: this.#heading };
  }

  #leaf(leaf: Leaf): void {
    const markers = markersOf(this.#text.slice(leaf.start, leaf.lines[0]));
    const isFirstInItem = this.#items(leaf.items, markers);
    this.#quote(markers.filter((marker) => marker === '>').length);
    this.#parts.push(this.#block(leaf, isFirstInItem), '\n');
  }

  /** Opens and closes list items. Returns true if the leaf is the first of its item. */
  #items(items: readonly number[], markers: readonly string[]): boolean {
    let same = 0;
    while (same < items.length && this.#open[same]?.item === items[same]) same++;
    if (same === items.length && same === this.#open.length) return false;
    this.#quote(0);
    const itemMarkers = markers.filter((marker) => marker !== '>');
    const added = items.slice(same);
    for (const [index, item] of added.entries()) {
      const marker = itemMarkers[itemMarkers.length - added.length + index] ?? '-';
      const list = marker.startsWith('[') ? 'div' : /^\d/.test(marker) ? 'ol' : 'ul';
      const sibling = index === 0 ? this.#open[same] : undefined;
      this.#closeItems(sibling?.list === list ? same + 1 : same + index);
      if (sibling?.list === list && list !== 'div') {
        this.#open.pop();
        this.#parts.push('</li>\n');
      } else {
        this.#closeItems(same + index);
        const start = list === 'ol' ? Number.parseInt(marker, 10) : 1;
        this.#parts.push(`<${list}${start === 1 ? '' : ` start="${start}"`}>\n`);
      }
      this.#parts.push(list === 'div' ? escapeHtml(marker) : '<li>');
      this.#open.push({ item, list });
    }
    this.#closeItems(items.length);
    return added.length > 0;
  }

  #closeItems(length: number): void {
    for (let open = this.#open.pop(); open !== undefined; open = this.#open.pop()) {
      if (this.#open.length < length) {
        this.#open.push(open);
        return;
      }
      this.#parts.push(open.list === 'div' ? '</div>\n' : `</li>\n</${open.list}>\n`);
    }
  }

  #quote(depth: number): void {
    for (; this.#quotes < depth; this.#quotes++) this.#parts.push('<blockquote>\n');
    for (; this.#quotes > depth; this.#quotes--) this.#parts.push('</blockquote>\n');
  }

  #block(leaf: Leaf, isFirstInItem: boolean): string {
    switch (leaf.kind) {
      case 'heading': {
        const html = this.#inline(this.#headingText(leaf));
        if (this.#heading === '') this.#heading = html;
        return `<h${leaf.level}>${html}</h${leaf.level}>`;
      }
      case 'code':
        return this.#code(leaf);
      case 'html': {
        const html = this.#lines(leaf).join('\n');
        return /^<(?:script|style)[\s>]/i.test(html) ? '' : html.replaceAll(filteredTag, '&lt;');
      }
      case 'rule':
        return '<hr>';
      case 'table':
        return this.#table(leaf);
      case 'paragraph':
      case 'definition': {
        const html = this.#inline(this.#lines(leaf).join('\n'));
        return isFirstInItem ? html : `<p>${html}</p>`;
      }
    }
  }

  #inline(text: string): string {
    return inlineHtml(text, this.#definitions);
  }

  #lines({ lines }: Leaf): string[] {
    const texts: string[] = [];
    for (let line = 0; line < lines.length; line += 2) texts.push(this.#text.slice(lines[line], lines[line + 1]));
    return texts;
  }

  #headingText(leaf: Leaf): string {
    const lines = this.#lines(leaf);
    // The last line of several underlines them.
    if (lines.length > 1) return lines.slice(0, -1).join('\n');
    const text = (lines[0] ?? '').trimEnd();
    let end = text.length;
    while (text[end - 1] === '#') end--;
    return end === text.length || (end > 0 && !/\s/.test(text.charAt(end - 1))) ? text : text.slice(0, end).trimEnd();
  }

  /** Lines keep their indentation beyond that of the first. */
  #code({ start, lines }: Leaf): string {
    const column = (lines[0] ?? 0) - start;
    const texts: string[] = [];
    for (let line = 0; line < lines.length; line += 2) {
      const [from = 0, to = 0] = [lines[line], lines[line + 1]];
      const lineStart = this.#text.lastIndexOf('\n', Math.max(from - 1, 0)) + 1;
      texts.push(this.#text.slice(from === to ? to : Math.min(lineStart + column, from), to));
    }
    const [, fence, language = ''] = /^(`{3,}|~{3,})[ \t]*([\w+#.-]*)/.exec(texts[0] ?? '') ?? [];
    if (fence === undefined) return `<pre><code>${escapeHtml(texts.join('\n'))}</code></pre>`;
    const isClosed = texts.length > 1 && /^[ \t]*(?:`{3,}|~{3,})[ \t]*$/.test(texts.at(-1) ?? '');
    const code = escapeHtml(texts.slice(1, isClosed ? -1 : undefined).join('\n'));
    return `<pre><code${language === '' ? '' : ` class="language-${escapeHtml(language)}"`}>${code}</code></pre>`;
  }

  #table(leaf: Leaf): string {
    const [head = '', , ...rows] = this.#lines(leaf);
    const row = (line: string, name: string): string =>
      `<tr>${cellsOf(line)
        .map((cell) => `<${name}>${this.#inline(cell)}</${name}>`)
        .join('')}</tr>`;
    return `<table>${row(head, 'th')}${rows.map((line) => row(line, 'td')).join('\n')}</table>`;
  }
}

/** Markers of quotes, items and footnotes at the start of a line, without its indents. */
function markersOf(prefix: string): readonly string[] {
  return prefix.match(/>|[-+*]|\d{1,9}[.)]|\[\^[^\s[\]]{1,200}\]:/g) ?? [];
}

function cellsOf(line: string): readonly string[] {
  const row = line.trim();
  const cells: string[] = [];
  let start = row.startsWith('|') ? 1 : 0;
  for (let index = start; index < row.length; index++) {
    if (row[index] === '\\') index++;
    else if (row[index] === '|') {
      cells.push(row.slice(start, index).trim());
      start = index + 1;
    }
  }
  if (start < row.length) cells.push(row.slice(start).trim());
  // In a cell, also in its code, an escaped bar is a bar.
  return cells.map((cell) => cell.replaceAll('\\|', '|'));
}
