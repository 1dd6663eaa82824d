// Metrics of the API and the process.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { SearchStatus } from '../core/ports/search.ts';
import type { StoreConnections } from '../core/ports/stores.ts';
import { labelled, Metrics } from './metrics.ts';

const secondsBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Resolution of the event loop delay. A main thread that is never late is measured at this interval. */
const resolutionMs = 20;

export interface ApiMetrics {
  onAnswered(answered: {
    readonly method: string;
    readonly route: string | undefined;
    readonly status: number;
    readonly ms: number;
  }): void;
  onDamage(): void;
  /** Counts an export that begins. The result is called with its outcome. */
  onExport(format: string): (outcome: string) => void;
  text(): Promise<string>;
  close(): void;
}

export interface ApiMetricsParts {
  /** Connections to the API. */
  readonly connections: () => Promise<number>;
  /** Connections to the database, if the store uses connections. */
  readonly database: (() => StoreConnections) | undefined;
  readonly search: () => SearchStatus;
}

export function createApiMetrics({ connections, database, search }: ApiMetricsParts): ApiMetrics {
  const metrics = new Metrics();
  const requests = metrics.counter('hayrake_api_requests_total', 'Completed requests, by route and status class.');
  const latency = metrics.histogram(
    'hayrake_api_request_seconds',
    'Time to the end of the response, including the wait for pages.',
    secondsBounds,
  );
  const damaged = metrics.counter('hayrake_damaged_pages_total', 'Damaged pages that were read.');
  const exports = metrics.counter('hayrake_exports_total', 'Exports that ended, by format and outcome.');
  let exporting = 0;
  metrics.gauge('hayrake_exports_running', 'Exports in progress.', () => exporting);
  metrics.gauge('hayrake_api_connections', 'Connections to the API.', connections);
  measureSearch(metrics, search);
  if (database) measureConnections(metrics, database);
  const delay = measureProcess(metrics);

  return {
    onAnswered: ({ method, route = 'none', status, ms }) => {
      // Requests to unknown routes can have any method.
      const labels = { method: route === 'none' ? 'any' : method, route };
      requests.add({ ...labels, status: `${Math.floor(status / 100)}xx` });
      latency.observe(ms / 1000, labels);
    },
    onDamage: () => damaged.add({}),
    onExport: (format) => {
      exporting++;
      return (outcome) => {
        exporting--;
        exports.add({ format, outcome });
      };
    },
    text: () => metrics.text(),
    close: () => delay.disable(),
  };
}

function measureSearch(metrics: Metrics, search: ApiMetricsParts['search']): void {
  metrics.total(
    'hayrake_search_indexed_pages_total',
    'Pages that were indexed for searches.',
    () => search().indexedPages,
  );
  metrics.total(
    'hayrake_search_rebuilds_total',
    'Search indexes that were damaged and were discarded.',
    () => search().rebuilds,
  );
  metrics.gauge(
    'hayrake_search_indexing_jobs',
    'Jobs whose pages are being indexed, or wait for it.',
    () => search().indexing,
  );
  metrics.gauge('hayrake_search_index_bytes', 'Size of the file of the search index.', () => {
    const { bytes } = search();
    return bytes ?? [];
  });
}

function measureConnections(metrics: Metrics, database: () => StoreConnections): void {
  metrics.gauge('hayrake_database_connections', 'Connections to the database, by state.', () => {
    const { open, idle } = database();
    return labelled('state', { used: open - idle, idle });
  });
  metrics.gauge(
    'hayrake_database_connections_max',
    'Maximum number of connections to the database.',
    () => database().max,
  );
  metrics.gauge(
    'hayrake_database_connections_waiting',
    'Statements and transactions that wait for a connection to the database.',
    () => database().waiting,
  );
}

function measureProcess(metrics: Metrics): ReturnType<typeof monitorEventLoopDelay> {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  metrics.gauge('hayrake_event_loop_delay_seconds', 'Delay of the main thread since the last scrape.', () => {
    const [half, most] = [delay.percentile(50), delay.percentile(99)];
    const { max } = delay;
    delay.reset();
    return labelled('percentile', { 50: lateness(half), 99: lateness(most), 100: lateness(max) });
  });
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process with all its threads.', () =>
    process.memoryUsage.rss(),
  );
  metrics.gauge('hayrake_heap_bytes', 'Memory of the main thread.', () => {
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
    return labelled('kind', { used: heapUsed, total: heapTotal, external, array_buffers: arrayBuffers });
  });
  metrics.gauge('hayrake_handles', 'Active resources of the process: sockets, timers, threads.', () => {
    const counts = new Map<string, number>();
    for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return [...counts].map(([kind, count]) => [{ kind }, count] as const);
  });
  metrics.gauge('process_start_time_seconds', 'Start time of the process, since the epoch.', () =>
    Math.round(Date.now() / 1000 - process.uptime()),
  );
  return delay;
}

/** Lateness in seconds, from the nanoseconds between two looks. */
function lateness(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - resolutionMs) / 1000;
}
