import type { KnownUrl } from '../../../core/ports/frontier.ts';
import { type CrawlJob, hasEnded, type Job, type RequestHeaders } from '../../../core/job.ts';
import {
  type LedgerEntry,
  ledgerKinds,
  type LedgerQuery,
  type LedgerSlice,
  type LedgerStatus,
  stoppedListedMax,
} from '../../../core/ports/stores.ts';
import { jobSpecOf } from '../../rules/jobs/job-of-row.ts';
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
import type { Connections, Transaction, Value } from '../connection/connections.ts';
import { type OpenPages, type ShownRow, shownSql } from './open-pages.ts';
import { nowSql } from '../connection/schema.ts';

type Asking = Pick<Connections | Transaction, 'query'>;

/** Reads of jobs and of their ledgers, each from one snapshot. */
export class JobReads {
  readonly #connections: Connections;
  readonly #open: OpenPages;

  constructor(connections: Connections, open: OpenPages) {
    this.#connections = connections;
    this.#open = open;
  }

  async get(org: string, id: string): Promise<Job | undefined> {
    const [stored] = await this.#connections.query<ShownRow>(`SELECT ${shownSql('$2')} FROM job WHERE id = $1`, [
      id,
      this.#open.own,
    ]);
    return stored?.org === org ? this.#open.jobOf(stored) : undefined;
  }

  async countUnfinished(org: string): Promise<number> {
    const [row] = await this.#connections.query<{ jobs: number }>(
      'SELECT count(*) AS jobs FROM job WHERE org = $1 AND finished_at IS NULL',
      [org],
    );
    return row?.jobs ?? 0;
  }

  async series(jobId: string): Promise<string | undefined> {
    const [row] = await this.#connections.query<{ series: string }>(
      'SELECT series FROM job_series WHERE job = (SELECT seq FROM job WHERE id = $1 AND NOT swept)',
      [jobId],
    );
    return row?.series;
  }

  /** @default of all orgs */
  async stopped(org?: string): Promise<readonly Job[]> {
    const rows = await this.#connections.query<ShownRow>(
      `SELECT ${shownSql('$1')} FROM job WHERE stopped_at IS NOT NULL AND ($2::text IS NULL OR org = $2) ORDER BY seq DESC LIMIT ${stoppedListedMax}`,
      [this.#open.own, org ?? null],
    );
    return rows.map((stored) => this.#open.jobOf(stored));
  }

  /** The jobs among these that have ended, and whether the time of another is up. */
  async ended(ids: readonly string[]): Promise<{ readonly ended: readonly string[]; readonly isAnyOverdue: boolean }> {
    const rows = await this.#connections.query<{ id: string; is_overdue: boolean }>(
      `SELECT id, finished_at IS NULL AS is_overdue FROM job WHERE id = ANY($1) AND (finished_at IS NOT NULL OR ends_by <= ${nowSql})`,
      [ids],
    );
    return {
      ended: rows.flatMap(({ id, is_overdue: isOverdue }) => (isOverdue ? [] : [id])),
      isAnyOverdue: rows.some(({ is_overdue: isOverdue }) => isOverdue),
    };
  }

  async crawlJob(id: string): Promise<CrawlJob | undefined> {
    const [stored] = await this.#connections.query<StoredJobRow & { headers: string | null; templates: string[] }>(
      `SELECT j.*, (SELECT headers FROM job_headers WHERE job = j.seq) AS headers,
         ARRAY(SELECT template FROM ended_template WHERE job = j.seq) AS templates
       FROM job j WHERE id = $1`,
      [id],
    );
    if (!stored) return undefined;
    return {
      id,
      org: stored.org,
      spec: jobSpecOf(jobRowOf(stored)),
      scopeHosts: JSON.parse(stored.scope_hosts) as string[],
      movedStarts: JSON.parse(stored.moved_starts) as Record<string, string>,
      networks: JSON.parse(stored.networks) as Record<string, string>,
      headers: JSON.parse(stored.headers ?? '{}') as RequestHeaders,
      endedTemplates: stored.templates,
    };
  }

  async knownUrl(jobId: string, key: string): Promise<KnownUrl | undefined> {
    const [known] = await this.#connections.query<KnownUrl>(
      `SELECT id, url, depth, state, reason, detail, status_code AS "statusCode", attempts FROM ledger
       WHERE job = (SELECT seq FROM job WHERE id = $1) AND key = $2`,
      [jobId, key],
    );
    return known;
  }

  listUrls(jobId: string, query: LedgerQuery): Promise<LedgerSlice> {
    // One snapshot for the state of the job and its URLs.
    return this.#connections.transaction(async (tx) => {
      const job = await rowOf(tx, jobId);
      if (!job) return { entries: [] };
      const left = entriesLeft(job, query);
      if (left === 0) return { entries: [] };
      // When listing from the start, the scan ends at the last entry that can exist.
      const limit = query.after === 0 ? Math.min(query.limit, left) : query.limit;
      const condition = query.status === undefined ? 'true' : conditions[query.status];
      const { after, reason, kind = 'page', q, foundOn } = query;
      const finder = foundOn === undefined ? null : await finderOf(tx, job, foundOn);
      if (finder === undefined) return { entries: [] };
      const searchedTo = isSearch(query) ? await lastSearched(tx, job, after, searchedMaxOf(query)) : undefined;
      const isByReason = reason !== undefined && !mayBeLeft(job, reason);
      const values: Value[] = [];
      const searched = (sql: string, value: Value): string => `${sql} $${fixedValues + values.push(value)}`;
      const where = [
        `l.kind = '${kind}'`,
        isByReason ? 'l.reason = $5' : 'true',
        condition,
        q === undefined ? 'true' : searched('lower(l.url COLLATE "C") LIKE', likePattern(q).toLowerCase()),
        finder === null ? 'true' : searched('l.found_on =', finder),
        searchedTo === undefined ? 'true' : searched('l.id <=', searchedTo),
      ].join(' AND ');
      const rows = await urlsOf(tx, job, where, [after, reason ?? null, limit, ...values]);
      return sliceOf(rows.map(entryOf), query, searchedTo);
    }, 'REPEATABLE READ READ ONLY');
  }

  findUrl(jobId: string, key: string): Promise<LedgerEntry | undefined> {
    return this.#connections.transaction(async (tx) => {
      const job = await rowOf(tx, jobId);
      if (!job) return undefined;
      for (const kind of ledgerKinds) {
        const [row] = await urlsOf(tx, job, `l.kind = '${kind}' AND l.key = $7`, [
          0,
          null,
          1,
          ledgerKey(kind, { key }),
        ]);
        if (row) return entryOf(row);
      }
      return undefined;
    }, 'REPEATABLE READ READ ONLY');
  }
}

