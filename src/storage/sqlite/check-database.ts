import type { Database } from './database.ts';
import { damaged } from './faults.ts';
import { isNewest, pageId } from './schema.ts';
import { isJobWhole } from './whole-jobs.ts';

/** Jobs looked at before crawling begins: their number, not that of their pages, is what it costs. */
const jobsChecked = 1_000;

/**
 * Whether the results of a job have to be whole. Removing them sets `swept` in its first step, so that a clock that is set back
 * brings nothing back. Before schema 5 it was set by the last step: there, what has expired may be removed in part.
 */
export const isKept = (now: string): string => `(swept = 0 AND (results_gone_at IS NULL OR results_gone_at > ${now}))`;

interface JobSums {
  readonly seq: number;
  readonly id: string;
  readonly scraped: number;
  readonly pages: number;
  readonly bodies: number;
}

/**
 * Looks whether the newest jobs have the pages that they count, at the last one: where a part of the log is lost, the
 * tables stand at different times. 5 ms, whatever the size of the database. Throws what says that it is damaged.
 */
export function checkJobs(db: Database, dir: string): void {
  const last = (table: string): string =>
    `coalesce((SELECT max(id) FROM ${table} WHERE id < ${pageId(1, 0)} * (seq + 1)), 0)`;
  const odd = db.prepare<[number], { id: string }>(
    `${oddJobs('(SELECT * FROM job ORDER BY seq DESC LIMIT ?)')} LIMIT 1`,
  );
  const wrong = odd.get(jobsChecked);
  if (wrong) throw damaged(dir, `the row of job ${wrong.id} is not what was stored, or an index does not list it`);
  const jobs = db
    .prepare<[number, number], JobSums>(
      `SELECT seq, id, scraped, ${last('page')} AS pages, ${last('body')} AS bodies
       FROM (SELECT * FROM job ORDER BY seq DESC LIMIT ?) WHERE ${isKept('?')}`,
    )
    .all(jobsChecked, Date.now());
  for (const { seq, id, scraped, pages, bodies } of jobs) {
    const isOwn = (page: number): boolean => (scraped === 0 ? page < pageId(seq, 0) : page === pageId(seq, scraped));
    if (!isOwn(pages) || !isOwn(bodies)) throw damaged(dir, `job ${id} has not the pages that it counts`);
  }
}

/** Jobs whose row is not what was stored, or that one of the indexes by which they are found does not list. */
const oddJobs = (jobs: string): string => `
  SELECT id FROM ${jobs} j WHERE NOT (${isJobWhole})
    OR NOT EXISTS (SELECT 1 FROM job i INDEXED BY sqlite_autoindex_job_1 WHERE i.id = j.id AND i.seq = j.seq)
    OR NOT EXISTS (SELECT 1 FROM job i INDEXED BY job_by_org WHERE i.org = j.org AND i.id = j.id AND i.seq = j.seq)`;

/**
 * Checks a whole database: its structure, and that the ledger of every job adds up. Takes 2 s for a gigabyte. Answers
 * what is wrong; undefined where nothing is. `now`: what has expired by then may be half removed.
 */
export function whatIsWrong(db: Database, now: number): string | undefined {
  const structure = db.pragma('integrity_check(1)');
  if (structure !== 'ok') return String(structure);
  // Earlier versions stored nothing to compare with.
  const compared = isNewest(db) ? [['its row is not what was stored', `${oddJobs('job')} LIMIT 1`] as const] : [];
  for (const [what, sql] of [...compared, ...sums]) {
    const job = db.prepare<[{ now: number }], { id: string }>(sql).get({ now });
    if (job) return `job ${job.id}: ${what}`;
  }
  return undefined;
}

/** A row answered is a job that does not add up. */
const sums: readonly (readonly [string, string])[] = [
  ...(['page', 'body'] as const).map(
    (table) =>
      [
        `its table ${table} has gaps`,
        `WITH held AS (
           SELECT id / ${pageId(1, 0)} AS seq, count(*) AS held, max(id % ${pageId(1, 0)}) AS last, min(id % ${pageId(1, 0)}) AS first
           FROM ${table} GROUP BY 1)
         SELECT id FROM job LEFT JOIN held USING (seq)
         WHERE ${isKept('@now')}
           AND (coalesce(held, 0) <> scraped OR coalesce(last, 0) <> scraped OR coalesce(first, 1) <> 1) LIMIT 1`,
      ] as const,
  ),
  [
    'its ledger does not add up',
    `WITH held AS (
       SELECT job AS seq, count(*) FILTER (WHERE state = 'queued') AS open, count(*) FILTER (WHERE state = 'scraped') AS done,
         count(*) FILTER (WHERE state = 'discarded') AS out, count(*) FILTER (WHERE state = 'failed') AS bad
       FROM ledger WHERE kind = 'page' GROUP BY job)
     SELECT id FROM job LEFT JOIN held USING (seq)
     WHERE ${isKept('@now')} AND (
       coalesce(done, 0) <> scraped OR coalesce(bad, 0) <> failed
       OR coalesce(open, 0) + coalesce(out, 0) <> queued + in_flight + discarded
       OR (finished_at IS NULL AND coalesce(open, 0) <> queued + in_flight)) LIMIT 1`,
  ],
  [
    'what is in flight does not add up',
    `WITH held AS (
       SELECT f.job AS seq, count(*) AS held FROM frontier f JOIN ledger l ON l.id = f.id
       WHERE f.fence IS NOT NULL AND l.kind = 'page' GROUP BY f.job)
     SELECT id FROM job LEFT JOIN held USING (seq) WHERE finished_at IS NULL AND coalesce(held, 0) <> in_flight LIMIT 1`,
  ],
];
