import type { JobStatus } from '../../../core/job.ts';
import type { Fragment, StoredMetadata, StoredPage } from '../../../core/page.ts';
import type { FoundScreenshot, PageSlice, PageStore, ScreenshotQuery } from '../../../core/ports/stores.ts';
import { isMetaAsStored, isTextAsStored, packedMetaIn } from '../../rules/pages/checksums.ts';
import { behind } from '../../rules/pages/page-slices.ts';
import { screenshotIn, type ScreenshotRow } from '../../rules/pages/screenshots.ts';
import { projectMetasInTurns } from '../../rules/pages/project-metas.ts';
import type { Connections } from '../connection/connections.ts';
import type { JobFacts } from '../change/job-facts.ts';
import { nowSql } from '../connection/schema.ts';

type Query = Parameters<PageStore['read']>[0];

interface StateRow {
  readonly org: string;
  readonly status: JobStatus;
  readonly gone: boolean;
  readonly scraped: number;
}

interface Row {
  readonly page: number;
  /** Pages after `after` that were examined. */
  readonly found: number;
}

interface TextRow extends Row, Fragment {
  readonly packed_crc: number;
}

interface MetaRow extends Row {
  readonly meta: Uint8Array;
  readonly crc: number;
}

interface PackedMetaRow extends Row {
  readonly packed: Uint8Array;
  readonly crc: number;
  readonly length: number;
  readonly packed_crc: number;
}

type AnyRow = TextRow | MetaRow | PackedMetaRow;

/** Examines one page more than it returns. The sizes decide which pages are returned before their contents are read. */
const pagesSql = (table: string, size: string, columns: string): string => `
  WITH slice AS MATERIALIZED (
    SELECT page, sum(${size}) OVER (ORDER BY page) - ${size} AS before
    FROM (SELECT * FROM ${table} WHERE job = $1 AND page > $2 ORDER BY page LIMIT $3 + 1) s)
  SELECT page, ${columns}, (SELECT count(*)::int FROM slice) AS found
  FROM slice JOIN ${table} USING (page)
  WHERE job = $1 AND slice.before <= $4 ORDER BY page LIMIT $3`;

const stateSql = `SELECT org, status, scraped, (swept OR coalesce(results_gone_at <= ${nowSql}, false)) AS gone FROM job WHERE seq = $1`;
const texts = pagesSql('body', 'length', 'deflated, crc, length, packed_crc');
const metas = pagesSql('page', 'octet_length(meta)', 'meta, crc');
const packedMetas = pagesSql('page', 'octet_length(meta)', 'packed, crc, octet_length(meta) AS length, packed_crc');

/** Reads pages in order, together with the state of their job. */
export class PageReads {
  readonly #connections: Connections;
  readonly #facts: JobFacts;

  constructor(connections: Connections, facts: JobFacts) {
    this.#connections = connections;
    this.#facts = facts;
  }

  async read(query: Query): Promise<PageSlice | undefined> {
    const { jobId, withText, packed = false, fields } = query;
    await this.#facts.learn([jobId]);
    const seq = this.#facts.of(jobId)?.seq;
    if (seq === undefined) return undefined;
    const isPacked = !withText && packed && !fields;
    const slice = await this.#connections.transaction(async (tx) => {
      const state = tx.query<StateRow>(stateSql, [seq]);
      const read = (sql: string): Promise<AnyRow[]> =>
        tx.query<AnyRow>(sql, [seq, query.after, query.limit, query.bytesMax]);
      const first = read(withText ? texts : isPacked ? packedMetas : metas);
      first.catch(() => {});
      const [job] = await state;
      const rows = await first;
      if (!job || job.org !== query.org) return undefined;
      const stored = sliceOf(job, rows, query);
      // The packed data is damaged. Read the plain metadata, which is complete or damaged itself.
      return isPacked && stored.damagedPage !== undefined ? sliceOf(job, await read(metas), query) : stored;
    }, 'REPEATABLE READ READ ONLY');
    if (!slice || withText || !fields) return slice;
    return { ...slice, pages: await projectMetasInTurns(slice.pages.filter(isPlain), fields) };
  }

  async screenshot({ org, jobId, page }: ScreenshotQuery): Promise<FoundScreenshot | undefined> {
    await this.#facts.learn([jobId]);
    const seq = this.#facts.of(jobId)?.seq;
    if (seq === undefined) return undefined;
    const [row] = await this.#connections.query<StateRow & ScreenshotRow>(
      `SELECT j.org, j.gone, s.type, s.bytes, s.crc FROM (${stateSql}) j LEFT JOIN screenshot s ON s.job = $1 AND s.page = $2 AND NOT j.gone`,
      [seq, page],
    );
    if (row?.org !== org) return undefined;
    return { areResultsGone: row.gone, ...(row.type !== null && { screenshot: screenshotIn(row) }) };
  }
}

/** Pages up to the first one that is not what was stored. */
function sliceOf(job: StateRow, rows: readonly AnyRow[], { after, limit }: Query): PageSlice {
  const pages: StoredPage[] = [];
  for (const row of rows) {
    const page = row.page === after + pages.length + 1 ? pageOf(row) : undefined;
    if (!page) break;
    pages.push(page);
  }
  const { scraped } = job;
  const isCut = rows.length < Math.min(limit, rows[0]?.found ?? 0);
  return {
    status: job.status,
    areResultsGone: job.gone,
    pages,
    ...behind({ after, count: pages.length, wanted: isCut ? rows.length : limit, scraped }),
    total: scraped,
    // The driver owns their memory.
    release: () => {},
  };
}

/** Undefined if it is not what was stored. */
function pageOf(row: AnyRow): StoredPage | undefined {
  const { page, crc } = row;
  if ('meta' in row) return isMetaAsStored(row.meta, crc) ? { page, meta: row.meta } : undefined;
  if ('packed' in row) return packedMetaIn(page, { ...row, packedCrc: row.packed_crc });
  const body = { deflated: row.deflated, crc: row.crc, length: row.length };
  return isTextAsStored(page, body, row.packed_crc) ? { page, body } : undefined;
}

function isPlain(page: StoredPage): page is StoredMetadata {
  return page.meta !== undefined;
}
