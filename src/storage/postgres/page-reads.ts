import { ExitError, exitCodes } from '../../core/errors.ts';
import type { JobStatus } from '../../core/job.ts';
import type { Fragment, StoredMetadata, StoredText } from '../../core/page.ts';
import type { PageSlice, PageStore } from '../../core/stores.ts';
import { isAsStored } from '../rules/meta-checksum.ts';
import type { Connections } from './connections.ts';
import type { JobFacts } from './job-facts.ts';

type Query = Parameters<PageStore['read']>[0];

interface StateRow {
  readonly org: string;
  readonly status: JobStatus;
  readonly results_gone_at: number | null;
  readonly scraped: number;
}

interface Row {
  readonly page: number;
  /** Pages behind `after`, as far as they were looked at. */
  readonly found: number;
}

interface TextRow extends Row, Fragment {}

interface MetaRow extends Row {
  readonly meta: Uint8Array;
  readonly crc: number | null;
}

/** One page further than is answered; which of them are within the size is known before what they hold is read. */
const pagesSql = (table: string, size: string, columns: string): string => `
  WITH slice AS MATERIALIZED (
    SELECT page, sum(${size}) OVER (ORDER BY page) - ${size} AS before
    FROM (SELECT * FROM ${table} WHERE job = $1 AND page > $2 ORDER BY page LIMIT $3 + 1) s)
  SELECT page, ${columns}, (SELECT count(*)::int FROM slice) AS found
  FROM slice JOIN ${table} USING (page)
  WHERE job = $1 AND slice.before <= $4 ORDER BY page LIMIT $3`;

const withText = pagesSql('body', 'length', 'deflated, crc, length');
const withoutText = pagesSql('page', 'length(meta)', 'meta, crc');

/** Reads pages in order, together with the state of their job. Rejects with an `ExitError` where metadata is damaged. */
export class PageReads {
  readonly #connections: Connections;
  readonly #facts: JobFacts;

  constructor(connections: Connections, facts: JobFacts) {
    this.#connections = connections;
    this.#facts = facts;
  }

  async read({ org, jobId, after, limit, withText: isWithText, bytesMax }: Query): Promise<PageSlice | undefined> {
    await this.#facts.learn([jobId]);
    const seq = this.#facts.of(jobId)?.seq;
    if (seq === undefined) return undefined;
    return this.#connections.transaction(async (tx) => {
      const state = tx.query<StateRow>('SELECT org, status, results_gone_at, scraped FROM job WHERE seq = $1', [seq]);
      const rows = tx.query<TextRow | MetaRow>(isWithText ? withText : withoutText, [seq, after, limit, bytesMax]);
      rows.catch(() => {});
      const [job] = await state;
      const read = await rows;
      if (!job || job.org !== org) return undefined;
      const pages = read.map((row) => ('meta' in row ? metadataOf(row, jobId) : textOf(row)));
      return {
        status: job.status,
        resultsGoneAt: job.results_gone_at,
        pages,
        more: (read[0]?.found ?? 0) > pages.length,
        total: job.scraped,
        // They lie in memory of the driver.
        release: () => {},
      };
    }, 'REPEATABLE READ READ ONLY');
  }
}

function textOf({ page, deflated, crc, length }: TextRow): StoredText {
  return { page, body: { deflated, crc, length } };
}

function metadataOf({ page, meta, crc }: MetaRow, jobId: string): StoredMetadata {
  if (isAsStored(meta, crc)) return { page, meta };
  throw new ExitError(
    exitCodes.databaseDamaged,
    `The database is damaged: the metadata of page ${page} of job ${jobId} is not what was stored. Restore it from a backup.`,
  );
}
