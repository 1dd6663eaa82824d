// Pages are numbered without gaps, and the job counts them in the same snapshot. So a row that is missing, or whose number has changed, is
// detected like one whose bytes have changed.
import type { PageSlice } from '../../core/stores.ts';

/** How many of the first numbers follow each other, from the one behind `after` on. */
export function unbroken(numbers: ArrayLike<number>, after: number): number {
  let count = 0;
  while (count < numbers.length && numbers[count] === after + count + 1) count++;
  return count;
}

export interface Answered {
  readonly after: number;
  /** Pages in the answer: all of them follow each other, and are what was stored. */
  readonly count: number;
  /** Where the size ends the answer, the pages that have room in it; else its limit. */
  readonly wanted: number;
  /** Pages that the job counts. */
  readonly scraped: number;
}

/**
 * What is behind the pages of an answer: by the count of the job, not by the rows that were found. An answer without a page is at the end
 * or at a damaged page, so that nobody who continues reads the same again.
 */
export function behind({ after, count, wanted, scraped }: Answered): Pick<PageSlice, 'more' | 'damagedPage'> {
  const next = after + count + 1;
  if (next > scraped) return { more: false };
  return count < Math.max(wanted, 1) ? { more: true, damagedPage: next } : { more: true };
}
