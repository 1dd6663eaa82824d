/** Converts a linked file to the output format of the job, with the writers used for pages. */
import { escapeAttribute, escapeText as escapeHtml } from 'entities';
import type { DocumentBlock, DocumentContent, DocumentMetadata, TableCell } from '../core/document.ts';
import type { OutputFormat } from '../core/job.ts';
import type { PageMetadata } from '../core/page.ts';
import { countWords } from './text/count-words.ts';
import { contentHash, type Outputs, printable } from './extract-page.ts';
import { cleanLink } from '../url/clean-link.ts';
import { cellLinkTarget } from './write/markdown/inline/spans.ts';
import { writePage } from './write/markdown/to-markdown.ts';
import { pageUrls } from './scan/page-urls.ts';
import { parsePage } from './html/parse-html.ts';
import { toHtml } from './write/to-html.ts';

export interface ConvertedDocument {
  readonly metadata: PageMetadata;
  /** In the output format. Well-formed Unicode without control characters. */
  readonly text: string;
  /** One for each of the requested `formats`. */
  readonly outputs: Outputs;
  /** Plain text, for any output format. */
  readonly plainText: string;
}

/** `url` is the address of the file. */
export function convertDocument(
  { metadata, blocks }: DocumentContent,
  {
    url,
    outputFormat,
    formats = [],
  }: { readonly url: string; readonly outputFormat: OutputFormat; readonly formats?: readonly OutputFormat[] },
): ConvertedDocument {
  const plain: string[] = [];
  const wanted = new Set([outputFormat, ...formats]);
  wanted.delete('text');
  const formatted = new Map<OutputFormat, string[]>(Array.from(wanted, (format) => [format, []]));
  let isCut = false;
  for (const block of blocks) {
    const write = writersOf(block, url, wanted.has('html'));
    isCut ||= write.isCut;
    plain.push(write.text());
    for (const [format, parts] of formatted) parts.push(write[format]());
  }
  const plainText = joined(plain);
  const textAs = (format: OutputFormat): string =>
    format === 'text' ? plainText : joined(formatted.get(format) ?? []);
  return {
    metadata: {
      title: '',
      description: '',
      ...tidyMetadata(isCut ? { ...metadata, truncated: true } : metadata),
      wordCount: countWords(plainText),
      ...(plainText !== '' && { contentHash: contentHash(plainText) }),
    },
    text: textAs(outputFormat),
    outputs: Object.fromEntries(formats.map((format) => [format, textAs(format)])),
    plainText,
  };
}

type Writers = Readonly<Record<OutputFormat, () => string>>;

/** `isCut` is true if only the beginning of the block is written. */
function writersOf(block: DocumentBlock, url: string, keepsAll: boolean): Writers & { readonly isCut: boolean } {
  return block.kind === 'html' ? htmlWriters(block.html, url, keepsAll) : { ...plainWriters(block), isCut: false };
}

function htmlWriters(html: string, url: string, keepsAll: boolean): Writers & { readonly isCut: boolean } {
  const { document, isCut } = parsePage(html, { keepsAll });
  const { children: nodes } = document;
  const content = { nodes, skipped: new Set<never>() };
  const { readable } = pageUrls(url, undefined);
  const { markdown, text } = writePage(content, readable);
  return {
    markdown: () => markdown,
    text: () => text,
    html: () => toHtml(content, readable),
    isCut,
  };
}

function plainWriters(block: Exclude<DocumentBlock, { kind: 'html' }>): Writers {
  switch (block.kind) {
    case 'table':
      return tableWriters(block.rows);
    case 'plain': {
      const text = (): string => block.text;
      return { markdown: text, text, html: () => `<pre>${escapeHtml(block.text)}</pre>` };
    }
    case 'code':
      return {
        markdown: () => fenced(block.text, block.language),
        text: () => block.text,
        html: () => `<pre><code class="language-${block.language}">${escapeHtml(block.text)}</code></pre>`,
      };
  }
}

