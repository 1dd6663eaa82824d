import type { JobStatus } from '../../../core/job.ts';
import {
  type JobCounts,
  type JobFilter,
  type JobQuery,
  jobsCountedMax,
  type JobSlice,
  jobsSearchedMax,
} from '../../../core/ports/stores.ts';
import {
  countsOf,
  countSql,
  jobsRead,
  likePattern,
  type ListValues,
  mayBeCut,
  newestSql,
  sliceOfJobs,
} from '../../rules/jobs/job-lists.ts';
import { jobOf } from '../../rules/jobs/job-of-row.ts';
import { jobRowOf, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import type { Connections } from '../connection/connections.ts';
import { nowSql } from '../connection/schema.ts';

const values: ListValues = { org: '$1', after: '$2', max: '$3' };
/** A start URL of the job contains what `$2` describes. */
const matches = `EXISTS (SELECT 1 FROM json_array_elements_text(spec::json -> 'urls') u
  WHERE lower(u COLLATE "C") LIKE lower($2::text COLLATE "C"))`;

/** Lists and counts of jobs, each from one snapshot. */
export class JobLists {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  list(org: string, query: JobQuery): Promise<JobSlice> {
    const { q, after = '', limit } = query;
    return this.#connections.transaction(async (tx) => {
      const newest = await tx.query<{ id: string }>(newestSql(query, values), [org, after, jobsRead(query)]);
      const rows = (condition: string): string =>
        `SELECT *, ${nowSql} AS now FROM job WHERE id = ANY($1) AND ${condition} ORDER BY id LIMIT ${limit + 1}`;
      const ids = newest.map(({ id }) => id);
      const found = await (q === undefined
        ? tx.query<StoredJobRow & { readonly now: number }>(rows('true'), [ids])
        : tx.query<StoredJobRow & { readonly now: number }>(rows(matches), [ids, likePattern(q)]));
      const { rows: some, next } = sliceOfJobs(query, newest, found);
      const jobs = some.map((stored) => jobOf(jobRowOf(stored), stored.now));
      return next === undefined ? { jobs } : { jobs, next };
    }, 'REPEATABLE READ READ ONLY');
  }

  count(org: string, filter: JobFilter): Promise<JobCounts> {
    const { q, searchedMax = jobsSearchedMax } = filter;
    return this.#connections.transaction(async (tx) => {
      if (q === undefined) {
        const counted = await tx.query<{ status: JobStatus; jobs: number }>(countSql(filter, values), [
          org,
          '',
          jobsCountedMax,
        ]);
        return countsOf(counted, mayBeCut(counted));
      }
      const newest = await tx.query<{ id: string }>(newestSql(filter, values), [org, '', searchedMax]);
      const counted = await tx.query<{ status: JobStatus; jobs: number }>(
        `SELECT status, count(*) AS jobs FROM job WHERE id = ANY($1) AND ${matches} GROUP BY status`,
        [newest.map(({ id }) => id), likePattern(q)],
      );
      return countsOf(counted, newest.length === searchedMax);
    }, 'REPEATABLE READ READ ONLY');
  }
}
