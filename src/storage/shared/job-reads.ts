// Reads of jobs.
import type { CrawlJob, JobSpec, RequestHeaders } from '../../core/job.ts';
import type { Baselines, EarlierUrl } from '../../core/ports/baselines.ts';
import type { Frontier, KnownUrl } from '../../core/ports/frontier.ts';
import type { ReextractionJob, Reextractions } from '../../core/ports/reextractions.ts';
import { type JobStore, stoppedListedMax } from '../../core/ports/stores.ts';
import { baselineSql } from '../rules/jobs/baseline-rows.ts';
import { jobSpecOf } from '../rules/jobs/job-of-row.ts';
import { areResultsGone, type JobRow, jobRowOf, sitemapsFirstMs, type StoredJobRow } from '../rules/jobs/job-row.ts';
import { honestHosts } from '../rules/frontier/revisits.ts';
import { openOf } from '../rules/jobs/requested-now.ts';
import type { SearchedJob } from '../rules/search/search-engine.ts';
import { all, jobs, one, openHere, type OperationsOf, send, type Steps } from './operation.ts';
import { clock, either, elsewhereOfJob, isIn, raw, shown, sql } from './sql.ts';

type Methods = 'get' | 'countUnfinished' | 'listStopped' | 'readSeries' | 'writeSeries';

export const jobReads: OperationsOf<Pick<JobStore, Methods>> = {
  get: {
    kind: 'read',
    *steps(org: string, id: string) {
      return (yield* jobs(sql`SELECT ${shown} FROM job WHERE id = ${id} AND org = ${org}`))[0];
    },
  },
  countUnfinished: {
    kind: 'read',
    *steps(org: string) {
      const counted = sql`SELECT count(*) AS jobs FROM job WHERE org = ${org} AND finished_at IS NULL`;
      return (yield* one<{ jobs: number }>(counted))?.jobs ?? 0;
    },
  },
  listStopped: {
    kind: 'read',
    steps(org?: string) {
      const ofOrg = org === undefined ? raw('TRUE') : sql`org = ${org}`;
      return jobs(
        sql`SELECT ${shown} FROM job WHERE stopped_at IS NOT NULL AND ${ofOrg} ORDER BY seq DESC LIMIT ${stoppedListedMax}`,
      );
    },
  },
  readSeries: {
    kind: 'read',
    *steps(jobId: string) {
      const kept = sql`SELECT series FROM job_series WHERE job = (SELECT seq FROM job WHERE id = ${jobId} AND swept = 0)`;
      return (yield* one<{ series: string }>(kept))?.series;
    },
  },
  writeSeries: {
    kind: 'write',
    steps: (jobId: string, series: string) =>
      send(sql`
        INSERT INTO job_series (job, series) SELECT seq, CAST(${series} AS text) FROM job WHERE id = ${jobId} AND swept = 0
        ON CONFLICT (job) DO UPDATE SET series = excluded.series`),
  },
};

export const baselineReads: OperationsOf<Pick<Baselines, 'due' | 'read'>> = {
  due: {
    kind: 'read',
    waits: true,
    steps: () =>
      all<{ id: string }>(
        // Sitemaps first, where they say which pages need no request.
        sql`SELECT id FROM job WHERE seeded IS NOT NULL AND finished_at IS NULL AND stopped_at IS NULL
          AND (revisits IS NULL OR control = 0 OR created_at + ${sitemapsFirstMs} <= ${clock()}) ORDER BY seq`,
      ),
  },
  read: {
    kind: 'read',
    waits: true,
    *steps(jobId: string, limit: number) {
      const job = yield* one<{ since: number; after: number }>(
        sql`SELECT since, seeded AS after FROM job WHERE id = ${jobId} AND seeded IS NOT NULL AND finished_at IS NULL`,
      );
      if (!job) return undefined;
      const rows = yield* all<
        Omit<EarlierUrl, 'isKnown' | 'isFollowed'> & { known: boolean | number; followed: boolean | number }
      >(sql`
        SELECT id AS entry, url, depth, state, reason, detail, text_of IS NOT NULL AS known, found_on IS NOT NULL AS followed
        FROM (SELECT id, url, depth, state, reason, detail, found_on, ${raw(baselineSql)}
          FROM ledger l WHERE job = ${job.since} AND id > ${job.after} AND kind = 'page' ORDER BY id LIMIT ${limit}) s`);
      return {
        after: job.after,
        urls: rows.map((row) => Object.assign(row, { isKnown: Boolean(row.known), isFollowed: Boolean(row.followed) })),
      };
    },
  },
};

