// PDF by pdf.js: its text, page by page, with paragraphs and headings told by where and how large lines are.
import type { DocumentContent, DocumentMetadata } from '../core/document.ts';
import { DocumentError, tooMany, unreadable } from './document-error.ts';
import { element, htmlText } from './html-text.ts';
import type { FileBytes } from './file-bytes.ts';

const pagesMax = 2_000;
const charactersMax = 20_000_000;

type PdfDocument = Awaited<ReturnType<typeof open>>;

export async function readPdf({ bytes }: FileBytes): Promise<DocumentContent> {
  const document = await open(bytes);
  try {
    if (document.numPages > pagesMax) throw tooMany('pages', pagesMax);
    const { info } = await document.getMetadata();
    const pages = await readPages(document);
    const bodyHeight = usualHeight(pages.flat());
    const blocks = pages
      .map((lines) => pageHtml(lines, bodyHeight))
      .filter((html) => html !== '')
      .map((html, index) => ({ kind: 'html', html: index === 0 ? html : `<hr>${html}` }) as const);
    return { metadata: { ...metadataOf(info as Record<string, unknown>), pageCount: document.numPages }, blocks };
  } catch (error) {
    throw error instanceof DocumentError ? error : unreadable('The file is damaged: it is no valid PDF.');
  } finally {
    await document.loadingTask.destroy();
  }
}

async function open(bytes: Uint8Array) {
  // Loaded with the first PDF: 1.7 MB that most jobs never need.
  const { getDocumentProxy } = await import('unpdf');
  try {
    // A copy, since pdf.js takes what it is given. No errors are told but those that end the reading; nothing is fetched.
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      useSystemFonts: false,
      disableFontFace: true,
    });
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw unreadable(isLocked ? 'The file is protected with a password.' : 'The file is damaged: it is no valid PDF.');
  }
}

interface Line {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** From the bottom of the page. */
  readonly y: number;
  /** Of its letters. */
  readonly height: number;
}

async function readPages(document: PdfDocument): Promise<Line[][]> {
  const pages: Line[][] = [];
  let characters = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const lines = linesOf(items.flatMap((item) => ('str' in item ? [item as TextItem] : [])));
    page.cleanup();
    characters += lines.reduce((sum, { text }) => sum + text.length, 0);
    if (characters > charactersMax) throw tooMany('characters', charactersMax);
    pages.push(lines);
  }
  return pages;
}

interface TextItem {
  readonly str: string;
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
  /** The last two numbers are its place. */
  readonly transform: readonly number[];
}

function linesOf(items: readonly TextItem[]): Line[] {
  const lines: Line[] = [];
  let parts: TextItem[] = [];
  const end = (): void => {
    const text = parts
      .map(({ str }) => str)
      .join('')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const first = parts.find(({ str }) => str.trim() !== '');
    if (text !== '' && first) {
      const rights = parts.map(({ transform, width }) => (transform[4] ?? 0) + width);
      lines.push({
        text,
        left: first.transform[4] ?? 0,
        right: rights.reduce((most, right) => Math.max(most, right), 0),
        y: first.transform[5] ?? 0,
        height: parts.reduce((most, { height }) => Math.max(most, height), 0),
      });
    }
    parts = [];
  };
  for (const item of items) {
    parts.push(item);
    if (item.hasEOL) end();
  }
  end();
  return lines;
}

/** The height in which most of the text is set. */
function usualHeight(lines: readonly Line[]): number {
  const characters = new Map<number, number>();
  for (const { height, text } of lines) {
    const rounded = Math.round(height * 2) / 2;
    characters.set(rounded, (characters.get(rounded) ?? 0) + text.length);
  }
  return [...characters].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0])[0];
}

function pageHtml(lines: readonly Line[], bodyHeight: number): string {
  const right = lines.reduce((most, line) => Math.max(most, line.right), 0);
  const parts: string[] = [];
  let paragraph: Line[] = [];
  const end = (): void => {
    const [first] = paragraph;
    if (!first) return;
    const html = joined(paragraph, right);
    if (bullet.test(first.text)) parts.push(`<ul><li>${html.replace(bullet, '')}</li></ul>`);
    else parts.push(element(elementOf(paragraph, bodyHeight), html));
    paragraph = [];
  };
  for (const line of lines) {
    const before = paragraph.at(-1);
    if (before && isApart(before, line)) end();
    paragraph.push(line);
  }
  end();
  return parts.join('').replaceAll('</ul><ul>', '');
}

const bullet = /^[•▪‣◦●]\s*/;

/** Whether a new paragraph begins: set apart, in another size, in another column, or an item of a list. */
function isApart(before: Line, line: Line): boolean {
  const height = Math.max(before.height, line.height);
  const down = before.y - line.y;
  return (
    down > height * 1.7 ||
    down < -height / 2 ||
    Math.min(before.height, line.height) < height * 0.85 ||
    bullet.test(line.text)
  );
}

function elementOf(lines: readonly Line[], bodyHeight: number): string {
  const size = (lines[0]?.height ?? 0) / (bodyHeight || 1);
  const isShort = lines.reduce((sum, { text }) => sum + text.length, 0) <= 200;
  if (!isShort || size < 1.15) return 'p';
  return size >= 1.8 ? 'h1' : size >= 1.4 ? 'h2' : 'h3';
}

/** Lines run on, a word that was parted is joined; after a line that ends early, the next one begins anew. */
function joined(lines: readonly Line[], right: number): string {
  let html = '';
  for (const [index, { text, left, right: end }] of lines.entries()) {
    html += htmlText(text);
    const next = lines[index + 1];
    if (!next) break;
    if (/\p{L}-$/u.test(text) && /^\p{Ll}/u.test(next.text)) html = html.slice(0, -1);
    else html += end - left < (right - left) * 0.7 ? '<br>' : ' ';
  }
  return html;
}

function metadataOf(info: Record<string, unknown>): DocumentMetadata {
  const text = (name: string): string | undefined => (typeof info[name] === 'string' ? info[name] : undefined);
  return {
    title: text('Title'),
    author: text('Author'),
    description: text('Subject'),
    language: text('Language'),
    keywords: text('Keywords')?.split(/[,;]/),
    publishedTime: isoTime(text('CreationDate')),
    modifiedTime: isoTime(text('ModDate')),
  };
}

/** `D:20240131120000+01'00'` (ISO 32000, 7.9.4). */
function isoTime(date: string | undefined): string | undefined {
  const [, year, month = '01', day = '01', hour, minute = '00', second = '00', zone = ''] =
    /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(Z|[+-]\d\d'?\d\d)?/.exec(date ?? '') ?? [];
  if (year === undefined) return undefined;
  const time = hour === undefined ? '' : `T${hour}:${minute}:${second}${zone.replace(/^([+-]\d\d)'?(\d\d)$/, '$1:$2')}`;
  return `${year}-${month}-${day}${time}`;
}
