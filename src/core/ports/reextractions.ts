import type { CountedCode } from '../job-codes.ts';
import type { PageRecord } from '../page.ts';

/**
 * Jobs whose pages are made of the raw bodies of another job, without a request. They have no requests in the frontier:
 * their pages are committed in order, each with its entry in the ledger.
 */
export interface Reextractions {
  /** Those that have not ended and are not stopped, the oldest first. */
  due(): Promise<readonly ReextractionJob[]>;

  /**
   * Commits the pages after `after`, and ends the job with the last ones. Returns false, and changes nothing, if the job
   * has another number of pages, is stopped or has ended: another process works on it, or nobody should.
   */
  commit(jobId: string, after: number, pages: readonly ExtractedPage[], isLast: boolean): Promise<boolean>;
}

export interface ReextractionJob {
  readonly id: string;
  readonly org: string;
}

export interface ExtractedPage {
  readonly url: string;
  /** Dedupe key of the URL. */
  readonly key: string;
  readonly depth: number;
  readonly page: PageRecord;
  /** What is counted in the findings of the job. */
  readonly remarks?: readonly CountedCode[];
  /** Why the page is empty; absent if it is not. */
  readonly problem?: string;
}
