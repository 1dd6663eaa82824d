// The few requests of a preview, at the pace of the host.
import { hostKey } from '../../core/host-key.ts';
import type { Fetcher, FetchResult } from '../../core/ports/fetcher.ts';
import { previewFetchesMax, previewMsMax } from '../../core/ports/preview.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { JobPace } from '../job/job-pace.ts';
import { HostPausedError } from '../pace/host-pace.ts';
import type { PoliteFetcher } from '../pace/polite-fetcher.ts';
import { createPoliteFetcher, type Pacer } from '../pace/politeness.ts';
import { pauseAskedFor } from '../pace/retry-policy.ts';

const fetchesSpent = `The preview sends at most ${previewFetchesMax} requests, and they were used.`;
const timeSpent = `The preview takes at most ${previewMsMax / 1000} s, and they were over.`;
const hostPaused =
  'The host has to be left alone for longer than the preview takes: other requests go first, or it asked for a pause.';

export class FewFetches implements PoliteFetcher {
  /** Requests that were sent. */
  sent = 0;
  /** Of the last response since {@link begin}. */
  statusCode: number | undefined;
  /** The URL that was not requested, because no request or time was left. */
  refused: string | undefined;
  /** Why something was not requested. */
  whyNot = hostPaused;
  readonly #pacer: Pacer;
  readonly #pace: JobPace | undefined;
  readonly #endsAt: number;
  readonly #polite: PoliteFetcher;

  constructor(
    { fetcher, pacer }: { readonly fetcher: Fetcher; readonly pacer: Pacer },
    pace: JobPace | undefined,
    { stop, endsAt }: { readonly stop: AbortSignal; readonly endsAt: number },
  ) {
    this.#pacer = pacer;
    this.#pace = pace;
    this.#endsAt = endsAt;
    const counted: Fetcher = {
      fetch: (url, options) => {
        this.sent++;
        return fetcher.fetch(url, options);
      },
    };
    this.#polite = createPoliteFetcher(counted, pacer, stop);
  }

  /** Call before each request of the job. */
  begin(): void {
    this.statusCode = undefined;
    this.refused = undefined;
    this.whyNot = hostPaused;
  }

  /** Rejects with a `HostPausedError` if no request or time is left. Obeys a pause that the host wants, also for the crawl. */
  async fetch(...[url, options]: Parameters<PoliteFetcher['fetch']>): Promise<FetchResult> {
    const host = hostKey(new URL(url));
    const leftMs = this.#endsAt - monotonicNow();
    if (this.sent === previewFetchesMax || leftMs <= 0) {
      this.refused = url;
      this.whyNot = leftMs <= 0 ? timeSpent : fetchesSpent;
      throw new HostPausedError(host, Number.POSITIVE_INFINITY);
    }
    const deadlineMs = Math.min(options.deadlineMs, leftMs);
    const how = { pace: this.#pace, ...options, deadlineMs, turnWithinMs: leftMs, isUrgent: true };
    const result = await this.#polite.fetch(url, how);
    if (result.kind !== 'failure') this.statusCode = result.statusCode;
    const pauseMs = pauseAskedFor(result, Date.now());
    if (pauseMs !== undefined) this.#pacer.of(host).pause(monotonicNow() + pauseMs);
    return result;
  }

  /** Waits for a result that needs fetches. Undefined if one could not be made; then {@link whyNot} says why. */
  async orNothing<Result>(result: Promise<Result>): Promise<Result | undefined> {
    try {
      return await result;
    } catch (error) {
      if (error instanceof HostPausedError) return undefined;
      if (!(error instanceof Error) || (error.name !== 'AbortError' && error.name !== 'TimeoutError')) throw error;
      this.whyNot = timeSpent;
      return undefined;
    }
  }
}
