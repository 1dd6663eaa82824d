/** Recognizes short texts that belong to the interface of a page: "Advertisement", "Skip to content", "Read more". */
import type { Element } from 'domhandler';
import { isText } from 'domhandler';
import { type Folded, fold } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';
import type { Asked } from './asked.ts';

/**
 * Returns true if the box says nothing else and is in no sentence. On 1,362 pages, remaining boilerplate falls from
 * 5.52 % to 5.33 %.
 */
export function isInterfaceLabel(asked: Asked): boolean {
  if (asked.box.textLength > lengthMax) return false;
  const { firstLetters } = asked;
  if (!labels.mayStart(firstLetters) && !loading.mayStart(firstLetters)) return false;
  const text = fold(asked.opening);
  const isLabel = labels.isLine(text) || (dots.test(text) && loading.isLine(text.replace(dots, '') as Folded));
  return isLabel && !isQuoted(asked.element);
}

/** Of what counts as several letters in Chinese. */
const lengthMax = 90;
const labels = phrases('label');
const loading = phrases('loading');
const dots = /(?:\.{3}|…)$/;

/** True in "Click Subscribe to continue", and false after a full stop at the end of a line. */
function isQuoted({ prev, next }: Element): boolean {
  const after = next !== null && isText(next) ? next.data.trim() : '';
  if (after !== '') return true;
  const before = prev !== null && isText(prev) ? prev.data.trimEnd() : '';
  return /[\p{L}\p{N},:;"'“‘«(]$/u.test(before.slice(-2));
}
