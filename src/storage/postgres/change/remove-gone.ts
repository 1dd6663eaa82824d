import {
  changesNumbered,
  close,
  doubtSql,
  type GoneCounts,
  isGoneSql,
  judgeGone,
} from '../../rules/jobs/change-counts.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import type { Transaction } from '../connection/connections.ts';

/**
 * At the end of a job with `since`: removes the pages of the earlier job that are gone. Call it after everything else of
 * the transaction was written, under the lock of the job.
 */
export async function removeGone(tx: Transaction, row: JobRow, now: number): Promise<void> {
  tx.send(doubtSql('$1'), [row.seq]);
  const hosts = await tx.query<GoneCounts>(
    `SELECT split_part(url, '/', 3) AS host, count(*)::int AS pages, (count(*) FILTER (WHERE ${isGoneSql}))::int AS gone,
       (count(*) FILTER (WHERE change = 'held' AND ${isGoneSql}))::int AS held,
       min(url COLLATE "C") FILTER (WHERE change IS NULL AND ${isGoneSql}) AS example
     FROM ledger WHERE job = $1 AND text_of IS NOT NULL GROUP BY 1 ORDER BY 1`,
    [row.seq],
  );
  const { removes, count } = judgeGone(row, hosts, now);
  const which = removes === 'held' ? "AND change = 'held'" : '';
  if (count > 0)
    tx.send(
      `UPDATE ledger SET change = 'removed', change_number = gone.place + $2::int
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM ledger WHERE job = $1 AND ${isGoneSql} ${which}) gone
       WHERE ledger.job = $1 AND ledger.id = gone.id`,
      [row.seq, changesNumbered(row)],
    );
  tx.send(`UPDATE ledger SET change = 'held' WHERE job = $1 AND change IS NULL AND ${isGoneSql}`, [row.seq]);
  close(row, count);
  tx.send('UPDATE job SET changes = $2, notices = $3 WHERE seq = $1', [row.seq, row.changes, row.notices]);
}
