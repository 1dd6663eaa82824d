import { failPoint } from '../../../core/process/fail-point.ts';
import { hasEnded, type JobSpec } from '../../../core/job.ts';
import type { Segment, Slice } from '../../../core/ports/blobs.ts';
import { type Erased, type Erasure, erasedUrl, type ErasureRefusal } from '../../../core/ports/erasures.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import { blankedSegment, isErasedSlice } from '../../../page/raw-segments.ts';
import { areResultsGone, type JobRow, jobRowOf, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { packedChecksum } from '../../rules/pages/checksums.ts';
import { erasedSlice, erasureOf, numberIn, numberInSource, refuseOutside } from '../../rules/pages/erasing.ts';
import { eraseTraces } from '../../shared/erase-traces.ts';
import type { Database } from '../file/database.ts';
import { runSteps } from '../file/run-steps.ts';
import { pageId, pictureSegmentId } from '../file/schema.ts';
import { giveUpObject } from './segment-objects.ts';
import { type FragmentRow, fragmentOfRow } from './fragment-reads.ts';

/**
 * See `Erasures.erase`. Call it in a transaction, with all job rows written. What is removed is overwritten: SQLite would
 * leave it in free pages of the file.
 */
export function erasePage(db: Database, erasure: Erasure, now: number): Erased | ErasureRefusal | undefined {
  const { org, jobId, page, withUrl } = erasure;
  const job = jobWith(db, jobId);
  if (job?.org !== org) return undefined;
  if (areResultsGone(job, now)) return 'gone';
  if (page > job.scraped) return 'no_page';
  const members = sharing(db, job, page).filter(({ row, isKept }) => isKept || !areResultsGone(row, now));
  if (withUrl && members.some(({ row }) => !hasEnded(row.status))) return 'running';
  db.pragma('secure_delete = ON');
  try {
    const erased = members.map(({ row, number }) => ({ id: row.id, at: eraseIn(db, row, number, { withUrl, now }) }));
    const erasedAt = erased.find(({ id }) => id === jobId)?.at ?? now;
    const shown = members.filter(({ row }) => !areResultsGone(row, now));
    return { erasedAt, withUrl, jobs: shown.map(({ row }) => row.id) };
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

interface Member {
  readonly row: JobRow;
  /** Of the page in this job. */
  readonly number: number;
  /** Its text is that of later jobs, also if the results of its own job are gone. */
  readonly isKept?: boolean;
}

/** The job with the body, and those that were made of it, as far as they have the page. */
function sharing(db: Database, job: JobRow, page: number): readonly Member[] {
  const spec = JSON.parse(job.spec) as JobSpec;
  const source = spec.reextract ? jobWith(db, spec.reextract.of) : job;
  const inSource = spec.reextract ? numberInSource(spec, page) : page;
  const others = db
    .prepare<[string, string], StoredJobRow>(
      "SELECT * FROM job WHERE org = ? AND kind = 'reextract' AND instr(spec, ?) > 0",
    )
    .all(job.org, JSON.stringify(spec.reextract?.of ?? job.id))
    .map(jobRowOf);
  const made = [...(source ? [source] : []), ...others].flatMap((row): Member[] => {
    const own = JSON.parse(row.spec) as JobSpec;
    if (row !== source && own.reextract?.of !== (spec.reextract?.of ?? job.id)) return [];
    const number = numberIn(own, inSource);
    return number !== undefined && number <= row.scraped ? [{ row, number }] : [];
  });
  const shared = source ? sharingText(db, source, inSource) : [];
  // mutant shared-text-not-erased, promise 17: `[...shared, ...made]` -> `made`; sqlite/special-contracts "in every job that shares its text"
  return [...new Map([...shared, ...made].map((member) => [member.row.seq, member])).values()];
}

/** The job that first stored the text of a page, and those that share it. */
function sharingText(db: Database, job: JobRow, page: number): Member[] {
  const text = db
    .prepare<[number], { text: number }>('SELECT coalesce(text_of, id) AS text FROM page WHERE id = ?')
    .get(pageId(job.seq, page))?.text;
  if (text === undefined) return [];
  const sharers = db
    .prepare<[number], { job: number; page: number }>(
      "SELECT job, page FROM ledger WHERE text_of = ? AND change = 'unchanged' AND page IS NOT NULL",
    )
    .all(text);
  const first = { job: Math.floor(text / pageId(1, 0)), page: text % pageId(1, 0) };
  return [first, ...sharers].flatMap(({ job: seq, page: number }) => {
    const row = db.prepare<[number], StoredJobRow>('SELECT * FROM job WHERE seq = ?').get(seq);
    return row ? [{ row: jobRowOf(row), number, isKept: seq === first.job }] : [];
  });
}

function jobWith(db: Database, id: string): JobRow | undefined {
  const row = db.prepare<[string], StoredJobRow>('SELECT * FROM job WHERE id = ?').get(id);
  return row && jobRowOf(row);
}

/** Returns when the page was erased first. */
function eraseIn(
  db: Database,
  job: JobRow,
  page: number,
  { withUrl, now }: { readonly withUrl: boolean; readonly now: number },
): number {
  const id = pageId(job.seq, page);
  const entry = db
    .prepare<[number, number], { id: number; url: string }>(
      "SELECT id, url FROM ledger WHERE job = ? AND page = ? AND state = 'scraped'",
    )
    .get(job.seq, page);
  // Of a shared page the earlier one has the facts, which stay when that was erased.
  const [text = id, ...stored] =
    db
      .prepareArrays<[number], readonly [text: number, ...FragmentRow]>(
        'SELECT e.id, e.deflated, e.crc, e.length, e.packed_crc FROM page p JOIN page e ON e.id = coalesce(p.text_of, p.id) WHERE p.id = ?',
      )
      .get(id) ?? [];
  const spec = JSON.parse(job.spec) as JobSpec;
  const { record, erasedAt, urls } = erasureOf(fragmentOfRow(stored as FragmentRow, text % pageId(1, 0)), {
    url: entry?.url ?? erasedUrl,
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
  runSteps(db, eraseTraces(job, entry?.id, withUrl ? urls : undefined));
  return erasedAt;
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
