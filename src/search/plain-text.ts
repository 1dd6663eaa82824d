import type { OutputFormat } from '../core/job.ts';

/** Text of a page that is searched. What comes after it is not found. */
export const searchedCharactersMax = 4_000_000;

/** The text of a page without what its format adds to it: tags of HTML, signs and targets of links of Markdown. Linear. */
export function plainText(text: string, format: OutputFormat): string {
  const searched = text.length > searchedCharactersMax ? text.slice(0, searchedCharactersMax) : text;
  if (format === 'text') return searched;
  if (format === 'html')
    return searched.replaceAll(/<[^<>]*>/g, ' ').replaceAll(entities, (_, name: string) => entityTexts[name] ?? ' ');
  return (
    searched
      // An image in a link is within its text.
      .replaceAll(links, '$1')
      .replaceAll(links, '$1')
      .replaceAll(targets, ']')
      .replaceAll(rows, (row) => (ruleRow.test(row) ? '' : row.replaceAll(cellEnds, ' ')))
      .replaceAll(lineSigns, '')
      .replaceAll(inlineSigns, '')
      .replaceAll(escapes, '$1')
  );
}

/** Those that the HTML output has. */
const entities = /&(amp|lt|gt|quot|nbsp|#39);/g;
const entityTexts: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };
const links = /!?\[([^[\]\n]*)\]\([^()\s]*(?:\s"[^"\n]*")?\)/g;
/** Of links whose text has brackets. */
const targets = /\]\([^()\s]*(?:\s"[^"\n]*")?\)/g;
const rows = /^[ \t]*\|.*\|[ \t]*$/gm;
const ruleRow = /^[\s|:-]*$/;
const cellEnds = /(?<!\\)\|/g;
/** Of quotes, headings, list items and fences, at the beginning of a line. */
const lineSigns = /^[ \t]*(?:(?:>[ \t]?)+[ \t]*)?(?:#{1,6}[ \t]+|[-*+][ \t]+|(?:```|~~~).*)?/gm;
/** Of code, and of emphasis: not between two letters, where an asterisk means itself. */
const inlineSigns = /(?<!\\)`+|(?<![\w\\])\*+(?=\S)|(?<=[^\s\\])\*+(?!\w)/g;
const escapes = /\\([!-/:-@[-`{-~])/g;
