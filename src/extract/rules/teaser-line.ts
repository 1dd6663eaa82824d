/** Finds lines within an article that only lead to another one: "Read more: Rakes of ash". */
import { existsOne } from 'domutils';
import type { Box } from '../measure/measure-page.ts';
import type { Asked, Place } from './asked.ts';
import { isContact } from './contacts.ts';
import { endShareMax } from './section-heads.ts';
import { type Folded, fold } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';

/**
 * Returns true for a short line of such words that consists mostly of links. "See also" is content, since documentation
 * uses it.
 */
export function isTeaserLine(asked: Asked): boolean {
  const { textLength, linkLength } = asked.box;
  if (linkLength === 0 || textLength > textLengthMax || linkLength < textLength * linkShareMin) return false;
  const { firstLetters } = asked;
  if (!readAlso.mayStart(firstLetters) && !backTo.mayStart(firstLetters)) return false;
  const said = fold(asked.opening.trimEnd().slice(0, wordsLengthMax));
  return readAlso.startIn(said) > 0 || backTo.isLine(said.replace(signsAfter, '') as Folded);
}

const textLengthMax = 300;
const linkShareMin = 0.5;
const wordsLengthMax = 60;
const signsAfter = /[^\p{L}]{1,5}$/u;
const readAlso = phrases('readAlso');
/** A whole line that leads back. "Back to Black" is a title. */
const backTo = phrases('backTo');

/**
 * Returns true for a line that is no heading element but says the same, such as "Read also:", above a box
 * of links.
 */
export function isLabelOfTeasers(line: Box, next: Box | undefined, { ends, page }: Place): boolean {
  if (next === undefined || line.textLength > labelLengthMax || line.linkLength > 0) return false;
  if (next.textLength === 0 || next.linkLength < next.textLength * 0.5 || next.hasH1) return false;
  if (next.textLength >= page.textLength * endShareMax || line.element === undefined) return false;
  if (line.ownLength === 0 || !teaserLabels.has(line.element.name) || !ends.has(line.element)) return false;
  // "Get in touch" is a label, too.
  return next.element !== undefined && !existsOne(isContact, [next.element]);
}

const labelLengthMax = 60;
const teaserLabels: ReadonlySet<string> = new Set(['p', 'div', 'span', 'strong', 'b']);
