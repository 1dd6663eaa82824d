import type { TextPart } from '../../../core/ports/blobs.ts';
import type { MovedSegment, OutsideText, PartsQuery, TextMove } from '../../../core/ports/object-store.ts';
import { textsPerJob } from '../../rules/jobs/baseline-rows.ts';
import { objectsPerStep, segmentsPerMove, withinMove } from '../../rules/pages/segment-objects.ts';
import type { Connections, Transaction } from '../connection/connections.ts';
import { nowSql } from '../connection/schema.ts';

/** First number of the advisory lock of those that remove the last name of a text, or move it: two of them must not wait for each other. */
export const textLock = 834_024;

interface Row {
  readonly page: number;
  readonly of_page: number;
  readonly deflated: Uint8Array;
  readonly crc: number;
  readonly length: number;
  readonly packed_crc: number;
  readonly at: number | null;
  readonly size: number | null;
  readonly object: string | null;
  readonly object_at: number | null;
  readonly segment_size: number | null;
  /** Of a page that shares the text. */
  readonly sharer?: Uint8Array | null;
  readonly sharer_crc?: number;
  readonly sharer_length?: number;
  readonly sharer_checksum?: number;
}

const facts = 't.deflated, t.crc, t.length, t.packed_crc, t.at, t.size, s.object, s.object_at, s.size AS segment_size';
const withPlace = 'LEFT JOIN raw_segment s ON s.job = t.job AND s.page = t.segment';
const stored = `SELECT t.page, t.page AS of_page, ${facts} FROM body t ${withPlace}`;
const kept = `NOT j.swept AND (j.results_gone_at IS NULL OR j.results_gone_at > ${nowSql})`;

/** As many as fit, and at least one: the sizes decide which are read. */
const pagesSql = `
  WITH sized AS MATERIALIZED (
    SELECT page, text_job, text_page, sum(length) OVER (ORDER BY page) - length AS before
    FROM (SELECT b.page, coalesce(b.text_of / ${textsPerJob}, b.job) AS text_job, coalesce(b.text_of % ${textsPerJob}, b.page)::int AS text_page,
        coalesce(e.length, b.length) AS length
      FROM body b LEFT JOIN body e ON e.job = b.text_of / ${textsPerJob} AND e.page = b.text_of % ${textsPerJob}
      WHERE b.job = $1 AND b.page > $2 ORDER BY b.page LIMIT $3) n)
  SELECT sized.page, t.page AS of_page, ${facts}, CASE WHEN b.text_of IS NOT NULL THEN b.deflated END AS sharer,
    b.crc AS sharer_crc, b.length AS sharer_length, b.packed_crc AS sharer_checksum
  FROM sized JOIN body b ON b.job = $1 AND b.page = sized.page JOIN body t ON t.job = text_job AND t.page = text_page ${withPlace}
  WHERE before <= $4 ORDER BY sized.page`;

/** The texts of pages of a job, by its number. See `SegmentObjects.pageTexts`. */
export async function pageTexts(
  on: Pick<Transaction, 'queryBytes'>,
  job: number,
  { after, limit, bytesMax }: Omit<PartsQuery, 'jobId'>,
): Promise<readonly TextPart[]> {
  const parts = (await on.queryBytes<Row>(pagesSql, [job, after, limit, bytesMax])).map(partOf);
  const gap = parts.findIndex(({ page }, index) => page !== after + index + 1);
  return gap === -1 ? parts : parts.slice(0, gap);
}

/** See `SegmentObjects.textsAt`. */
export async function textsAt(
  connections: Connections,
  places: readonly number[],
): Promise<readonly (TextPart | undefined)[]> {
  const rows = await connections.queryBytes<Row & { readonly place: number }>(
    `SELECT u.place, t.page, t.page AS of_page, ${facts}
     FROM unnest($1::bigint[]) AS u (place) JOIN body t ON t.job = u.place / ${textsPerJob} AND t.page = u.place % ${textsPerJob}
       AND t.text_of IS NULL ${withPlace}`,
    [places],
  );
  const found = new Map(rows.map((row) => [row.place, partOf(row)]));
  return places.map((place) => found.get(place));
}

/** See `SegmentObjects.nextTexts`. */
export function nextTexts(connections: Connections, bytesMax: number): Promise<TextMove | undefined> {
  return connections.transaction(
    async (tx) => (await withDeleted(tx, bytesMax)) ?? ofEnded(tx, bytesMax),
    'REPEATABLE READ READ ONLY',
  );
}

