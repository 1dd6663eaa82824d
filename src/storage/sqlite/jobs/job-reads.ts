import type { Database, Statement } from '../file/database.ts';
import type { KnownUrl } from '../../../core/ports/frontier.ts';
import type { CrawlJob, Job, RequestHeaders } from '../../../core/job.ts';
import type { EarlierUrl, EarlierUrls } from '../../../core/ports/baselines.ts';
import type { ReextractionJob } from '../../../core/ports/reextractions.ts';
import { stoppedListedMax } from '../../../core/ports/stores.ts';
import { baselineSql } from '../../rules/jobs/baseline-rows.ts';
import { jobOf, jobSpecOf } from '../../rules/jobs/job-of-row.ts';
import { jobRowOf, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { openOf } from '../../rules/jobs/requested-now.ts';

/** Reads of jobs. */
export class JobReads {
  readonly #jobs: Statement<[string], StoredJobRow>;
  readonly #unfinished: Statement<[string], { jobs: number }>;
  readonly #reextractions: Statement<[], ReextractionJob>;
  readonly #toSeed: Statement<[], { id: string }>;
  readonly #seeding: Statement<[string], { since: number; after: number }>;
  readonly #earlierUrls: Statement<[number, number, number], Omit<EarlierUrl, 'isKnown'> & { known: number }>;
  readonly #stopped: Statement<[string | null], { id: string }>;
  readonly #ended: Statement<[string, number], { id: string; is_overdue: number }>;
  readonly #series: Statement<[string], { series: string }>;
  readonly #headers: Statement<[number], { headers: string }>;
  readonly #endedTemplates: Statement<[number], { template: string }>;
  readonly #knownUrl: Statement<[string, string], KnownUrl>;

  constructor(db: Database) {
    this.#jobs = db.prepare('SELECT * FROM job WHERE id = ?');
    this.#unfinished = db.prepare('SELECT count(*) AS jobs FROM job WHERE org = ? AND finished_at IS NULL');
    this.#toSeed = db.prepare(
      'SELECT id FROM job WHERE seeded IS NOT NULL AND finished_at IS NULL AND stopped_at IS NULL ORDER BY seq',
    );
    this.#seeding = db.prepare(
      'SELECT since, seeded AS after FROM job WHERE id = ? AND seeded IS NOT NULL AND finished_at IS NULL',
    );
    this.#earlierUrls = db.prepare(`
      SELECT id AS entry, url, depth, state, reason, detail, text_of IS NOT NULL AS known
      FROM (SELECT id, url, depth, state, reason, detail, ${baselineSql} FROM ledger l WHERE job = ? AND id > ? AND kind = 'page' ORDER BY id LIMIT ?)`);
    this.#reextractions = db.prepare(
      "SELECT id, org FROM job WHERE finished_at IS NULL AND spec ->> 'reextract' IS NOT NULL AND stopped_at IS NULL ORDER BY seq",
    );
    this.#stopped = db.prepare(
      `SELECT id FROM job WHERE stopped_at IS NOT NULL AND (?1 IS NULL OR org = ?1) ORDER BY seq DESC LIMIT ${stoppedListedMax}`,
    );
    this.#ended = db.prepare(
      'SELECT id, finished_at IS NULL AS is_overdue FROM job WHERE id IN (SELECT value FROM json_each(?)) AND (finished_at IS NOT NULL OR ends_by <= ?)',
    );
    this.#series = db.prepare(
      'SELECT series FROM job_series WHERE job = (SELECT seq FROM job WHERE id = ? AND swept = 0)',
    );
    this.#headers = db.prepare('SELECT headers FROM job_headers WHERE job = ?');
    this.#endedTemplates = db.prepare('SELECT template FROM ended_template WHERE job = ?');
    this.#knownUrl = db.prepare(`
      SELECT id, url, depth, state, reason, detail, status_code AS statusCode, attempts FROM ledger
      WHERE job = (SELECT seq FROM job WHERE id = ?) AND key = ?`);
  }

  /** `open`: the pages of a job that are requested now. */
  get(org: string, id: string, open: number | undefined): Job | undefined {
    const stored = this.#jobs.get(id);
    // mutant any-org-reads-job, security: `stored?.org === org` -> `stored`; sqlite-store "another org's job"
    return stored?.org === org ? jobOf(jobRowOf(stored), Date.now(), open) : undefined;
  }

  countUnfinished(org: string): number {
    return this.#unfinished.get(org)?.jobs ?? 0;
  }

  series(jobId: string): string | undefined {
    return this.#series.get(jobId)?.series;
  }

  toSeed(): readonly { readonly id: string }[] {
    return this.#toSeed.all();
  }

  earlierUrls(id: string, limit: number): EarlierUrls | undefined {
    const job = this.#seeding.get(id);
    if (!job) return undefined;
    const rows = this.#earlierUrls.all(job.since, job.after, limit);
    return { after: job.after, urls: rows.map((row) => Object.assign(row, { isKnown: row.known === 1 })) };
  }

  reextractions(): readonly ReextractionJob[] {
    return this.#reextractions.all();
  }

  /** @default of all orgs */
  stopped(org: string | undefined, openPages: ReadonlyMap<string, number> | undefined): readonly Job[] {
    return this.#stopped.all(org ?? null).flatMap(({ id }) => {
      const stored = this.#jobs.get(id);
      return stored ? [jobOf(jobRowOf(stored), Date.now(), openOf(openPages, id))] : [];
    });
  }

  /** The jobs among these that have ended, and whether the time of another is up. */
  ended(ids: readonly string[], now: number): { readonly ended: readonly string[]; readonly isAnyOverdue: boolean } {
    const rows = this.#ended.all(JSON.stringify(ids), now);
    return {
      ended: rows.flatMap(({ id, is_overdue: isOverdue }) => (isOverdue === 0 ? [id] : [])),
      isAnyOverdue: rows.some(({ is_overdue: isOverdue }) => isOverdue !== 0),
    };
  }

  crawlJob(id: string): CrawlJob | undefined {
    const stored = this.#jobs.get(id);
    if (!stored) return undefined;
    const row = jobRowOf(stored);
    return {
      id,
      org: row.org,
      spec: jobSpecOf(row),
      scopeHosts: JSON.parse(row.scope_hosts) as string[],
      movedStarts: JSON.parse(row.moved_starts) as Record<string, string>,
      networks: JSON.parse(row.networks) as Record<string, string>,
      headers: JSON.parse(this.#headers.get(row.seq)?.headers ?? '{}') as RequestHeaders,
      endedTemplates: this.#endedTemplates.all(row.seq).map(({ template }) => template),
    };
  }

  knownUrl(jobId: string, key: string): KnownUrl | undefined {
    return this.#knownUrl.get(jobId, key);
  }
}
