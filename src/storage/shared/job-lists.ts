// Lists and counts of jobs. Every list is a union over the statuses and kinds, each read in order from one index. So its
// cost does not grow with the number of jobs that it does not show.
import { type JobKind, jobKinds, type JobStatus, jobStatuses } from '../../core/job.ts';
import {
  type JobFilter,
  type JobQuery,
  jobsCountedMax,
  jobsSearchedMax,
  type JobStore,
} from '../../core/ports/stores.ts';
import { countsOf, jobsRead, likePattern, mayBeCut, sliceOfJobs } from '../rules/jobs/job-lists.ts';
import { all, jobs, type OperationsOf } from './operation.ts';
import { either, isIn, isLike, joined, raw, shown, type Sql, sql } from './sql.ts';

interface Counted {
  readonly status: JobStatus;
  readonly jobs: number;
}

export const jobLists: OperationsOf<Pick<JobStore, 'list' | 'count'>> = {
  list: {
    kind: 'snapshot',
    isLong: true,
    *steps(org: string, query: JobQuery) {
      const { q, after = '', limit } = query;
      const newest = yield* all<{ id: string }>(newestOf(query, { org, after, max: jobsRead(query) }));
      const ids = newest.map(({ id }) => id);
      const found = yield* jobs(
        sql`SELECT ${shown} FROM job WHERE id ${isIn(ids)} AND ${matches(q)} ORDER BY id LIMIT ${limit + 1}`,
      );
      const { rows, next } = sliceOfJobs(query, newest, found);
      return next === undefined ? { jobs: rows } : { jobs: rows, next };
    },
  },
  count: {
    kind: 'snapshot',
    isLong: true,
    *steps(org: string, filter: JobFilter) {
      const { q, kinds, searchedMax = jobsSearchedMax } = filter;
      if (q === undefined) {
        const each = union(undefined, kinds, { org, after: '', max: jobsCountedMax });
        const counted = yield* all<Counted>(sql`SELECT status, count(*) AS jobs FROM (${each}) newest GROUP BY status`);
        return countsOf(counted, mayBeCut(counted));
      }
      const newest = yield* all<{ id: string }>(newestOf(filter, { org, after: '', max: searchedMax }));
      const ids = newest.map(({ id }) => id);
      const counted = yield* all<Counted>(
        sql`SELECT status, count(*) AS jobs FROM job WHERE id ${isIn(ids)} AND ${matches(q)} GROUP BY status`,
      );
      return countsOf(counted, newest.length === searchedMax);
    },
  },
};

interface Range {
  readonly org: string;
  readonly after: string;
  readonly max: number;
}

/** Ids and statuses of the `max` newest jobs after `after`. */
function newestOf({ status, kinds }: Pick<JobQuery, 'status' | 'kinds'>, range: Range): Sql {
  return sql`${union(status, kinds, range)} ORDER BY id LIMIT ${range.max}`;
}

function union(status: JobStatus | undefined, kinds: readonly JobKind[] = jobKinds, { org, after, max }: Range): Sql {
  const pairs = (status === undefined ? jobStatuses : [status]).flatMap((one) => kinds.map((kind) => ({ one, kind })));
  return joined(
    ' UNION ALL ',
    pairs.map(
      ({ one, kind }) =>
        sql`SELECT id, status FROM (SELECT id, status FROM job WHERE org = ${org} AND status = ${raw(`'${one}'`)} AND kind = ${raw(`'${kind}'`)}
          AND id > ${after} ORDER BY id LIMIT ${max}) ${raw(`${one}_${kind}`)}`,
    ),
  );
}

/** A start URL of the job contains it. */
function matches(q: string | undefined): Sql {
  if (q === undefined) return raw('TRUE');
  const urls = either(
    raw("json_each(spec, '$.urls') u"),
    raw("json_array_elements_text(spec::json -> 'urls') u (value)"),
  );
  return sql`EXISTS (SELECT 1 FROM ${urls} WHERE ${isLike(raw('u.value'), likePattern(q))})`;
}
