import type { JobStatus, OutputFormat } from '../../../core/job.ts';
import type { Fragment } from '../../../core/page.ts';
import type { SearchPhrase } from '../../../core/ports/search.ts';

/** Changes with the words that are indexed. An index of another version is discarded. */
export const indexVersion = 2;
/** Hits that can be listed: the best ones. */
export const hitsMax = 1_000;
/** Text indexed in one transaction, about, and time for it. Other searches wait for it. */
export const batchBytesMax = 4 * 2 ** 20;
export const batchMsMax = 250;

/** A job and how far it is indexed. */
export interface SearchedJob {
  readonly id: string;
  readonly seq: number;
  readonly org: string;
  readonly status: JobStatus;
  readonly areResultsGone: boolean;
  readonly format: OutputFormat;
  /** Number of committed pages. */
  readonly pages: number;
  /** The number of pages in the index, from the first on. Damaged ones are counted, but not indexed. */
  readonly indexed: number;
  /** Number of these damaged pages. */
  readonly damaged: number;
  /** How often a page of the job was erased. */
  readonly erasures: number;
}

export const notIndexed = { indexed: 0, damaged: 0 };

export interface RankedPage {
  readonly page: number;
  readonly score: number;
}

export interface Wanted {
  readonly phrases: readonly SearchPhrase[];
  readonly offset: number;
  readonly limit: number;
  readonly upToPage: number;
}

/** `busy`: another process is indexing this job. `disk_full`: the index cannot grow. */
export type IndexStep = { readonly pages: number } | 'busy' | 'disk_full';

/** What the search needs of a store. It runs on a thread of its own. */
export interface SearchEngine {
  /** Undefined if there is no such job. Discards an index that cannot be of this job's pages. */
  look(jobId: string): Promise<SearchedJob | undefined>;
  /** Indexes the next pages, in one transaction. No pages: all are indexed, or the results are gone. */
  indexSome(job: SearchedJob): Promise<IndexStep>;
  /** Best first. Throws {@link DamagedIndex}. */
  find(job: SearchedJob, wanted: Wanted): Promise<readonly RankedPage[]>;
  /**
   * The stored texts of pages, in the order requested. Undefined: not what was stored. Ends early, but never before one
   * page, once they exceed `bytesMax` unpacked.
   */
  read(job: SearchedJob, pages: readonly number[], bytesMax: number): Promise<readonly (Fragment | undefined)[]>;
  /** Removes the index of a job; without a job, everything that cannot be told from it. */
  discard(job?: SearchedJob): Promise<void>;
  /** Removes the index of jobs whose results are gone, or of which a page was erased. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** The index is not what was written. It is discarded, and built again. */
export class DamagedIndex extends Error {
  override readonly name = 'DamagedIndex';
}
