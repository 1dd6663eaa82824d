/** Forgetting one page: the one way in which a committed page changes. */

/** Stands where the URL of an erased page stood. It parses as a URL, so programs that read results go on. */
export const erasedUrl = 'about:erased';

export interface Erasures {
  /**
   * Forgets the content of a page: text, metadata, screenshot, raw body, and words in the search index, wherever the job and
   * those that are made from each other have a page at its URL. What the org learned of its site goes too. Its row stays, so
   * numbers and cursors stay exact. All or nothing, and repeatable: the first time counts. Undefined if the org has no such job. `now`: @default the clock of the store.
   */
  erase(erasure: Erasure, now?: number): Promise<Erased | ErasureRefusal | undefined>;
}

export interface Erasure {
  readonly org: string;
  readonly jobId: string;
  /** From 1. */
  readonly page: number;
  /** Its URLs too, before and after redirects, wherever the job names them except in its own request. */
  readonly withUrl: boolean;
}

export interface Erased {
  readonly erasedAt: number;
  /** The URLs are forgotten too. */
  readonly withUrl: boolean;
  /** All jobs that have forgotten the page. */
  readonly jobs: readonly string[];
}

/** `gone`: the results are. `no_page`: the job has no page with this number. `running`: a job that runs has the URL, and needs it. */
export type ErasureRefusal = 'gone' | 'no_page' | 'running';
