/** White space as the source has it: a run of it is one space to a reader, wherever it is not preformatted. */

/** Whether there is nothing but white space; a no-break space is none. Many texts of a page only lay out its source. */
export function isLayout(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (!isLayoutCode(text.charCodeAt(at))) return false;
  }
  return true;
}

/** Space, tab, line feed, form feed and carriage return: the white space of the HTML standard (Infra, ASCII whitespace). */
export function isLayoutCode(code: number): boolean {
  return code === 0x20 || (code <= 0x0d && code >= 0x09 && code !== 0x0b);
}

/** Each run as one space. Single spaces are not matched: most are between two words, and each match costs. */
export function collapseLayout(text: string): string {
  return hasRuns.test(text) ? text.replace(runs, ' ') : text;
}

/** Most texts have none, and looking is cheaper than replacing. */
const hasRuns = /[\t\n\r\f]| {2}/;
const runs = /[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+/g;
