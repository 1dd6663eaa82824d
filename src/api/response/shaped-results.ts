// Pages with links, images or titles in another form than stored, or in chunks: produced from the stored texts as they are
// read.
import { promisify } from 'node:util';
import { setImmediate } from 'node:timers/promises';
import { constants, gzip } from 'node:zlib';
import { UserError } from '../../core/errors.ts';
import type { StoredPage } from '../../core/page.ts';
import type { Envelope } from '../../page/join-rows.ts';
import { rowLines } from '../../page/lines.ts';
import { chunkRows, isPlainPage, type PageShape, shapedRow } from '../../page/shaped-page.ts';

const gzipAsync = promisify(gzip);

/** The form that a reader requested; undefined if it is the stored one. */
export interface Shaping {
  readonly shape: PageShape;
  /** Characters per chunk, if chunks were requested. */
  readonly chunkChars: number | undefined;
}

interface ShapeQuery extends Partial<PageShape> {
  readonly chunk?: 'heading' | undefined;
  readonly chunk_chars?: number | undefined;
}

const chunkCharsUsual = 2_000;

/** `formatOf`: of the texts. Throws if they are not Markdown, or the parameters contradict each other. */
export async function shapingOf(
  { links = 'inline', images = 'all', title = 'page', chunk, chunk_chars: chunkChars }: ShapeQuery,
  areLines: boolean,
  formatOf: () => Promise<unknown>,
): Promise<Shaping | undefined> {
  if (chunk !== undefined && !areLines)
    throw invalid('chunk', 'Chunks are returned as lines. Send `Accept: application/x-ndjson` with `chunk`.');
  if (chunk === undefined && chunkChars !== undefined)
    throw invalid('chunk_chars', '`chunk_chars` needs `chunk`. Send `chunk=heading`, or leave `chunk_chars` out.');
  if (chunk === undefined && isPlainPage({ links, images, title })) return undefined;
  const format = await formatOf();
  if (typeof format === 'string' && format !== 'markdown')
    throw invalid(
      'links',
      `The texts of this job are ${format}. \`links\`, \`images\`, \`title\` and \`chunk\` need a job with \`output_format: markdown\`.`,
    );
  return {
    shape: { links, images, title },
    chunkChars: chunk === undefined ? undefined : (chunkChars ?? chunkCharsUsual),
  };
}

function invalid(field: string, message: string): UserError {
  return new UserError('invalid_parameter', message, [{ field, message }]);
}

/** Like `resultsBody`, but for shaped pages. */
export async function shapedBody(
  pages: readonly StoredPage[],
  { before, between, after }: Envelope,
  { shape }: Shaping,
  packed: boolean,
): Promise<Buffer> {
  const rows: Buffer[] = [];
  const pause = pauses();
  for (const [index, page] of pages.entries()) {
    const steps = shapedRow(page, shape);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) await pause();
    rows.push(Buffer.from((index === 0 ? before : between) + step.value));
  }
  const body = Buffer.concat([...rows, Buffer.from((pages.length === 0 ? before : '') + after)]);
  return packed ? gzipAsync(body, { level: constants.Z_BEST_SPEED }) : body;
}

/** Lines of shaped pages, with their number. */
export async function shapedLines(
  pages: readonly StoredPage[],
  { shape, chunkChars }: Shaping,
): Promise<{ readonly lines: Buffer; readonly count: number }> {
  const lines: Buffer[] = [];
  const pause = pauses();
  for (const page of pages) {
    if (chunkChars === undefined) {
      lines.push(await shapedBody([page], rowLines, { shape, chunkChars }, false));
      continue;
    }
    for (const row of chunkRows(page, shape, chunkChars)) {
      await pause();
      if (row !== undefined) lines.push(Buffer.from(JSON.stringify(row) + rowLines.after));
    }
  }
  return { lines: Buffer.concat(lines), count: lines.length };
}

/** Longest time that this blocks the thread. */
const turnMs = 10;

function pauses(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < turnMs) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
