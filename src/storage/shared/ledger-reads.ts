// Reads of the ledgers of jobs, each from one snapshot.
import { hasEnded } from '../../core/job.ts';
import { type JobStore, ledgerKinds, type LedgerQuery, type LedgerStatus } from '../../core/ports/stores.ts';
import { ledgerKey } from '../rules/frontier/ledger.ts';
import { likePattern } from '../rules/jobs/job-lists.ts';
import type { JobRow } from '../rules/jobs/job-row.ts';
import {
  entriesLeft,
  entryOf,
  isSearch,
  type LedgerRow,
  mayBeLeft,
  searchedMaxOf,
  sliceOf,
} from '../rules/jobs/ledger-entries.ts';
import { jobRow } from './job-reads.ts';
import { all, one, type OperationsOf, type Steps } from './operation.ts';
import { either, type Fragment, isLike, joined, nothing, raw, type Sql, sql } from './sql.ts';

export const ledgerReads: OperationsOf<Pick<JobStore, 'listUrls' | 'findUrl'>> = {
  listUrls: {
    kind: 'snapshot',
    isLong: true,
    *steps(jobId: string, query: LedgerQuery) {
      const { after, limit, status, reason, kind = 'page', q, foundOn } = query;
      const job = yield* jobRow(jobId);
      if (!job) return { entries: [] };
      const left = entriesLeft(job, query);
      if (left === 0) return { entries: [] };
      const finder = foundOn === undefined ? null : yield* finderOf(job, foundOn);
      if (finder === undefined) return { entries: [] };
      const searchedTo = isSearch(query) ? yield* lastSearched(job, after, searchedMaxOf(query)) : undefined;
      const isByReason = reason !== undefined && !mayBeLeft(job, reason);
      const conditions = [
        sql`l.id > ${after} AND l.kind = ${raw(`'${kind}'`)}`,
        ...(isByReason ? [sql`l.reason = ${reason}`] : []),
        ...(status === undefined ? [] : [sql`${hasStatus(status, job)}`]),
        ...(q === undefined ? [] : [sql`${isLike(raw('l.url'), likePattern(q))}`]),
        ...(finder === null ? [] : [sql`l.found_on = ${finder}`]),
        ...(searchedTo === undefined ? [] : [sql`l.id <= ${searchedTo}`]),
      ];
      const rows = yield* entries(job, joined(' AND ', conditions), {
        index: kind === 'sitemap' ? 'ledger_sitemaps' : isByReason ? 'ledger_by_reason' : undefined,
        reason,
        // When listing from the start, the scan ends at the last entry that can exist.
        limit: after === 0 ? Math.min(limit, left) : limit,
      });
      return sliceOf(rows.map(entryOf), query, searchedTo);
    },
  },
  findUrl: {
    kind: 'snapshot',
    *steps(jobId: string, key: string) {
      const job = yield* jobRow(jobId);
      if (!job) return undefined;
      for (const kind of ledgerKinds) {
        const [row] = yield* entries(job, sql`l.kind = ${raw(`'${kind}'`)} AND l.key = ${ledgerKey(kind, { key })}`, {
          limit: 1,
        });
        if (row) return entryOf(row);
      }
      return undefined;
    },
  },
};

/** A queued URL that is taken is in flight. A queued URL of an ended job counts as discarded. */
function hasStatus(status: LedgerStatus, job: JobRow): Sql | Fragment {
  const isOver = hasEnded(job.status);
  switch (status) {
    case 'queued':
      return isOver ? raw('FALSE') : raw("l.state = 'queued' AND f.fence IS NULL");
    case 'inFlight':
      return isOver ? raw('FALSE') : raw("l.state = 'queued' AND f.fence IS NOT NULL");
    case 'discarded':
      return isOver ? raw("l.state IN ('discarded', 'queued')") : raw("l.state = 'discarded'");
    case 'failed':
      // The condition of its index.
      return either(raw("l.state = 'failed'"), raw('l.has_failed'));
    case 'scraped':
    case 'outside':
      return raw(`l.state = '${status}'`);
  }
}

function entries(
  job: JobRow,
  condition: Sql,
  {
    index,
    reason,
    limit,
  }: { readonly index?: string | undefined; readonly reason?: string | undefined; readonly limit: number },
): Steps<LedgerRow[]> {
  // What was left when the job ended has no reason of its own.
  const isLeft = hasEnded(job.status) ? raw("l.state = 'queued'") : raw('FALSE');
  return all<LedgerRow>(sql`
    WITH entry AS (
      SELECT l.job, l.id, l.kind, l.url, l.depth, l.attempts, l.attempted_at, l.status_code, l.page, l.lastmod, l.by_script, l.found_on AS finder,
        CASE WHEN ${isLeft} THEN 'discarded' WHEN l.state <> 'queued' THEN l.state WHEN f.fence IS NULL THEN 'queued' ELSE 'inFlight' END AS state,
        CASE WHEN ${isLeft} THEN CAST(${job.end_reason} AS text) ELSE l.reason END AS reason,
        CASE WHEN ${isLeft} THEN NULL ELSE l.detail END AS detail
      FROM ledger l ${either(index === undefined ? nothing : raw(`INDEXED BY ${index}`), nothing)}
        LEFT JOIN frontier f ON f.id = l.id
      WHERE l.job = ${job.seq} AND ${condition})
    SELECT e.*, p.url AS found_on FROM entry e LEFT JOIN ledger p ON p.job = e.job AND p.id = e.finder
    WHERE ${reason === undefined ? raw('TRUE') : sql`e.reason = ${reason}`} ORDER BY e.id LIMIT ${limit}`);
}

/** The entry of a page by its dedupe key. */
function* finderOf({ seq }: JobRow, key: string): Steps<number | undefined> {
  return (yield* one<{ id: number }>(sql`SELECT id FROM ledger WHERE job = ${seq} AND key = ${key}`))?.id;
}

/** The last of `max` entries; undefined if there are fewer. */
function* lastSearched({ seq }: JobRow, after: number, max: number): Steps<number | undefined> {
  const inOrder = either(raw('INDEXED BY ledger_in_order'), nothing);
  return (yield* one<{ id: number }>(
    sql`SELECT id FROM ledger ${inOrder} WHERE job = ${seq} AND id > ${after} ORDER BY id LIMIT 1 OFFSET ${max - 1}`,
  ))?.id;
}
