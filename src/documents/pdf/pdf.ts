// Reads PDF text with pdf.js, page by page. Positions turn it into lines, tables, paragraphs and headings.
import { registerHooks } from 'node:module';
import type { DocumentContent, DocumentMetadata } from '../../core/document.ts';
import { DocumentError, tooMany, unreadable } from '../parts/document-error.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { boundDecoding, type DecodingBudget } from './bound-pdfjs.ts';
import { CMapFactory } from './load-cmaps.ts';
import { blocksOf, measuresOf } from './pdf-blocks.ts';
import { withFields } from './pdf-fields.ts';
import { withoutFurniture } from './pdf-furniture.ts';
import { pagesHtml } from './pdf-html.ts';
import { outlineOf } from './pdf-outline.ts';
import { linkAreas, piecesOf, unreadableIn, type Piece } from './pdf-pieces.ts';
import { unitsOf } from './pdf-rows.ts';
import { isPictureOnly } from './pdf-scan.ts';
import { segmentsOf, type Segment } from './pdf-segments.ts';
import { taggedItems, tagsOf, type Tags } from './pdf-structure.ts';

const pagesMax = 2_000;
const charactersMax = 20_000_000;
/** Tags take 4 ms a page, of the 20 s of a file. In longer files, positions alone decide. */
const taggedPagesMax = 500;

/** Minimum budget for all decoded streams of one file: pages, fonts, object tables. Images are not decoded. */
const decodedBytesMin = 64 * 2 ** 20;
/** The budget of a large file, as a multiple of its size: pages printed by a browser decode to four to five times. */
const decodedTimesMax = 10;

type PdfReader = Awaited<ReturnType<typeof loadPdfjs>>;
type PdfDocument = Awaited<ReturnType<typeof open>>;

export async function readPdf({ bytes }: FileBytes): Promise<DocumentContent> {
  const { getDocumentProxy, decodingBudget } = await loadPdfjs();
  const bytesMax = Math.max(decodedBytesMin, bytes.length * decodedTimesMax);
  const tooLarge = (): DocumentError =>
    new DocumentError(
      'parse_budget',
      `The file has more than ${Math.floor(bytesMax / 2 ** 20)} MiB when decompressed, and no text before that limit.`,
    );
  decodingBudget.begin(bytesMax);
  const document = await open(getDocumentProxy, bytes).catch((error: unknown) => {
    throw decodingBudget.isSpent ? tooLarge() : error;
  });
  try {
    if (document.numPages > pagesMax) throw tooMany('pages', pagesMax);
    const { pages, isCut, unreadableCharacters, empty } = await readPages(document, decodingBudget);
    const isEmpty = pages.every((segments) => segments.length === 0);
    if (isCut && isEmpty) throw tooLarge();
    const { info } = await document.getMetadata().catch((error: unknown) => {
      if (!decodingBudget.isSpent) throw error;
      return { info: {} };
    });
    const outline = outlineOf(await document.getOutline().catch(() => []));
    const lacksText =
      isEmpty || (!isCut && unreadableCharacters === 0 && (await hasScan(document, empty, decodingBudget)));
    const units = withoutFurniture(pages, usualSize(pages)).map((segments) => unitsOf(segments));
    const measures = measuresOf(units);
    const blocks = units.map((page) => blocksOf(page, measures, outline));
    return {
      metadata: {
        ...metadataOf(info as Record<string, unknown>),
        pageCount: document.numPages,
        ...(isCut && { truncated: true }),
        ...(unreadableCharacters > 0
          ? { unreadableCharacters, warning: 'unreadable_text' }
          : lacksText && { warning: 'no_text_layer' }),
      },
      blocks: pagesHtml(blocks, measures.size).map((html) => ({ kind: 'html', html })),
    };
  } catch (error) {
    throw error instanceof DocumentError ? error : unreadable('The file is damaged: it is not a valid PDF.');
  } finally {
    await document.loadingTask.destroy();
  }
}

async function open(getDocumentProxy: PdfReader['getDocumentProxy'], bytes: Uint8Array) {
  try {
    // Pass a copy, since pdf.js takes ownership of the buffer. It logs errors only if they end the reading, and fetches
    // nothing.
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      useSystemFonts: false,
      disableFontFace: true,
      useWorkerFetch: false,
      BinaryDataFactory: CMapFactory,
      // Pictures are left out before they are decoded.
      maxImageSize: 1,
    });
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw unreadable(
      isLocked ? 'The file is protected with a password.' : 'The file is damaged: it is not a valid PDF.',
    );
  }
}

/**
 * Reads pages until a budget is spent. The page that exceeds the budget is left out, since its text would have gaps.
 */
