import type { ChangeQuery, JobChanges } from '../../core/ports/changes.ts';
import { readBaseline, readLastRun, readUrlChange } from './baselines.ts';
import { readFeed } from './feed.ts';
import { texts } from './page-parts.ts';
import {
  changeColumns,
  changeReading,
  type ChangeRow,
  changeSlice,
  type ChangeState,
  isUnknownSql,
} from '../rules/jobs/change-rows.ts';
import { all, one, type OperationsOf } from './operation.ts';
import { clock, isIn, raw, sql } from './sql.ts';

type JobState = Omit<ChangeState, 'gone'> & {
  readonly org: string;
  readonly since: number | null;
  readonly gone: boolean | number;
};

export const changes: OperationsOf<JobChanges> = {
  read: {
    kind: 'snapshot',
    *steps(query: ChangeQuery) {
      const { org, jobId, limit } = query;
      const job = yield* one<JobState>(sql`
        SELECT id, seq, org, since, status, end_reason, created_at, (swept = 1 OR coalesce(results_gone_at <= ${clock()}, FALSE)) AS gone
        FROM job WHERE id = ${jobId}`);
      if (job?.org !== org) return undefined;
      const gone = Boolean(job.gone);
      const { numbered, unknown } = changeReading(query, job);
      const entries = sql`SELECT ${raw(changeColumns)} FROM ledger l LEFT JOIN ledger e ON e.job = ${job.since} AND e.key = l.key WHERE l.job = ${job.seq}`;
      const rows: ChangeRow[] = [];
      if (numbered && !gone) {
        const after = sql`l.change_number > ${numbered.after} AND l.change ${isIn(numbered.changes)}`;
        rows.push(...(yield* all<ChangeRow>(sql`${entries} AND ${after} ORDER BY l.change_number LIMIT ${limit + 1}`)));
      }
      const left = limit + 1 - rows.length;
      if (unknown && !gone && left > 0) {
        const after = sql`l.id > ${unknown.after} AND ${raw(isUnknownSql)}`;
        rows.push(...(yield* all<ChangeRow>(sql`${entries} AND ${after} ORDER BY l.id LIMIT ${left}`)));
      }
      return changeSlice(rows, query, { ...job, gone });
    },
  },
  ...texts,
  feed: { kind: 'snapshot', steps: readFeed },
  baseline: { kind: 'snapshot', isLong: true, steps: readBaseline },
  changeOf: { kind: 'snapshot', steps: readUrlChange },
  lastRunWith: { kind: 'snapshot', steps: readLastRun },
};
