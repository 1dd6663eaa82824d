import type { Database, Statement } from '../file/database.ts';
import type { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import { freeIfOwned } from '../../../core/process/free-bytes.ts';
import type { Fragment } from '../../../core/page.ts';
import type { FoundScreenshot, PageSlice, PageStore, ScreenshotQuery } from '../../../core/ports/stores.ts';
import { areResultsGone, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { isTextAsStored } from '../../rules/pages/checksums.ts';
import { screenshotIn, type ScreenshotRow } from '../../rules/pages/screenshots.ts';
import { behind, unbroken } from '../../rules/pages/page-slices.ts';
import type { JoinedPages, JoinedSlice } from './joined-pages.ts';
import { countWithin, MetaReads, projected } from './meta-reads.ts';
import { pageId, pagesPerJob } from '../file/schema.ts';
import { WholeJobs } from './whole-jobs.ts';

type Query = Parameters<PageStore['read']>[0];

/** A damaged row can have something else in place of its text. */
export type TextRow = readonly [deflated: unknown, crc: number | null, length: number | null, checksum: number | null];

type JobState = Pick<StoredJobRow, 'seq' | 'org' | 'status' | 'results_gone_at' | 'swept' | 'scraped'>;

/** JSON arrays with the numbers of consecutive rows, and the sizes of their stored data. */
interface Found {
  readonly numbers: string;
  readonly sizes: string;
}

/** Pages of a job, and what follows them. */
interface Slice extends JoinedPages, Pick<PageSlice, 'more' | 'damagedPage'> {}

const uint32Max = 2 ** 32 - 1;
const nothing = { numbers: '[]', sizes: '[]' };

/**
 * Reads pages in order, together with the state of their job.
 * Texts are read as arrays, all at once (decision 14).
 */
export class PageReads {
  readonly #db: Database;
  readonly #buffers: BufferPool;
  readonly #jobs: WholeJobs<JobState>;
  readonly #findTexts: Statement<[number, number, number], Found>;
  readonly #texts: Statement<[number, number], TextRow>;
  readonly #screenshot: Statement<[number], ScreenshotRow>;
  readonly #metas: MetaReads;
  readonly #packedMetas: MetaReads;

  constructor(db: Database, buffers: BufferPool) {
    this.#buffers = buffers;
    this.#db = db;
    this.#jobs = new WholeJobs(db, 'seq, org, status, results_gone_at, swept, scraped');
    // Sizes are at the start of a row, so they cost no read of its text.
    this.#findTexts = db.prepare(`
      SELECT json_group_array(id % ${pagesPerJob}) AS numbers, json_group_array(size) AS sizes
      FROM (SELECT id, length(deflated) AS size FROM body WHERE id > ? AND id <= ? ORDER BY id LIMIT ?)`);
    // A damaged number can exceed what JavaScript can hold.
    this.#texts = db.prepareArrays(`
      SELECT deflated, crc & ${uint32Max}, length & ${uint32Max}, packed_crc & ${uint32Max}
      FROM body WHERE id > ? AND id <= ? ORDER BY id`);
    this.#screenshot = db.prepare('SELECT type, bytes, crc FROM screenshot WHERE id = ?');
    this.#metas = new MetaReads(db, 'meta');
    this.#packedMetas = new MetaReads(db, 'packed');
  }

  read(query: Query): JoinedSlice | undefined {
    // One read transaction: status and pages from the same snapshot.
    return this.#db.transaction('deferred', () => this.#readNow(query));
  }

  screenshot({ org, jobId, page }: ScreenshotQuery): FoundScreenshot | undefined {
    return this.#db.transaction('deferred', () => {
      const job = this.#jobs.getOf(org, jobId);
      if (!job || job.org !== org) return undefined;
      const isGone = areResultsGone({ ...job, swept: Boolean(job.swept) }, Date.now());
      const row = isGone || page > job.scraped ? undefined : this.#screenshot.get(pageId(job.seq, page));
      return { areResultsGone: isGone, ...(row && { screenshot: screenshotIn(row) }) };
    });
  }

  #readNow(query: Query): JoinedSlice | undefined {
    const job = this.#jobs.getOf(query.org, query.jobId);
    if (!job || job.org !== query.org) return undefined;
    const isGone = areResultsGone({ ...job, swept: Boolean(job.swept) }, Date.now());
    const slice = query.withText ? this.#withText(job, query) : this.#withoutText(job, query);
    return { status: job.status, areResultsGone: isGone, total: job.scraped, ...slice };
  }

  #withText({ seq: job, scraped }: JobState, { after, limit, bytesMax }: Query): Slice {
    const from = pageId(job, after);
    const found = this.#findTexts.get(from, pageId(job, scraped), limit) ?? nothing;
    const numbers = numbersIn(found.numbers);
    // First limit by packed size, so that no more is read than allowed; the loop below limits by unpacked size.
    const read = countWithin(numbersIn(found.sizes), limit, bytesMax);
    const rows = read === 0 ? [] : this.#texts.all(from, pageId(job, numbers[read - 1] ?? after));
    const followed = unbroken(numbers, after);
    const texts: Uint8Array[] = [];
    const [crcs, lengths] = [new Uint32Array(rows.length), new Uint32Array(rows.length)];
    let bytes = 0;
    while (texts.length < Math.min(followed, rows.length) && bytes <= bytesMax) {
      const index = texts.length;
      const text = textIn(rows[index], after + index + 1);
      if (!text) break;
      crcs[index] = text.crc;
      bytes += lengths[index] = text.length;
      texts.push(text.deflated);
    }
    const count = texts.length;
    const slice = {
      numbers: Uint32Array.from(numbers.slice(0, count)),
      sizes: Uint32Array.from(texts.map(({ length }) => length)),
      bytes: this.#joined(texts),
      packed: { as: 'body' as const, crcs: crcs.slice(0, count), lengths: lengths.slice(0, count) },
      ...behind({ after, count, wanted: bytes > bytesMax ? count : read < numbers.length ? read : limit, scraped }),
    };
    for (const [deflated] of rows) if (deflated instanceof Uint8Array) freeIfOwned(deflated);
    return slice;
  }

  #withoutText({ seq: job, scraped }: JobState, query: Query): Slice {
    const { after, limit, bytesMax, packed = false, fields } = query;
    const wanted = { job, scraped, after, limit, bytesMax };
    if (packed && !fields) {
      const slice = this.#packedMetas.read(wanted);
      if (slice.damagedPage === undefined) return slice;
      // Not packed, or the packed data is damaged. Read the plain metadata, which is complete or damaged itself.
      freeIfOwned(slice.bytes);
    }
    const slice = this.#metas.read(wanted);
    return fields ? projected(slice, fields) : slice;
  }

  #joined(texts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
    let length = 0;
    for (const text of texts) length += text.length;
    const bytes = this.#buffers.take(length);
    let at = 0;
    for (const text of texts) {
      bytes.set(text, at);
      at += text.length;
    }
    return bytes;
  }
}

/** Undefined if it is not what was stored. */
export function textIn(row: TextRow | undefined, page: number): Fragment | undefined {
  if (!row) return undefined;
  const [deflated, crc, length, checksum] = row;
  if (!(deflated instanceof Uint8Array) || typeof crc !== 'number' || typeof length !== 'number') return undefined;
  const text = { deflated, crc, length };
  return isTextAsStored(page, text, checksum) ? text : undefined;
}

function numbersIn(json: string): number[] {
  return JSON.parse(json) as number[];
}
