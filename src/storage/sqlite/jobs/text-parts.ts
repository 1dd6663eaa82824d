import type { TextPart } from '../../../core/ports/blobs.ts';
import type { MovedSegment, OutsideText, PartsQuery, TextMove } from '../../../core/ports/object-store.ts';
import { firstTextSegment, objectsPerStep, segmentsPerMove, withinMove } from '../../rules/pages/segment-objects.ts';
import type { Database } from '../file/database.ts';
import { pageId, pagesPerJob } from '../file/schema.ts';

const uint32Max = 2 ** 32 - 1;
/** A damaged number can exceed what JavaScript can hold. */
const factsOf = (table: string): string =>
  ['crc', 'length', 'packed_crc'].map((name) => `${table}.${name} & ${uint32Max}`).join(', ');
const place = 't.at, t.size, s.object, s.object_at, s.size';
/** The text of each page, whichever page stored it. */
const shown = `SELECT b.id, t.id, t.deflated, ${factsOf('t')}, ${place},
  CASE WHEN b.text_of IS NOT NULL THEN b.deflated END, ${factsOf('b')}
  FROM body b JOIN body t ON t.id = coalesce(b.text_of, b.id) LEFT JOIN raw_segment s ON s.id = t.segment`;
const stored = `SELECT t.id, t.id, t.deflated, ${factsOf('t')}, ${place}
  FROM body t LEFT JOIN raw_segment s ON s.id = t.segment`;

type Facts = readonly [crc: number, length: number, checksum: number | null];
type Place = readonly [
  at: number | null,
  size: number | null,
  object: string | null,
  objectAt: number | null,
  segmentSize: number | null,
];
type Row = readonly [
  id: number,
  textId: number,
  deflated: unknown,
  ...Facts,
  ...Place,
  sharer?: Uint8Array | null,
  ...facts: Partial<Facts>,
];

