import { controlPriority } from '../../rules/frontier/crawl-tables.ts';
import { newFetchesMax, urgentRank } from '../../rules/frontier/lease-turns.ts';
import { sitemapsFirstMs } from '../../rules/jobs/job-row.ts';
import { nowSql } from '../connection/schema.ts';

/** Jobs of one host examined at a time, round-robin: bounds the work when thousands of jobs share a host. */
export const jobsPerTake = 64;
/** How soon to look again at a host whose jobs have everything in flight that their limits allow. */
const limitedRetryMs = 1_000;

/**
 * The jobs, between two numbers, that have something due on a host and are not stopped. Each index step jumps to the
 * next job, in order. A join, which the planner makes of NOT EXISTS, would lose the order, and with it turns of jobs.
 */
export function dueJobsSql(host: string, from: string, to: string): string {
  const next = (behind: string): string =>
    `(SELECT min(job) FROM frontier WHERE host = ${host} AND job > ${behind} AND job <= ${to} AND fence IS NULL AND not_before = 0)`;
  return `(
    WITH RECURSIVE due AS (
      SELECT ${next(from)} AS job
      UNION ALL SELECT ${next('due.job')} FROM due WHERE due.job IS NOT NULL)
    SELECT job FROM due WHERE job IS NOT NULL AND (SELECT stopped_at FROM job WHERE seq = due.job) IS NULL LIMIT ${jobsPerTake})`;
}

/** For the row `j` of a job: see `roomOf`. */
export const roomSql = `CASE WHEN j.revisits IS NOT NULL AND j.control > 0 AND ${nowSql} < j.created_at + ${sitemapsFirstMs} THEN 0
  ELSE least(j.page_limit - j.scraped, j.fetch_limit - j.fetches) - j.in_flight END`;

/**
 * When a lease of the host becomes useful, null if it has nothing pending; and the line in which it waits: that of the
 * job with the fewest queued URLs. `for_browser`: a process without a browser finds nothing to take, and may look again
 * at `plain_at`. Run it under the lock of the host.
 */
export function readySql(host: string, notBefore: string): string {
  const postponed = (what: string): string =>
    `(SELECT ${what} FROM frontier WHERE host = ${host} AND fence IS NULL AND not_before > 0 ORDER BY not_before LIMIT 1)`;
  return `
    SELECT r.ready_at, r.for_browser, CASE WHEN r.for_browser THEN r.plain_at END AS plain_at, k.org, k.seq AS job, CASE WHEN k.scraped + k.in_flight = 0 AND k.fetches < ${newFetchesMax} THEN least(${urgentRank}, k.rank) ELSE k.rank END AS rank FROM (
      SELECT CASE
        WHEN bool_or(w.has_room) THEN ${notBefore}
        WHEN bool_or(d.job IS NOT NULL) THEN greatest(${notBefore}, ${nowSql} + ${limitedRetryMs})
        ELSE ${postponed(`greatest(${notBefore}, not_before)`)}
      END AS ready_at, bool_or(w.has_room) IS TRUE AND bool_or(w.has_room AND j.needs_browser = 0) IS NOT TRUE AS for_browser,
      CASE WHEN bool_or(j.needs_browser = 0) OR count(d.job) >= ${jobsPerTake} THEN ${nowSql} + ${limitedRetryMs} ELSE ${postponed('not_before')} END AS plain_at,
      coalesce((array_agg(j.seq ORDER BY j.queued) FILTER (WHERE j.seq IS NOT NULL))[1], ${postponed('job')}) AS job
      FROM ${dueJobsSql(host, '0', String(Number.MAX_SAFE_INTEGER))} d LEFT JOIN job j ON j.seq = d.job AND j.finished_at IS NULL
      CROSS JOIN LATERAL (SELECT j.seq IS NOT NULL AND (${roomSql} > 0 OR EXISTS (
        SELECT FROM frontier f WHERE f.host = ${host} AND f.job = d.job AND f.fence IS NULL AND f.not_before = 0 AND f.priority = ${controlPriority})) AS has_room) w) r
    LEFT JOIN job k ON k.seq = r.job`;
}
