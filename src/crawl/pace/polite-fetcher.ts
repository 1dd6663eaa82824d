import type { JobPace } from '../job/job-pace.ts';
import type { Fetcher, FetchOptions, FetchResult } from '../../core/ports/fetcher.ts';

/** Fetches one URL when it is the turn of its host: see `createPoliteFetcher`. */
export interface PoliteFetcher extends Fetcher {
  fetch(url: string, options: PoliteFetchOptions): Promise<FetchResult>;
}

interface PoliteFetchOptions extends FetchOptions {
  /**
   * How long to wait for the host's turn at most; then the fetch rejects with a `HostPausedError`. @default unlimited
   */
  readonly turnWithinMs?: number;
  /** The pace of the job that requests it. @default none of its own */
  readonly pace?: JobPace | undefined;
}
