/**
 * Pages with what a reader must find in their Markdown, and must not. A page begins with a comment of lines:
 *
 * - `url: https://...`, the address; `source: ...`, whose template the markup follows
 * - `+ Material … Steel`: must be there. At most {@link gapMax} characters stand at each `…`
 * - `- Subscribe`: must not be there
 *
 * Marks of Markdown, addresses of links and runs of white space do not count.
 */
import { extractPage } from '../../src/extract/extract-page.ts';

export interface FactPage {
  readonly url: string;
  readonly html: string;
  /** With their sign. */
  readonly facts: readonly string[];
}

/** A label and its value stand beside each other. */
const gapMax = 60;

export function readFactPage(text: string): FactPage {
  const [, head, html] = /^<!--\n([^]*?)\n-->\n([^]*)$/.exec(text) ?? [];
  if (head === undefined || html === undefined) throw new Error('A fact page begins with a comment.');
  const lines = head.split('\n');
  const wrong = lines.find((line) => !/^(?:url: https?:\/\/\S+|source: .+|[+-] \S.*)$/.test(line));
  if (wrong !== undefined) throw new Error(`A line of the comment is none of url, source, + and -: ${wrong}`);
  const url = lines.find((line) => line.startsWith('url: '))?.slice('url: '.length);
  const facts = lines.filter((line) => /^[+-] /.test(line));
  if (url === undefined || !facts.some((line) => line.startsWith('+ ')))
    throw new Error('A url or the facts are missing.');
  return { url, html, facts };
}

/** Returns the facts that the Markdown of the page does not hold to. */
export function wrongFacts({ url, html, facts }: FactPage): readonly string[] {
  const { text } = extractPage(html, {
    url,
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'markdown',
    content: 'auto',
    excludeElements: null,
  });
  return wrongIn(facts, text);
}

/** Returns the facts that this Markdown does not hold to. */
export function wrongIn(facts: readonly string[], text: string): readonly string[] {
  const shown = plain(text);
  return facts.filter((fact) => holds(shown, fact.slice(2)) !== fact.startsWith('+'));
}

function holds(shown: string, fact: string): boolean {
  const [first = '', ...others] = fact.split('…').map((part) => plain(part).trim());
  for (let at = shown.indexOf(first); at !== -1; at = shown.indexOf(first, at + 1)) {
    if (follow(shown, at + first.length, others)) return true;
  }
  return false;
}

function follow(shown: string, start: number, parts: readonly string[]): boolean {
  let end = start;
  for (const part of parts) {
    const at = shown.indexOf(part, end);
    if (at === -1 || at - end > gapMax) return false;
    end = at + part.length;
  }
  return true;
}

function plain(markdown: string): string {
  return markdown
    .replace(/\]\([^)\s]*(?: "[^"]*")?\)/g, ']')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replace(/[*_`~]/g, '')
    .replace(/[#>|[\]]/g, ' ')
    .replace(/\s+/g, ' ');
}
