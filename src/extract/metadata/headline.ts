/** Derives a page's title without the name of its site. */
import type { Element } from 'domhandler';
import { isNamedIn } from '../text/page-title.ts';
import { textBeginning } from '../html/node-text.ts';

/** Returns the first `<h1>` with half of its words in the title, otherwise the title without the site name. */
export function headlineOf(title: string, headings: readonly Element[], site: string | undefined): string {
  for (const heading of headings.slice(0, headingsMax)) {
    const text = textBeginning(heading.children, headingLengthMax).replaceAll(/\s+/g, ' ').trim();
    if (text !== '' && text.length < headingLengthMax && isNamedIn(title.toLowerCase(), text.toLowerCase()))
      return text;
  }
  return withoutSite(title, site);
}

const headingsMax = 20;
const headingLengthMax = 500;

/** The site name stands at the end or, if it is known, at the beginning. */
function withoutSite(title: string, site: string | undefined): string {
  const parts = title.split(separator);
  if (parts.length < 2) return title;
  const [first = ''] = parts;
  if (site !== undefined && lettersOf(first) === lettersOf(site)) return title.slice(first.length).replace(leading, '');
  const last = parts.at(-1) ?? '';
  return title.slice(0, -last.length).replace(trailing, '');
}

const separator = /\s+[|–—·»•:-]\s+|\s*[|»]\s*/;
const leading = /^\s*[|–—·»•:-]\s*/;
const trailing = /\s*[|–—·»•:-]\s*$/;

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
