import type { Fetcher, FetchOptions, FetchResult } from '../core/fetcher.ts';

/** Gets one URL when its host has its turn: see `createPoliteFetcher`. */
export interface PoliteFetcher extends Fetcher {
  fetch(url: string, options: PoliteFetchOptions): Promise<FetchResult>;
}

interface PoliteFetchOptions extends FetchOptions {
  /** How long to wait for the host's turn at most; after that a `HostPausedError`. @default as long as it takes */
  readonly turnWithinMs?: number;
}
