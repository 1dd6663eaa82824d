import type { Database, Statement } from '../file/database.ts';
import { hasEnded, type JobStatus } from '../../../core/job.ts';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import type { JobCounters, JobPending, JobSample, Load, CrawlStatus } from '../../../core/ports/crawl-status.ts';
import {
  counterColumns,
  type CounterRow,
  countersOf,
  sampleColumns,
  sampleOf,
  type SampleRow,
} from '../../rules/jobs/job-counters.ts';
import { openOf, openOfAll, sumOf, waitingAndOpen } from '../../rules/jobs/requested-now.ts';

const hostsMax = 1_000;

interface HostRow {
  readonly name: string;
  readonly leased: number;
  readonly fence: number;
  readonly ready_at: number | null;
  readonly requests: number;
}

/** Reads for operators who watch a crawl. */
export class CrawlStatusReads implements CrawlStatus {
  readonly #db: Database;
  readonly #openPages: () => ReadonlyMap<string, number> | undefined;
  readonly #load: Statement<[], { status: JobStatus; jobs: number; queued: number; in_flight: number }>;
  readonly #dueSince: Statement<[number], { ready_at: number | null }>;
  readonly #deliveries: Statement<[], { readonly pending: number }>;
  readonly #unfinished: Statement<[number], CounterRow>;
  readonly #sample: Statement<[string], SampleRow>;
  readonly #counters: Statement<[string], CounterRow>;
  readonly #hosts: Statement<[{ job: number }], HostRow>;

  /** `openPages`: by job, those that are requested now. */
  constructor(db: Database, openPages: () => ReadonlyMap<string, number> | undefined) {
    this.#db = db;
    this.#openPages = openPages;
    this.#load = db.prepare(
      'SELECT status, count(*) AS jobs, sum(queued) AS queued, sum(in_flight) AS in_flight FROM job WHERE finished_at IS NULL AND stopped_at IS NULL GROUP BY status',
    );
    this.#dueSince = db.prepare(
      `SELECT min(ready_at) AS ready_at FROM (${[0, 1]
        .map(
          (inLine) =>
            `SELECT min(ready_at) AS ready_at FROM host WHERE leased = 0 AND in_line = ${inLine} AND ready_at <= ?1`,
        )
        .join(' UNION ALL ')})`,
    );
    // The index holds only these rows.
    this.#deliveries = db.prepare("SELECT count(*) AS pending FROM work WHERE kind = 'webhook' AND status = 'pending'");
    this.#unfinished = db.prepare(
      `SELECT ${counterColumns} FROM job WHERE finished_at IS NULL AND stopped_at IS NULL ORDER BY seq LIMIT ?`,
    );
    this.#sample = db.prepare(`SELECT ${sampleColumns} FROM job WHERE id IN (SELECT value FROM json_each(?))`);
    this.#counters = db.prepare(`SELECT ${counterColumns} FROM job WHERE id = ?`);
    // Host by host, which is the order of the frontier. Skips other jobs, except requests in flight or postponed.
    const requests = (condition: string): string =>
      `SELECT h.id FROM host h CROSS JOIN frontier f WHERE f.host = h.id AND f.job = @job AND ${condition}`;
    this.#hosts = db.prepare(`
      SELECT h.name, h.leased, h.fence, h.ready_at, count(*) AS requests
      FROM (${requests('f.fence IS NULL AND f.not_before = 0')} UNION ALL ${requests('f.fence IS NULL AND f.not_before > 0')}
        UNION ALL ${requests('f.fence IS NULL AND f.not_before < 0')} UNION ALL ${requests('f.fence IS NOT NULL')}) r
      JOIN host h ON h.id = r.id GROUP BY h.id`);
  }

  async load(): Promise<Load> {
    const rows = this.#load.all();
    const of = (status: JobStatus): number => rows.find((row) => row.status === status)?.jobs ?? 0;
    return {
      starting: of('starting'),
      running: of('running'),
      ...waitingAndOpen(sumOf(rows), openOfAll(this.#openPages())),
      dueSince: this.#dueSince.get(monotonicNow())?.ready_at ?? null,
      deliveries: this.#deliveries.get()?.pending ?? 0,
    };
  }

  async unfinished(max: number): Promise<readonly JobCounters[]> {
    return this.#unfinished.all(max).map(countersOf);
  }

  async sample(jobIds: readonly string[]): Promise<readonly JobSample[]> {
    return this.#sample.all(JSON.stringify(jobIds)).map((row) => sampleOf(row, openOf(this.#openPages(), row.id)));
  }

  async pending(jobId: string): Promise<JobPending | undefined> {
    return this.#db.transaction('deferred', () => {
      const row = this.#counters.get(jobId);
      if (!row || hasEnded(row.status)) return undefined;
      const hosts = this.#hosts.all({ job: row.seq }).map((host) => ({
        host: host.name,
        requests: host.requests,
        isLeased: host.leased === 1,
        fence: host.fence,
        readyAt: host.ready_at,
      }));
      const requests = hosts.reduce((sum, host) => sum + host.requests, 0);
      return { counters: countersOf(row), hosts: hosts.slice(0, hostsMax), requests };
    });
  }
}
