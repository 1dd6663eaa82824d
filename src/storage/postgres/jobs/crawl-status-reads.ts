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
import { sumOf, waitingAndOpen } from '../../rules/jobs/requested-now.ts';
import type { Connections } from '../connection/connections.ts';
import { elsewhereOfJobSql, elsewhereSql, type OpenPages } from './open-pages.ts';
import { nowSql } from '../connection/schema.ts';

const hostsMax = 1_000;

/**
 * How many requests a job has, by host: one part for each partial index. PostgreSQL 18 skips from host to host in the
 * first index, which has nearly all of them. PostgreSQL 17 and before scan that index, but not the table.
 */
const requestsSql = `SELECT host, count(*) AS requests FROM (${[
  'fence IS NULL AND not_before = 0',
  'fence IS NULL AND not_before > 0',
  'fence IS NULL AND not_before < 0',
  'fence IS NOT NULL',
]
  .map((part) => `SELECT host FROM frontier WHERE job = $1 AND ${part}`)
  .join(' UNION ALL ')}) r GROUP BY host`;

interface LoadRow {
  readonly status: JobStatus;
  readonly jobs: number;
  readonly queued: number;
  readonly in_flight: number;
  readonly elsewhere: number | null;
}

/** Reads for operators who watch a crawl. */
export class CrawlStatusReads implements CrawlStatus {
  readonly #connections: Connections;
  readonly #open: OpenPages;

  constructor(connections: Connections, open: OpenPages) {
    this.#connections = connections;
    this.#open = open;
  }

  load(): Promise<Load> {
    return this.#connections.transaction(async (tx) => {
      const rows = await tx.query<LoadRow>(
        `SELECT status, count(*) AS jobs, sum(queued)::bigint AS queued, sum(in_flight)::bigint AS in_flight,
           ${elsewhereSql('(SELECT sum(pages::int) FROM jsonb_each_text(w.open_pages) AS e (id, pages))', '$1')} AS elsewhere
         FROM job WHERE finished_at IS NULL AND stopped_at IS NULL GROUP BY status`,
        [this.#open.own],
      );
      const [due] = await tx.query<{ for_ms: number }>(
        `SELECT max(${nowSql} - ready_at) AS for_ms FROM (${['in_line', 'NOT in_line']
          .map(
            (part) =>
              `(SELECT ready_at FROM host_slot WHERE ${part} AND owner IS NULL AND ready_at <= ${nowSql} ORDER BY ready_at LIMIT 1)`,
          )
          .join(' UNION ALL ')}) due HAVING count(*) > 0`,
      );
      const [outbox] = await tx.query<{ pending: number }>(
        "SELECT count(*) AS pending FROM work WHERE kind = 'webhook' AND status = 'pending'",
      );
      const of = (status: JobStatus): number => rows.find((row) => row.status === status)?.jobs ?? 0;
      return {
        starting: of('starting'),
        running: of('running'),
        ...waitingAndOpen(sumOf(rows), this.#open.ofAll(rows[0]?.elsewhere ?? null)),
        dueSince: due ? monotonicNow() - due.for_ms : null,
        deliveries: outbox?.pending ?? 0,
      };
    }, 'REPEATABLE READ READ ONLY');
  }

  async unfinished(max: number): Promise<readonly JobCounters[]> {
    const rows = await this.#connections.query<CounterRow>(
      `SELECT ${counterColumns} FROM job WHERE finished_at IS NULL AND stopped_at IS NULL ORDER BY seq LIMIT $1`,
      [max],
    );
    return rows.map(countersOf);
  }

  async sample(jobIds: readonly string[]): Promise<readonly JobSample[]> {
    const rows = await this.#connections.query<SampleRow & { readonly elsewhere: number | null }>(
      `SELECT ${sampleColumns}, ${elsewhereOfJobSql('$2')} AS elsewhere FROM job WHERE id = ANY($1)`,
      [jobIds, this.#open.own],
    );
    return rows.map((row) => sampleOf(row, this.#open.of(row.id, row.elsewhere)));
  }

  pending(jobId: string): Promise<JobPending | undefined> {
    return this.#connections.transaction(async (tx) => {
      const [row] = await tx.query<CounterRow>(`SELECT ${counterColumns} FROM job WHERE id = $1`, [jobId]);
      if (!row || hasEnded(row.status)) return undefined;
      const hosts = await tx.query<{
        name: string;
        leased: boolean;
        fence: number;
        ready_in: number | null;
        requests: number;
      }>(
        `SELECT h.name, s.owner IS NOT NULL AS leased, s.fence, s.ready_at - ${nowSql} AS ready_in, r.requests
         FROM (${requestsSql}) r
         JOIN host h ON h.id = r.host JOIN host_slot s ON s.host = h.id`,
        [row.seq],
      );
      const requests = hosts.reduce((sum, host) => sum + host.requests, 0);
      const now = monotonicNow();
      return {
        counters: countersOf(row),
        requests,
        hosts: hosts.slice(0, hostsMax).map((host) => ({
          host: host.name,
          requests: host.requests,
          isLeased: host.leased,
          fence: host.fence,
          readyAt: host.ready_in === null ? null : now + host.ready_in,
        })),
      };
    }, 'REPEATABLE READ READ ONLY');
  }
}
