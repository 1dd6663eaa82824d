import { controlPriority } from '../rules/crawl-tables.ts';
import { nowSql } from './schema.ts';

/** Jobs of one host looked at at a time, round-robin: bounds the work where thousands of jobs share a host. */
export const jobsPerTake = 64;
/** How soon to look again at a host whose jobs have everything in flight that their limits allow. */
const limitedRetryMs = 1_000;

/** The jobs, between two numbers, that have something due on the host `$1`: by leaps over the index, each to the next job. */
export function dueJobsSql(from: string, to: string): string {
  const next = (behind: string): string =>
    `(SELECT min(job) FROM frontier WHERE host = $1 AND job > ${behind} AND job <= ${to} AND fence IS NULL AND not_before = 0)`;
  return `(
    WITH RECURSIVE due AS (
      SELECT ${next(from)} AS job
      UNION ALL SELECT ${next('due.job')} FROM due WHERE due.job IS NOT NULL)
    SELECT job FROM due WHERE job IS NOT NULL LIMIT ${jobsPerTake})`;
}

/** Of the row `j` of a job: pages that may still be taken, with what is in flight. */
export const roomSql = 'least(j.page_limit - j.scraped, j.fetch_limit - j.fetches) - j.in_flight';

/** From when on a lease of a host is of use; null when it has nothing pending. To be asked under the lock of its slot. */
export function readySql(host: '$1', notBefore: string): string {
  return `
    SELECT CASE
      WHEN bool_or(j.seq IS NOT NULL AND (${roomSql} > 0 OR EXISTS (
        SELECT FROM frontier f WHERE f.host = ${host} AND f.job = d.job AND f.fence IS NULL AND f.not_before = 0 AND f.priority = ${controlPriority})))
        THEN ${notBefore}
      WHEN bool_or(d.job IS NOT NULL) THEN greatest(${notBefore}, ${nowSql} + ${limitedRetryMs})
      ELSE (SELECT greatest(${notBefore}, min(not_before)) FROM frontier WHERE host = ${host} AND fence IS NULL AND not_before > 0 HAVING min(not_before) IS NOT NULL)
    END AS ready_at
    FROM ${dueJobsSql('0', String(Number.MAX_SAFE_INTEGER))} d LEFT JOIN job j ON j.seq = d.job AND j.finished_at IS NULL`;
}
