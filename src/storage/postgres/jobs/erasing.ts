import { failPoint } from '../../../core/process/fail-point.ts';
import { hasEnded, type JobSpec } from '../../../core/job.ts';
import type { Segment, Slice } from '../../../core/ports/blobs.ts';
import { type Erased, type Erasure, erasedUrl, type ErasureRefusal } from '../../../core/ports/erasures.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import type { Fragment } from '../../../core/page.ts';
import { blankedSegment, isErasedSlice } from '../../../page/raw-segments.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import { textsPerJob } from '../../rules/jobs/baseline-rows.ts';
import { isAsStored, packedChecksum } from '../../rules/pages/checksums.ts';
import { erasedSlice, erasureOf, numberInSource, type PageErasure, refuseOutside } from '../../rules/pages/erasing.ts';
import { eraseTraces, type Reached, reachOf, shownIn, urlsIn } from '../../shared/erase-traces.ts';
import type { Connections, Transaction } from '../connection/connections.ts';
import { runSteps } from '../connection/run-steps.ts';
import { giveUpObjects } from './segment-objects.ts';

/** See `Erasures.erase`. The server removes what was replaced when it vacuums the tables. */
export function erasePage(
  connections: Connections,
  erasure: Erasure,
  given?: number,
): Promise<Erased | ErasureRefusal | undefined> {
  const { jobId, withUrl } = erasure;
  return connections.transaction(async (tx) => {
    const found = await runSteps(tx, reachOf(erasure, given));
    if (found === undefined || typeof found === 'string') return found;
    const { now, reached } = found;
    let erasedAt = now;
    for (const one of reached) {
      const erased = one.page === null ? undefined : await eraseIn(tx, one, one.page, { withUrl, now });
      if (erased && one.row.id === jobId) ({ erasedAt } = erased);
      await runSteps(tx, eraseTraces(one, { urls: erased?.urls ?? urlsIn(one), withUrl }));
    }
    return { erasedAt, withUrl, jobs: shownIn(reached, now) };
  });
}

/**
 * True if a page that was converted from a raw body has been erased since it was read. Call it with the job's row locked:
 * an erasure that comes later waits for it, and then finds the page.
 */
export async function isErasedMeanwhile(
  tx: Transaction,
  job: JobRow,
  after: number,
  pages: readonly ExtractedPage[],
): Promise<boolean> {
  const spec = JSON.parse(job.spec) as JobSpec;
  if (!spec.reextract) return false;
  const first = numberInSource(spec, after + 1);
  const erased = await tx.query<{ page: number }>(
    `SELECT r.page FROM job j JOIN raw_page r ON r.job = j.seq
     WHERE j.id = $1 AND j.erasures > 0 AND r.page >= $2 AND r.page < $3 AND r.length = 0`,
    [spec.reextract.of, first, first + pages.length],
  );
  return erased.some(({ page }) => pages[page - first]?.problem === undefined);
}

/** Returns when the page was erased first, and the URLs that it had. */
async function eraseIn(
  tx: Transaction,
  { row: job, url }: Reached,
  page: number,
  { withUrl, now }: { readonly withUrl: boolean; readonly now: number },
): Promise<Pick<PageErasure, 'erasedAt' | 'urls'>> {
  const of = [job.seq, page];
  // Of a shared page the earlier one has the facts, which stay when that was erased.
  const [stored] = await tx.queryBytes<Fragment & { readonly page: number; readonly packed_crc: number }>(
    `SELECT e.page, e.deflated, e.crc, e.length, e.packed_crc FROM page p
     JOIN page e ON e.job = coalesce(p.text_of / ${textsPerJob}, p.job) AND e.page = coalesce(p.text_of % ${textsPerJob}, p.page)
     WHERE p.job = $1 AND p.page = $2`,
    of,
  );
  const isWhole = stored && isAsStored(stored.page, stored, stored.packed_crc);
  const { record, erasedAt, urls } = erasureOf(isWhole ? stored : undefined, {
    url: url ?? erasedUrl,
    spec: JSON.parse(job.spec) as JobSpec,
    withUrl,
    now,
  });
  for (const [table, part] of [
    ['page', record.meta],
    ['body', record.body],
  ] as const)
    tx.send(
      `INSERT INTO ${table} (job, page, deflated, crc, length, packed_crc) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (job, page) DO UPDATE SET deflated = excluded.deflated, crc = excluded.crc, length = excluded.length, packed_crc = excluded.packed_crc, text_of = NULL`,
      [...of, part.deflated, part.crc, part.length, packedChecksum(page, part)],
    );
  tx.send('DELETE FROM screenshot WHERE job = $1 AND page = $2', of);
  // An object with the screenshot is written again without it.
  // mutant postgres-erased-picture-stays-in-object, promise 17: `has_deleted = true` -> `has_deleted = false`; postgres/special-contracts "the screenshot of an erased page"
  tx.send(
    `WITH gone AS (DELETE FROM raw_segment WHERE job = $1 AND page = -$2::int RETURNING object)
     UPDATE raw_object SET has_deleted = true WHERE name = (SELECT object FROM gone)`,
    of,
  );
  // Objects that the job shared until its segments were gathered have the bytes of the page too.
  // mutant postgres-erased-body-stays-in-former-object, promise 17: `await giveUpObjects(` -> `if (tx === undefined) await giveUpObjects(`; postgres/special-contracts "of an erased page in an object that its job shared"
  await giveUpObjects(
    tx,
    `SELECT o.object FROM raw_object_job o WHERE o.job = $1 AND ($2::int = 1 OR NOT EXISTS (
       SELECT FROM raw_segment s WHERE s.object = o.object AND s.job = $1))`,
    [job.seq, Number(hasEnded(job.status))],
  );
  failPoint('erase.writing');
  await eraseRaw(tx, job, page);
  await eraseWords(tx, of);
  return { erasedAt, urls };
}

async function eraseRaw(tx: Transaction, job: JobRow, page: number): Promise<void> {
  const [slice] = await tx.query<Slice & { readonly segment: number }>(
    'SELECT segment, at, length, crc FROM raw_page WHERE job = $1 AND page = $2',
    [job.seq, page],
  );
  if (!slice || isErasedSlice(slice)) return;
  const place = [job.seq, slice.segment];
  // Two erasures in one segment must not write over each other: the lock on the job orders them.
  const [segment] = await tx.queryBytes<Segment & { readonly object: string | null }>(
    'SELECT bytes, length, object FROM raw_segment WHERE job = $1 AND page = $2',
    place,
  );
  refuseOutside(segment);
  const rest = segment && blankedSegment(segment, slice);
  if (rest) tx.send('UPDATE raw_segment SET bytes = $3 WHERE job = $1 AND page = $2', [...place, rest.bytes]);
  else tx.send('DELETE FROM raw_segment WHERE job = $1 AND page = $2', place);
  const { at, length, crc } = erasedSlice;
  tx.send('UPDATE raw_page SET at = $3, length = $4, crc = $5 WHERE job = $1 AND page = $2', [
    job.seq,
    page,
    at,
    length,
    crc,
  ]);
}

/** Waits for a batch that is being indexed: it can hold the text of before. */
async function eraseWords(tx: Transaction, of: readonly number[]): Promise<void> {
  await tx.query('SELECT FROM search_job WHERE job = $1 FOR UPDATE', [of[0] ?? 0]);
  tx.send('DELETE FROM search_page WHERE job = $1 AND page = $2', of);
}
