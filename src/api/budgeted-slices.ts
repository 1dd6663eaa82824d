import type { Results } from '../jobs/read-results.ts';
import type { Share } from './answer-budget.ts';
import { streamBytesMax } from './limits.ts';

/** Slices of a stream. One with a page that is larger than all of it should be takes room until the next one is asked for. */
export async function* budgetedSlices(
  slices: AsyncGenerator<Results>,
  take: (bytes: number) => Promise<Share>,
): AsyncGenerator<Results> {
  for await (const slice of slices) {
    const bytes = slice.pages.reduce((sum, { meta, body }) => sum + meta.length + (body?.length ?? 0), 0);
    const room = bytes > 2 * streamBytesMax ? await take(bytes) : undefined;
    try {
      yield slice;
    } finally {
      room?.giveBack();
    }
  }
}
