import type { ChangeQuery, ChangeSlice } from '../../../core/ports/changes.ts';
import {
  changeColumns,
  changeReading,
  type ChangeRow,
  changeSlice,
  type ChangeState,
  isUnknownSql,
} from '../../rules/jobs/change-rows.ts';
import type { Connections } from '../connection/connections.ts';
import { nowSql } from '../connection/schema.ts';

interface JobState extends ChangeState {
  readonly seq: number;
  readonly org: string;
  readonly since: number | null;
}

const from = `SELECT ${changeColumns} FROM ledger l LEFT JOIN ledger e ON e.job = $1 AND e.key = l.key WHERE l.job = $2`;

/** Reads the changes of a job, together with its state. */
export function readChanges(connections: Connections, query: ChangeQuery): Promise<ChangeSlice | undefined> {
  return connections.transaction(async (tx) => {
    const [job] = await tx.query<JobState>(
      `SELECT seq, org, since, status, end_reason, created_at, (swept OR coalesce(results_gone_at <= ${nowSql}, false)) AS gone FROM job WHERE id = $1`,
      [query.jobId],
    );
    if (job?.org !== query.org) return undefined;
    const { numbered, unknown } = changeReading(query, job);
    const rows: ChangeRow[] = [];
    if (numbered && !job.gone)
      rows.push(
        ...(await tx.query<ChangeRow>(
          `${from} AND l.change_number > $3 AND l.change = ANY($4::text[]) ORDER BY l.change_number LIMIT $5`,
          [job.since, job.seq, numbered.after, numbered.changes, query.limit + 1],
        )),
      );
    const left = query.limit + 1 - rows.length;
    if (unknown && !job.gone && left > 0)
      rows.push(
        ...(await tx.query<ChangeRow>(`${from} AND l.id > $3 AND ${isUnknownSql} ORDER BY l.id LIMIT $4`, [
          job.since,
          job.seq,
          unknown.after,
          left,
        ])),
      );
    return changeSlice(rows, query, job);
  }, 'REPEATABLE READ READ ONLY');
}
