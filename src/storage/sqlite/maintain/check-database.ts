import type { Damage } from '../../../core/ports/check.ts';
import { damageIn as damageSteps, isKept, textsMissing, whatIsWrongWith, type WrongJob } from '../../shared/check.ts';
import { sql } from '../../shared/sql.ts';
import type { Database } from '../file/database.ts';
import { runSteps } from '../file/run-steps.ts';
import { knownVersion } from '../file/schema.ts';
import { damaged } from '../file/faults.ts';
import { pageId } from '../../rules/jobs/page-id.ts';

/** Jobs checked before crawling begins. The cost depends on their number, not on the number of their pages. */
const jobsChecked = 1_000;

interface JobSums {
  readonly seq: number;
  readonly id: string;
  readonly scraped: number;
  readonly pages: number;
  readonly bodies: number;
}

/**
 * Checks that the newest jobs have the pages that they count, by looking at the last one: if part of the log is lost,
 * the tables are from different times. 5 ms, whatever the size of the database. Throws a damage error.
 */
export function checkJobs(db: Database, dir: string): void {
  const last = (table: string): string =>
    `coalesce((SELECT max(id) FROM ${table} WHERE id < ${pageId(1, 0)} * (seq + 1)), 0)`;
  const jobs = db.all<JobSums>(
    `SELECT seq, id, scraped, ${last('page')} AS pages, ${last('body')} AS bodies
       FROM (SELECT * FROM job ORDER BY seq DESC LIMIT ?) WHERE swept = 0 AND (results_gone_at IS NULL OR results_gone_at > ?)`,
    jobsChecked,
    Date.now(),
  );
  for (const { seq, id, scraped, pages, bodies } of jobs) {
    const isOwn = (page: number): boolean => (scraped === 0 ? page < pageId(seq, 0) : page === pageId(seq, scraped));
    if (!isOwn(pages) || !isOwn(bodies)) throw damaged(dir, `the pages of job ${id} differ from its counters`);
  }
}

/**
 * Checks a whole database: its structure, and that the ledger of every job adds up. Takes 2 s for a gigabyte. Returns
 * what is wrong, or undefined. Skips results that nobody can read any more at `now`.
 */
export function whatIsWrong(db: Database, now: number): string | undefined {
  const structure = db.pragma('integrity_check(1)');
  if (structure !== 'ok') return String(structure);
  return runSteps(db, whatIsWrongWith([...textsMissing(now), ...notAddingUp(now)]));
}

/** Reads every page of a database whose structure is intact. */
export function damageIn(db: Database, now: number): Damage {
  knownVersion(db);
  return runSteps(db, damageSteps(now));
}

/** Each finds a job whose ledger or frontier does not add up. */
function notAddingUp(now: number): readonly WrongJob[] {
  return [
    {
      what: 'its ledger does not add up',
      sql: sql`WITH held AS (
          SELECT job AS seq, count(*) FILTER (WHERE state = 'queued') AS open, count(*) FILTER (WHERE state = 'scraped') AS done,
            count(*) FILTER (WHERE state = 'discarded') AS out, count(*) FILTER (WHERE state = 'failed') AS bad,
            count(*) FILTER (WHERE state = 'outside') AS never
          FROM ledger WHERE kind = 'page' GROUP BY job)
        SELECT id FROM job LEFT JOIN held USING (seq)
        WHERE ${isKept(now)} AND (
          coalesce(done, 0) <> scraped OR coalesce(bad, 0) <> failed OR coalesce(never, 0) <> outside
          OR coalesce(open, 0) + coalesce(out, 0) <> queued + in_flight + discarded
          OR (finished_at IS NULL AND coalesce(open, 0) <> queued + in_flight)) LIMIT 1`,
    },
    {
      what: 'its requests in flight do not add up',
      sql: sql`WITH held AS (
          SELECT f.job AS seq, count(*) AS held FROM frontier f JOIN ledger l ON l.id = f.id
          WHERE f.fence IS NOT NULL AND l.kind = 'page' GROUP BY f.job)
        SELECT id FROM job LEFT JOIN held USING (seq) WHERE finished_at IS NULL AND coalesce(held, 0) <> in_flight LIMIT 1`,
    },
  ];
}
