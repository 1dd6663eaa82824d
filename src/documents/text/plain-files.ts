// Reads formats that are text already.
import { asLatin1, decodeBytes, readableLabel } from '../../core/bytes/decode-bytes.ts';
import type { DocumentContent } from '../../core/document.ts';
import { tooMany } from '../parts/document-error.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { cellsMax } from '../parts/sheet-tables.ts';

export async function readPlainText(file: FileBytes): Promise<DocumentContent> {
  return { metadata: {}, blocks: [{ kind: 'plain', text: await textOf(file) }] };
}

export async function readJson(file: FileBytes): Promise<DocumentContent> {
  return { metadata: {}, blocks: [{ kind: 'code', language: 'json', text: await textOf(file) }] };
}

export async function readYaml(file: FileBytes): Promise<DocumentContent> {
  return { metadata: {}, blocks: [{ kind: 'code', language: 'yaml', text: await textOf(file) }] };
}

/** HTML that is sent as a file of Office. */
export async function readHtmlFile({ bytes, contentType }: FileBytes): Promise<DocumentContent> {
  const label = /<meta[^>]+charset=["']?([\w.:-]+)/i.exec(asLatin1(bytes.subarray(0, 1_024)))?.[1];
  const labels = label === undefined ? [] : [readableLabel(label)];
  const html = await decodeBytes(bytes, { contentType, labels, isMarkup: true });
  return { metadata: {}, blocks: [{ kind: 'html', html }] };
}

export async function readCsv(file: FileBytes): Promise<DocumentContent> {
  const whole = await textOf(file);
  // Excel reads the delimiter from such a first line, and does not show it.
  const [line = '', stated] = /^"?sep=([,;|\t])"?(?:\n|$)/i.exec(whole) ?? [];
  const text = whole.slice(line.length);
  const rows = csvRows(text, stated ?? delimiterOf(text));
  // The table is written with its empty cells, so they count too.
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width * rows.length > cellsMax) throw tooMany('cells', cellsMax);
  return { metadata: {}, blocks: [{ kind: 'table', rows }] };
}

export async function textOf({ bytes, contentType }: FileBytes): Promise<string> {
  const text = await decodeBytes(bytes, { contentType, isMarkup: false });
  return text
    .replace(/^\ufeff/, '')
    .replaceAll(/\r\n?/g, '\n')
    .trim();
}

/**
 * Picks the common delimiter that occurs in most of the first lines. Ties go to the one most frequent in the first
 * line.
 */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, 10_000)
    .replaceAll(/"[^"]*"/g, '')
    .split('\n', 10);
  const usual = (character: string): number =>
    lines.filter((line) => line.includes(character)).length +
    Math.min((lines[0] ?? '').split(character).length, 999) / 1_000;
  return [',', ';', '\t', '|'].reduce((best, next) => (usual(next) > usual(best) ? next : best));
}

/** RFC 4180. A quote inside an unquoted field is part of the field; an unclosed quote ends with the file. */
function csvRows(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;
  let at = 0;
  while (at <= text.length) {
    let value: string;
    if (text[at] === '"') [value, at] = quotedField(text, at + 1);
    else value = '';
    const start = at;
    while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++;
    row.push(value + text.slice(start, at));
    if (++cells > cellsMax) throw tooMany('cells', cellsMax);
    if (at >= text.length || text[at] === '\n') {
      if (row.length > 1 || row[0] !== '') rows.push(row);
      row = [];
    }
    at++;
  }
  return rows;
}

/** Returns the field without its quotes, and where it ended. */
function quotedField(text: string, start: number): [value: string, end: number] {
  let from = start;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return [text.slice(start).replaceAll('""', '"'), text.length];
    if (text[quote + 1] !== '"') return [text.slice(start, quote).replaceAll('""', '"'), quote + 1];
    from = quote + 2;
  }
}
