import type { Link } from '../request.ts';

/**
 * Queues what an earlier job knew for a job with `since`, a few URLs at a time. A URL that the job finds by itself before
 * has its baseline all the same: the store looks it up when the URL enters the ledger.
 */
export interface Baselines {
  /** The jobs that do not have all URLs of the earlier one yet, the oldest first. */
  due(): Promise<readonly { readonly id: string }[]>;

  /** The next URLs of the earlier job, at most `limit`. Undefined if the job has all, or there is no such job. */
  read(jobId: string, limit: number): Promise<EarlierUrls | undefined>;

  /**
   * Adds the URLs up to an entry of the earlier ledger. Returns false, and changes nothing, if another process has added
   * them, or the job has ended. `isLast`: the job has all.
   */
  add(jobId: string, urls: SeededUrls): Promise<boolean>;
}

export interface EarlierUrls {
  /** Those before are added. */
  readonly after: number;
  readonly urls: readonly EarlierUrl[];
}

export interface EarlierUrl {
  readonly entry: number;
  readonly url: string;
  readonly depth: number;
  readonly state: string;
  readonly reason: string | null;
  readonly detail: string | null;
  /** It was found on a page, and is neither a start URL nor one of a sitemap. */
  readonly isFollowed: boolean;
  /** It has a page in the baseline. */
  readonly isKnown: boolean;
}

export interface SeededUrls {
  readonly after: number;
  readonly upTo: number;
  readonly links: readonly Link[];
  readonly isLast: boolean;
}
