// Which pages of the earlier job are gone, at the end of a job with `since`.
import { changesNumbered, close, countChanges } from '../rules/jobs/change-counts.ts';
import { acceptedRuns, doubtSql, type GoneCounts, judgeGone, runsSql } from '../rules/jobs/doubts.ts';
import type { JobRow } from '../rules/jobs/job-row.ts';
import { all, run, send, type Steps } from './operation.ts';
import { either, raw, type Sql, sql } from './sql.ts';

const isLed = raw(doubtSql.led);
/** What stands between the second and the third slash of a URL. */
const host = either(
  raw("substr(substr(url, instr(url, '//') + 2), 1, instr(substr(url, instr(url, '//') + 2), '/') - 1)"),
  raw("split_part(url, '/', 3)"),
);
const url = either(raw('url'), raw('url COLLATE "C"'));

/** Inside the transaction of that end, after everything else was written. It changes the counters of `row`. */
export function* removeGone(row: JobRow, now: number): Steps<void> {
  yield* lookBehindRedirects(row);
  const { gone, due, sure } = runsSql(row);
  const [isGone, isDue, isSure] = [raw(gone), raw(due), raw(sure)];
  const count = (condition: Sql): Sql => sql`CAST(count(*) FILTER (WHERE ${condition}) AS int)`;
  const hosts = yield* all<GoneCounts>(
    sql`SELECT ${host} AS host, CAST(count(*) AS int) AS pages, ${count(isGone)} AS gone, ${count(isDue)} AS due,
        ${count(isSure)} AS sure, ${count(isLed)} AS led, min(${url}) FILTER (WHERE ${isLed}) AS "ledExample",
        coalesce(min(${url}) FILTER (WHERE ${isGone} AND NOT (${isDue})), min(${url}) FILTER (WHERE ${isGone})) AS example
      FROM ledger WHERE job = ${row.seq} AND text_of IS NOT NULL GROUP BY 1 ORDER BY 1`,
  );
  const { removes, count: removed } = judgeGone(row, hosts, now);
  if (removed > 0) yield* remove(row, removes === 'sure' ? isSure : sql`((${isDue}) OR (${isSure}))`);
  close(row, removed);
}

/** What an ended job doubts counts: what is gone at once, and the rest as soon as a later run gets it again. */
export function* acceptDoubted(row: JobRow): Steps<void> {
  const removed = yield* remove(row, raw(doubtSql.anyGone));
  if (removed > 0) countChanges(row, 'removed', removed);
  yield* send(sql`UPDATE ledger SET doubt_runs = ${acceptedRuns} WHERE job = ${row.seq} AND change = 'doubted'`);
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
 * A page is not gone that leads, directly or over other redirects, to one that asks for a password, or could not be read: the
 * text can be there still. A target that answers 404 or 410 leaves no doubt.
 */
function lookBehindRedirects({ seq }: JobRow): Steps<void> {
  return send(sql`WITH RECURSIVE target (at, becomes) AS (
      SELECT url, CASE WHEN state = 'scraped' OR reason = 'challenge' OR (change = 'doubted' AND doubt = 'shut') THEN 'shut' ELSE 'unread' END
        FROM ledger WHERE job = ${seq} AND kind = 'page' AND (state = 'queued'
        OR (state = 'scraped' AND ${raw(doubtSql.asks)}) OR (change = 'doubted' AND doubt = 'shut')
        OR (state = 'discarded' AND reason = 'content_type') OR (state = 'failed' AND reason NOT IN ('http_404', 'http_410')))
      UNION SELECT copy.url, target.becomes FROM target JOIN ledger copy ON copy.detail = target.at
        WHERE copy.job = ${seq} AND copy.state = 'discarded' AND copy.reason = 'duplicate_of')
    UPDATE ledger SET change = CASE WHEN led.becomes = 'shut' THEN 'doubted' END,
      doubt = CASE WHEN led.becomes = 'shut' THEN 'shut' WHEN doubt_runs > 1 THEN doubt END,
      doubt_runs = CASE WHEN led.becomes = 'shut' THEN 1 ELSE doubt_runs - 1 END
    FROM (SELECT at, min(becomes) AS becomes FROM target GROUP BY at) led
    WHERE job = ${seq} AND ${raw(doubtSql.anyGone)} AND reason = 'duplicate_of' AND detail = led.at
      AND (led.becomes = 'unread' OR traits IS NULL OR NOT (${raw(doubtSql.asks)}))`);
}
