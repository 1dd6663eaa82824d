import type { Results } from '../jobs/read-results.ts';
import type { Share } from './answer-budget.ts';
import { streamBytesMax } from './limits.ts';

/** Slices of a stream. One with a page that is larger than all of it should be takes room until the next one is asked for. */
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

/** Of the rows, as they are inflated. */
export function bytesOf({ pages }: Results): number {
  return pages.reduce((bytes, { meta, packedMeta, body }) => bytes + (meta ?? packedMeta ?? body).length, 0);
}