async function withDeleted(tx: Transaction, bytesMax: number): Promise<TextMove | undefined> {
  const rows = await tx.query<MovedSegment & { readonly id: string }>(
    `SELECT j.id, s.job, s.page AS segment, s.object, s.object_at AS at, s.size FROM raw_segment s JOIN job j ON j.seq = s.job
     WHERE s.has_deleted AND s.job = (SELECT job FROM raw_segment WHERE has_deleted ORDER BY job LIMIT 1)
     ORDER BY s.page LIMIT ${segmentsPerMove}`,
  );
  const [first] = rows;
  if (!first) return undefined;
  const { job, id: jobId } = first;
  const segments = withinMove(rows, bytesMax);
  const texts = await tx.queryBytes<Row>(`${stored} WHERE t.job = $1 AND t.segment = ANY($2::int[]) ORDER BY t.page`, [
    job,
    segments.map(({ segment }) => segment),
  ]);
  return { job, jobId, segments, texts: texts.map(partOf) };
}

async function ofEnded(tx: Transaction, bytesMax: number): Promise<TextMove | undefined> {
  const [ended] = await tx.query<{ seq: number; id: string; texts: number }>(
    `SELECT j.seq, j.id, j.texts FROM job j WHERE j.finished_at IS NOT NULL AND j.texts IS NOT NULL AND j.in_flight = 0
     AND ${kept} LIMIT 1`,
  );
  if (!ended) return undefined;
  const isInside = 't.job = $1 AND t.page > $2 AND t.text_of IS NULL AND t.segment IS NULL';
  const sized = await tx.query<{ page: number; bytes: number }>(
    `SELECT t.page, octet_length(t.deflated) AS bytes FROM body t WHERE ${isInside} ORDER BY t.job, t.page LIMIT ${segmentsPerMove}`,
    [ended.seq, ended.texts],
  );
  let sum = 0;
  const full = sized.findIndex(({ bytes }) => (sum += bytes) >= bytesMax);
  const last = full === -1 ? sized.at(-1)?.page : sized[full]?.page;
  const rows = await tx.queryBytes<Row>(`${stored} WHERE ${isInside} AND t.page <= $3 ORDER BY t.page`, [
    ended.seq,
    ended.texts,
    last ?? 0,
  ]);
  const isLast = full === -1 && sized.length < segmentsPerMove;
  const looked = { after: ended.texts, to: isLast ? undefined : last };
  return { job: ended.seq, jobId: ended.id, texts: rows.map(partOf), segments: [], looked };
}

/** See `SegmentObjects.textsOutside`. */
export async function textsOutside(connections: Connections, after: number): Promise<readonly OutsideText[]> {
  const rows = await connections.queryBytes<Row & { readonly id: number }>(
    `SELECT t.job * ${textsPerJob} + t.page AS id, t.page, t.page AS of_page, ${facts} FROM body t ${withPlace}
     WHERE t.segment IS NOT NULL AND (t.job, t.page) > ($1::bigint, $2::int) ORDER BY t.job, t.page LIMIT ${objectsPerStep}`,
    [Math.floor(after / textsPerJob), after % textsPerJob],
  );
  const pages = await connections.query<{ id: number; job: string; page: number }>(
    `SELECT u.id, j.id AS job, (u.id % ${textsPerJob})::int AS page FROM unnest($1::bigint[]) AS u (id) JOIN job j ON j.seq = u.id / ${textsPerJob} WHERE ${kept}
     UNION ALL
     SELECT u.id, j.id, coalesce(l.page, 0) FROM unnest($1::bigint[]) AS u (id)
       JOIN ledger l ON l.text_of = u.id AND l.job <> u.id / ${textsPerJob} JOIN job j ON j.seq = l.job WHERE ${kept}`,
    [rows.map(({ id }) => id)],
  );
  const byText = Map.groupBy(pages, ({ id }) => id);
  return rows.map((row) => ({
    id: row.id,
    part: partOf(row),
    pages: (byText.get(row.id) ?? []).map(({ job, page }) => ({ job, page })),
  }));
}

function partOf(row: Row): TextPart {
  const { page, of_page: ofPage, deflated, crc, length, packed_crc: checksum, object, at, size, sharer } = row;
  return {
    page,
    ofPage,
    deflated,
    crc,
    length,
    checksum,
    ...(object !== null && {
      place: { segment: { object, at: row.object_at ?? 0, size: row.segment_size ?? 0 }, at: at ?? 0, size: size ?? 0 },
    }),
    ...(sharer && {
      sharer: {
        deflated: sharer,
        crc: row.sharer_crc ?? 0,
        length: row.sharer_length ?? 0,
        checksum: row.sharer_checksum ?? null,
      },
    }),
  };
}
