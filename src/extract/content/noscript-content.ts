/** Finds the content for readers without scripts. */
import type { Survey } from '../measure/survey.ts';
import { surveyPage } from '../measure/survey.ts';

/**
 * A page built by scripts can repeat its text in `<noscript>`. Returns the largest such text if it is longer than the
 * page.
 */
export function noscriptContent({ noscripts, wholeLength }: Survey): Survey | undefined {
  let largest: Survey | undefined;
  for (const { children } of noscripts) {
    const survey = surveyPage(children, new Set());
    if (survey.wholeLength > (largest?.wholeLength ?? 0)) largest = survey;
  }
  return largest !== undefined && largest.wholeLength >= noscriptLengthMin && largest.wholeLength > wholeLength
    ? largest
    : undefined;
}

const noscriptLengthMin = 200;
