import type { ChangeKind } from '../baseline.ts';
import type { JobStatus } from '../job.ts';

/** Reads what a job with `since` found out about the pages of the earlier job. */
export interface JobChanges {
  /**
   * Returns the changes after a position, in the order in which they were decided, and the state of the job, both from
   * one snapshot. Undefined if the org has no such job. What is `unknown` comes last, once the job has ended.
   */
  read(query: ChangeQuery): Promise<ChangeSlice | undefined>;
}

export interface ChangeQuery {
  readonly org: string;
  readonly jobId: string;
  /** A position of {@link ChangeSlice}; 0 means from the start. */
  readonly after: number;
  readonly limit: number;
  /** @default all */
  readonly kinds?: readonly ChangeKind[] | undefined;
}

export interface ChangeSlice {
  readonly status: JobStatus;
  /** See {@link Job.areResultsGone}. */
  readonly areResultsGone: boolean;
  /** When the job began. */
  readonly runAt: number;
  readonly changes: readonly PageChange[];
  /** More changes are committed after the last of these. */
  readonly more: boolean;
}

export interface PageChange {
  /** Rises. */
  readonly position: number;
  readonly change: ChangeKind;
  readonly url: string;
  /** Number of the page in this job. */
  readonly page: number | null;
  /** Its number in the job that `since` names; null also if that was deleted. */
  readonly previousPage: number | null;
  readonly contentHash: string | null;
  readonly previousContentHash: string | null;
  /** Why the page is gone or unknown; `extracted` if only its record has changed. */
  readonly reason: string | null;
}
