import { failPoint } from '../../../core/process/fail-point.ts';
import { hasEnded, type JobSpec } from '../../../core/job.ts';
import type { Segment, Slice } from '../../../core/ports/blobs.ts';
import { type Erased, type Erasure, erasedUrl, type ErasureRefusal } from '../../../core/ports/erasures.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import { blankedSegment, isErasedSlice } from '../../../page/raw-segments.ts';
import { type JobRow, jobRowOf, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { packedChecksum } from '../../rules/pages/checksums.ts';
import { erasedSlice, erasureOf, numberInSource, type PageErasure, refuseOutside } from '../../rules/pages/erasing.ts';
import { eraseTraces, type Reached, reachOf, shownIn, urlsIn } from '../../shared/erase-traces.ts';
import type { Database } from '../file/database.ts';
import { runSteps } from '../file/run-steps.ts';
import { pageId, pictureSegmentId } from '../file/schema.ts';
import { giveUpObject } from './segment-objects.ts';
import { type FragmentRow, fragmentOfRow } from './fragment-reads.ts';

/**
 * See `Erasures.erase`. Call it in a transaction, with all job rows written. What is removed is overwritten: SQLite would
 * leave it in free pages of the file.
 */
export function erasePage(db: Database, erasure: Erasure, given: number): Erased | ErasureRefusal | undefined {
  const { jobId, withUrl } = erasure;
  const found = runSteps(db, reachOf(erasure, given));
  if (found === undefined || typeof found === 'string') return found;
  const { now, reached } = found;
  db.pragma('secure_delete = ON');
  try {
    let erasedAt = now;
    for (const one of reached) {
      const erased = one.page === null ? undefined : eraseIn(db, one, one.page, { withUrl, now });
      if (erased && one.row.id === jobId) ({ erasedAt } = erased);
      runSteps(db, eraseTraces(one, { urls: erased?.urls ?? urlsIn(one), withUrl }));
    }
    return { erasedAt, withUrl, jobs: shownIn(reached, now) };
  } finally {
    db.pragma('secure_delete = FAST');
  }
}

/** True if a page that was converted from a raw body has been erased since it was read. */
export function isErasedMeanwhile(db: Database, job: JobRow, after: number, pages: readonly ExtractedPage[]): boolean {
  const spec = JSON.parse(job.spec) as JobSpec;
  const source = spec.reextract && jobWith(db, spec.reextract.of);
  if (!source || source.erasures === 0) return false;
  const first = numberInSource(spec, after + 1);
  const erased = db
    .prepare<[number, number], { id: number }>('SELECT id FROM raw_page WHERE id >= ? AND id < ? AND length = 0')
    .all(pageId(source.seq, first), pageId(source.seq, first + pages.length));
  // mutant erased-page-comes-back, promise 17: `=== undefined` -> `=== null`; sqlite/special-contracts "converted before it was erased"
  return erased.some(({ id }) => pages[id - pageId(source.seq, first)]?.problem === undefined);
}

function jobWith(db: Database, id: string): JobRow | undefined {
  const row = db.prepare<[string], StoredJobRow>('SELECT * FROM job WHERE id = ?').get(id);
  return row && jobRowOf(row);
}

/** Returns when the page was erased first, and the URLs that it had. */
function eraseIn(
  db: Database,
  { row: job, url }: Reached,
  page: number,
  { withUrl, now }: { readonly withUrl: boolean; readonly now: number },
): Pick<PageErasure, 'erasedAt' | 'urls'> {
  const id = pageId(job.seq, page);
  // Of a shared page the earlier one has the facts, which stay when that was erased.
  const [text = id, ...stored] =
    db
      .prepareArrays<[number], readonly [text: number, ...FragmentRow]>(
        'SELECT e.id, e.deflated, e.crc, e.length, e.packed_crc FROM page p JOIN page e ON e.id = coalesce(p.text_of, p.id) WHERE p.id = ?',
      )
      .get(id) ?? [];
  const spec = JSON.parse(job.spec) as JobSpec;
  const { record, erasedAt, urls } = erasureOf(fragmentOfRow(stored as FragmentRow, text % pageId(1, 0)), {
    url: url ?? erasedUrl,
    spec,
    withUrl,
    now,
  });
  for (const [table, part] of [
    ['page', record.meta],
    ['body', record.body],
  ] as const)
    db.prepare(`INSERT OR REPLACE INTO ${table} (id, deflated, crc, length, packed_crc) VALUES (?, ?, ?, ?, ?)`).run(
      id,
      part.deflated,
      part.crc,
      part.length,
      packedChecksum(page, part),
    );
  erasePicture(db, id);
  // mutant erased-body-stays-in-former-object, promise 17: without it; sqlite/special-contracts "of an erased page in an object that its job shared"
  leaveFormerObjects(db, job);
  failPoint('erase.writing');
  eraseRaw(db, id);
  return { erasedAt, urls };
}

/** One in an object is written again without it. */
function erasePicture(db: Database, id: number): void {
  db.prepare('DELETE FROM screenshot WHERE id = ?').run(id);
  const segment = pictureSegmentId(id);
  // mutant erased-picture-stays-in-object, promise 17: `has_deleted = 1` -> `has_deleted = 0`; sqlite/special-contracts "the screenshot of an erased page"
  db.prepare('UPDATE raw_object SET has_deleted = 1 WHERE name = (SELECT object FROM raw_segment WHERE id = ?)').run(
    segment,
  );
  db.prepare('DELETE FROM raw_segment WHERE id = ?').run(segment);
}

/** Objects that the job shared until its segments were gathered have the bytes of the page too. */
function leaveFormerObjects(db: Database, { seq, status }: JobRow): void {
  const former = db
    .prepare<[object], { object: string }>(
      `SELECT o.object FROM raw_object_job o WHERE o.job = @job AND (@ended OR NOT EXISTS (
         SELECT 1 FROM raw_segment s WHERE s.object = o.object AND abs(s.id) / ${pageId(1, 0)} = @job))`,
    )
    .all({ job: seq, ended: Number(hasEnded(status)) });
  for (const { object } of former) giveUpObject(db, object);
}

function eraseRaw(db: Database, id: number): void {
  const slice = db
    .prepare<[number], Slice & { readonly segment: number }>(
      'SELECT segment, at, length, crc FROM raw_page WHERE id = ?',
    )
    .get(id);
  if (!slice || isErasedSlice(slice)) return;
  const segment = db
    .prepare<[number], Segment & { readonly object: string | null }>(
      'SELECT bytes, length, object FROM raw_segment WHERE id = ?',
    )
    .get(slice.segment);
  refuseOutside(segment);
  const rest = segment && blankedSegment(segment, slice);
  if (rest) db.prepare('UPDATE raw_segment SET bytes = ? WHERE id = ?').run(rest.bytes, slice.segment);
  else db.prepare('DELETE FROM raw_segment WHERE id = ?').run(slice.segment);
  const { at, length, crc } = erasedSlice;
  db.prepare('UPDATE raw_page SET at = ?, length = ?, crc = ? WHERE id = ?').run(at, length, crc, id);
}
