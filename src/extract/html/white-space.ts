/** White space of the source: outside preformatted text, readers see a run of it as one space. */

/**
 * Returns true if the text is only white space. A no-break space does not count. Many texts of a page only lay out its
 * source.
 */
export function isLayout(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (!isLayoutCode(text.charCodeAt(at))) return false;
  }
  return true;
}

/** Space, tab, line feed, form feed and carriage return: ASCII whitespace of the HTML standard (Infra). */
export function isLayoutCode(code: number): boolean {
  return code === 0x20 || (code <= 0x0d && code >= 0x09 && code !== 0x0b);
}

/** Returns the text as readers see it: each run is one space, and nothing is left that only allows line breaks. */
export function collapsed(text: string): string {
  if (isLayout(text)) return text === '' ? '' : ' ';
  const shown = withoutInvisible(text);
  return hasRuns.test(shown) ? shown.replace(runs, ' ') : shown;
}

/** Drops soft hyphens and zero-width spaces, which only allow line breaks. They would break a search. */
export function withoutInvisible(text: string): string {
  return invisible.test(text) ? text.replace(/[\u00ad\u200b\ufeff]/g, '') : text;
}

/** Most texts match neither, and testing is cheaper than replacing. */
const invisible = /[\u00ad\u200b\ufeff]/;
const hasRuns = /[\t\n\r\f]| {2}/;
/** A single space does not match: most stand between two words, and each match costs time. */
const runs = /[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+/g;
