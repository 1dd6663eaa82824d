// The statements of the embedded store on a database in memory, without its threads: each call is one transaction.
import assert from 'node:assert/strict';
import { hasEnded, type JobStatus } from '../../src/core/job.ts';
import type { NewJob, Swept } from '../../src/core/ports/stores.ts';
import { checkJobs, whatIsWrong } from '../../src/storage/sqlite/maintain/check-database.ts';
import { Database, type Statement } from '../../src/storage/sqlite/file/database.ts';
import type { CrawlJob } from '../../src/core/job.ts';
import type { KnownUrl } from '../../src/core/ports/frontier.ts';
import { endings, frontierReads } from '../../src/storage/shared/job-reads.ts';
import { runSteps } from '../../src/storage/sqlite/file/run-steps.ts';
import { migrate } from '../../src/storage/sqlite/file/schema.ts';
import { Sweeping } from '../../src/storage/sqlite/jobs/sweeping.ts';
import { createWrites, type WriterOperations } from '../../src/storage/sqlite/thread/writer-operations.ts';
import { org } from '../../test/storage/test-data.ts';

interface JobSums {
  readonly id: string;
  readonly status: JobStatus;
  readonly sum: number;
  readonly listed: number;
  readonly scraped: number;
  readonly pages: number;
  readonly last_page: number;
}

interface Entry {
  readonly url: string;
  readonly state: string;
  readonly reason: string | null;
}

/** Prepares each statement once: sweeps and checks run the same ones again and again. */
class KeptStatements extends Database {
  readonly #kept = new Map<string, Statement>();

  override prepare<Values extends readonly unknown[] = readonly unknown[], Row = unknown>(
    sql: string,
  ): Statement<Values, Row> {
    let statement = this.#kept.get(sql);
    if (statement === undefined) {
      statement = super.prepare(sql);
      this.#kept.set(sql, statement);
    }
    return statement as unknown as Statement<Values, Row>;
  }
}

export class SimulatedStore {
  readonly #db = new KeptStatements(':memory:', { busyMs: 0 });
  readonly #sums: Statement<[], JobSums>;
  readonly #forget: () => void;
  readonly frontier: Pick<
    WriterOperations,
    | 'recover'
    | 'leaseHosts'
    | 'leaseUrgentHosts'
    | 'take'
    | 'takeSuspect'
    | 'settle'
    | 'release'
    | 'giveUp'
    | 'giveUpForBrowser'
    | 'noteDelay'
  >;
  /** Called when a host may have become due. */
  onWork = (): void => {};
  readonly createJob: (job: NewJob) => void;
  readonly deleteJob: (id: string, now: number) => void;

