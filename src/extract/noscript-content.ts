/** What a page says to readers that run no scripts. */
import type { Survey } from './survey.ts';
import { surveyPage } from './survey.ts';

/** A page that is built by scripts alone may hold its text once more, for readers that run none. */
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
