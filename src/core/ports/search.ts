import type { JobStatus } from '../job.ts';

/** Words that stand one after the other, folded as `search/words.ts` folds those of pages. */
export interface SearchPhrase {
  /** At least one. */
  readonly words: readonly string[];
  /** The last word is the beginning of a word. */
  readonly isPrefix: boolean;
}

/** A piece of a snippet: plain text, to be shown as it is. */
export interface SnippetPart {
  readonly text: string;
  /** Set if the query matches this part. */
  readonly hit?: true;
}

export interface SearchHit {
  /** Number of the page. */
  readonly page: number;
  readonly url: string;
  readonly title: string;
  /** Higher is better. Comparable only within one response. */
  readonly score: number;
  readonly snippet: readonly SnippetPart[];
}

export interface SearchQuery {
  readonly org: string;
  readonly jobId: string;
  /** At least one. A page must match all of them. */
  readonly phrases: readonly SearchPhrase[];
  /** Hits to skip: those that earlier requests returned. */
  readonly offset: number;
  readonly limit: number;
  /** Search only up to this page number. @default all indexed pages */
  readonly upToPage?: number;
  /** How long to wait until all pages are indexed that are committed now. */
  readonly waitMs: number;
}

export interface SearchSlice {
  readonly status: JobStatus;
  /** See {@link Job.areResultsGone}. If true, there are no hits. */
  readonly areResultsGone: boolean;
  /** Best first. Pages that cannot be read are left out. */
  readonly hits: readonly SearchHit[];
  /** Hits that were read for this slice, the unreadable ones included: the next slice begins after them. */
  readonly examined: number;
  /** More hits follow. */
  readonly more: boolean;
  /** Number of committed pages. */
  readonly pages: number;
  /** The number of pages that were searched, from the first on. Damaged ones are counted, but not searched. */
  readonly upToPage: number;
  /** Pages among them that are left out because the stored text has changed. */
  readonly damagedPages: number;
}

/** What a process knows of its searches. */
export interface SearchStatus {
  /** Pages indexed since the start of the process. */
  readonly indexedPages: number;
  /** Indexes that were found lost or damaged, and were begun again. */
  readonly rebuilds: number;
  /** Jobs whose pages are being indexed, or wait for it. */
  readonly indexing: number;
  /** Size of the index file; undefined if it is part of the database. */
  readonly bytes?: number;
}

/**
 * Searches the pages of a job. The first search of a job indexes its pages, later ones those that were committed since.
 * Nothing is indexed before. The index holds nothing that the pages do not have: a lost one is built again.
 */
export interface PageSearch {
  /** Undefined if the org has no such job. Rejects with an `ExitError` if the index cannot be read or written. */
  search(query: SearchQuery): Promise<SearchSlice | undefined>;
  /** Removes the index of jobs whose results are gone. */
  sweep(): Promise<void>;
  status(): SearchStatus;
}
