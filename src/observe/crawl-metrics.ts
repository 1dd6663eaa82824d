// Metrics of the crawl. The engine does not know that it is counted: the ports it gets are wrapped.
import type { Fetcher, FetchResult } from '../core/ports/fetcher.ts';
import { monotonicNow } from '../core/process/monotonic-time.ts';
import { forwardFrontier } from '../core/forward-frontier.ts';
import type { Frontier } from '../core/ports/frontier.ts';
import type { Rendered, Renderer } from '../core/ports/renderer.ts';
import type { Outcome } from '../core/request.ts';
import type { Load, CrawlStatus } from '../core/ports/crawl-status.ts';
import { type FindingCode, findingCodes } from '../core/job-codes.ts';
import { labelled, Metrics } from './metrics.ts';
import { WorkerLoad } from './worker-load.ts';

const fetchBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Shown from the start. Other outcomes appear with their first event. */
const fetchOutcomes = [
  '2xx',
  '3xx',
  '4xx',
  '5xx',
  'redirect',
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'bad_response',
  'body_too_large',
  'bad_encoding',
  'destination_not_allowed',
];
const settledOutcomes: readonly Outcome['kind'][] = ['scraped', 'discarded', 'retry', 'failed', 'sitemap'];
const conversionOutcomes = [
  'page',
  'short',
  'binary',
  'parse_timeout',
  'parse_budget',
  'parse_crashed',
  'unreadable_file',
];
const commitBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

export interface CrawlMetricsParts {
  readonly crawlStatus: CrawlStatus;
  /** The number of hosts that are paused because they do not answer. */
  readonly openCircuits: () => number;
  /** Jobs that should move and do not. */
  readonly stalledJobs: () => number;
  readonly fetchesMax: number;
  readonly converterThreads: number;
  /** Absent without a browser. */
  readonly browser?: (() => BrowserFigures) | undefined;
}

export interface BrowserFigures {
  readonly restarts: number;
  readonly memoryBytes: number;
  readonly refusedConnections: number;
}

const renderBounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60];
const renderOutcomes = ['page', 'redirect', 'render_timeout', 'render_crashed', 'browser_missing', 'stopped'];

