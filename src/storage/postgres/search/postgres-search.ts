import { DatabaseError } from 'pg';
import type { Fragment } from '../../../core/page.ts';
import type { SearchPhrase } from '../../../core/ports/search.ts';
import { type FragmentColumns, fragmentOf } from '../../rules/pages/checksums.ts';
import { pageText } from '../../rules/search/page-text.ts';
import {
  batchBytesMax,
  batchMsMax,
  hitsMax,
  indexVersion,
  type IndexStep,
  notIndexed,
  type RankedPage,
  type SearchedJob,
  type SearchEngine,
  type Wanted,
} from '../../rules/search/search-engine.ts';
import type { Connections, Transaction } from '../connection/connections.ts';
import { runSteps } from '../connection/run-steps.ts';
import { jobToSearch } from '../../shared/job-reads.ts';
import { indexedWord, vectorOf } from './vectors.ts';
import { pagesPerJob } from '../../rules/jobs/page-id.ts';

const diskFull = '53100';
const pagesPerBatch = 200;

interface IndexRow {
  readonly indexed: number;
  readonly damaged: number;
}

interface TextRow extends FragmentColumns {
  readonly page: number;
}

/** As many as fit, and at least one. A shared text has the checksum of a page with another number. */
const fitting = (rows: string): string => `
  WITH sized AS MATERIALIZED (SELECT page, nr, sum(length) OVER (ORDER BY nr) - length AS before FROM (${rows}) s)
  SELECT sized.page, coalesce(e.deflated, b.deflated) AS deflated, coalesce(e.crc, b.crc) AS crc, coalesce(e.length, b.length) AS length,
    coalesce(e.packed_crc # e.id % ${pagesPerJob} # sized.page, b.packed_crc) AS packed_crc
  FROM sized JOIN body b ON b.id = $1 * ${pagesPerJob}::bigint + sized.page LEFT JOIN body e ON e.id = b.text_of
  WHERE before <= $2 ORDER BY nr`;
const nextTexts = fitting(
  `SELECT id % ${pagesPerJob} AS page, id AS nr, length FROM body
   WHERE id > $1 * ${pagesPerJob}::bigint + $3 AND id <= $1 * ${pagesPerJob}::bigint + $4 ORDER BY id LIMIT ${pagesPerBatch}`,
);
const textsOfPages = fitting(
  `SELECT n.page, n.nr, b.length FROM unnest($3::int[]) WITH ORDINALITY n (page, nr) JOIN body b ON b.id = $1 * ${pagesPerJob}::bigint + n.page`,
);

/**
 * Searches with `tsvector` and a GIN index, in tables of their own. Several processes can index different jobs, and one at
 * a time each job: the others wait for its progress.
 */
export class PostgresSearch implements SearchEngine {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async look(jobId: string): Promise<SearchedJob | undefined> {
    const job = await runSteps(this.#connections, jobToSearch(jobId));
    if (!job) return undefined;
    const [index] = await this.#connections.query<IndexRow>(
      `SELECT indexed, damaged FROM search_job WHERE job = $1 AND version = ${indexVersion}`,
      [job.seq],
    );
    return { ...job, ...(index ?? notIndexed) };
  }

