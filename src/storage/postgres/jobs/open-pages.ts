import { jobRowOf, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { jobOf } from '../../rules/jobs/job-of-row.ts';
import { openOf, openOfAll } from '../../rules/jobs/requested-now.ts';
import type { Job } from '../../../core/job.ts';
import type { ShownJobs } from '../connection/run-steps.ts';
import { nowSql } from '../connection/schema.ts';

/** A job as {@link shownSql} reads it. */
export type ShownRow = StoredJobRow & { readonly now: number; readonly elsewhere: number | null };

/**
 * Pages that other live processes request, as they noted with the last renewal of their leases; null if one of them does
 * not count. `pages`: an expression over the worker `w`. `own`: the number of this process.
 */
export const elsewhereSql = (pages: string, own: string): string =>
  `(SELECT CASE WHEN count(*) = count(w.open_pages) THEN coalesce(sum(${pages}), 0)::int END
    FROM worker w WHERE w.id <> ${own} AND NOT w.dead AND w.lease_until > ${nowSql})`;

/** The pages of the row of `job`. */
export const elsewhereOfJobSql = (own: string): string => elsewhereSql('(w.open_pages ->> job.id)::int', own);

/** The columns of a {@link ShownRow}, from `job`. */
export const shownSql = (own: string): string => `job.*, ${nowSql} AS now, ${elsewhereOfJobSql(own)} AS elsewhere`;

/** This process among those that crawl. */
interface OwnWorker {
  readonly id: number | undefined;
  readonly openPages: ReadonlyMap<string, number> | undefined;
}

/** The pages that are requested now, here and in other processes. */
export class OpenPages implements ShownJobs {
  readonly #worker: OwnWorker;

  constructor(worker: OwnWorker) {
    this.#worker = worker;
  }

  /** For `own` in a statement; workers are numbered from 1. */
  get own(): number {
    return this.#worker.id ?? 0;
  }

  /** Undefined if not known. */
  of(jobId: string, elsewhere: number | null): number | undefined {
    return sum(this.#isHere ? openOf(this.#worker.openPages, jobId) : 0, elsewhere);
  }

  /** Of all jobs. */
  ofAll(elsewhere: number | null): number | undefined {
    return sum(this.#isHere ? openOfAll(this.#worker.openPages) : 0, elsewhere);
  }

  get columns(): string {
    return shownSql(String(this.own));
  }

  jobOf(row: ShownRow): Job {
    return jobOf(jobRowOf(row), row.now, this.of(row.id, row.elsewhere));
  }

  /** `rows`: with these {@link columns}. */
  jobsOf(rows: readonly object[]): Job[] {
    return rows.map((row) => this.jobOf(row as ShownRow));
  }

  get #isHere(): boolean {
    return this.#worker.id !== undefined;
  }
}

function sum(here: number | undefined, elsewhere: number | null): number | undefined {
  return here === undefined || elsewhere === null ? undefined : here + elsewhere;
}