function tableWriters(rows: readonly (readonly TableCell[])[]): Writers {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const row = (cells: readonly TableCell[]): string => {
    const texts = cells.map((cell) => markdownCell(cell));
    return `| ${[...texts, ...Array<string>(width - cells.length).fill('')].join(' | ')} |`;
  };
  const htmlRow = (cells: readonly TableCell[], name: string): string =>
    `<tr>${cells.map((cell) => `<${name}>${htmlCell(cell)}</${name}>`).join('')}</tr>`;
  const [head = [], ...body] = rows;
  return {
    markdown: () => [row(head), `|${' --- |'.repeat(width)}`, ...body.map((cells) => row(cells))].join('\n'),
    text: () => rows.map((cells) => cells.map((cell) => joinLines(textOfCell(cell), ' ')).join('\t')).join('\n'),
    html: () => `<table>${htmlRow(head, 'th')}${body.map((cells) => htmlRow(cells, 'td')).join('\n')}</table>`,
  };
}

function textOfCell(cell: TableCell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function markdownCell(cell: TableCell): string {
  const text = joinLines(textOfCell(cell), '<br>', (lines) => lines.replaceAll(cellSyntax, String.raw`\$&`));
  if (typeof cell === 'string') return text;
  const href = URL.parse(cell.href)?.href;
  if (href === undefined) return text;
  return `[${text.replaceAll(/(?<!\\)[[\]]/g, String.raw`\$&`)}](${cellLinkTarget(cleanLink(href), '')})`;
}

function htmlCell(cell: TableCell): string {
  const text = joinLines(textOfCell(cell), '<br>', escapeHtml);
  return typeof cell === 'string' ? text : `<a href="${escapeAttribute(cell.href)}">${text}</a>`;
}

/** Characters that would be Markdown syntax in a cell. */
const cellSyntax = /[\\`*|]|~(?=~)|<(?=[a-z/!?])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|\](?=\()|&(?=#?\w+;)/giu;

/** Characters of a cell that are split into lines at a time: an array of millions of lines takes hundreds of megabytes. */
const partLength = 2 ** 16;

/** Joins the lines that have text: as in HTML, a cell keeps where its lines end. */
function joinLines(text: string, between: string, write = (lines: string): string => lines): string {
  if (!text.includes('\n')) return write(oneLine(text));
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at + partLength);
    const part = text.slice(at, end === -1 ? text.length : end);
    const lines = part
      .split('\n')
      .map(oneLine)
      .filter((line) => line !== '');
    // Not replaceAll: until it is read, its result is a chain of strings, 32 bytes a link.
    if (lines.length > 0) parts.push(write(lines.join('\n')).split('\n').join(between));
    at += part.length + 1;
  }
  return parts.join(between);
}

function oneLine(text: string): string {
  return /\s/.test(text) ? text.replaceAll(/\s{2,}|[^\S ]/g, ' ').trim() : text;
}

/** The fence is longer than any fence in the text. */
function fenced(text: string, language: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function joined(texts: readonly string[]): string {
  return printable(texts.filter((part) => part !== '').join('\n\n'));
}

/** Characters per value and values per list, as for pages. */
const valueLengthMax = 2_000;
const listLengthMax = 100;

type Value = string | number | boolean | readonly string[];

function tidyMetadata(metadata: DocumentMetadata): Record<string, Value> {
  const tidy: Record<string, Value> = {};
  for (const [name, value] of Object.entries(metadata) as [string, Value | undefined][]) {
    if (typeof value === 'number' || typeof value === 'boolean') tidy[name] = value;
    else if (value !== undefined) {
      const kept =
        typeof value === 'string' ? tidyText(value) : value.slice(0, listLengthMax).map(tidyText).filter(Boolean);
      if (kept.length > 0) tidy[name] = kept;
    }
  }
  return tidy;
}

function tidyText(text: string): string {
  const cut = printable(text.slice(0, valueLengthMax * 2));
  return cut.replaceAll(/\s+/g, ' ').trim().slice(0, valueLengthMax).toWellFormed();
}
