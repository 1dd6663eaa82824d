import type { Database, Statement } from '../file/database.ts';
import type { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import type { BlobQuery, FoundSlice, FoundSlices, Segment } from '../../../core/ports/blobs.ts';
import type { FoundScreenshot, PageStore, ScreenshotQuery } from '../../../core/ports/stores.ts';
import { areResultsGone, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { projectMetas } from '../../rules/pages/project-metas.ts';
import { lastOf, segmentIn, type SegmentRow, within } from '../../rules/pages/raw-bodies.ts';
import { foundIn, type PlacedRow } from '../../rules/pages/screenshots.ts';
import { type FragmentSlice, FragmentReads } from './fragment-reads.ts';
import { SharedReads } from './shared-reads.ts';
import { type JoinedSlice, pagesIn } from './joined-pages.ts';
import { pageId, pagesPerJob } from '../../rules/jobs/page-id.ts';

type Query = Parameters<PageStore['read']>[0];

type JobState = Pick<
  StoredJobRow,
  'seq' | 'org' | 'status' | 'results_gone_at' | 'swept' | 'scraped' | 'erasures' | 'since'
>;

/** Reads pages in order, together with the state of their job. */
export class PageReads {
  readonly #db: Database;
  readonly #buffers: BufferPool;
  readonly #jobs: Statement<[string], JobState>;
  readonly #screenshot: Statement<[number], PlacedRow>;
  readonly #rawPages: Statement<[number, number], Omit<FoundSlice, 'page'> & { readonly id: number }>;
  readonly #segment: Statement<[number], SegmentRow>;
  readonly #texts: FragmentReads;
  readonly #metas: FragmentReads;
  readonly #sharedTexts: SharedReads;
  readonly #sharedMetas: SharedReads;

  constructor(db: Database, buffers: BufferPool) {
    this.#db = db;
    this.#buffers = buffers;
    this.#jobs = db.prepare(
      'SELECT seq, org, status, results_gone_at, swept, scraped, erasures, since FROM job WHERE id = ?',
    );
    this.#screenshot = db.prepare(
      `SELECT p.type, p.bytes, p.crc, s.object, s.object_at, s.size
       FROM screenshot p LEFT JOIN raw_segment s ON s.id = -p.id WHERE p.id = ?`,
    );
    this.#rawPages = db.prepare(
      'SELECT id, segment, at, length, crc FROM raw_page WHERE id > ? AND id <= ? ORDER BY id',
    );
    this.#segment = db.prepare('SELECT bytes, length, object, object_at, size FROM raw_segment WHERE id = ?');
    this.#texts = new FragmentReads(db, buffers, 'body');
    this.#metas = new FragmentReads(db, buffers, 'page');
    this.#sharedTexts = new SharedReads(db, buffers, 'body');
    this.#sharedMetas = new SharedReads(db, buffers, 'page');
  }

  read(query: Query): JoinedSlice | undefined {
    // One read transaction: status and pages from the same snapshot.
    return this.#db.transaction('deferred', () => this.#readNow(query));
  }

  screenshot({ org, jobId, page }: ScreenshotQuery): FoundScreenshot | undefined {
    return this.#db.transaction('deferred', () => {
      const job = this.#jobs.get(jobId);
      if (!job || job.org !== org) return undefined;
      const isGone = areResultsGone(job, Date.now());
      const row = isGone || page > job.scraped ? undefined : this.#screenshot.get(pageId(job.seq, page));
      return { areResultsGone: isGone, ...(row && foundIn(row)) };
    });
  }

  readRaw({ org, jobId, after, limit, bytesMax }: BlobQuery): FoundSlices | undefined {
    return this.#db.transaction('deferred', () => {
      const job = this.#jobs.get(jobId);
      if (!job || job.org !== org) return undefined;
      const isGone = areResultsGone(job, Date.now());
      const until = Math.min(after + limit, job.scraped);
      const rows = isGone ? [] : this.#rawPages.all(pageId(job.seq, after), pageId(job.seq, until));
      const found = rows.map(({ id, segment, at, length, crc }) => ({
        page: id % pagesPerJob,
        segment,
        at,
        length,
        crc,
      }));
      const slices = within(found, bytesMax);
      const segments = new Map<number, Segment>();
      for (const id of new Set(slices.map(({ segment }) => segment))) {
        const row = this.#segment.get(id);
        if (row) segments.set(id, segmentIn(row));
      }
      const upTo = lastOf({ after, limit, scraped: job.scraped }, found, slices);
      return { areResultsGone: isGone, slices, segments, upTo };
    });
  }

  #readNow(query: Query): JoinedSlice | undefined {
    const job = this.#jobs.get(query.jobId);
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
