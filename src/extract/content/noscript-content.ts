/** Finds the content for readers without scripts. */
import type { MeasuredPage } from '../measure/measure-page.ts';
import { measurePage } from '../measure/measure-page.ts';

/**
 * A page built by scripts can repeat its text in `<noscript>`. Returns the largest such text if it is longer than the
 * page.
 */
export function noscriptContent({ noscripts, wholeLength }: MeasuredPage): MeasuredPage | undefined {
  let largest: MeasuredPage | undefined;
  for (const { children } of noscripts) {
    const measured = measurePage(children, new Set());
    if (measured.wholeLength > (largest?.wholeLength ?? 0)) largest = measured;
  }
  return largest !== undefined && largest.wholeLength >= noscriptLengthMin && largest.wholeLength > wholeLength
    ? largest
    : undefined;
}

const noscriptLengthMin = 200;
