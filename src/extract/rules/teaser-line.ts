/** Finds lines within an article that only lead to another one: "Read more: Rakes of ash". */
import type { Element } from 'domhandler';
import { nodeText } from '../html/node-text.ts';
import type { Box } from '../measure/measure-page.ts';
import { isListing } from './asked.ts';
import type { Place } from './asked.ts';
import { endShareMax } from './section-heads.ts';

/**
 * Returns true for a short line of such words that consists mostly of links. "See also" is content, since documentation
 * uses it.
 */
export function isTeaserLine(line: Element, textLength: number, linkLength: number): boolean {
  if (linkLength === 0 || textLength > textLengthMax || linkLength < textLength * linkShareMin) return false;
  const text = nodeText([line]).trim().slice(0, wordsLengthMax);
  return teaserWords.test(text) || backLines.test(text);
}

const textLengthMax = 300;
const linkShareMin = 0.5;
const wordsLengthMax = 60;
const teaserWords = new RegExp(
  `^[^\\p{L}]{0,5}(?:${[
    'read (?:more|also|next)|watch (?:also|next)|also (?:read|on)|related(?: (?:article|story|stories|post|reading|content|video))?s?|don.t miss',
    '(?:lesen|lies) (?:sie |dazu )?(?:auch|mehr|hier)|mehr (?:dazu|zum thema|lesen)|auch (?:lesen|interessant|auf)|passend dazu|lesetipp',
    '(?:à )?lire (?:aussi|également)|à voir|le[ae]? (?:también|más)|(?:le |te )?puede interesar|leggi anche|leia (?:também|mais)',
    'czytaj (?:też|także|więcej)|zobacz (?:też|także)|lees ook|läs (?:också|mer)|читайте также',
  ].join('|')})(?=\\P{L}|$)`,
  'iu',
);

/** A whole line that leads back. "Back to Black" is a title. */
const backLines =
  /^[^\p{L}]{0,5}(?:back(?: to (?:the )?(?:home(?:page)?|overview|list|index|search(?: results)?|results|news|start))?|zurück(?: zu[rm]? \p{L}{1,25})?|retour (?:à|aux?) (?:la |l.)?\p{L}{1,15}|volver(?: al? (?:la )?\p{L}{1,15})?)[^\p{L}]{0,5}$/iu;

/** Returns true for a line that is no heading element but says the same, such as "Read also:", above a box of links. */
export function isLabelOfTeasers(line: Box, next: Box | undefined, { kind, ends, page }: Place): boolean {
  if (kind !== 'article' || isListing(page) || next === undefined) return false;
  if (line.textLength > labelLengthMax || line.linkLength > 0) return false;
  if (next.textLength === 0 || next.linkLength < next.textLength * 0.5 || next.hasH1) return false;
  if (next.textLength >= page.textLength * endShareMax || line.element === undefined) return false;
  return line.ownLength > 0 && teaserLabels.has(line.element.name) && ends.has(line.element);
}

const labelLengthMax = 60;
const teaserLabels: ReadonlySet<string> = new Set(['p', 'div', 'span', 'strong', 'b']);