/** Reads packed texts, or where they are. */
export class TextParts {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** See `SegmentObjects.pageTexts`. */
  pageTexts({ jobId, after, limit, bytesMax }: PartsQuery): readonly TextPart[] {
    const job = this.#db
      .prepare<[string], { seq: number; scraped: number }>('SELECT seq, scraped FROM job WHERE id = ?')
      .get(jobId);
    if (!job) return [];
    const rows = this.#db.prepareArrays<[number, number, number], Row>(
      `${shown} WHERE b.id > ? AND b.id <= ? ORDER BY b.id LIMIT ?`,
    );
    const parts: TextPart[] = [];
    let unpacked = 0;
    for (const row of rows.iterate(pageId(job.seq, after), pageId(job.seq, job.scraped), limit)) {
      const part = partOf(row);
      if (part.page !== after + parts.length + 1) break;
      parts.push(part);
      unpacked += part.length;
      if (unpacked > bytesMax) break;
    }
    return parts;
  }

  /** See `SegmentObjects.textsAt`. */
  textsAt(places: readonly number[]): readonly (TextPart | undefined)[] {
    const row = this.#db.prepareArrays<[number], Row>(`${stored} WHERE t.id = ? AND t.text_of IS NULL`);
    return places.map((id) => {
      const found = row.get(id);
      return found && partOf(found);
    });
  }

  /** See `SegmentObjects.nextTexts`. */
  nextTexts(bytesMax: number): TextMove | undefined {
    return this.#withDeleted(bytesMax) ?? this.#ofEnded(bytesMax);
  }

  #withDeleted(bytesMax: number): TextMove | undefined {
    const columns = 'id AS segment, object, object_at AS at, size';
    const [first] = this.#db
      .prepare<[], Omit<MovedSegment, 'job'>>(
        `SELECT ${columns} FROM raw_segment WHERE has_deleted = 1 ORDER BY id LIMIT 1`,
      )
      .all();
    if (!first) return undefined;
    const job = Math.floor(first.segment / pagesPerJob);
    const all = this.#db
      .prepare<[number, number], Omit<MovedSegment, 'job'>>(
        `SELECT ${columns} FROM raw_segment WHERE has_deleted = 1 AND id < ? ORDER BY id LIMIT ?`,
      )
      .all(pageId(job + 1, 0), segmentsPerMove)
      .map(({ segment, object, at, size }) => ({ job, segment, object, at, size }));
    const segments = withinMove(all, bytesMax);
    const rows = this.#db.prepareArrays<[number], Row>(`${stored} WHERE t.segment = ?`);
    const texts = segments.flatMap(({ segment }) => rows.all(segment).map(partOf));
    return { job, jobId: this.#idOf(job), segments, texts: texts.toSorted((one, other) => one.page - other.page) };
  }

  #ofEnded(bytesMax: number): TextMove | undefined {
    const ended = this.#db
      .prepare<[number], { seq: number; id: string; texts: number }>(
        `SELECT seq, id, texts FROM job WHERE finished_at IS NOT NULL AND texts IS NOT NULL AND in_flight = 0
         AND swept = 0 AND (results_gone_at IS NULL OR results_gone_at > ?) LIMIT 1`,
      )
      .get(Date.now());
    if (!ended) return undefined;
    const rows = this.#db.prepareArrays<[number, number, number], Row>(
      `${stored} WHERE t.id > ? AND t.id < ? AND t.text_of IS NULL AND t.segment IS NULL ORDER BY t.id LIMIT ?`,
    );
    const texts: TextPart[] = [];
    let bytes = 0;
    for (const row of rows.iterate(pageId(ended.seq, ended.texts), pageId(ended.seq + 1, 0), segmentsPerMove)) {
      const part = partOf(row);
      texts.push(part);
      bytes += part.deflated.length;
      if (bytes >= bytesMax) break;
    }
    const isLast = texts.length < segmentsPerMove && bytes < bytesMax;
    const looked = { after: ended.texts, to: isLast ? undefined : texts.at(-1)?.page };
    return { job: ended.seq, jobId: ended.id, texts, segments: [], looked };
  }

  /** See `SegmentObjects.textsOutside`. */
  textsOutside(after: number): readonly OutsideText[] {
    const rows = this.#db.prepareArrays<[number, number], Row>(
      `${stored} WHERE t.segment >= ${firstTextSegment} AND t.id > ? ORDER BY t.id LIMIT ?`,
    );
    const kept = 'j.swept = 0 AND (j.results_gone_at IS NULL OR j.results_gone_at > @now)';
    const pages = this.#db.prepare<[object], { job: string; page: number }>(
      `SELECT j.id AS job, @id % ${pagesPerJob} AS page FROM job j WHERE j.seq = @id / ${pagesPerJob} AND ${kept}
       UNION ALL SELECT j.id, coalesce(l.page, 0) FROM ledger l JOIN job j ON j.seq = l.job
       WHERE l.text_of = @id AND l.job <> @id / ${pagesPerJob} AND ${kept}`,
    );
    const now = Date.now();
    return rows.all(after, objectsPerStep).map((row) => {
      const [id] = row;
      return { id, part: partOf(row), pages: pages.all({ id, now }) };
    });
  }

  #idOf(job: number): string {
    return this.#db.prepare<[number], { id: string }>('SELECT id FROM job WHERE seq = ?').get(job)?.id ?? '';
  }
}

function partOf(row: Row): TextPart {
  const [id, textId, deflated, crc, length, checksum, at, size, object, objectAt, segmentSize, sharer, ...own] = row;
  const [ownCrc = 0, ownLength = 0, ownChecksum = null] = own;
  return {
    page: id % pagesPerJob,
    ofPage: textId % pagesPerJob,
    // A damaged row can have something else in place of its bytes.
    deflated: deflated instanceof Uint8Array ? deflated : new Uint8Array(),
    crc,
    length,
    checksum,
    ...(object !== null && {
      place: { segment: { object, at: objectAt ?? 0, size: segmentSize ?? 0 }, at: at ?? 0, size: size ?? 0 },
    }),
    ...(sharer && { sharer: { deflated: sharer, crc: ownCrc, length: ownLength, checksum: ownChecksum } }),
  };
}