export const reextractionReads: OperationsOf<Pick<Reextractions, 'due'>> = {
  due: {
    kind: 'read',
    steps: () =>
      all<ReextractionJob>(sql`
        SELECT id, org FROM job WHERE finished_at IS NULL
          AND ${either(raw("spec ->> 'reextract'"), raw("spec::json -> 'reextract'"))} IS NOT NULL
          AND stopped_at IS NULL ORDER BY seq`),
  },
};

export const frontierReads: OperationsOf<Pick<Frontier, 'crawlJob' | 'knownUrl'>> = {
  crawlJob: { kind: 'read', waits: true, steps: crawlJob },
  knownUrl: {
    kind: 'read',
    waits: true,
    *steps(jobId: string, key: string) {
      const row = yield* one<Omit<KnownUrl, 'hasEarlier'> & { readonly hasEarlier: boolean | number }>(sql`
        SELECT id, url, depth, state, reason, detail, status_code AS "statusCode", attempts, text_of IS NOT NULL AS "hasEarlier"
        FROM ledger WHERE job = (SELECT seq FROM job WHERE id = ${jobId}) AND key = ${key}`);
      return row && { ...row, hasEarlier: Boolean(row.hasEarlier) };
    },
  },
};

function* crawlJob(id: string): Steps<CrawlJob | undefined> {
  const row = yield* jobRow(id);
  if (!row) return undefined;
  const kept = yield* one<{ headers: string }>(sql`SELECT headers FROM job_headers WHERE job = ${row.seq}`);
  const ended = yield* all<{ template: string }>(sql`SELECT template FROM ended_template WHERE job = ${row.seq}`);
  return {
    id,
    org: row.org,
    createdAt: row.created_at,
    spec: jobSpecOf(row),
    scopeHosts: JSON.parse(row.scope_hosts) as string[],
    movedStarts: JSON.parse(row.moved_starts) as Record<string, string>,
    networks: JSON.parse(row.networks) as Record<string, string>,
    honestHosts: honestHosts(row),
    headers: JSON.parse(kept?.headers ?? '{}') as RequestHeaders,
    endedTemplates: ended.map(({ template }) => template),
  };
}

/** The jobs among some that have ended, and whether the time of another is up. */
export interface Endings {
  of(ids: readonly string[]): Promise<{ readonly ended: readonly string[]; readonly isAnyOverdue: boolean }>;
}

export const endings: OperationsOf<Endings> = {
  of: {
    kind: 'read',
    waits: true,
    *steps(ids: readonly string[]) {
      const rows = yield* all<{ id: string; is_overdue: boolean | number }>(sql`
        SELECT id, finished_at IS NULL AS is_overdue FROM job
        WHERE id ${isIn(ids)} AND (finished_at IS NOT NULL OR ends_by <= ${clock()})`);
      return {
        ended: rows.filter((row) => !row.is_overdue).map(({ id }) => id),
        isAnyOverdue: rows.some((row) => Boolean(row.is_overdue)),
      };
    },
  },
};

/** See `Frontier.endedJobs`. `sweep` ends jobs whose time is up. */
export function endedJobsOf(of: Endings, sweep: () => Promise<unknown>): Frontier['endedJobs'] {
  return async (ids) => {
    const { ended, isAnyOverdue } = await of.of(ids);
    if (!isAnyOverdue) return ended;
    await sweep();
    return (await of.of(ids)).ended;
  };
}

/** A job as those see it who search it. */
export interface JobToSearch extends Omit<SearchedJob, 'indexed' | 'damaged'> {
  /** Its results are gone, whatever the clock says. */
  readonly isSwept: boolean;
}

export function* jobToSearch(id: string): Steps<JobToSearch | undefined> {
  const row = yield* one<JobRow & { readonly now: number }>(
    sql`SELECT seq, org, status, spec, scraped, erasures, swept, results_gone_at, ${clock()} AS now FROM job WHERE id = ${id}`,
  );
  if (!row) return undefined;
  const { seq, org, status, scraped: pages, erasures } = row;
  const { outputFormat: format } = JSON.parse(row.spec) as JobSpec;
  const areGone = areResultsGone(row, row.now);
  return { id, seq, org, status, format, areResultsGone: areGone, pages, erasures, isSwept: row.swept === 1 };
}

/** Pages of a job that are requested now. */
export function* openOfJob({ seq, id }: Pick<JobRow, 'seq' | 'id'>): Steps<number | undefined> {
  const found = yield* one<{ readonly elsewhere: number | null }>(
    sql`SELECT ${elsewhereOfJob} AS elsewhere FROM job WHERE seq = ${seq}`,
  );
  return openOf(yield* openHere(), id, found?.elsewhere ?? null);
}

export function* jobRow(id: string): Steps<JobRow | undefined> {
  const stored = yield* one<StoredJobRow>(sql`SELECT * FROM job WHERE id = ${id}`);
  return stored && jobRowOf(stored);
}
