// A stored page in another shape: with links or images in another form than stored, or in chunks. Derived from the
// stored text.
import type { StoredPage } from '../core/page.ts';
import { chunksOf } from '../shape/chunks.ts';
import { isPlain, plainShape, type Shape, shapeInSteps, shapeMarkdown } from '../shape/shape-markdown.ts';
import { type PageJson, parsePage } from './decode.ts';
import { type TitleShape, withTitle } from './page-title.ts';

/** The shape of a page's Markdown, with its title. */
export interface PageShape extends Shape {
  readonly title: TitleShape;
}

export const plainPageShape: PageShape = { ...plainShape, title: 'page' };

export function isPlainPage(shape: PageShape): boolean {
  return shape.title === plainPageShape.title && isPlain(shape);
}

/** Returns a page with its text in the shape. */
export function shapedPage(page: PageJson, shape: PageShape): PageJson {
  return { ...page, text: titled(shapeMarkdown(page.text, shape), page, shape) };
}

/** Returns the chunks of a page as lines of NDJSON. */
export function chunkLines(page: PageJson, shape: PageShape, charsMax: number): string {
  let lines = '';
  for (const row of chunksOfPage(page, shape, charsMax)) if (row !== undefined) lines += `${JSON.stringify(row)}\n`;
  return lines;
}

/** Produces one row of the API, with its text in the shape. Pauses in long texts. */
export function* shapedRow(stored: StoredPage, shape: PageShape): Generator<undefined, string> {
  const page = parsePage(stored);
  yield;
  return JSON.stringify({ ...page, text: titled(yield* shapeInSteps(page.text, shape), page, shape) });
}

/** A part of a page, as one line of NDJSON shows it. */
export interface ChunkJson {
  /** Like the page's, but with only the metadata that identifies the source. */
  readonly meta: PageJson['meta'];
  readonly chunk: {
    /** From 0, within the page. */
    readonly index: number;
    /** Headings above the whole chunk, outermost first. */
    readonly headings: readonly string[];
    /**
     * In characters (Unicode code points) of the page's text in the same shape. Each chunk begins where the previous
     * one ends.
     */
    readonly start: number;
    readonly end: number;
  };
  readonly text: string;
}

/** Produces the text of a page in chunks of about `charsMax` characters; none if the text is empty. */
export function* chunkRows(
  stored: StoredPage,
  shape: PageShape,
  charsMax: number,
): Generator<ChunkJson | undefined, void> {
  const page = parsePage(stored);
  yield;
  yield* chunksOfPage(page, shape, charsMax);
}

function* chunksOfPage(page: PageJson, shape: PageShape, charsMax: number): Generator<ChunkJson | undefined, void> {
  const { meta } = page;
  const text = titled(yield* shapeInSteps(page.text, shape), page, shape);
  const { title, description, language } = meta.meta;
  const kept = { ...meta, meta: { title, description, ...(language !== undefined && { language }) } };
  let [index, start] = [0, 0];
  for (const { headings, ...chunk } of chunksOf(text, charsMax)) {
    const part = text.slice(chunk.start, chunk.end);
    const end = start + codePoints(part);
    yield { meta: kept, chunk: { index, headings, start, end }, text: part };
    index++;
    start = end;
  }
}

/** Only Markdown is shaped on reading. */
function titled(text: string, { meta }: PageJson, shape: PageShape): string {
  return shape.title === 'auto' ? withTitle(text, meta.meta, 'markdown') : text;
}

function codePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff]/g)?.length ?? 0);
}
