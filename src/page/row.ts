// A row of the API is `{"meta":{"page":N,"url":...,"fetchedUrl":...,"meta":{...}},"text":...}`. The commit assigns the
// page number, so the stored bytes begin after it.

/** The start of every row, before the number. */
export const rowOpening = '{"meta":{"page":';

/** The end of a row without text, after the stored metadata. A stored text includes the end of its row. */
export const rowEnd = '}';

/** Returns the start of a row, up to the stored bytes. */
export function rowStart(page: number): string {
  return `${rowOpening}${page},`;
}
