// What a job knows, and what it found out about one URL: the same in every store.
import { hasEnded } from '../../core/job.ts';
import type { BaselineQuery, BaselineSlice, KnownPage, UrlChange } from '../../core/ports/changes.ts';
import { baselineSql } from '../rules/jobs/baseline-rows.ts';
import { changesNumbered } from '../rules/jobs/change-counts.ts';
import { changeOf, changeColumns, type ChangeRow } from '../rules/jobs/change-rows.ts';
import { areResultsGone, type JobRow } from '../rules/jobs/job-row.ts';
import { isFeedRow } from '../rules/jobs/run-feed.ts';
import { all, one, type Steps, timeOf } from './operation.ts';
import { either, nothing, raw, sql } from './sql.ts';

type State = Pick<
  JobRow,
  | 'id'
  | 'seq'
  | 'org'
  | 'status'
  | 'end_reason'
  | 'created_at'
  | 'since'
  | 'seeded'
  | 'changes'
  | 'swept'
  | 'results_gone_at'
>;

function* stateOf(org: string, jobId: string): Steps<State | undefined> {
  const job = yield* one<State>(
    sql`SELECT id, seq, org, status, end_reason, created_at, since, seeded, changes, swept, results_gone_at FROM job WHERE id = ${jobId}`,
  );
  return job?.org === org ? job : undefined;
}

/** Compared byte by byte on both stores. */
const inOrder = either(nothing, raw('COLLATE "C"'));

/** In the order of URLs, for which there is no index: each read looks at all URLs of the job, a second for a million. */
export function* readBaseline({ org, jobId, after, limit }: BaselineQuery): Steps<BaselineSlice | undefined> {
  const job = yield* stateOf(org, jobId);
  if (!job) return undefined;
  const isGone = areResultsGone(job, yield* timeOf());
  const rows =
    isGone || limit === 0
      ? []
      : yield* all<KnownPage>(sql`
    SELECT entry, url, text_of AS "textOf" FROM (
      SELECT l.id AS entry, l.url, ${raw(baselineSql)} FROM ledger l
      WHERE l.job = ${job.seq} AND l.kind = 'page' AND (l.text_of IS NOT NULL OR l.page IS NOT NULL)
        AND l.url ${inOrder} > coalesce((SELECT a.url FROM ledger a WHERE a.job = ${job.seq} AND a.id = ${after}), '')) known
    WHERE text_of IS NOT NULL AND hash IS NOT NULL ORDER BY url ${inOrder} LIMIT ${limit + 1}`);
  return {
    areResultsGone: isGone,
    pages: rows.slice(0, limit),
    more: rows.length > limit,
    changes: changesNumbered(job),
  };
}

interface OneUrl {
  readonly org: string;
  readonly jobId: string;
  readonly key: string;
}

export function* readUrlChange({ org, jobId, key }: OneUrl): Steps<UrlChange | undefined> {
  const job = yield* stateOf(org, jobId);
  if (!job) return undefined;
  const row = yield* one<ChangeRow & { readonly text_of: number | null }>(
    sql`SELECT ${raw(changeColumns)}, l.text_of FROM ledger l LEFT JOIN ledger e ON e.job = ${job.since} AND e.key = l.key
      WHERE l.job = ${job.seq} AND l.key = ${key} AND l.kind = 'page'`,
  );
  const state = { areResultsGone: areResultsGone(job, yield* timeOf()), runAt: job.created_at };
  if (!row) return { ...state, page: undefined };
  const isKnown = row.change_number !== null || (row.text_of !== null && hasEnded(job.status));
  return {
    ...state,
    page: {
      change: isKnown ? changeOf(row, job) : null,
      previousTextOf: row.text_of,
    },
  };
}

/** A run that is still queueing the pages of its earlier run shows its rows later, as in the feed. */
export function* readLastRun({
  org,
  schedule,
  key,
}: Omit<OneUrl, 'jobId'> & { readonly schedule: string }): Steps<string | undefined> {
  const run = yield* one<{ readonly id: string }>(
    sql`SELECT j.id FROM job j JOIN ledger l ON l.job = j.seq AND l.key = ${key} AND l.kind = 'page'
      WHERE j.org = ${org} AND j.schedule = ${schedule} AND j.seeded IS NULL
      ORDER BY CASE WHEN ${raw(isFeedRow('l.'))} THEN 0 ELSE 1 END, j.seq DESC LIMIT 1`,
  );
  return run?.id;
}
