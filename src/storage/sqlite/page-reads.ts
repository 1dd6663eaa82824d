import type { Database, Statement } from './database.ts';
import type { StoredPage } from '../../core/page.ts';
import type { PageSlice, PageStore } from '../../core/stores.ts';
import type { JobReads } from './job-reads.ts';
import { pageId, pageNumber } from './schema.ts';

interface MetaRow {
  readonly id: number;
  readonly meta: Uint8Array;
}

interface TextRow extends MetaRow {
  readonly deflated: Uint8Array;
  readonly crc: number;
  readonly length: number;
}

type Query = Parameters<PageStore['read']>[0];

/** Reads pages in order, together with the state of their job. */
export class PageReads {
  readonly #db: Database;
  readonly #jobs: JobReads;
  readonly #meta: Statement<[number, number, number], MetaRow>;
  readonly #text: Statement<[number, number, number], TextRow>;

  constructor(db: Database, jobs: JobReads) {
    this.#db = db;
    this.#jobs = jobs;
    this.#meta = db.prepare('SELECT id, meta FROM page WHERE id > ? AND id < ? ORDER BY id LIMIT ?');
    this.#text = db.prepare(
      'SELECT p.id, p.meta, b.deflated, b.crc, b.length FROM page p JOIN body b ON b.id = p.id WHERE p.id > ? AND p.id < ? ORDER BY p.id LIMIT ?',
    );
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
    const pages: StoredPage[] = [];
    let more = false;
    let bytes = 0;
    if (query.withText) {
      for (const { id, meta, deflated, crc, length } of this.#text.iterate(from, end, query.limit + 1)) {
        more = pages.length === query.limit || bytes > query.bytesMax;
        if (more) break;
        pages.push({ page: pageNumber(id), meta, body: { deflated, crc, length } });
        bytes += length;
      }
    } else {
      for (const { id, meta } of this.#meta.iterate(from, end, query.limit + 1)) {
        more = pages.length === query.limit || bytes > query.bytesMax;
        if (more) break;
        pages.push({ page: pageNumber(id), meta });
        bytes += meta.length;
      }
    }
    return { status: job.status, resultsGoneAt: job.results_gone_at, pages, more, total: job.scraped };
  }
}
