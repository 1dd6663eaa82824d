// An erasure in one transaction: see `Erasures.erase`.
import { failPoint } from '../../core/process/fail-point.ts';
import { hasEnded, type JobSpec } from '../../core/job.ts';
import type { Segment, Slice } from '../../core/ports/blobs.ts';
import { type Erased, type Erasure, erasedUrl, type ErasureRefusal } from '../../core/ports/erasures.ts';
import type { ExtractedPage } from '../../core/ports/reextractions.ts';
import type { Fragment } from '../../core/page.ts';
import { blankedSegment, isErasedSlice } from '../../page/raw-segments.ts';
import type { JobRow } from '../rules/jobs/job-row.ts';
import { isAsStored, packedChecksum } from '../rules/pages/checksums.ts';
import { erasedSlice, erasureOf, type PageErasure, refuseOutside } from '../rules/pages/erasing.ts';
import { eraseTraces, type Reached, reachOf, shownIn, urlsIn } from './erase-traces.ts';
import { giveUpObjects } from './object-rows.ts';
import { all, one, send, type Steps } from './operation.ts';
import { either, nothing, raw, sql } from './sql.ts';
import { pageId, pagesPerJob } from '../rules/jobs/page-id.ts';

export function* erasePage(erasure: Erasure, given?: number): Steps<Erased | ErasureRefusal | undefined> {
  const { jobId, withUrl } = erasure;
  const found = yield* reachOf(erasure, given);
  if (found === undefined || typeof found === 'string') return found;
  const { now, reached } = found;
  let erasedAt = now;
  for (const each of reached) {
    const erased = each.page === null ? undefined : yield* eraseIn(each, each.page, { withUrl, now });
    if (erased && each.row.id === jobId) ({ erasedAt } = erased);
    yield* eraseTraces(each, { urls: erased?.urls ?? urlsIn(each), withUrl });
  }
  return { erasedAt, withUrl, jobs: shownIn(reached, now) };
}

/**
 * True if a page that was converted from a raw body has been erased since it was read. Call it with the job's row locked:
 * an erasure that comes later waits for it, and then finds the page.
 */
export function* isErasedMeanwhile(job: JobRow, after: number, pages: readonly ExtractedPage[]): Steps<boolean> {
  const spec = JSON.parse(job.spec) as JobSpec;
  if (!spec.reextract) return false;
  const source = yield* one<{ readonly seq: number }>(
    sql`SELECT seq FROM job WHERE id = ${spec.reextract.of} AND erasures > 0`,
  );
  if (!source) return false;
  const first = pageId(source.seq, after + 1);
  const erased = yield* all<{ readonly id: number }>(
    sql`SELECT id FROM raw_page WHERE id >= ${first} AND id < ${first + pages.length} AND length = 0`,
  );
  return erased.some(({ id }) => pages[id - first]?.problem === undefined);
}

/** Returns when the page was erased first, and the URLs that it had. */
function* eraseIn(
  { row: job, url }: Reached,
  page: number,
  { withUrl, now }: { readonly withUrl: boolean; readonly now: number },
): Steps<Pick<PageErasure, 'erasedAt' | 'urls'>> {
  const id = pageId(job.seq, page);
  // Of a shared page the earlier one has the facts, which stay when that was erased.
  const stored = yield* one<Fragment & { readonly id: number; readonly packed_crc: number }>(
    sql`SELECT e.id, e.deflated, e.crc, e.length, e.packed_crc FROM page p JOIN page e ON e.id = coalesce(p.text_of, p.id) WHERE p.id = ${id}`,
  );
  const isWhole = stored && isAsStored(stored.id % pagesPerJob, stored, stored.packed_crc);
  const { record, erasedAt, urls } = erasureOf(isWhole ? stored : undefined, {
    url: url ?? erasedUrl,
    spec: JSON.parse(job.spec) as JobSpec,
    withUrl,
    now,
  });
  for (const [table, { deflated, crc, length }] of [
    ['page', record.meta],
    ['body', record.body],
  ] as const)
    yield* send(
      sql`INSERT INTO ${raw(table)} (id, deflated, crc, length, packed_crc)
        VALUES (${id}, ${deflated}, ${crc}, ${length}, ${packedChecksum(page, { deflated, crc, length })})
        ON CONFLICT (id) DO UPDATE SET deflated = excluded.deflated, crc = excluded.crc, length = excluded.length, packed_crc = excluded.packed_crc, text_of = NULL`,
    );
  yield* send(sql`DELETE FROM screenshot WHERE id = ${id}`);
  // An object with the screenshot is written again without it.
  yield* send(
    sql`UPDATE raw_object SET has_deleted = 1 WHERE name = (SELECT object FROM raw_segment WHERE id = ${-id})`,
  );
  yield* send(sql`DELETE FROM raw_segment WHERE id = ${-id}`);
  // Objects that the job shared until its segments were gathered have the bytes of the page too.
  const isFormer = hasEnded(job.status)
    ? nothing
    : raw(
        `AND NOT EXISTS (SELECT 1 FROM raw_segment s WHERE s.object = o.object AND abs(s.id) / ${pagesPerJob} = o.job)`,
      );
  yield* giveUpObjects(sql`SELECT o.object FROM raw_object_job o WHERE o.job = ${job.seq} ${isFormer}`);
  failPoint('erase.writing');
  yield* eraseRaw(id);
  // Waits for a batch that is being indexed: it can hold the text of before.
  yield* all(sql`${either(nothing, sql`SELECT FROM search_job WHERE job = ${job.seq} FOR UPDATE`)}`);
  yield* send(sql`${either(nothing, sql`DELETE FROM search_page WHERE job = ${job.seq} AND page = ${page}`)}`);
  return { erasedAt, urls };
}

function* eraseRaw(id: number): Steps<void> {
  const slice = yield* one<Slice & { readonly segment: number }>(
    sql`SELECT segment, at, length, crc FROM raw_page WHERE id = ${id}`,
  );
  if (!slice || isErasedSlice(slice)) return;
  // Two erasures in one segment must not write over each other: the lock on the job orders them.
  const segment = yield* one<Segment & { readonly object: string | null }>(
    sql`SELECT bytes, length, object FROM raw_segment WHERE id = ${slice.segment}`,
  );
  refuseOutside(segment);
  const rest = segment && blankedSegment(segment, slice);
  yield* send(
    rest
      ? sql`UPDATE raw_segment SET bytes = ${rest.bytes} WHERE id = ${slice.segment}`
      : sql`DELETE FROM raw_segment WHERE id = ${slice.segment}`,
  );
  const { at, length, crc } = erasedSlice;
  yield* send(sql`UPDATE raw_page SET at = ${at}, length = ${length}, crc = ${crc} WHERE id = ${id}`);
}
