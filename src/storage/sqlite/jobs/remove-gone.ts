import {
  changesNumbered,
  close,
  doubtSql,
  type GoneCounts,
  isGoneSql,
  judgeGone,
} from '../../rules/jobs/change-counts.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import type { Database } from '../file/database.ts';

/** What stands between the second and the third slash of a URL. */
const hostSql = "substr(substr(url, instr(url, '//') + 2), 1, instr(substr(url, instr(url, '//') + 2), '/') - 1)";

/** At the end of a job with `since`: removes the pages of the earlier job that are gone. Inside the transaction of that end. */
export function removeGone(db: Database, row: JobRow, now: number): void {
  // mutant moved-to-nowhere-removes, promise 18: without it; since "could not be read"
  db.prepare(doubtSql('@job')).run({ job: row.seq });
  const hosts = db
    .prepare<[number], GoneCounts>(
      `SELECT ${hostSql} AS host, count(*) AS pages, count(*) FILTER (WHERE ${isGoneSql}) AS gone,
         count(*) FILTER (WHERE change = 'held' AND ${isGoneSql}) AS held,
         min(url) FILTER (WHERE change IS NULL AND ${isGoneSql}) AS example
       FROM ledger WHERE job = ? AND text_of IS NOT NULL GROUP BY 1`,
    )
    .all(row.seq);
  const { removes, count } = judgeGone(row, hosts, now);
  const which = removes === 'held' ? "AND change = 'held'" : '';
  if (count > 0)
    db.prepare(
      `UPDATE ledger SET change = 'removed', change_number = gone.place + ?
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM ledger WHERE job = ? AND ${isGoneSql} ${which}) gone WHERE ledger.id = gone.id`,
    ).run(changesNumbered(row), row.seq);
  db.prepare(`UPDATE ledger SET change = 'held' WHERE job = ? AND change IS NULL AND ${isGoneSql}`).run(row.seq);
  close(row, count);
}
