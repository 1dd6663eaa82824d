import { type HostQuery, type HostSlice, jobsOfHostMax } from '../../../core/ports/stores.ts';
import { hasRequests, hostsLookedAt, jobsLookedAt, sliceOfHosts } from '../../rules/jobs/host-lists.ts';
import type { Connections } from '../connection/connections.ts';
import { nowSql } from '../connection/schema.ts';

interface HostRow {
  readonly id: number;
  readonly name: string;
  readonly delay_ms: number;
  readonly leased: boolean | null;
  readonly wait_ms: number | null;
  readonly jobs: readonly string[];
}

/** Reads hosts for the owners of jobs. */
export function listHosts(connections: Connections, org: string, query: HostQuery): Promise<HostSlice> {
  return connections.transaction(async (tx) => {
    const { after, q = '', jobId = null } = query;
    const jobs = await tx.query<{ seq: number; id: string }>(
      `SELECT seq, id FROM job WHERE org = $1 AND finished_at IS NULL AND stopped_at IS NULL AND ($2::text IS NULL OR id = $2) ORDER BY id LIMIT ${jobsLookedAt}`,
      [org, jobId],
    );
    if (jobs.length === 0) return { hosts: [] };
    const max = hostsLookedAt(jobs.length);
    const rows = await tx.query<HostRow>(
      `SELECT h.id, h.name, h.delay_ms,
         (SELECT s.owner IS NOT NULL FROM host_slot s WHERE s.host = h.id) AS leased,
         (SELECT s.ready_at - ${nowSql} FROM host_slot s WHERE s.host = h.id) AS wait_ms,
         CASE WHEN strpos(h.name, $5) = 0 THEN ARRAY[]::text[] ELSE
           ARRAY(SELECT j.id FROM unnest($1::bigint[], $2::text[]) AS j (seq, id) WHERE ${hasRequests('h.id', 'j.seq')} LIMIT ${jobsOfHostMax}) END AS jobs
       FROM (SELECT id, name, delay_ms FROM host WHERE id > $3 ORDER BY id LIMIT $4) h ORDER BY h.id`,
      [jobs.map(({ seq }) => seq), jobs.map(({ id }) => id), after, max, q.toLowerCase()],
    );
    const found = rows
      .filter((row) => row.jobs.length > 0)
      .map(({ id, name, jobs: ids, leased, delay_ms: delayMs, wait_ms: waitMs }) => ({
        id,
        host: { host: name, jobs: ids, isLeased: leased === true, delayMs, waitMs: Math.max(0, waitMs ?? 0) },
      }));
    return sliceOfHosts(query, { hosts: rows.length, max, last: rows.at(-1)?.id ?? after }, found);
  }, 'REPEATABLE READ READ ONLY');
}
