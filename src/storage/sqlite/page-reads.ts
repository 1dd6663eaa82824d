import type { Database, Statement } from './database.ts';
import type { Fragment, StoredPage } from '../../core/page.ts';
import type { PageSlice, PageStore } from '../../core/stores.ts';
import { isAsStored } from '../rules/meta-checksum.ts';
import { damaged } from './faults.ts';
import type { JobReads } from './job-reads.ts';
import { pageId, pageNumber } from './schema.ts';

type Query = Parameters<PageStore['read']>[0];

interface TextRow extends Fragment {
  readonly id: number;
}

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
 * joined by SQLite and comes as one BLOB, with its lengths as JSON (decision 14).
 */
export class PageReads {
  readonly #dir: string;
  readonly #db: Database;
  readonly #jobs: JobReads;
  readonly #texts: Statement<[number, number, number], TextRow>;
  readonly #metaFacts: Statement<[number, number, number], Readonly<Record<keyof MetaFacts, string>>>;
  readonly #metas: Statement<[number, number], { readonly metas: Uint8Array }>;

  constructor(db: Database, jobs: JobReads, dir: string) {
    this.#dir = dir;
    this.#db = db;
    this.#jobs = jobs;
    this.#texts = db.prepare('SELECT id, deflated, crc, length FROM body WHERE id > ? AND id < ? ORDER BY id LIMIT ?');
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
    const texts: TextRow[] = [];
    let bytes = 0;
    let more = false;
    // Row by row, since texts may be large: none is read behind the one that passes the limit.
    for (const row of this.#texts.iterate(from, end, limit + 1)) {
      more = texts.length === limit || bytes > bytesMax;
      if (more) break;
      texts.push(row);
      bytes += row.length;
    }
    const facts = this.#metaFactsOf(from, end, texts.length);
    const metas = this.#metasOf(from, facts);
    const pages = texts.flatMap(({ id, deflated, crc, length }, index) => {
      const meta = metas[index];
      // Of a job that is being removed, one may be gone before the other.
      if (!meta || facts.ids[index] !== id) return [];
      return [{ page: pageNumber(id), meta, body: { deflated, crc, length } }];
    });
    return { pages, more };
  }

  #withoutText(from: number, end: number, { limit, bytesMax }: Query): Slice {
    const { ids, lengths, checksums } = this.#metaFactsOf(from, end, limit + 1);
    let count = 0;
    for (let bytes = 0; count < Math.min(limit, ids.length) && bytes <= bytesMax; count++) bytes += lengths[count] ?? 0;
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
