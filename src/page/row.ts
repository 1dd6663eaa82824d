// A row of the API is `{"meta":{"page":N,"url":...,"fetchedUrl":...,"meta":{...}},"text":...}`. The number of a page is given when it is
// committed, so what is stored begins after it.

/** Where every row begins, before the number. */
export const rowOpening = '{"meta":{"page":';

/** What ends a row without text, after the stored metadata. A stored text ends its own row. */
export const rowEnd = '}';

/** The beginning of a row, up to where the stored bytes follow. */
export function rowStart(page: number): string {
  return `${rowOpening}${page},`;
}