  constructor() {
    // As in a data directory: if deletions freed no space, sweeping would never end.
    this.#db.pragma('auto_vacuum = INCREMENTAL');
    migrate(this.#db);
    this.#sums = this.#db.prepare(`
        SELECT id, status, queued + in_flight + scraped + discarded + failed + outside AS sum, scraped,
          (SELECT count(*) FROM ledger l WHERE l.job = job.seq AND l.kind = 'page') AS listed,
          (SELECT count(*) FROM page p WHERE p.id BETWEEN job.seq * 16777216 AND job.seq * 16777216 + 16777215) AS pages,
          (SELECT coalesce(max(page), 0) FROM ledger l WHERE l.job = job.seq) AS last_page
        FROM job`);
    const writes = createWrites(this.#db);
    this.#forget = () => writes.forget();
    const inTransaction =
      <Args extends readonly unknown[], Answer>(operation: (...args: Args) => Answer) =>
      (...args: Args): Answer =>
        this.#db.transaction('immediate', () => {
          const answer = operation(...args);
          if (writes.flush().haveWork) this.onWork();
          return answer;
        });
    const { operations } = writes;
    this.frontier = {
      recover: inTransaction(operations.recover.bind(operations)),
      leaseHosts: inTransaction(operations.leaseHosts.bind(operations)),
      leaseUrgentHosts: inTransaction(operations.leaseUrgentHosts.bind(operations)),
      take: inTransaction(operations.take.bind(operations)),
      takeSuspect: inTransaction(operations.takeSuspect.bind(operations)),
      settle: inTransaction(operations.settle.bind(operations)),
      release: inTransaction(operations.release.bind(operations)),
      giveUp: inTransaction(operations.giveUp.bind(operations)),
      giveUpForBrowser: inTransaction(operations.giveUpForBrowser.bind(operations)),
      noteDelay: inTransaction(operations.noteDelay.bind(operations)),
    };
    this.deleteJob = inTransaction(
      (id: string, now: number) => void operations.shared(['jobs', 'delete'], [org, id, now]),
    );
    this.createJob = inTransaction((job: NewJob) => void operations.shared(['jobs', 'create'], [job]));
  }

  /**
   * Returns the store to its new state: creating the schema and its statements again takes longer than most
   * simulations.
   */
  clear(): void {
    const tables = this.#db.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name } of tables) this.#db.prepare(`DELETE FROM ${name}`).run();
    this.#forget();
  }

  crawlJob(id: string): CrawlJob | undefined {
    return runSteps(this.#db, frontierReads.crawlJob.steps(id));
  }

  knownUrl(jobId: string, key: string): KnownUrl | undefined {
    return runSteps(this.#db, frontierReads.knownUrl.steps(jobId, key));
  }

  endedJobs(ids: readonly string[]): readonly string[] {
    return runSteps(this.#db, endings.of.steps(ids)).ended;
  }

  jobs(): readonly JobSums[] {
    return this.#sums.all();
  }

  /** Without the sums, which take most of the time of a simulation that asks after every step. */
  haveAllEnded(): boolean {
    const statuses = this.#db.prepare<[], { status: JobStatus }>('SELECT status FROM job').all();
    return statuses.every(({ status }) => hasEnded(status));
  }

  /** The ledger of an ended job. */
  entries(jobId: string): readonly Entry[] {
    return this.#db
      .prepare<[string], Entry>(`
        SELECT url, state, reason FROM ledger WHERE job = (SELECT seq FROM job WHERE id = ?) AND kind = 'page'`)
      .all(jobId);
  }

  /** The sweep of a new process. */
  beginSweeping(): (now: number) => Swept {
    const sweeping = new Sweeping(this.#db);
    return (now) => this.#db.transaction('immediate', () => sweeping.step(now));
  }

  /** Checks of a start and a backup, as if nothing had expired yet: only swept data can be missing. */
  checkWhole(): void {
    checkJobs(this.#db, 'the simulation');
    assert.equal(whatIsWrong(this.#db, 0), undefined);
  }

  endedJobsAll(): readonly { readonly id: string; readonly results_gone_at: number }[] {
    return this.#db
      .prepare<[], { id: string; results_gone_at: number }>(
        'SELECT id, results_gone_at FROM job WHERE results_gone_at IS NOT NULL',
      )
      .all();
  }

  jobsToKeep(): readonly { readonly id: string }[] {
    return this.#db.prepare<[], { id: string }>('SELECT id FROM job WHERE swept = 0').all();
  }

  /** What was not removed. */
  left(): unknown {
    const row = this.#db
      .prepare(`
        SELECT (SELECT count(*) FROM job WHERE emptied = 0) AS jobs, (SELECT count(*) FROM page) AS pages,
          (SELECT count(*) FROM body) AS bodies, (SELECT count(*) FROM ledger) AS entries`)
      .get();
    return { ...(row as object) };
  }

  /** Every URL of a job is counted once, and its pages are numbered without gaps. */
  checkInvariants(): void {
    for (const { id, sum, listed, scraped, pages, last_page: lastPage } of this.jobs()) {
      assert.equal(sum, listed, `URLs of ${id} by counters and by ledger`);
      assert.deepEqual(
        [pages, lastPage],
        [scraped, scraped],
        `pages of ${id}, the last number, and how many were scraped`,
      );
    }
  }
}
