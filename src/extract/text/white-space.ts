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

/**
 * Replaces each run by one space. Single spaces do not match: most stand between two words, and each match costs time.
 */
export function collapseLayout(text: string): string {
  return hasRuns.test(text) ? text.replace(runs, ' ') : text;
}

/** Most texts have none, and testing is cheaper than replacing. */
const hasRuns = /[\t\n\r\f]| {2}/;
const runs = /[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+/g;
