// Reads Jupyter notebooks (nbformat 3 to 5): cells as text, as code, and with their outputs.
import type { DocumentBlock, DocumentContent } from '../../core/document.ts';
import { markdownHtml } from '../../shape/markdown-html.ts';
import { tooMany, unreadable } from '../parts/document-error.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { textOf } from './plain-files.ts';

const cellsMax = 10_000;

export async function readNotebook(file: FileBytes): Promise<DocumentContent> {
  const notebook = parsed(await textOf(file));
  const sheet = listOf(notebook['worksheets'])[0];
  const cells = listOf(notebook['cells'] ?? recordOf(sheet)['cells']);
  if (notebook['nbformat'] === undefined && cells.length === 0)
    throw unreadable('The file is damaged: it is no notebook with cells.');
  if (cells.length > cellsMax) throw tooMany('cells', cellsMax);
  const metadata = recordOf(notebook['metadata']);
  const language = languageOf(metadata);
  const authors = listOf(metadata['authors']).map((author) => stringOf(recordOf(author)['name']));
  return {
    metadata: {
      title: stringOf(metadata['title']) || titleIn(cells),
      ...(authors.some((name) => name !== '') && { author: authors.filter((name) => name !== '').join(', ') }),
    },
    blocks: cells.flatMap((cell) => blocksOf(recordOf(cell), language)),
  };
}

type JsonRecord = Readonly<Record<string, unknown>>;

function parsed(text: string): JsonRecord {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    throw unreadable('The file is damaged: it is no valid JSON.');
  }
}

function blocksOf(cell: JsonRecord, language: string): DocumentBlock[] {
  const source = stringOf(cell['source'] ?? cell['input']);
  switch (cell['cell_type']) {
    case 'markdown':
      return source.trim() === '' ? [] : [markdownBlock(withoutAttachments(source))];
    case 'heading':
      return [markdownBlock(`${'#'.repeat(Math.min(Number(cell['level']) || 1, 6))} ${source}`)];
    case 'code':
      return [...codeOf(source, language), ...listOf(cell['outputs']).flatMap((output) => outputOf(recordOf(output)))];
    default:
      return source.trim() === '' ? [] : [{ kind: 'plain', text: source }];
  }
}

function outputOf(output: JsonRecord): DocumentBlock[] {
  if (output['output_type'] === 'stream') return codeOf(stringOf(output['text']), '');
  if (output['output_type'] === 'error' || output['output_type'] === 'pyerr')
    return codeOf(`${stringOf(output['ename'])}: ${stringOf(output['evalue'])}`, '');
  // Before nbformat 4, the output itself holds the data, by short names.
  const data = { ...output, ...recordOf(output['data']) };
  const html = stringOf(data['text/html'] ?? data['html']);
  if (html.trim() !== '') return [{ kind: 'html', html }];
  const markdown = stringOf(data['text/markdown']);
  if (markdown.trim() !== '') return [markdownBlock(markdown)];
  const tex = stringOf(data['text/latex'] ?? data['latex']);
  if (tex.trim() !== '') return [{ kind: 'plain', text: tex }];
  return codeOf(stringOf(data['text/plain'] ?? (output['data'] === undefined ? output['text'] : '')), '');
}

function markdownBlock(text: string): DocumentBlock {
  return { kind: 'html', html: markdownHtml(text).html };
}

function codeOf(text: string, language: string): DocumentBlock[] {
  const shown = withoutColours(text)
    .replaceAll(/[^\n]*\r(?!\n)/g, '')
    .replace(/\s+$/, '');
  return shown.trim() === '' ? [] : [{ kind: 'code', language, text: shown }];
}

/** Of a terminal: each begins with an escape character. */
function withoutColours(text: string): string {
  const [first = '', ...rest] = text.split('\u001B');
  return first + rest.map((part) => part.replace(/^\[[\d;]{0,50}[A-Za-z]/, '')).join('');
}

/** A picture within the notebook has no address on the web. */
function withoutAttachments(markdown: string): string {
  return markdown.replaceAll(/!\[([^\]\n]{0,500})\]\((?:attachment|data):[^)\s]*\)/g, '$1');
}

function languageOf(metadata: JsonRecord): string {
  const name =
    stringOf(recordOf(metadata['language_info'])['name']) || stringOf(recordOf(metadata['kernelspec'])['language']);
  return /^[\w+#.-]{1,30}$/.test(name) ? name.toLowerCase() : '';
}

function titleIn(cells: readonly unknown[]): string | undefined {
  const first = cells.map(recordOf).find((cell) => cell['cell_type'] === 'markdown');
  return /^#{1,6}[ \t]+(\S[^\n]{0,500})/m.exec(stringOf(first?.['source']).slice(0, 10_000))?.[1];
}

/** Texts are strings, or lists of lines with their ends. */
function stringOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join('') : '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordOf(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {};
}
