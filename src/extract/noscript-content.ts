/** What a page says to readers that run no scripts. */
import type { Element } from 'domhandler';
import type { Survey } from './survey.ts';
import { surveyPage } from './survey.ts';

/** A page that is built by scripts alone may hold its text once more, for readers that run none. */
export function noscriptContent({ noscripts, wholeLength }: Survey): Survey | undefined {
  const largest = noscripts.reduce<Element | undefined>(
    (best, one) => (one.children.length > (best?.children.length ?? 0) ? one : best),
    undefined,
  );
  if (largest === undefined) return undefined;
  const survey = surveyPage(largest.children, new Set());
  return survey.wholeLength >= noscriptLengthMin && survey.wholeLength > wholeLength ? survey : undefined;
}

const noscriptLengthMin = 200;
