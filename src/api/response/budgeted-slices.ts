import type { Results } from '../../jobs/read-results.ts';
import type { Share } from '../../core/process/fair-budget.ts';
import { streamBytesMax } from '../limits.ts';

/**
 * Slices of a stream. A slice with a page larger than a whole slice should be takes a share of the budget until the
 * next slice is requested.
 */
export async function* budgetedSlices(
  slices: AsyncGenerator<Results>,
  take: (bytes: number) => Promise<Share>,
): AsyncGenerator<Results> {
  for await (const slice of slices) {
    const bytes = bytesOf(slice);
    const room = bytes > 2 * streamBytesMax ? await take(bytes) : undefined;
    try {
      yield slice;
    } finally {
      room?.giveBack();
    }
  }
}

/** Inflated bytes of the rows. */
export function bytesOf({ pages }: Pick<Results, 'pages'>): number {
  return pages.reduce((bytes, { meta, fields, body }) => bytes + (meta ?? fields ?? body).length, 0);
}
