import type { Database } from './database.ts';
import { damaged } from './faults.ts';
import { pageId } from './schema.ts';

/** Jobs looked at before crawling begins: their number, not that of their pages, is what it costs. */
const jobsChecked = 1_000;

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
  const jobs = db
    .prepare<[number, number], JobSums>(
      `SELECT seq, id, scraped, ${last('page')} AS pages, ${last('body')} AS bodies
       FROM (SELECT * FROM job ORDER BY seq DESC LIMIT ?) WHERE results_gone_at IS NULL OR results_gone_at > ?`,
    )
    .all(jobsChecked, Date.now());
  for (const { seq, id, scraped, pages, bodies } of jobs) {
    const isOwn = (page: number): boolean => (scraped === 0 ? page < pageId(seq, 0) : page === pageId(seq, scraped));
    if (!isOwn(pages) || !isOwn(bodies)) throw damaged(dir, `job ${id} has not the pages that it counts`);
  }
}

/**
 * Checks a whole database: its structure, and that the ledger of every job adds up. Takes 2 s for a gigabyte. Answers
 * what is wrong; undefined where nothing is. `now`: what has expired by then may be half removed.
 */
export function whatIsWrong(db: Database, now: number): string | undefined {
  const structure = db.pragma('integrity_check(1)');
  if (structure !== 'ok') return String(structure);
  for (const [what, sql] of sums) {
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
         WHERE (results_gone_at IS NULL OR results_gone_at > @now)
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
     WHERE (results_gone_at IS NULL OR results_gone_at > @now) AND (
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
