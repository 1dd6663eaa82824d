import type { Database, Statement } from './database.ts';
import type { CrawlJob, Job, JobStatus, RequestHeaders } from '../../core/job.ts';
import { hasEnded } from '../../core/job.ts';
import type { LedgerEntry, LedgerStatus } from '../../core/stores.ts';
import { jobOf, jobSpecOf } from '../rules/job-of-row.ts';
import { type JobRow, jobRowOf, type StoredJobRow } from '../rules/job-row.ts';
import { countOf, entryOf, type LedgerRow } from '../rules/ledger-entries.ts';

type UrlsStatement = Statement<[Record<string, string | number | null>], LedgerRow>;

/** Reads of jobs and of their ledgers, each from one snapshot. */
export class JobReads {
  readonly #db: Database;
  readonly #byId: Statement<[string], StoredJobRow>;
  readonly #list: Statement<[string, string, string | null, string | null, number], StoredJobRow>;
  readonly #unfinished: Statement<[string], { jobs: number }>;
  readonly #ended: Statement<[string], { id: string }>;
  readonly #headers: Statement<[number], { headers: string }>;
  readonly #endedTemplates: Statement<[number], { template: string }>;
  readonly #allUrls: UrlsStatement;
  readonly #urlByKey: UrlsStatement;
  readonly #urls: Readonly<Record<LedgerStatus, UrlsStatement>>;

  constructor(db: Database) {
    this.#db = db;
    this.#byId = db.prepare('SELECT * FROM job WHERE id = ?');
    this.#list = db.prepare(
      'SELECT * FROM job WHERE org = ? AND id > ? AND (? IS NULL OR status = ?) ORDER BY id LIMIT ?',
    );
    this.#unfinished = db.prepare('SELECT count(*) AS jobs FROM job WHERE org = ? AND finished_at IS NULL');
    this.#ended = db.prepare(
      'SELECT id FROM job WHERE id IN (SELECT value FROM json_each(?)) AND finished_at IS NOT NULL',
    );
    this.#headers = db.prepare('SELECT headers FROM job_headers WHERE job = ?');
    this.#endedTemplates = db.prepare('SELECT template FROM ended_template WHERE job = ?');
    const prepareUrls = (condition: string): UrlsStatement => db.prepare(urlsSql(condition));
    this.#allUrls = prepareUrls('TRUE');
    this.#urlByKey = prepareUrls('l.key = @key');
    this.#urls = {
      queued: prepareUrls("l.state = 'queued' AND NOT @ended AND f.fence IS NULL"),
      inFlight: prepareUrls("l.state = 'queued' AND NOT @ended AND f.fence IS NOT NULL"),
      scraped: prepareUrls("l.state = 'scraped'"),
      discarded: prepareUrls("(l.state = 'discarded' OR (l.state = 'queued' AND @ended))"),
      failed: prepareUrls("l.state = 'failed'"),
    };
  }

  row(id: string): JobRow | undefined {
    const stored = this.#byId.get(id);
    return stored && jobRowOf(stored);
  }

  get(org: string, id: string): Job | undefined {
    const row = this.row(id);
    return row?.org === org ? jobOf(row) : undefined;
  }

  list(
    org: string,
    query: { readonly after?: string; readonly limit: number; readonly status?: JobStatus },
  ): readonly Job[] {
    const status = query.status ?? null;
    return this.#list.all(org, query.after ?? '', status, status, query.limit).map((stored) => jobOf(jobRowOf(stored)));
  }

  countUnfinished(org: string): number {
    return this.#unfinished.get(org)?.jobs ?? 0;
  }

  ended(ids: readonly string[]): readonly string[] {
    return this.#ended.all(JSON.stringify(ids)).map(({ id }) => id);
  }

  crawlJob(id: string): CrawlJob | undefined {
    const row = this.row(id);
    if (!row) return undefined;
    return {
      id,
      spec: jobSpecOf(row),
      scopeHosts: JSON.parse(row.scope_hosts) as string[],
      headers: JSON.parse(this.#headers.get(row.seq)?.headers ?? '{}') as RequestHeaders,
      endedTemplates: this.#endedTemplates.all(row.seq).map(({ template }) => template),
    };
  }

  listUrls(
    jobId: string,
    query: { readonly after: number; readonly limit: number; readonly status?: LedgerStatus; readonly reason?: string },
  ): readonly LedgerEntry[] {
    // One read transaction: whether the job has ended and its URLs from the same snapshot.
    return this.#db.transaction('deferred', () => this.#urlRows(jobId, query)).map(entryOf);
  }

  findUrl(jobId: string, key: string): LedgerEntry | undefined {
    const [row] = this.#db.transaction('deferred', () => {
      const job = this.row(jobId);
      return job ? this.#urlByKey.all({ ...parametersOf(job), after: 0, limit: 1, reason: null, key }) : [];
    });
    return row && entryOf(row);
  }

  #urlRows(
    jobId: string,
    query: { readonly after: number; readonly limit: number; readonly status?: LedgerStatus; readonly reason?: string },
  ): readonly LedgerRow[] {
    const job = this.row(jobId);
    if (!job) return [];
    // Looking for what is not there would read the whole ledger: 0.17 s of a million URLs.
    const left = query.status === undefined ? query.limit : countOf(job, query.status);
    if (left === 0) return [];
    const urls = query.status === undefined ? this.#allUrls : this.#urls[query.status];
    return urls.all({
      ...parametersOf(job),
      after: query.after,
      // Where all are asked for, the last one ends the search.
      limit: query.after === 0 && query.reason === undefined ? Math.min(query.limit, left) : query.limit,
      reason: query.reason ?? null,
    });
  }
}

/** Entries of one status. What is queued and taken is in flight; what is queued when its job has ended counts as discarded. */
function urlsSql(condition: string): string {
  return `
    WITH entry AS (
      SELECT l.id, l.url, l.depth, l.attempts, l.status_code, l.page, l.lastmod, l.found_on AS finder,
        CASE WHEN l.state <> 'queued' THEN l.state WHEN @ended THEN 'discarded' WHEN f.fence IS NULL THEN 'queued' ELSE 'inFlight' END AS state,
        CASE WHEN l.state = 'queued' AND @ended THEN @endReason ELSE l.reason END AS reason,
        CASE WHEN l.state = 'queued' AND @ended THEN NULL ELSE l.detail END AS detail
      FROM ledger l LEFT JOIN frontier f ON f.id = l.id
      WHERE l.job = @job AND l.id > @after AND l.kind = 'page' AND ${condition})
    SELECT e.*, p.url AS found_on FROM entry e LEFT JOIN ledger p ON p.id = e.finder
    WHERE @reason IS NULL OR e.reason = @reason
    ORDER BY e.id LIMIT @limit`;
}

function parametersOf(job: JobRow): { job: number; ended: number; endReason: string | null } {
  return { job: job.seq, ended: hasEnded(job.status) ? 1 : 0, endReason: job.end_reason };
}
