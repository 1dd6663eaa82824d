import type { Database, Statement } from './database.ts';
import type { StoredPage } from '../../core/page.ts';
import type { PageSlice, PageStore } from '../../core/stores.ts';
import { isAsStored } from '../rules/meta-checksum.ts';
import { damaged } from './faults.ts';
import type { JobReads } from './job-reads.ts';
import { pageId, pageNumber } from './schema.ts';

type Query = Parameters<PageStore['read']>[0];

type TextRow = readonly [deflated: Uint8Array, crc: number, length: number];

/** Of pages one behind the other. */
interface MetaFacts {
  readonly ids: readonly number[];
  readonly lengths: readonly number[];
  readonly checksums: readonly (number | null)[];
}

interface Slice {
  readonly pages: readonly StoredPage[];
  readonly more: boolean;
}

/**
 * Reads pages in order, together with the state of their job.
 *
 * Much of what it costs is making an object for each row, and an `ArrayBuffer` for each BLOB. So metadata, which is small, is
 * joined by SQLite and comes as one BLOB, with its lengths as JSON; texts come as arrays, all at once (decision 14).
 */
export class PageReads {
  readonly #dir: string;
  readonly #db: Database;
  readonly #jobs: JobReads;
  readonly #textSizes: Statement<[number, number, number], { readonly ids: string; readonly sizes: string }>;
  readonly #texts: Statement<[number, number], TextRow>;
  readonly #metaFacts: Statement<[number, number, number], Readonly<Record<keyof MetaFacts, string>>>;
  readonly #metas: Statement<[number, number], { readonly metas: Uint8Array }>;

  constructor(db: Database, jobs: JobReads, dir: string) {
    this.#dir = dir;
    this.#db = db;
    this.#jobs = jobs;
    // Sizes stand at the beginning of a row: no text is read for them.
    this.#textSizes = db.prepare(`
      SELECT json_group_array(id) AS ids, json_group_array(size) AS sizes
      FROM (SELECT id, length(deflated) AS size FROM body WHERE id > ? AND id < ? ORDER BY id LIMIT ?)`);
    this.#texts = db.prepareArrays('SELECT deflated, crc, length FROM body WHERE id > ? AND id <= ? ORDER BY id');
    this.#metaFacts = db.prepare(`
      SELECT json_group_array(id) AS ids, json_group_array(length) AS lengths, json_group_array(crc) AS checksums
      FROM (SELECT id, length(meta) AS length, crc FROM page WHERE id > ? AND id < ? ORDER BY id LIMIT ?)`);
    this.#metas = db.prepare(`
      SELECT CAST(group_concat(text, '') AS BLOB) AS metas
      FROM (SELECT CAST(meta AS TEXT) AS text FROM page WHERE id > ? AND id <= ? ORDER BY id)`);
  }

  read(query: Query): PageSlice | undefined {
    // One read transaction: status and pages from the same snapshot.
    return this.#db.transaction('deferred', () => this.#readNow(query));
  }

  #readNow(query: Query): PageSlice | undefined {
    const job = this.#jobs.row(query.jobId);
    if (!job || job.org !== query.org) return undefined;
    const from = pageId(job.seq, query.after);
    const end = pageId(job.seq + 1, 0);
    const slice = query.withText ? this.#withText(from, end, query) : this.#withoutText(from, end, query);
    return { status: job.status, resultsGoneAt: job.results_gone_at, ...slice, total: job.scraped };
  }

  #withText(from: number, end: number, { limit, bytesMax }: Query): Slice {
    const { ids: idList = '[]', sizes = '[]' } = this.#textSizes.get(from, end, limit + 1) ?? {};
    const ids = JSON.parse(idList) as number[];
    // Packed first, so that no more than the limit is read; then as it is unpacked.
    const readCount = countWithin(JSON.parse(sizes) as number[], limit, bytesMax);
    const last = ids[readCount - 1];
    const texts = last === undefined ? [] : this.#texts.all(from, last);
    const lengths = texts.map(([, , length]) => length);
    const count = countWithin(lengths, limit, bytesMax);
    const pages = texts.slice(0, count).map(([deflated, crc, length], index) => {
      return { page: pageNumber(ids[index] ?? 0), body: { deflated, crc, length } };
    });
    return { pages, more: count < ids.length };
  }

  #withoutText(from: number, end: number, { limit, bytesMax }: Query): Slice {
    const { ids, lengths, checksums } = this.#metaFactsOf(from, end, limit + 1);
    const count = countWithin(lengths, limit, bytesMax);
    const metas = this.#metasOf(from, { ids: ids.slice(0, count), lengths, checksums });
    const pages = metas.map((meta, index) => ({ page: pageNumber(ids[index] ?? 0), meta }));
    return { pages, more: count < ids.length };
  }

  #metaFactsOf(from: number, end: number, limit: number): MetaFacts {
    const { ids = '[]', lengths = '[]', checksums = '[]' } = this.#metaFacts.get(from, end, limit) ?? {};
    return {
      ids: JSON.parse(ids) as number[],
      lengths: JSON.parse(lengths) as number[],
      checksums: JSON.parse(checksums) as (number | null)[],
    };
  }

  /** The metadata of the first pages behind `from`, as many as there are ids. Throws where it is not what was stored. */
  #metasOf(from: number, { ids, lengths, checksums }: MetaFacts): Uint8Array[] {
    const last = ids.at(-1);
    if (last === undefined) return [];
    const joined = this.#metas.get(from, last)?.metas ?? new Uint8Array();
    let at = 0;
    const metas = ids.map((id, index) => {
      const meta = joined.subarray(at, (at += lengths[index] ?? 0));
      if (isAsStored(meta, checksums[index] ?? null)) return meta;
      throw damaged(this.#dir, `the metadata of row ${id} is not what was stored`);
    });
    if (at === joined.length) return metas;
    throw damaged(this.#dir, `the metadata up to row ${last} has ${joined.length} bytes, and not ${at}`);
  }
}

/** How many of the first rows are answered: the one that passes `bytesMax` is the last. */
function countWithin(sizes: readonly number[], limit: number, bytesMax: number): number {
  let count = 0;
  for (let bytes = 0; count < Math.min(limit, sizes.length) && bytes <= bytesMax; count++) bytes += sizes[count] ?? 0;
  return count;
}
