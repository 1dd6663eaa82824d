import type { Database, Statement } from '../file/database.ts';
import { hasEnded } from '../../../core/job.ts';
import {
  type LedgerEntry,
  type LedgerKind,
  ledgerKinds,
  type LedgerQuery,
  type LedgerSlice,
  type LedgerStatus,
} from '../../../core/ports/stores.ts';
import { type JobRow, jobRowOf, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { likePattern } from '../../rules/jobs/job-lists.ts';
import {
  entriesLeft,
  entryOf,
  isSearch,
  type LedgerRow,
  mayBeLeft,
  searchedMaxOf,
  sliceOf,
} from '../../rules/jobs/ledger-entries.ts';
import { ledgerKey } from '../../rules/frontier/ledger.ts';

type UrlsStatement = Statement<[Record<string, string | number | null>], LedgerRow>;

interface Rows {
  readonly rows: readonly LedgerRow[];
  readonly searchedTo?: number | undefined;
}

/** SQL of each status. A queued URL that is taken is in flight. A queued URL of an ended job counts as discarded. */
const conditions: Readonly<Record<LedgerStatus, string>> = {
  queued: "l.state = 'queued' AND NOT @ended AND f.fence IS NULL",
  inFlight: "l.state = 'queued' AND NOT @ended AND f.fence IS NOT NULL",
  scraped: "l.state = 'scraped'",
  discarded: "(l.state = 'discarded' OR (l.state = 'queued' AND @ended))",
  failed: "l.state = 'failed'",
  outside: "l.state = 'outside'",
};

/** Reads of the ledgers of jobs, each from one snapshot. */
export class LedgerReads {
  readonly #db: Database;
  readonly #jobs: Statement<[string], StoredJobRow>;
  readonly #byKey: UrlsStatement;
  readonly #finder: Statement<[number, string], { id: number }>;
  readonly #lastSearched: Statement<[number, number, number], { id: number }>;
  /** By their SQL. Each is prepared when it is first needed. */
  readonly #lists = new Map<string, UrlsStatement>();

  constructor(db: Database) {
    this.#db = db;
    this.#jobs = db.prepare('SELECT * FROM job WHERE id = ?');
    this.#finder = db.prepare('SELECT id FROM ledger WHERE job = ? AND key = ?');
    this.#lastSearched = db.prepare(
      'SELECT id FROM ledger INDEXED BY ledger_in_order WHERE job = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?',
    );
    this.#byKey = db.prepare(urlsSql('ledger l', 'l.kind = @kind AND l.key = @key'));
  }

  listUrls(jobId: string, query: LedgerQuery): LedgerSlice {
    // One read transaction: the state of the job and its URLs come from the same snapshot.
    const { rows, searchedTo } = this.#db.transaction('deferred', () => this.#rows(jobId, query));
    return sliceOf(rows.map(entryOf), query, searchedTo);
  }

  findUrl(jobId: string, key: string): LedgerEntry | undefined {
    const [row] = this.#db.transaction('deferred', () => {
      const job = this.#jobRow(jobId);
      if (!job) return [];
      const some = { ...parametersOf(job), after: 0, limit: 1, reason: null };
      return ledgerKinds.flatMap((kind) => this.#byKey.all({ ...some, kind, key: ledgerKey(kind, { key }) }));
    });
    return row && entryOf(row);
  }

  #jobRow(id: string): JobRow | undefined {
    const stored = this.#jobs.get(id);
    return stored && jobRowOf(stored);
  }

  #rows(jobId: string, query: LedgerQuery): Rows {
    const { after, limit, status, reason, kind = 'page', q, foundOn } = query;
    const job = this.#jobRow(jobId);
    if (!job) return { rows: [] };
    const left = entriesLeft(job, query);
    if (left === 0) return { rows: [] };
    const finder = foundOn === undefined ? null : this.#finder.get(job.seq, foundOn)?.id;
    if (finder === undefined) return { rows: [] };
    const searchedTo = isSearch(query)
      ? this.#lastSearched.get(job.seq, after, searchedMaxOf(query) - 1)?.id
      : undefined;
    const rows = this.#list(kind, status, reason !== undefined && !mayBeLeft(job, reason), query).all({
      ...parametersOf(job),
      after,
      // When listing from the start, the scan ends at the last entry that can exist.
      limit: after === 0 ? Math.min(limit, left) : limit,
      reason: reason ?? null,
      finder,
      like: q === undefined ? null : likePattern(q),
      searchedTo: searchedTo ?? Number.MAX_SAFE_INTEGER,
    });
    return { rows, searchedTo };
  }

  #list(
    kind: LedgerKind,
    status: LedgerStatus | undefined,
    isByReason: boolean,
    { q, foundOn }: LedgerQuery,
  ): UrlsStatement {
    const index = kind === 'sitemap' ? 'ledger_sitemaps' : isByReason ? 'ledger_by_reason' : undefined;
    const sql = urlsSql(
      index === undefined ? 'ledger l' : `ledger l INDEXED BY ${index}`,
      [
        `l.kind = '${kind}'`,
        isByReason ? 'l.reason = @reason' : 'TRUE',
        status === undefined ? 'TRUE' : conditions[status],
        q === undefined ? 'TRUE' : String.raw`l.url LIKE @like ESCAPE '\'`,
        foundOn === undefined ? 'TRUE' : 'l.found_on = @finder',
        q === undefined && foundOn === undefined ? 'TRUE' : 'l.id <= @searchedTo',
      ].join(' AND '),
    );
    const known = this.#lists.get(sql);
    if (known) return known;
    const statement: UrlsStatement = this.#db.prepare(sql);
    this.#lists.set(sql, statement);
    return statement;
  }
}

function urlsSql(from: string, condition: string): string {
  return `
    WITH entry AS (
      SELECT l.id, l.kind, l.url, l.depth, l.attempts, l.attempted_at, l.status_code, l.page, l.lastmod, l.by_script, l.found_on AS finder,
        CASE WHEN l.state <> 'queued' THEN l.state WHEN @ended THEN 'discarded' WHEN f.fence IS NULL THEN 'queued' ELSE 'inFlight' END AS state,
        CASE WHEN l.state = 'queued' AND @ended THEN @endReason ELSE l.reason END AS reason,
        CASE WHEN l.state = 'queued' AND @ended THEN NULL ELSE l.detail END AS detail
      FROM ${from} LEFT JOIN frontier f ON f.id = l.id
      WHERE l.job = @job AND l.id > @after AND ${condition})
    SELECT e.*, p.url AS found_on FROM entry e LEFT JOIN ledger p ON p.id = e.finder
    WHERE @reason IS NULL OR e.reason = @reason
    ORDER BY e.id LIMIT @limit`;
}

function parametersOf(job: JobRow): { job: number; ended: number; endReason: string | null } {
  return { job: job.seq, ended: hasEnded(job.status) ? 1 : 0, endReason: job.end_reason };
}
