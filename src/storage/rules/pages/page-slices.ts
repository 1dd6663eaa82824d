// Pages are numbered without gaps, and the job counts them in the same snapshot. So a row that is missing, or whose
// number has changed, is detected like one whose bytes have changed.
import type { PageSlice } from '../../../core/ports/stores.ts';

/** How many of the leading numbers are consecutive, starting at `after` + 1. */
export function unbroken(numbers: ArrayLike<number>, after: number): number {
  let count = 0;
  while (count < numbers.length && numbers[count] === after + count + 1) count++;
  return count;
}

export interface Answered {
  readonly after: number;
  /** Pages in the response. All are consecutive, and are what was stored. */
  readonly count: number;
  /** The number of pages that fit, if the size ends the response; otherwise its limit. */
  readonly wanted: number;
  /** The job's page count. */
  readonly scraped: number;
}

/**
 * What follows the pages of a response, by the job's count, not by the rows that were found. A response without a page
 * is at the end or at a damaged page, so that a client that continues never reads the same again.
 */
export function behind({ after, count, wanted, scraped }: Answered): Pick<PageSlice, 'more' | 'damagedPage'> {
  const next = after + count + 1;
  if (next > scraped) return { more: false };
  return count < Math.max(wanted, 1) ? { more: true, damagedPage: next } : { more: true };
}
