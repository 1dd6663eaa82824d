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
import type { Connections } from '../connection/connections.ts';
import { type OpenPages, type ShownRow, shownSql } from './open-pages.ts';

const values: ListValues = { org: '$1', after: '$2', max: '$3' };
/** A start URL of the job contains what `pattern` describes. */
const matches = (pattern: string): string => `EXISTS (SELECT 1 FROM json_array_elements_text(spec::json -> 'urls') u
  WHERE lower(u COLLATE "C") LIKE lower(${pattern}::text COLLATE "C"))`;

/** Lists and counts of jobs, each from one snapshot. */
export class JobLists {
  readonly #connections: Connections;
  readonly #open: OpenPages;

  constructor(connections: Connections, open: OpenPages) {
    this.#connections = connections;
    this.#open = open;
  }

  list(org: string, query: JobQuery): Promise<JobSlice> {
    const { q, after = '', limit } = query;
    return this.#connections.transaction(async (tx) => {
      const newest = await tx.query<{ id: string }>(newestSql(query, values), [org, after, jobsRead(query)]);
      const rows = (condition: string): string =>
        `SELECT ${shownSql('$2')} FROM job WHERE id = ANY($1) AND ${condition} ORDER BY id LIMIT ${limit + 1}`;
      const ids = newest.map(({ id }) => id);
      const found = await (q === undefined
        ? tx.query<ShownRow>(rows('true'), [ids, this.#open.own])
        : tx.query<ShownRow>(rows(matches('$3')), [ids, this.#open.own, likePattern(q)]));
      const { rows: some, next } = sliceOfJobs(query, newest, found);
      const jobs = some.map((stored) => this.#open.jobOf(stored));
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
        `SELECT status, count(*) AS jobs FROM job WHERE id = ANY($1) AND ${matches('$2')} GROUP BY status`,
        [newest.map(({ id }) => id), likePattern(q)],
      );
      return countsOf(counted, newest.length === searchedMax);
    }, 'REPEATABLE READ READ ONLY');
  }
}
