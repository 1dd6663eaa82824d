import type { OutputFormat } from '../core/job.ts';

/** Text of a page that is searched. What comes after it is not found. */
export const searchedCharactersMax = 4_000_000;

/** The text of a page without what its format adds to it: tags of HTML; targets of links and escapes of Markdown. Linear. */
export function plainText(text: string, format: OutputFormat): string {
  const searched = text.length > searchedCharactersMax ? text.slice(0, searchedCharactersMax) : text;
  if (format === 'text') return searched;
  if (format === 'html')
    return searched.replaceAll(/<[^<>]*>/g, ' ').replaceAll(entities, (_, name: string) => entityTexts[name] ?? ' ');
  return searched.replaceAll(targets, ']').replaceAll(escapes, '$1');
}

/** Those that the HTML output has. */
const entities = /&(amp|lt|gt|quot|nbsp|#39);/g;
const entityTexts: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };
const targets = /\]\([^()\s]*(?:\s"[^"\n]*")?\)/g;
const escapes = /\\([!-/:-@[-`{-~])/g;