/** `$2`: true if the job has ended. */
const conditions: Readonly<Record<LedgerStatus, string>> = {
  queued: "l.state = 'queued' AND NOT $2 AND f.fence IS NULL",
  inFlight: "l.state = 'queued' AND NOT $2 AND f.fence IS NOT NULL",
  scraped: "l.state = 'scraped'",
  discarded: "(l.state = 'discarded' OR (l.state = 'queued' AND $2))",
  failed: 'l.has_failed',
  outside: "l.state = 'outside'",
};

/** Values of {@link urlsOf} before those of its condition. */
const fixedValues = 6;

/** A queued URL that is taken is in flight. A queued URL of an ended job counts as discarded. */
function urlsOf(
  tx: Transaction,
  job: JobRow,
  condition: string,
  values: readonly [after: number, reason: string | null, limit: number, ...more: Value[]],
): Promise<LedgerRow[]> {
  return tx.query<LedgerRow>(
    `WITH listed AS (
       SELECT l.job, l.id, l.kind, l.url, l.depth, l.attempts, l.attempted_at, l.status_code, l.page, l.lastmod, l.by_script, l.found_on AS finder,
         CASE WHEN l.state <> 'queued' THEN l.state WHEN $2::boolean THEN 'discarded' WHEN f.fence IS NULL THEN 'queued' ELSE 'inFlight' END AS state,
         CASE WHEN l.state = 'queued' AND $2 THEN $3::text ELSE l.reason END AS reason,
         CASE WHEN l.state = 'queued' AND $2 THEN NULL ELSE l.detail END AS detail
       FROM ledger l LEFT JOIN frontier f ON f.id = l.id
       WHERE l.job = $1 AND l.id > $4 AND ${condition})
     SELECT e.*, p.url AS found_on FROM listed e LEFT JOIN ledger p ON p.job = e.job AND p.id = e.finder
     WHERE $5::text IS NULL OR e.reason = $5 ORDER BY e.id LIMIT $6`,
    [job.seq, hasEnded(job.status), job.end_reason, ...values],
  );
}

/** The entry of a page by its dedupe key. */
async function finderOf(tx: Transaction, { seq }: JobRow, key: string): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>('SELECT id FROM ledger WHERE job = $1 AND key = $2', [seq, key]);
  return row?.id;
}

/** The last of `max` entries; undefined if there are fewer. */
async function lastSearched(tx: Transaction, { seq }: JobRow, after: number, max: number): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(
    'SELECT id FROM ledger WHERE job = $1 AND id > $2 ORDER BY id LIMIT 1 OFFSET $3',
    [seq, after, max - 1],
  );
  return row?.id;
}

export async function rowOf(asking: Asking, id: string): Promise<JobRow | undefined> {
  const [stored] = await asking.query<StoredJobRow>('SELECT * FROM job WHERE id = $1', [id]);
  return stored && jobRowOf(stored);
}
