import type { JobStatus } from '../../../core/job.ts';
import type { Fragment, StoredPage } from '../../../core/page.ts';
import type { PageSlice, PageStore } from '../../../core/ports/stores.ts';
import { type FragmentColumns, fragmentOf } from '../../rules/pages/checksums.ts';
import { readShared } from '../../rules/jobs/shared-pages.ts';
import { behind } from '../../rules/pages/page-slices.ts';
import { projectMetasInTurns } from '../../rules/pages/project-metas.ts';
import type { StoreParts } from '../change/parts.ts';
import { nowSql } from '../connection/schema.ts';
import { pageId, pagesPerJob } from '../../rules/jobs/page-id.ts';

type Query = Parameters<PageStore['read']>[0];

interface StateRow {
  readonly org: string;
  readonly status: JobStatus;
  readonly gone: boolean;
  readonly scraped: number;
  readonly erasures: number;
}

interface Row extends FragmentColumns {
  readonly id: number;
  /** The earlier page whose text it shares, and the columns of that. */
  readonly text_of: number | null;
  readonly text_deflated: Uint8Array | null;
  readonly text_crc: number | null;
  readonly text_length: number | null;
  readonly text_packed_crc: number | null;
  /** Pages after `after` that were examined. */
  readonly found: number;
}

/** Examines one page more than it returns. The sizes decide which pages are returned before their contents are read. */
const pagesSql = (table: string): string => `
  WITH slice AS MATERIALIZED (
    SELECT id, sum(length) OVER (ORDER BY id) - length AS before
    FROM (SELECT t.id, coalesce(e.length, t.length) AS length FROM ${table} t LEFT JOIN ${table} e ON e.id = t.text_of
      WHERE t.id > $1 AND t.id < $2 ORDER BY t.id LIMIT $3 + 1) s)
  SELECT t.id, t.deflated, t.crc, t.length, t.packed_crc, (SELECT count(*)::int FROM slice) AS found,
    t.text_of, e.deflated AS text_deflated, e.crc AS text_crc, e.length AS text_length, e.packed_crc AS text_packed_crc
  FROM slice JOIN ${table} t ON t.id = slice.id LEFT JOIN ${table} e ON e.id = t.text_of
  WHERE slice.before <= $4 ORDER BY t.id LIMIT $3`;

const stateSql = `SELECT org, status, scraped, erasures, (swept = 1 OR coalesce(results_gone_at <= ${nowSql}, false)) AS gone FROM job WHERE seq = $1`;
const texts = pagesSql('body');
const metas = pagesSql('page');

/** Reads pages in order, together with the state of their job. */
export async function readPages({ connections, facts }: StoreParts, query: Query): Promise<PageSlice | undefined> {
  const { jobId, withText, fields } = query;
  await facts.learn([jobId]);
  const seq = facts.of(jobId)?.seq;
  if (seq === undefined) return undefined;
  const slice = await connections.transaction(async (tx) => {
    const state = tx.query<StateRow>(stateSql, [seq]);
    const range = [pageId(seq, query.after), pageId(seq + 1, 0), query.limit, query.bytesMax];
    const read = tx.queryBytes<Row>(withText ? texts : metas, range);
    const [job] = await state;
    const rows = await read;
    return job?.org === query.org ? sliceOf(job, rows, query) : undefined;
  }, 'REPEATABLE READ READ ONLY');
  if (!slice || withText || !fields) return slice;
  return { ...slice, pages: await projectMetasInTurns(slice.pages, fields) };
}

/** Pages up to the first one that is not what was stored. */
function sliceOf(job: StateRow, rows: readonly Row[], { after, limit, withText }: Query): PageSlice {
  const pages: StoredPage[] = [];
  for (const row of rows) {
    const page = row.id % pagesPerJob === after + pages.length + 1 ? pageOf(row, withText) : undefined;
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
    erasures: job.erasures,
    // The driver owns their memory.
    release: () => {},
  };
}

/** Undefined if it is not what was stored. */
function pageOf(row: Row, withText: boolean): StoredPage | undefined {
  const page = row.id % pagesPerJob;
  const own = fragmentOf(row, page);
  const fragment = own && row.text_of !== null ? sharedOf(row, row.text_of % pagesPerJob, own) : own;
  if (!fragment) return undefined;
  return withText ? { page, body: fragment } : { page, meta: fragment };
}

function sharedOf(row: Row, page: number, own: Fragment): Fragment | undefined {
  const { text_deflated: deflated, text_crc: crc, text_length: length, text_packed_crc: checksum } = row;
  const earlier = fragmentOf({ deflated, crc, length, packed_crc: checksum }, page);
  return earlier && readShared(earlier, own);
}
