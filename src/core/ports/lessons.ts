import type { ExtractOption } from '../extract.ts';

/** What jobs learned from a model: durable, so that a restart and other processes ask nothing again. */
export interface Lessons {
  /** What a job learned of a site. */
  read(jobId: string, site: string): Promise<StoredLessons | undefined>;

  /**
   * Replaces what a job learned of a site, if it still has this revision; 0: none. Returns false, and changes nothing, if
   * another process was faster, or the job is gone.
   */
  write(jobId: string, site: string, revision: number, data: Uint8Array): Promise<boolean>;

  /** Jobs of an org that have ended and know the site; at most 20, the newest first. */
  knowing(org: string, site: string): Promise<readonly KnowingJob[]>;

  /** Of all sites of a job, by site. */
  list(jobId: string): Promise<readonly (StoredLessons & { readonly site: string })[]>;

  /**
   * Counts a call of the model for a job, and for its org on this day (UTC, `2026-11-27`). Returns false, and counts
   * nothing, if the job has had `jobMax` calls, or its org `dayMax`.
   */
  countCall(call: ModelCall): Promise<boolean>;
}

export interface KnowingJob {
  readonly id: string;
  readonly extract: ExtractOption;
}

export interface StoredLessons {
  /** From 1 on; grows with each write. */
  readonly revision: number;
  readonly data: Uint8Array;
}

export interface ModelCall {
  readonly jobId: string;
  readonly org: string;
  readonly day: string;
  readonly jobMax: number;
  /** 0: no limit. */
  readonly dayMax: number;
}