  async indexSome({ id, seq, format }: SearchedJob): Promise<IndexStep> {
    try {
      // Alone: within the transaction, another process would wait for the end of a batch here.
      await this.#connections.query(
        `INSERT INTO search_job (job, version) VALUES ($1, ${indexVersion}) ON CONFLICT DO NOTHING`,
        [seq],
      );
      return await this.#connections.transaction(async (tx) => {
        const [index] = await tx.query<IndexRow & { readonly version: number }>(
          'SELECT indexed, damaged, version FROM search_job WHERE job = $1 FOR UPDATE SKIP LOCKED',
          [seq],
        );
        if (!index) return 'busy';
        const job = await runSteps(tx, jobToSearch(id));
        if (!job || job.areResultsGone) return { pages: 0 };
        if (index.version !== indexVersion) {
          tx.send('DELETE FROM search_page WHERE job = $1', [seq]);
          tx.send(`UPDATE search_job SET indexed = 0, damaged = 0, version = ${indexVersion} WHERE job = $1`, [seq]);
          return 'busy';
        }
        return { pages: await this.#indexNow(tx, { seq, format, index, pages: job.pages }) };
      });
    } catch (error) {
      if (error instanceof DatabaseError && error.code === diskFull) return 'disk_full';
      throw error;
    }
  }

  async find({ seq }: SearchedJob, { phrases, offset, limit, upToPage }: Wanted): Promise<readonly RankedPage[]> {
    // No condition on the job: its words say it, and the planner must not choose another index for it. Ranking reads the
    // whole vector of a page, so only some pages are ranked.
    return this.#connections.query<RankedPage>(
      `WITH found AS MATERIALIZED (
         SELECT page, words FROM search_page WHERE words @@ $1::tsquery AND page <= $2 ORDER BY page LIMIT ${hitsMax})
       SELECT page, ts_rank(words, $1::tsquery, 1)::float8 AS score FROM found ORDER BY score DESC, page LIMIT $3 OFFSET $4`,
      [queryOf(seq, phrases), upToPage, limit, offset],
    );
  }

  async read(
    { seq }: SearchedJob,
    pages: readonly number[],
    bytesMax: number,
  ): Promise<readonly (Fragment | undefined)[]> {
    if (pages.length === 0) return [];
    const rows = await this.#connections.queryBytes<TextRow>(textsOfPages, [seq, bytesMax, pages]);
    const last = pages.findLastIndex((page) => page === rows.at(-1)?.page);
    // A page without a row is damaged; pages after the last row did not fit, unless none of them has one.
    const count = rows.length === 0 ? pages.length : last + 1;
    const texts = new Map(rows.map((row) => [row.page, fragmentOf(row, row.page)]));
    return pages.slice(0, count).map((page) => texts.get(page));
  }

  async discard(job?: SearchedJob): Promise<void> {
    if (!job) return;
    await this.#connections.transaction(async (tx) => {
      await tx.query('SELECT 1 FROM search_job WHERE job = $1 FOR UPDATE', [job.seq]);
      tx.send('DELETE FROM search_page WHERE job = $1', [job.seq]);
      tx.send('DELETE FROM search_job WHERE job = $1', [job.seq]);
    });
  }

  sweep(): Promise<void> {
    return sweepSearch(this.#connections);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #indexNow(
    tx: Transaction,
    { seq, format, index, pages }: Pick<SearchedJob, 'seq' | 'format' | 'pages'> & { readonly index: IndexRow },
  ): Promise<number> {
    const rows = await tx.queryBytes<TextRow>(nextTexts, [seq, batchBytesMax, index.indexed, pages]);
    const until = performance.now() + batchMsMax;
    const numbers: number[] = [];
    const vectors: string[] = [];
    let { damaged, indexed: last } = index;
    for (const row of rows) {
      damaged += row.page - last - 1;
      last = row.page;
      const text = pageText(fragmentOf(row, row.page), format);
      if (text) {
        numbers.push(row.page);
        vectors.push(vectorOf(seq, text));
      } else damaged++;
      if (performance.now() >= until) break;
    }
    if (rows.length === 0) {
      damaged += pages - last;
      last = pages;
    }
    tx.send(
      'INSERT INTO search_page (job, page, words) SELECT $1, page, words::tsvector FROM unnest($2::int[], $3::text[]) t (page, words)',
      [seq, numbers, vectors],
    );
    tx.send('UPDATE search_job SET indexed = $2, damaged = $3 WHERE job = $1', [seq, last, damaged]);
    return last - index.indexed;
  }
}

/** Pages removed in one step. */
const rowsPerStep = 2_000;

/** Removes the index of jobs whose results are gone. Several processes can do so. */
export async function sweepSearch(connections: Connections): Promise<void> {
  for (let isMore = true; isMore;) {
    isMore = await connections.transaction(async (tx) => {
      const [gone] = await tx.query<{ job: number }>(
        `SELECT s.job FROM search_job s WHERE NOT EXISTS (SELECT 1 FROM job j WHERE j.seq = s.job AND j.swept = 0)
         LIMIT 1 FOR UPDATE OF s SKIP LOCKED`,
      );
      if (!gone) return false;
      const removed = await tx.run(
        `DELETE FROM search_page WHERE ctid = ANY(ARRAY(SELECT ctid FROM search_page WHERE job = $1 ORDER BY job, page LIMIT ${rowsPerStep}))`,
        [gone.job],
      );
      if (removed < rowsPerStep) tx.send('DELETE FROM search_job WHERE job = $1', [gone.job]);
      return true;
    });
  }
}

/** Words consist of letters and digits, so that nothing in them is syntax. */
function queryOf(job: number, phrases: readonly SearchPhrase[]): string {
  return phrases
    .map(({ words, isPrefix }) => {
      const written = words.map((word) => indexedWord(job, word));
      return `(${written.join(' <-> ')}${isPrefix ? ':*' : ''})`;
    })
    .join(' & ');
}
