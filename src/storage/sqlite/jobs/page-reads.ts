import type { Database } from '../file/database.ts';
import type { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import type { PageStore } from '../../../core/ports/stores.ts';
import { areResultsGone, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { projectMetas } from '../../rules/pages/project-metas.ts';
import { type FragmentSlice, FragmentReads } from './fragment-reads.ts';
import { SharedReads } from './shared-reads.ts';
import { type JoinedSlice, pagesIn } from './joined-pages.ts';

type Query = Parameters<PageStore['read']>[0];

type JobState = Pick<
  StoredJobRow,
  'seq' | 'org' | 'status' | 'results_gone_at' | 'swept' | 'scraped' | 'erasures' | 'since'
>;

/** Reads pages in order, together with the state of their job. */
export class PageReads {
  readonly #db: Database;
  readonly #buffers: BufferPool;
  readonly #texts: FragmentReads;
  readonly #metas: FragmentReads;
  readonly #sharedTexts: SharedReads;
  readonly #sharedMetas: SharedReads;

  constructor(db: Database, buffers: BufferPool) {
    this.#db = db;
    this.#buffers = buffers;
    this.#texts = new FragmentReads(db, buffers, 'body');
    this.#metas = new FragmentReads(db, buffers, 'page');
    this.#sharedTexts = new SharedReads(db, buffers, 'body');
    this.#sharedMetas = new SharedReads(db, buffers, 'page');
  }

  read(query: Query): JoinedSlice | undefined {
    // One read transaction: status and pages from the same snapshot.
    return this.#db.transaction('deferred', () => this.#readNow(query));
  }

  #readNow(query: Query): JoinedSlice | undefined {
    const select = 'SELECT seq, org, status, results_gone_at, swept, scraped, erasures, since FROM job WHERE id = ?';
    const job = this.#db.get<JobState>(select, query.jobId);
    if (!job || job.org !== query.org) return undefined;
    const isGone = areResultsGone(job, Date.now());
    const slice = this.#slice(job, query);
    return { status: job.status, areResultsGone: isGone, total: job.scraped, erasures: job.erasures, ...slice };
  }

  #slice({ seq: job, scraped, since }: JobState, query: Query): FragmentSlice {
    const { after, limit, bytesMax, withText, fields } = query;
    const wanted = { job, scraped, after, limit, bytesMax };
    // Only the pages of a job with `since` can share a text.
    const [texts, metas] = since === null ? [this.#texts, this.#metas] : [this.#sharedTexts, this.#sharedMetas];
    if (withText) return texts.read(wanted);
    const slice = metas.read(wanted);
    if (!fields) return slice;
    const fewer = projected(slice, fields);
    this.#buffers.giveBack(slice.bytes.buffer);
    return fewer;
  }
}

function projected({ numbers, bytes, sizes, packed, ...end }: FragmentSlice, fields: readonly string[]): FragmentSlice {
  const pages = projectMetas([...pagesIn({ numbers, bytes, sizes, ...(packed && { packed }) })], fields);
  return {
    ...end,
    numbers,
    sizes: Uint32Array.from(pages, (page) => page.fields.length),
    bytes: new Uint8Array(Buffer.concat(pages.map((page) => page.fields))),
  };
}
