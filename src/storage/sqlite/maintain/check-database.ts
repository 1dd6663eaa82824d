import type { Database } from '../file/database.ts';
import { damaged } from '../file/faults.ts';
import { pageId } from '../../rules/jobs/page-id.ts';

/** Jobs checked before crawling begins. The cost depends on their number, not on the number of their pages. */
const jobsChecked = 1_000;

/**
 * True if clients can still read the results of a job, which then must be complete. The first step of their removal sets
 * `swept`, so a clock that is set back restores nothing.
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
 * Checks that the newest jobs have the pages that they count, by looking at the last one: if part of the log is lost,
 * the tables are from different times. 5 ms, whatever the size of the database. Throws a damage error.
 */
export function checkJobs(db: Database, dir: string): void {
  const last = (table: string): string =>
    `coalesce((SELECT max(id) FROM ${table} WHERE id < ${pageId(1, 0)} * (seq + 1)), 0)`;
  const jobs = db
    .prepare<[number, number], JobSums>(
      `SELECT seq, id, scraped, ${last('page')} AS pages, ${last('body')} AS bodies
       FROM (SELECT * FROM job ORDER BY seq DESC LIMIT ?) WHERE ${isKept('?')}`,
    )
    .all(jobsChecked, Date.now());
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
  for (const [what, sql] of wrongJobs) {
    const job = db.prepare<[{ now: number }], { id: string }>(sql).get({ now });
    if (job) return `job ${job.id}: ${what}`;
  }
  return undefined;
}

/** Each query returns a job that does not add up. */
const wrongJobs: readonly (readonly [string, string])[] = [
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
  ...(['page', 'body'] as const).map(
    (table) =>
      [
        `a text that it shares is missing in the table ${table}`,
        `SELECT id FROM job WHERE ${isKept('@now')} AND since IS NOT NULL AND EXISTS (
           SELECT 1 FROM ledger l WHERE l.job = job.seq AND l.text_of IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${table} t WHERE t.id = l.text_of)) LIMIT 1`,
      ] as const,
  ),
  [
    'its ledger does not add up',
    `WITH held AS (
       SELECT job AS seq, count(*) FILTER (WHERE state = 'queued') AS open, count(*) FILTER (WHERE state = 'scraped') AS done,
         count(*) FILTER (WHERE state = 'discarded') AS out, count(*) FILTER (WHERE state = 'failed') AS bad,
         count(*) FILTER (WHERE state = 'outside') AS never
       FROM ledger WHERE kind = 'page' GROUP BY job)
     SELECT id FROM job LEFT JOIN held USING (seq)
     WHERE ${isKept('@now')} AND (
       coalesce(done, 0) <> scraped OR coalesce(bad, 0) <> failed OR coalesce(never, 0) <> outside
       OR coalesce(open, 0) + coalesce(out, 0) <> queued + in_flight + discarded
       OR (finished_at IS NULL AND coalesce(open, 0) <> queued + in_flight)) LIMIT 1`,
  ],
  [
    'its requests in flight do not add up',
    `WITH held AS (
       SELECT f.job AS seq, count(*) AS held FROM frontier f JOIN ledger l ON l.id = f.id
       WHERE f.fence IS NOT NULL AND l.kind = 'page' GROUP BY f.job)
     SELECT id FROM job LEFT JOIN held USING (seq) WHERE finished_at IS NULL AND coalesce(held, 0) <> in_flight LIMIT 1`,
  ],
];
