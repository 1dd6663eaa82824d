import { nowSql } from '../connection/schema.ts';
import { type RowStatement, sendEach, type Steps } from '../../shared/operation.ts';
import { raw, sql } from '../../shared/sql.ts';
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
export function* freeHosts(freed: readonly FreedHost[]): Steps<void> {
  const rows = freed.map(({ hostId, fence, worker, pauseMs, delayMs, memory, lastJob }) => ({
    host: hostId,
    fence,
    owner: worker,
    pause: Math.ceil(pauseMs),
    delay_ms: delayMs === null ? null : Math.ceil(delayMs),
    memory,
    last_job: lastJob,
  }));
  yield* sendEach({ ...hostMemories, rows });
  yield* sendEach({ ...freedSlots, rows });
}

const now = raw(nowSql);
const hostMemories: RowStatement = {
  columns: { host: 'bigint', delay_ms: 'bigint', memory: 'text' },
  statement: (u) => sql`
    UPDATE host h SET delay_ms = coalesce(u.delay_ms, h.delay_ms), memory = coalesce(u.memory, h.memory), memory_at = ${now}
    FROM ${u} WHERE h.id = u.host AND (u.memory IS NOT NULL OR h.delay_ms <> u.delay_ms)`,
};
const freedSlots: RowStatement = {
  columns: { host: 'bigint', fence: 'bigint', owner: 'bigint', pause: 'bigint', last_job: 'bigint' },
  statement: (u) => sql`
    WITH u AS (SELECT u.*, ${now} + pause AS next_at FROM ${u})
    UPDATE host_slot s SET owner = NULL, next_at = greatest(s.next_at, u.next_at), ready_at = r.ready_at, in_line = coalesce(r.ready_at <= ${now}, false),
      for_browser = r.for_browser, plain_at = r.plain_at, last_job = coalesce(u.last_job, s.last_job),
      org = coalesce(r.org, s.org), rank = coalesce(r.rank, s.rank), job = coalesce(r.job, s.job)
    FROM u, LATERAL (${raw(readySql('u.host', 'u.next_at'))}) r WHERE s.host = u.host AND s.fence = u.fence AND s.owner = u.owner`,
};
