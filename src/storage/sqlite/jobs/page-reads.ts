import type { Database, Statement } from '../file/database.ts';
import type { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import { freeIfOwned } from '../../../core/process/free-bytes.ts';
import type { FoundScreenshot, PageStore, ScreenshotQuery } from '../../../core/ports/stores.ts';
import { areResultsGone, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { screenshotIn, type ScreenshotRow } from '../../rules/pages/screenshots.ts';
import type { JoinedSlice } from './joined-pages.ts';
import { MetaReads, type MetaSlice, projected } from './meta-reads.ts';
import { TextReads } from './text-reads.ts';
import { pageId } from '../file/schema.ts';
import { WholeJobs } from './whole-jobs.ts';

type Query = Parameters<PageStore['read']>[0];

type JobState = Pick<StoredJobRow, 'seq' | 'org' | 'status' | 'results_gone_at' | 'swept' | 'scraped'>;

/** Reads pages in order, together with the state of their job. */
export class PageReads {
  readonly #db: Database;
  readonly #jobs: WholeJobs<JobState>;
  readonly #screenshot: Statement<[number], ScreenshotRow>;
  readonly #texts: TextReads;
  readonly #metas: MetaReads;
  readonly #packedMetas: MetaReads;

  constructor(db: Database, buffers: BufferPool) {
    this.#db = db;
    this.#jobs = new WholeJobs(db, 'seq, org, status, results_gone_at, swept, scraped');
    this.#screenshot = db.prepare('SELECT type, bytes, crc FROM screenshot WHERE id = ?');
    this.#texts = new TextReads(db, buffers);
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
    // mutant any-org-reads-pages, security: without `|| job.org !== query.org`; sqlite-store "another org's job"
    if (!job || job.org !== query.org) return undefined;
    const isGone = areResultsGone({ ...job, swept: Boolean(job.swept) }, Date.now());
    const slice = this.#slice(job, query);
    return { status: job.status, areResultsGone: isGone, total: job.scraped, ...slice };
  }

  #slice({ seq: job, scraped }: JobState, query: Query): MetaSlice {
    const { after, limit, bytesMax, withText, packed = false, fields } = query;
    const wanted = { job, scraped, after, limit, bytesMax };
    if (withText) return this.#texts.read(wanted);
    if (packed && !fields) {
      const slice = this.#packedMetas.read(wanted);
      if (slice.damagedPage === undefined) return slice;
      // The packed data is damaged. Read the plain metadata, which is complete or damaged itself.
      freeIfOwned(slice.bytes);
    }
    const slice = this.#metas.read(wanted);
    return fields ? projected(slice, fields) : slice;
  }
}
