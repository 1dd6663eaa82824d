/** More than `page_limit` allows, and small enough that 500 million jobs fit into a safe integer. */
export const pagesPerJob = 2 ** 24;

/** The id of a page in both stores. That of the segment with its screenshot, if that is in an object, is its negative. */
export function pageId(jobSeq: number, page: number): number {
  return jobSeq * pagesPerJob + page;
}
