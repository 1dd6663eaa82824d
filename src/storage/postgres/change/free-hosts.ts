import { nowSql } from '../connection/schema.ts';
import { columns, type RowOf, type RowStatement, sendEach, type Steps } from '../../shared/operation.ts';
import { raw, sql } from '../../shared/sql.ts';
import { readySql } from './ready-sql.ts';

const slotColumns = columns('bigint', 'host', 'fence', 'owner', 'pause', 'last_job');
const memoryColumns = { ...columns('bigint', 'host', 'delay_ms'), ...columns('text', 'memory') };
/**
 * A host that is released with the last settlement under its lease. Nothing is taken under it any more. `owner`: the worker
 * that holds the lease. `pause`: milliseconds in which nobody sends a request to it. Null leaves `delay_ms`, `memory`,
 * and the job that was served last, unchanged.
 */
export type FreedHost = Readonly<RowOf<typeof slotColumns & typeof memoryColumns>> & {
  readonly host: number;
  readonly pause: number;
};

/** Call while holding their locks. A host that this worker no longer holds does not change. */
export function* freeHosts(freed: readonly FreedHost[]): Steps<void> {
  yield* sendEach({ ...hostMemories, rows: freed });
  yield* sendEach({ ...freedSlots, rows: freed });
}

const now = raw(nowSql);
const hostMemories: RowStatement = {
  columns: memoryColumns,
  statement: (u) => sql`
    UPDATE host h SET delay_ms = coalesce(u.delay_ms, h.delay_ms), memory = coalesce(u.memory, h.memory), memory_at = ${now}
    FROM ${u} WHERE h.id = u.host AND (u.memory IS NOT NULL OR h.delay_ms <> u.delay_ms)`,
};
const freedSlots: RowStatement = {
  columns: slotColumns,
  statement: (u) => sql`
    WITH u AS (SELECT u.*, greatest(${now} + pause, o.next_at) AS next_at FROM ${u} JOIN host_slot o ON o.host = u.host)
    UPDATE host_slot s SET owner = NULL, next_at = u.next_at, ready_at = r.ready_at, in_line = coalesce(r.ready_at <= ${now}, false),
      for_browser = r.for_browser, plain_at = r.plain_at, last_job = coalesce(u.last_job, s.last_job),
      org = coalesce(r.org, s.org), rank = coalesce(r.rank, s.rank), job = coalesce(r.job, s.job)
    FROM u, LATERAL (${raw(readySql('u.host', 'u.next_at'))}) r WHERE s.host = u.host AND s.fence = u.fence AND s.owner = u.owner`,
};
