// What the crawl tells of itself. The engine does not know that it is counted: its ports are, on their way to it.
import type { Fetcher, FetchResult } from '../core/fetcher.ts';
import { monotonicNow } from '../core/monotonic-time.ts';
import type { Frontier } from '../core/frontier.ts';
import type { Standing } from '../core/standing.ts';
import { Metrics } from './metrics.ts';

const fetchBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const commitBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

export interface CrawlMetricsParts {
  readonly standing: Standing;
  /** Hosts that are left alone, since they do not answer. */
  readonly openCircuits: () => number;
  /** Jobs that should move and do not. */
  readonly stalledJobs: () => number;
}

export class CrawlMetrics {
  readonly #metrics = new Metrics();
  readonly #fetches = this.#metrics.counter(
    'hayrake_fetches_total',
    'Fetches by what came of them: status class, redirect, or why not.',
  );
  readonly #fetchSeconds = this.#metrics.histogram(
    'hayrake_fetch_seconds',
    'Time that a fetch took, less its wait for its turn.',
    fetchBounds,
  );
  readonly #bytes = this.#metrics.counter('hayrake_fetched_bytes_total', 'Bodies that were fetched, as sent.');
  readonly #settled = this.#metrics.counter(
    'hayrake_requests_settled_total',
    'Requests of jobs by what came of the attempt; `scraped` are pages that were committed, duplicates of other pages with them.',
  );
  readonly #commits = this.#metrics.counter(
    'hayrake_commits_total',
    'Batches of settled requests that were committed.',
  );
  readonly #commitSeconds = this.#metrics.histogram(
    'hayrake_commit_seconds',
    'Time until a batch was on disk, waiting for the writer included.',
    commitBounds,
  );
  readonly #conversions = this.#metrics.counter(
    'hayrake_conversions_total',
    'Pages and files converted, by what came of it; `parse_crashed` and `parse_timeout` ended a thread.',
  );
  readonly #violations = this.#metrics.counter(
    'hayrake_invariant_violations_total',
    'Jobs whose counters do not add up: a defect. The log names them.',
  );
  /** By fence. */
  readonly #leases = new Set<number>();
  #writesPending = 0;
  #conversionsPending = 0;

  constructor({ standing, openCircuits, stalledJobs }: CrawlMetricsParts) {
    const metrics = this.#metrics;
    metrics.gauge('hayrake_jobs', 'Jobs that have not ended.', async () => {
      const { starting, running } = await standing.load();
      return [
        [{ status: 'starting' }, starting],
        [{ status: 'running' }, running],
      ];
    });
    metrics.gauge('hayrake_frontier_urls', 'URLs of jobs that have not ended.', async () => {
      const { queued, inFlight } = await standing.load();
      return [
        [{ state: 'queued' }, queued],
        [{ state: 'in_flight' }, inFlight],
      ];
    });
    metrics.gauge(
      'hayrake_oldest_due_host_seconds',
      'How long the host that is due longest waits to be crawled.',
      async () => {
        const { dueSince } = await standing.load();
        return dueSince === null ? 0 : Math.max(0, monotonicNow() - dueSince) / 1000;
      },
    );
    metrics.gauge(
      'hayrake_webhook_deliveries_pending',
      'Events for webhooks that are neither delivered nor given up.',
      async () => (await standing.load()).deliveries,
    );
    metrics.gauge('hayrake_leases_held', 'Hosts that this process has leased.', () => this.#leases.size);
    metrics.gauge('hayrake_writes_pending', 'Writes of the crawl that wait for the writer.', () => this.#writesPending);
    metrics.gauge(
      'hayrake_conversions_pending',
      'Pages that are being converted, or wait for it.',
      () => this.#conversionsPending,
    );
    metrics.gauge('hayrake_open_circuits', 'Hosts that are left alone, since they do not answer.', openCircuits);
    metrics.gauge(
      'hayrake_stalled_jobs',
      'Jobs that have stood still for five minutes. The log says why.',
      stalledJobs,
    );
    this.#violations.add({}, 0);
  }

  text(): Promise<string> {
    return this.#metrics.text();
  }

  violated(): void {
    this.#violations.add();
  }

  /** The same fetcher, counted. */
  fetcher(fetcher: Fetcher): Fetcher {
    return {
      fetch: async (url, options) => {
        const startedAt = performance.now();
        const result = await fetcher.fetch(url, options);
        this.#fetchSeconds.observe((performance.now() - startedAt) / 1000);
        this.#fetches.add({ outcome: outcomeOf(result) });
        if (result.kind === 'body') this.#bytes.add({}, result.body.length);
        return result;
      },
    };
  }

  /** The same frontier, counted. */
  frontier(frontier: Frontier): Frontier {
    const writing = <Args extends unknown[], Answer>(write: (...args: Args) => Promise<Answer>) => {
      return async (...args: Args): Promise<Answer> => {
        this.#writesPending++;
        try {
          return await write(...args);
        } finally {
          this.#writesPending--;
        }
      };
    };
    return {
      recover: (options) => {
        this.#leases.clear();
        return frontier.recover(options);
      },
      leaseHost: writing(async () => {
        const lease = await frontier.leaseHost();
        if (lease) this.#leases.add(lease.fence);
        return lease;
      }),
      take: writing((lease, max) => frontier.take(lease, max)),
      takeSuspect: writing(async (aloneDeaths) => {
        const suspect = await frontier.takeSuspect(aloneDeaths);
        if (typeof suspect === 'object') this.#leases.add(suspect.lease.fence);
        return suspect;
      }),
      settle: writing(async (lease, settlements) => {
        const startedAt = performance.now();
        await frontier.settle(lease, settlements);
        this.#commits.add();
        this.#commitSeconds.observe((performance.now() - startedAt) / 1000);
        for (const { outcome } of settlements) this.#settled.add({ outcome: outcome.kind });
      }),
      release: writing(async (lease, options) => {
        await frontier.release(lease, options);
        this.#leases.delete(lease.fence);
      }),
      giveUp: writing((lease, error, notice) => frontier.giveUp(lease, error, notice)),
      noteDelay: writing((host, delayMs) => frontier.noteDelay(host, delayMs)),
      ...(frontier.hold && { hold: frontier.hold.bind(frontier) }),
      crawlJob: (id) => frontier.crawlJob(id),
      endedJobs: (ids) => frontier.endedJobs(ids),
      waitForWork: (maxMs, signal) => frontier.waitForWork(maxMs, signal),
    };
  }

  /** Counts a conversion that is under way. */
  async conversion<Converted extends { readonly kind: string }>(converting: Promise<Converted>): Promise<Converted> {
    this.#conversionsPending++;
    try {
      const converted = await converting;
      this.#conversions.add({ outcome: reasonOf(converted) ?? converted.kind });
      return converted;
    } finally {
      this.#conversionsPending--;
    }
  }
}

function outcomeOf(result: FetchResult): string {
  if (result.kind === 'failure') return result.error.reason;
  return result.kind === 'redirect' ? 'redirect' : `${Math.floor(result.statusCode / 100)}xx`;
}

/** Of a conversion that is an error. */
function reasonOf(converted: object): string | undefined {
  const error = 'error' in converted ? converted.error : undefined;
  const isError = typeof error === 'object' && error !== null && 'reason' in error;
  return isError && typeof error.reason === 'string' ? error.reason : undefined;
}
