import type { Database } from './database.ts';
import { failPoint } from '../../core/fail-point.ts';
import { pageId } from './schema.ts';

/** Rows of each table removed in one step: about 20 ms, so that crawling hardly notices. */
const rowsPerStep = 500;
/** Pages of the file given back in one step: 8 MiB. */
const filePagesPerStep = 2_000;
const idempotencyKeptMs = 24 * 3600 * 1000;
/** After they were delivered or given up. */
const deliveriesKeptMs = 30 * 24 * 3600 * 1000;

/**
 * Removes one step of what nobody can read any more: pages, texts and URLs of jobs whose results are gone, then their
 * space. The job itself stays. Answers whether more is left.
 */
export function sweepStep(db: Database, now: number): boolean {
  db.prepare('DELETE FROM idempotency WHERE created_at <= ?').run(now - idempotencyKeptMs);
  db.prepare('DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE settled_at <= ? LIMIT ?)').run(
    now - deliveriesKeptMs,
    rowsPerStep,
  );
  const job = db
    .prepare<[number], { seq: number }>(
      'SELECT seq FROM job WHERE results_gone_at <= ? AND results_gone_at IS NOT NULL AND swept = 0 LIMIT 1',
    )
    .get(now);
  if (!job) return giveSpaceBack(db);
  const [first, last] = [pageId(job.seq, 0), pageId(job.seq + 1, 0)];
  let removed = 0;
  for (const sql of [
    'DELETE FROM page WHERE id IN (SELECT id FROM page WHERE id >= @first AND id < @last LIMIT @rows)',
    'DELETE FROM body WHERE id IN (SELECT id FROM body WHERE id >= @first AND id < @last LIMIT @rows)',
    'DELETE FROM page_key WHERE job = @job AND key IN (SELECT key FROM page_key WHERE job = @job LIMIT @rows)',
    'DELETE FROM ended_template WHERE job = @job AND template IN (SELECT template FROM ended_template WHERE job = @job LIMIT @rows)',
    'DELETE FROM frontier WHERE id IN (SELECT id FROM ledger WHERE job = @job ORDER BY id LIMIT @rows)',
    'DELETE FROM ledger WHERE id IN (SELECT id FROM ledger WHERE job = @job ORDER BY id LIMIT @rows)',
  ]) {
    const values = sql.includes('@job') ? { job: job.seq, rows: rowsPerStep } : { first, last, rows: rowsPerStep };
    removed += db.prepare(sql).run(values).changes;
  }
  failPoint('sweep.writing');
  if (removed === 0) db.prepare('UPDATE job SET swept = 1 WHERE seq = ?').run(job.seq);
  return true;
}

/** What was removed leaves free pages in the file, which new pages of jobs use first; in the end they are cut off. */
function giveSpaceBack(db: Database): boolean {
  db.pragma(`incremental_vacuum(${filePagesPerStep})`);
  return Number(db.pragma('freelist_count')) > 0;
}
