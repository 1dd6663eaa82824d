// NDJSON: one page a line, and a last line that tells a stream that ended from one that was cut.
import type { Results } from '../jobs/read-results.ts';
import { GzipMember } from './gzip-member.ts';
import { addTextRows, resultsBody } from './results-body.ts';

/** One row a line. */
const line = { before: '', between: '\n', after: '\n' };

/** The lines of a job's pages, slice after slice, and the last one. `first` was taken from `rest` already. */
export async function* plainLines(
  first: IteratorResult<Results>,
  rest: AsyncGenerator<Results>,
): AsyncGenerator<Buffer> {
  for await (const slice of chained(first, rest)) {
    const lines = slice.pages.length > 0 ? await resultsBody(slice.pages, line, false) : undefined;
    slice.release();
    if (lines) yield lines;
    if (!slice.more) yield Buffer.from(endLine(slice));
  }
}

/** The same, as one gzip member that grows as the pages come in. */
export async function* packedLines(
  first: IteratorResult<Results>,
  rest: AsyncGenerator<Results>,
): AsyncGenerator<Buffer> {
  const member = new GzipMember();
  for await (const slice of chained(first, rest)) {
    if (slice.pages.length > 0) addTextRows(member, slice.pages, line);
    if (!slice.more) {
      member.literal(endLine(slice));
      member.end();
    }
    const lines = member.drain();
    slice.release();
    yield lines;
  }
}

async function* chained(first: IteratorResult<Results>, rest: AsyncGenerator<Results>): AsyncGenerator<Results> {
  try {
    if (first.done) return;
    yield first.value;
    yield* rest;
  } finally {
    // Whoever leaves at the first slice has not begun with the rest.
    await rest.return(undefined);
  }
}

function endLine({ total }: Results): string {
  return `${JSON.stringify({ end: true, pages: total })}\n`;
}