export class CrawlMetrics {
  readonly #metrics = new Metrics();
  readonly #fetches = this.#metrics.counter(
    'hayrake_fetches_total',
    'Fetches by outcome: status class, redirect, or the reason of a failure.',
  );
  readonly #fetchSeconds = this.#metrics.histogram(
    'hayrake_fetch_seconds',
    'Duration of a fetch, without the wait for its turn.',
    fetchBounds,
  );
  readonly #bytes = this.#metrics.counter('hayrake_fetched_bytes_total', 'Fetched bodies, as sent.');
  readonly #settled = this.#metrics.counter(
    'hayrake_requests_settled_total',
    'Requests of jobs by outcome of the attempt; `scraped` counts committed pages, including duplicates of other pages.',
  );
  readonly #commits = this.#metrics.counter(
    'hayrake_commits_total',
    'Batches of settled requests that were committed.',
  );
  readonly #commitSeconds = this.#metrics.histogram(
    'hayrake_commit_seconds',
    'Time until a batch was on disk, including the wait for the writer.',
    commitBounds,
  );
  readonly #conversions = this.#metrics.counter(
    'hayrake_conversions_total',
    'Converted pages and files by outcome. `parse_crashed` and `parse_timeout` ended a thread; `parse_budget` may have.',
  );
  readonly #renders = this.#metrics.counter(
    'hayrake_renders_total',
    'Pages given to the browser, by outcome. Present only with a browser.',
  );
  readonly #renderSeconds = this.#metrics.histogram(
    'hayrake_render_seconds',
    'Time of a page in the browser, including the wait for a tab.',
    renderBounds,
  );
  readonly #findings = this.#metrics.counter(
    'hayrake_job_findings_total',
    'Findings of ended jobs by code: why results are less than the sites. Every process that worked on a job counts them.',
  );
  readonly #runs = this.#metrics.counter(
    'hayrake_schedule_runs_total',
    'Times of schedules by outcome: a run was created, skipped because the last one had not ended, or given up after an hour.',
  );
  readonly #violations = this.#metrics.counter(
    'hayrake_invariant_violations_total',
    'Jobs whose counters do not add up, which is a defect. The log names them.',
  );
  /** By fence. */
  readonly #leases = new Set<number>();
  #writesPending = 0;
  #conversionsPending = 0;
  #fetching = 0;
  readonly #workerLoad: WorkerLoad;

  /** The load for the response in progress, since several gauges read it. */
  #load: ReturnType<CrawlStatus['load']> | undefined;

  constructor({ crawlStatus, openCircuits, stalledJobs, fetchesMax, converterThreads, browser }: CrawlMetricsParts) {
    const metrics = this.#metrics;
    this.#workerLoad = new WorkerLoad({
      fetching: () => this.#fetching,
      fetchesMax,
      converting: () => this.#conversionsPending,
      threads: converterThreads,
      dueForMs: async () => dueForMs(await crawlStatus.load()),
    });
    metrics.gauge(
      'hayrake_worker_load',
      'Load of this process relative to its capacity, from 0 to 1; above 0.7 only while another worker would help.',
      () => this.#workerLoad.mean,
    );
    const load = (): ReturnType<CrawlStatus['load']> => (this.#load ??= crawlStatus.load());
    metrics.gauge('hayrake_jobs', 'Jobs that have not ended.', async () => {
      const { starting, running } = await load();
      return labelled('status', { starting, running });
    });
    metrics.gauge('hayrake_frontier_urls', 'URLs of jobs that have not ended.', async () => {
      const { queued, inFlight } = await load();
      return labelled('state', { queued, in_flight: inFlight });
    });
    metrics.gauge(
      'hayrake_oldest_due_host_seconds',
      'How long the longest-due host has waited to be crawled.',
      async () => dueForMs(await load()) / 1000,
    );
    metrics.gauge(
      'hayrake_webhook_deliveries_pending',
      'Webhook events that are neither delivered nor given up.',
      async () => (await load()).deliveries,
    );
    metrics.gauge('hayrake_leases_held', 'Hosts leased by this process.', () => this.#leases.size);
    metrics.gauge('hayrake_writes_pending', 'Writes of the crawl that wait for the writer.', () => this.#writesPending);
    metrics.gauge(
      'hayrake_conversions_pending',
      'Pages being converted or waiting for conversion.',
      () => this.#conversionsPending,
    );
    metrics.gauge(
      'hayrake_open_circuits',
      'Hosts with an open circuit breaker, because they do not respond.',
      openCircuits,
    );
    metrics.gauge('hayrake_stalled_jobs', 'Jobs without progress for five minutes. The log says why.', stalledJobs);
    if (browser) this.#showBrowser(browser);
    this.#fetches.startAtZero(fetchOutcomes.map((outcome) => ({ outcome })));
    this.#findings.startAtZero(findingCodes.map((code) => ({ code })));
    this.#runs.startAtZero(['created', 'skipped', 'failed'].map((outcome) => ({ outcome })));
    this.#settled.startAtZero(settledOutcomes.map((outcome) => ({ outcome })));
    this.#conversions.startAtZero(conversionOutcomes.map((outcome) => ({ outcome })));
    for (const counter of [this.#bytes, this.#commits, this.#violations]) counter.startAtZero();
    for (const histogram of [this.#fetchSeconds, this.#commitSeconds]) histogram.startAtZero();
  }

  #showBrowser(figures: () => BrowserFigures): void {
    const metrics = this.#metrics;
    metrics.gauge('hayrake_browser_restarts', 'Restarts of the browser.', () => figures().restarts);
    metrics.gauge(
      'hayrake_browser_memory_bytes',
      'Memory of all processes of the browser, without memory shared with other processes.',
      () => figures().memoryBytes,
    );
    metrics.gauge(
      'hayrake_browser_refused_connections',
      'Connections of the browser that bypassed the interception and were refused. Counted only without a network namespace.',
      () => figures().refusedConnections,
    );
    this.#renders.startAtZero(renderOutcomes.map((outcome) => ({ outcome })));
    this.#renderSeconds.startAtZero();
  }

  /** Wraps the renderer to count renders. */
  renderer(renderer: Renderer): Renderer {
    return {
      render: async (page) => {
        const startedAt = performance.now();
        const rendered = await renderer.render(page);
        this.#renderSeconds.observe((performance.now() - startedAt) / 1000);
        this.#renders.add({ outcome: outcomeOfRender(rendered) });
        return rendered;
      },
      starting: () => renderer.starting?.(),
      close: () => renderer.close(),
    };
  }

  /** Call every few seconds. */
  lookAtLoad(): Promise<void> {
    return this.#workerLoad.look();
  }

  text(): Promise<string> {
    this.#load = undefined;
    return this.#metrics.text();
  }

  /** A job has ended with these findings. */
  found(findings: readonly FindingCode[]): void {
    for (const code of findings) this.#findings.add({ code });
  }

  /** A time of a schedule is over. */
  ran(outcome: string): void {
    this.#runs.add({ outcome });
  }

  violated(): void {
    this.#violations.add();
  }

  /** Wraps the fetcher to count fetches. */
  fetcher(fetcher: Fetcher): Fetcher {
    return {
      fetch: async (url, options) => {
        const startedAt = performance.now();
        this.#fetching++;
        let result: FetchResult;
        try {
          result = await fetcher.fetch(url, options);
        } finally {
          this.#fetching--;
        }
        this.#fetchSeconds.observe((performance.now() - startedAt) / 1000);
        this.#fetches.add({ outcome: outcomeOf(result) });
        if (result.kind === 'body') this.#bytes.add({}, result.body.length);
        return result;
      },
    };
  }

  /** Wraps the frontier to count writes and leases. */
  frontier(frontier: Frontier): Frontier {
    const writing = <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) => {
      return async (...args: Args): Promise<Result> => {
        this.#writesPending++;
        try {
          return await write(...args);
        } finally {
          this.#writesPending--;
        }
      };
    };
    return {
      ...forwardFrontier(frontier),
      recover: (options) => {
        this.#leases.clear();
        return frontier.recover(options);
      },
      leaseHosts: writing(async (options) => {
        const leased = await frontier.leaseHosts(options);
        for (const { lease } of leased) this.#leases.add(lease.fence);
        return leased;
      }),
      leaseUrgentHosts: writing(async (most) => {
        const leased = await frontier.leaseUrgentHosts(most);
        if (typeof leased === 'object') for (const { lease } of leased) this.#leases.add(lease.fence);
        return leased;
      }),
      take: writing((...args) => frontier.take(...args)),
      takeSuspect: writing(async (aloneDeaths) => {
        const suspect = await frontier.takeSuspect(aloneDeaths);
        if (typeof suspect === 'object') this.#leases.add(suspect.lease.fence);
        return suspect;
      }),
      settle: writing(async (lease, settlements, release, ...rest) => {
        const startedAt = performance.now();
        await frontier.settle(lease, settlements, release, ...rest);
        if (release) this.#leases.delete(lease.fence);
        this.#commits.add();
        this.#commitSeconds.observe((performance.now() - startedAt) / 1000);
        for (const { outcome } of settlements) this.#settled.add({ outcome: outcome.kind });
      }),
      release: writing(async (lease, options) => {
        await frontier.release(lease, options);
        this.#leases.delete(lease.fence);
      }),
      giveUp: writing((...args) => frontier.giveUp(...args)),
      giveUpForBrowser: writing((...args) => frontier.giveUpForBrowser(...args)),
      noteDelay: writing((...args) => frontier.noteDelay(...args)),
      noteNetworks: writing((...args) => frontier.noteNetworks(...args)),
    };
  }

  /** Counts a conversion. */
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

function dueForMs({ dueSince }: Load): number {
  return dueSince === null ? 0 : Math.max(0, monotonicNow() - dueSince);
}

function outcomeOfRender(rendered: Rendered): string {
  return rendered.kind === 'failure' ? rendered.reason : rendered.kind;
}

function outcomeOf(result: FetchResult): string {
  if (result.kind === 'failure') return result.error.reason;
  return result.kind === 'redirect' ? 'redirect' : `${Math.floor(result.statusCode / 100)}xx`;
}

/** The reason of a conversion that is an error. */
function reasonOf(converted: object): string | undefined {
  const error = 'error' in converted ? converted.error : undefined;
  const isError = typeof error === 'object' && error !== null && 'reason' in error;
  return isError && typeof error.reason === 'string' ? error.reason : undefined;
}
