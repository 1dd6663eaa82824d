// Which pages of the earlier job are gone, at the end of a job with `since`.
import {
  changesNumbered,
  close,
  countChanges,
  type GoneCounts,
  isGoneSql,
  judgeGone,
} from '../rules/jobs/change-counts.ts';
import type { JobRow } from '../rules/jobs/job-row.ts';
import { all, run, send, type Steps } from './operation.ts';
import { either, raw, type Sql, sql } from './sql.ts';

const isGone = raw(isGoneSql);
/** What stands between the second and the third slash of a URL. */
const host = either(
  raw("substr(substr(url, instr(url, '//') + 2), 1, instr(substr(url, instr(url, '//') + 2), '/') - 1)"),
  raw("split_part(url, '/', 3)"),
);
const url = either(raw('url'), raw('url COLLATE "C"'));

/** Inside the transaction of that end, after everything else was written. It changes the counters of `row`. */
export function* removeGone(row: JobRow, now: number): Steps<void> {
  // mutant moved-to-nowhere-removes, promise 18: without it; since "could not be read"
  yield* doubt(row);
  const hosts = yield* all<GoneCounts>(
    sql`SELECT ${host} AS host, CAST(count(*) AS int) AS pages, CAST(count(*) FILTER (WHERE ${isGone}) AS int) AS gone,
        CAST(count(*) FILTER (WHERE change = 'held' AND ${isGone}) AS int) AS held,
        min(${url}) FILTER (WHERE change IS NULL AND ${isGone}) AS example
      FROM ledger WHERE job = ${row.seq} AND text_of IS NOT NULL GROUP BY 1 ORDER BY 1`,
  );
  const { removes, count } = judgeGone(row, hosts, now);
  if (count > 0) yield* remove(row, removes === 'held' ? sql`change = 'held' AND ${isGone}` : isGone);
  yield* send(sql`UPDATE ledger SET change = 'held' WHERE job = ${row.seq} AND change IS NULL AND ${isGone}`);
  close(row, count);
}

/** Removes the pages that an ended job held back. */
export function* acceptHeld(row: JobRow): Steps<void> {
  const removed = yield* remove(row, sql`change = 'held' AND ${isGone}`);
  if (removed > 0) countChanges(row, 'removed', removed);
}

/** Returns how many. */
function remove(row: JobRow, condition: Sql): Steps<number> {
  return run(
    sql`UPDATE ledger SET change = 'removed', change_number = gone.place + CAST(${changesNumbered(row)} AS int)
      FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM ledger WHERE job = ${row.seq} AND ${condition}) gone
      WHERE ledger.job = ${row.seq} AND ledger.id = gone.id`,
  );
}

/**
 * Doubts that a page is gone which leads to one that could not be read, directly or over other redirects: the text can be
 * there still. A target that answers 404 or 410 leaves no doubt.
 */
function doubt({ seq }: JobRow): Steps<void> {
  // mutant doubt-of-one-redirect, promise 18: `copy.reason = 'duplicate_of'` -> `copy.reason = 'none'`; since "redirects lead from"
  return send(sql`WITH RECURSIVE unread (at) AS (
      SELECT url FROM ledger WHERE job = ${seq} AND (state = 'queued' OR (state = 'discarded' AND reason = 'content_type')
        OR (state = 'failed' AND reason NOT IN ('http_404', 'http_410')))
      UNION SELECT copy.url FROM unread JOIN ledger copy ON copy.detail = unread.at
        WHERE copy.job = ${seq} AND copy.state = 'discarded' AND copy.reason = 'duplicate_of')
    UPDATE ledger SET change = 'doubted' WHERE job = ${seq} AND ${isGone} AND reason = 'duplicate_of'
      AND detail IN (SELECT at FROM unread)`);
}
