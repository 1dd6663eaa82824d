// How well the text of PDFs is read: words and their order against those of pdftotext, on PDFs of Debian packages.
//
//   apt-get install poppler-utils poppler-data mupdf-tools && node bench/documents.ts [name...]
//
// pdftotext reads lines of cards, tables and floats across each other, parts Arabic words at their marks, and takes brackets of
// formulas for letters. So the last two columns have another reader's opinion, that of mutool (if it is installed):
// docs/decisions/linked-files.md.
//
// A word is a run of letters and digits; a character of Chinese or Japanese is one of its own. Running heads, running feet and page
// numbers are taken out of what pdftotext writes, since hayrake leaves them out.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDocument } from '../src/documents/read-document.ts';
import { convertDocument } from '../src/extract/convert-document.ts';
import { type DocumentFile, documentFiles } from './document-files.ts';

interface DocumentScore {
  readonly words: number;
  /** Of the words of pdftotext, the part that is there; of ours, the part that pdftotext has. */
  readonly recall: number;
  readonly precision: number;
  /** Of three words in a row that both have once, the part that is in the same order. */
  readonly order: number;
  readonly cpuMs: number;
  /** The same with another reader. */
  readonly second: Agreement | undefined;
}

interface Agreement {
  readonly recall: number;
  readonly order: number;
}

export async function scoreDocument(bytes: Uint8Array): Promise<DocumentScore> {
  const reference = wordsOf(withoutFurniture(textBy('pdftotext', ['-enc', 'UTF-8', '-', '-'], bytes)));
  const before = process.cpuUsage();
  const document = await readDocument('pdf', { bytes, contentType: 'application/pdf' });
  if (!document) throw new Error('The file is no document.');
  const { plainText } = convertDocument(document, { url: 'http://site.example/', outputFormat: 'markdown' });
  const { user, system } = process.cpuUsage(before);
  const words = wordsOf(plainText);
  const shared = sharedOf(words, reference);
  const other = secondText(bytes);
  const second = other === undefined ? undefined : wordsOf(withoutFurniture(other));
  return {
    words: reference.length,
    recall: shared / reference.length,
    precision: shared / words.length,
    order: orderOf(words, reference),
    cpuMs: (user + system) / 1000,
    second: second && { recall: sharedOf(words, second) / second.length, order: orderOf(words, second) },
  };
}

function textBy(program: string, args: readonly string[], input?: Uint8Array): string {
  const { status, stdout, error } = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (error) throw new Error(`${program} is missing: apt-get install poppler-utils poppler-data`);
  if (status !== 0) throw new Error(`${program} ended with ${status}.`);
  return stdout;
}

/** By mutool, which reads no standard input. */
function secondText(bytes: Uint8Array): string | undefined {
  if (spawnSync('mutool', ['-v']).error) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-mutool-'));
  try {
    const file = path.join(folder, 'file.pdf');
    writeFileSync(file, bytes);
    return textBy('mutool', ['draw', '-q', '-F', 'text', '-o', '-', file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lines among the first or last three of a page that three pages have, numbers aside, and lines there that are but a number. */
function withoutFurniture(text: string): string {
  const pages = text.split('\f').map((page) => page.split('\n').filter((line) => line.trim() !== ''));
  const edges = pages.map((lines) => new Set([...lines.slice(0, 3), ...lines.slice(-3)].map(keyOf)));
  const counts = new Map<string, number>();
  for (const keys of edges) for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const isFurniture = (line: string): boolean => keyOf(line) === '#' || (counts.get(keyOf(line)) ?? 0) >= 3;
  return pages
    .flatMap((lines) => lines.filter((line, index) => !((index < 3 || index >= lines.length - 3) && isFurniture(line))))
    .join('\n');
}

function keyOf(line: string): string {
  return line.trim().replaceAll(/\d+|\b[ivxl]+\b/g, '#');
}

function wordsOf(text: string): string[] {
  const joined = text
    .replaceAll(/(?<=\p{L})[-\u00ad]\n(?=\p{Ll})/gu, '')
    .replaceAll('\u00ad', '')
    // A mark of Arabic belongs to the letter before it, and a raised number is a word of its own.
    .replaceAll(/(?<=\p{Script=Arabic}) +(?=\p{M})/gu, '')
    .replaceAll(/[\u00b2\u00b3\u00b9\u2070-\u2079]+/g, ' $& ');
  const wanted =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}_])+/gu;
  return joined.normalize('NFKC').toLowerCase().match(wanted) ?? [];
}

function sharedOf(words: readonly string[], reference: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of reference) left.set(word, (left.get(word) ?? 0) + 1);
  return words.filter((word) => {
    const count = left.get(word) ?? 0;
    if (count > 0) left.set(word, count - 1);
    return count > 0;
  }).length;
}

/** By the longest sequence of such triples that is in the order of the reference. */
function orderOf(words: readonly string[], reference: readonly string[]): number {
  const places = uniqueTriples(reference);
  const found = [...uniqueTriples(words).keys()].flatMap((triple) => places.get(triple) ?? []);
  const ends: number[] = [];
  for (const place of found) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    ends[low] = place;
  }
  return found.length === 0 ? 0 : ends.length / found.length;
}

function uniqueTriples(words: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (let at = 0; at + 2 < words.length; at++) {
    const triple = words.slice(at, at + 3).join(' ');
    if (places.has(triple)) repeated.add(triple);
    else places.set(triple, at);
  }
  for (const triple of repeated) places.delete(triple);
  return places;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2);
  const all = documentFiles();
  const unknown = named.filter((name) => !all.some((file) => file.name === name));
  if (unknown.length > 0) {
    throw new Error(`There is no file ${unknown.join(', ')}. There are: ${all.map(({ name }) => name).join(', ')}`);
  }
  console.log(
    '| file | kind | words | recall | precision | order | CPU ms | recall, mutool | order, mutool |\n|---|---|--:|--:|--:|--:|--:|--:|--:|',
  );
  for (const file of all.filter(({ name }) => named.length === 0 || named.includes(name))) await printScore(file);
}

async function printScore(file: DocumentFile): Promise<void> {
  const { words, recall, precision, order, cpuMs, second } = await scoreDocument(file.read());
  const figures = (...given: readonly number[]): string => given.map((figure) => figure.toFixed(3)).join(' | ');
  const others = second ? figures(second.recall, second.order) : '- | -';
  console.log(
    `| ${file.name} | ${file.kind} | ${words} | ${figures(recall, precision, order)} | ${Math.round(cpuMs)} | ${others} |`,
  );
}
