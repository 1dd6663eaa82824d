import type { Database, Statement } from './database.ts';
import { freeBytes } from '../../core/free-bytes.ts';
import type { PageStore } from '../../core/stores.ts';
import type { JobRow } from '../rules/job-row.ts';
import { isAsStored } from '../rules/meta-checksum.ts';
import { damaged } from './faults.ts';
import type { JoinedPages, JoinedSlice } from './joined-pages.ts';
import type { PassedBuffers } from './passed-buffers.ts';
import { pageId, pagesPerJob } from './schema.ts';

type Query = Parameters<PageStore['read']>[0];

type TextRow = readonly [deflated: Uint8Array, crc: number, length: number];

type JobState = Pick<JobRow, 'seq' | 'org' | 'status' | 'results_gone_at' | 'scraped'>;

/** Of pages one behind the other, as JSON: their numbers and the sizes of what is stored. */
interface Found {
  readonly numbers: string;
  readonly sizes: string;
}

interface FoundMetas extends Found {
  readonly checksums: string;
}

/** Pages of a job, and whether there are more behind them. */
interface Slice extends JoinedPages {
  readonly more: boolean;
}

const nothing = { numbers: '[]', sizes: '[]', checksums: '[]' };

/**
 * Reads pages in order, together with the state of their job.
 *
 * Much of what it costs is making an object for each row, and an `ArrayBuffer` for each BLOB. So metadata, which is small, is
 * joined by SQLite and comes as one BLOB, with its sizes as JSON; texts come as arrays, all at once (decision 14).
 */
export class PageReads {
  readonly #dir: string;
  readonly #db: Database;
  readonly #buffers: PassedBuffers;
  readonly #job: Statement<[string], JobState>;
  readonly #findTexts: Statement<[number, number, number], Found>;
  readonly #texts: Statement<[number, number], TextRow>;
  readonly #findMetas: Statement<[number, number, number], FoundMetas>;
  readonly #metas: Statement<[number, number], { readonly metas: Uint8Array<ArrayBuffer> }>;

  constructor(db: Database, dir: string, buffers: PassedBuffers) {
    this.#dir = dir;
    this.#buffers = buffers;
    this.#db = db;
    this.#job = db.prepare('SELECT seq, org, status, results_gone_at, scraped FROM job WHERE id = ?');
    // Sizes stand at the beginning of a row: no text is read for them.
    this.#findTexts = db.prepare(`
      SELECT json_group_array(id % ${pagesPerJob}) AS numbers, json_group_array(size) AS sizes
      FROM (SELECT id, length(deflated) AS size FROM body WHERE id > ? AND id < ? ORDER BY id LIMIT ?)`);
    this.#texts = db.prepareArrays('SELECT deflated, crc, length FROM body WHERE id > ? AND id <= ? ORDER BY id');
    this.#findMetas = db.prepare(`
      SELECT json_group_array(id % ${pagesPerJob}) AS numbers, json_group_array(size) AS sizes, json_group_array(crc) AS checksums
      FROM (SELECT id, length(meta) AS size, crc FROM page WHERE id > ? AND id < ? ORDER BY id LIMIT ?)`);
    this.#metas = db.prepare(`
      SELECT CAST(group_concat(text, '') AS BLOB) AS metas
      FROM (SELECT CAST(meta AS TEXT) AS text FROM page WHERE id > ? AND id <= ? ORDER BY id)`);
  }

  read(query: Query): JoinedSlice | undefined {
    // One read transaction: status and pages from the same snapshot.
    return this.#db.transaction('deferred', () => this.#readNow(query));
  }

  #readNow(query: Query): JoinedSlice | undefined {
    const job = this.#job.get(query.jobId);
    if (!job || job.org !== query.org) return undefined;
    const slice = query.withText ? this.#withText(job.seq, query) : this.#withoutText(job.seq, query);
    return { status: job.status, resultsGoneAt: job.results_gone_at, total: job.scraped, ...slice };
  }

  #withText(job: number, { after, limit, bytesMax }: Query): Slice {
    const from = pageId(job, after);
    const found = this.#findTexts.get(from, pageId(job + 1, 0), limit + 1) ?? nothing;
    const numbers = numbersIn(found.numbers);
    const sizes = numbersIn(found.sizes);
    // Packed first, so that no more than the limit is read; then as it is unpacked.
    const last = numbers[countWithin(sizes, limit, bytesMax) - 1];
    const rows = last === undefined ? [] : this.#texts.all(from, pageId(job, last));
    const lengths = rows.map(([, , length]) => length);
    const count = countWithin(lengths, limit, bytesMax);
    return {
      numbers: Uint32Array.from(numbers.slice(0, count)),
      sizes: Uint32Array.from(sizes.slice(0, count)),
      bytes: this.#joined(rows, count),
      texts: {
        crcs: Uint32Array.from(rows.slice(0, count), ([, crc]) => crc),
        lengths: Uint32Array.from(lengths.slice(0, count)),
      },
      more: count < numbers.length,
    };
  }

  #withoutText(job: number, { after, limit, bytesMax }: Query): Slice {
    const from = pageId(job, after);
    const found = this.#findMetas.get(from, pageId(job + 1, 0), limit + 1) ?? nothing;
    const all = numbersIn(found.numbers);
    const allSizes = numbersIn(found.sizes);
    const count = countWithin(allSizes, limit, bytesMax);
    const numbers = Uint32Array.from(all.slice(0, count));
    const sizes = Uint32Array.from(allSizes.slice(0, count));
    const last = pageId(job, numbers.at(-1) ?? after);
    const bytes = count === 0 ? new Uint8Array() : (this.#metas.get(from, last)?.metas ?? new Uint8Array());
    this.#check(job, { numbers, sizes, bytes }, JSON.parse(found.checksums) as (number | null)[]);
    return { numbers, sizes, bytes, more: count < all.length };
  }

  /** The texts of the first rows. The memory of all is given back. */
  #joined(rows: readonly TextRow[], count: number): Uint8Array<ArrayBuffer> {
    let length = 0;
    for (let index = 0; index < count; index++) length += rows[index]?.[0].length ?? 0;
    const bytes = this.#buffers.take(length);
    let at = 0;
    for (const [index, [deflated]] of rows.entries()) {
      if (index < count) bytes.set(deflated, at);
      at += deflated.length;
      freeBytes(deflated);
    }
    return bytes;
  }

  /** Throws where metadata is not what was stored. */
  #check(job: number, { numbers, sizes, bytes }: JoinedPages, checksums: readonly (number | null)[]): void {
    let at = 0;
    for (const [index, size] of sizes.entries()) {
      const meta = bytes.subarray(at, (at += size));
      if (!isAsStored(meta, checksums[index] ?? null))
        throw damaged(this.#dir, `the metadata of row ${pageId(job, numbers[index] ?? 0)} is not what was stored`);
    }
    if (at === bytes.length) return;
    throw damaged(this.#dir, `the metadata of ${numbers.length} rows has ${bytes.length} bytes, and not ${at}`);
  }
}

function numbersIn(json: string): number[] {
  return JSON.parse(json) as number[];
}

/** How many of the first rows are answered: the one that passes `bytesMax` is the last. */
function countWithin(sizes: readonly number[], limit: number, bytesMax: number): number {
  let count = 0;
  for (let bytes = 0; count < Math.min(limit, sizes.length) && bytes <= bytesMax; count++) bytes += sizes[count] ?? 0;
  return count;
}
