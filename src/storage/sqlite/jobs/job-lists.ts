import type { JobCounts, JobFilter, JobQuery } from '../../../core/ports/stores.ts';
import { jobsCountedMax, jobsSearchedMax } from '../../../core/ports/stores.ts';
import type { JobStatus } from '../../../core/job.ts';
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
import type { StoredJobRow } from '../../rules/jobs/job-row.ts';
import type { Database, Statement } from '../file/database.ts';

const values: ListValues = { org: '@org', after: '@after', max: '@max' };
/** A start URL of the job contains what `@like` describes. */
const matches = `EXISTS (SELECT 1 FROM json_each(spec, '$.urls') WHERE value LIKE @like ESCAPE '\\')`;

type Values = [Readonly<Record<string, string | number>>];

/** Rows of jobs, before they become jobs: threads exchange these. */
export interface JobRowSlice {
  readonly rows: readonly StoredJobRow[];
  readonly next?: string;
}

/** Lists and counts of jobs, each from one snapshot. */
export class JobLists {
  readonly #db: Database;
  readonly #rows: Statement<Values, StoredJobRow>;
  readonly #matching: Statement<Values, StoredJobRow>;
  readonly #countMatching: Statement<Values, { status: JobStatus; jobs: number }>;

  constructor(db: Database) {
    this.#db = db;
    const rows = (condition: string): string =>
      `SELECT * FROM job WHERE id IN (SELECT value FROM json_each(@ids)) AND ${condition} ORDER BY id LIMIT @max`;
    this.#rows = db.prepare(rows('TRUE'));
    this.#matching = db.prepare(rows(matches));
    this.#countMatching = db.prepare(
      `SELECT status, count(*) AS jobs FROM job WHERE id IN (SELECT value FROM json_each(@ids)) AND ${matches} GROUP BY status`,
    );
  }

  list(org: string, query: JobQuery): JobRowSlice {
    const { q, after = '', limit } = query;
    return this.#db.transaction('deferred', () => {
      const newest = this.#newest(query, { org, after, max: jobsRead(query) });
      const of = { ids: idsOf(newest), max: limit + 1 };
      const found = q === undefined ? this.#rows.all(of) : this.#matching.all({ ...of, like: likePattern(q) });
      return sliceOfJobs(query, newest, found);
    });
  }

  count(org: string, filter: JobFilter): JobCounts {
    const { q, searchedMax = jobsSearchedMax } = filter;
    if (q === undefined) {
      const counted = this.#db
        .prepare<Values, { status: JobStatus; jobs: number }>(countSql(filter, values))
        .all({ org, after: '', max: jobsCountedMax });
      return countsOf(counted, mayBeCut(counted));
    }
    return this.#db.transaction('deferred', () => {
      const newest = this.#newest(filter, { org, after: '', max: searchedMax });
      const counted = this.#countMatching.all({ ids: idsOf(newest), like: likePattern(q) });
      return countsOf(counted, newest.length === searchedMax);
    });
  }

  #newest(query: JobFilter & Pick<JobQuery, 'status'>, of: Values[0]): readonly { readonly id: string }[] {
    return this.#db.prepare<Values, { readonly id: string }>(newestSql(query, values)).all(of);
  }
}

function idsOf(jobs: readonly { readonly id: string }[]): string {
  return JSON.stringify(jobs.map(({ id }) => id));
}
