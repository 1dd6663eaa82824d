import { nowSql } from '../connection/schema.ts';
import type { Transaction } from '../connection/connections.ts';
import { readySql } from './ready-sql.ts';

/** A host that is released with the last settlement under its lease. Nothing is taken under it any more. */
export interface FreedHost {
  readonly hostId: number;
  readonly fence: number;
  /** The worker that holds the lease. */
  readonly worker: number;
  /** For this long, nobody sends a request to the host. */
  readonly pauseMs: number;
  /** Null: unchanged. */
  readonly delayMs: number | null;
  readonly memory: string | null;
  /** The job that was served last. Null: unchanged. */
  readonly lastJob: number | null;
}

/** Call while holding their locks. A host that this worker no longer holds does not change. */
export function freeHosts(tx: Transaction, freed: readonly FreedHost[]): void {
  if (freed.length === 0) return;
  const hosts = freed.map(({ hostId }) => hostId);
  tx.send(
    `UPDATE host h SET delay_ms = coalesce(u.delay_ms, h.delay_ms), memory = coalesce(u.memory, h.memory), memory_at = ${nowSql}
     FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS u (host, delay_ms, memory)
     WHERE h.id = u.host AND (u.memory IS NOT NULL OR h.delay_ms <> u.delay_ms)`,
    [
      hosts,
      freed.map(({ delayMs }) => (delayMs === null ? null : Math.ceil(delayMs))),
      freed.map(({ memory }) => memory),
    ],
  );
  tx.send(
    `WITH u AS (
       SELECT host, fence, owner, ${nowSql} + pause AS next_at, last_job
       FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) AS u (host, fence, owner, pause, last_job))
     UPDATE host_slot s SET owner = NULL, next_at = greatest(s.next_at, u.next_at), ready_at = r.ready_at, in_line = coalesce(r.ready_at <= ${nowSql}, false),
       for_browser = r.for_browser, plain_at = r.plain_at, last_job = coalesce(u.last_job, s.last_job),
       org = coalesce(r.org, s.org), rank = coalesce(r.rank, s.rank), job = coalesce(r.job, s.job)
     FROM u, LATERAL (${readySql('u.host', 'u.next_at')}) r WHERE s.host = u.host AND s.fence = u.fence AND s.owner = u.owner`,
    [
      hosts,
      freed.map(({ fence }) => fence),
      freed.map(({ worker }) => worker),
      freed.map(({ pauseMs }) => Math.ceil(pauseMs)),
      freed.map(({ lastJob }) => lastJob),
    ],
  );
}