async function readPages(
  document: PdfDocument,
  budget: DecodingBudget,
): Promise<{
  readonly pages: Segment[][];
  readonly isCut: boolean;
  readonly unreadableCharacters: number;
  /** Numbers of the pages without text. */
  readonly empty: readonly number[];
}> {
  const pages: Segment[][] = [];
  const empty: number[] = [];
  let [characters, unreadableCharacters] = [0, 0];
  const isTagged = await hasTags(document);
  for (let number = 1; number <= document.numPages; number++) {
    const { pieces, unreadable: count } = await readPage(document, number, isTagged).catch((error: unknown) => {
      if (!budget.isSpent) throw error;
      return { pieces: [], unreadable: 0 };
    });
    if (budget.isSpent) return { pages, isCut: true, unreadableCharacters, empty };
    characters += pieces.reduce((sum, { text }) => sum + text.length, 0);
    if (characters > charactersMax) return { pages, isCut: true, unreadableCharacters, empty };
    unreadableCharacters += count;
    if (pieces.length === 0) empty.push(number);
    pages.push(segmentsOf(pieces));
  }
  return { pages, isCut: false, unreadableCharacters, empty };
}

/** Unpacks pages again, so it comes last and ends with the budget. */
async function hasScan(document: PdfDocument, empty: readonly number[], budget: DecodingBudget): Promise<boolean> {
  for (const number of empty) {
    if (budget.isSpent) break;
    const page = await document.getPage(number);
    const isScan = await isPictureOnly(page);
    page.cleanup();
    if (isScan) return true;
  }
  return false;
}

async function hasTags(document: PdfDocument): Promise<boolean> {
  if (document.numPages > taggedPagesMax) return false;
  const marks = (await document.getMarkInfo().catch(() => undefined)) as
    | { readonly Marked?: unknown }
    | null
    | undefined;
  return marks?.Marked === true;
}

async function readPage(
  document: PdfDocument,
  number: number,
  isTagged: boolean,
): Promise<{ readonly pieces: Piece[]; readonly unreadable: number }> {
  const page = await document.getPage(number);
  const { items, styles } = await page.getTextContent({ includeMarkedContent: isTagged });
  const tags = isTagged ? tagsOf(await page.getStructTree().catch(() => undefined)) : new Map<string, Tags>();
  // A page with broken annotations still has text.
  const annotations: unknown[] = await page.getAnnotations().catch(() => []);
  const texts = taggedItems(items, tags);
  const pieces = [...withFields(piecesOf(texts, styles, linkAreas(annotations)), annotations)];
  page.cleanup();
  return { pieces, unreadable: unreadableIn(texts) };
}

/** The most common size by characters. A line repeated on many pages, such as a running head, counts once. */
function usualSize(pages: readonly (readonly Segment[])[]): number {
  const characters = new Map<number, number>();
  const known = new Set<string>();
  for (const { size, text } of pages.flat()) {
    if (known.has(text)) continue;
    known.add(text);
    const rounded = Math.round(size * 2) / 2;
    characters.set(rounded, (characters.get(rounded) ?? 0) + text.length);
  }
  return [...characters].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0])[0];
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

/** Parses `D:20240131120000+01'00'` (ISO 32000, 7.9.4). */
function isoTime(date: string | undefined): string | undefined {
  const [, year, month = '01', day = '01', hour, minute = '00', second = '00', zone = ''] =
    /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(Z|[+-]\d\d'?\d\d)?/.exec(date ?? '') ?? [];
  if (year === undefined) return undefined;
  const time = hour === undefined ? '' : `T${hour}:${minute}:${second}${zone.replace(/^([+-]\d\d)'?(\d\d)$/, '$1:$2')}`;
  return `${year}-${month}-${day}${time}`;
}

/**
 * Loads pdf.js with a budget of decoded bytes. It loads with the first PDF: most jobs never need these 1.7 MB. In a
 * build, `scripts/bundle.ts` has already patched it; when running from source, it is patched while loading.
 */
async function loadPdfjs() {
  const hooks = import.meta.url.endsWith('.ts') ? boundWhenLoaded() : undefined;
  try {
    const { getDocumentProxy, getResolvedPDFJS } = await import('unpdf');
    const { decodingBudget } = (await getResolvedPDFJS()) as { readonly decodingBudget?: DecodingBudget };
    if (!decodingBudget) throw new Error('pdf.js has no budget of decoded bytes.');
    return { getDocumentProxy, decodingBudget };
  } finally {
    hooks?.deregister();
  }
}

function boundWhenLoaded() {
  return registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith('/unpdf/dist/pdfjs.mjs') || loaded.source === undefined) return loaded;
      const source =
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source ?? undefined);
      return { ...loaded, source: boundDecoding(source) };
    },
  });
}
