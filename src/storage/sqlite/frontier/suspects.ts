import type { Database, Statement } from '../file/database.ts';
import { hasEnded } from '../../../core/job.ts';
import type { RequestKind } from '../../../core/request.ts';
import { aloneDeathsMax, poisonMessage, sharedDeathsMax } from '../../rules/frontier/deaths.ts';
import { roomOf } from '../../rules/jobs/job-row.ts';
import type { Settling } from '../../rules/frontier/settling.ts';
import type { JobRows } from '../jobs/job-rows.ts';

/** Suspects examined to find one that can be tried now. */
const looksMax = 50;

export interface TakenRow {
  readonly id: number;
  readonly url: string;
  readonly kind: RequestKind;
  readonly depth: number;
  readonly self_fed: number;
  readonly attempts: number;
  readonly chain: string | null;
}

interface SuspectRow extends TakenRow {
  readonly job: number;
  readonly host: number;
}

/** The jobs that this process works on. */
export interface JobRange {
  /** Numbers of jobs, both ends included. */
  readonly first: number;
  readonly last: number;
  /** 1 if jobs that need a browser are included. */
  readonly hasBrowser: 0 | 1;
}

/** Condition on a row `f` of the frontier: its job is not stopped, and this process can render its pages if it must. */
const mayTake = `NOT EXISTS (SELECT 1 FROM job j WHERE j.seq = f.job AND (j.stopped_at IS NOT NULL OR (@hasBrowser = 0 AND j.needs_browser = 1)))`;

/** Requests that can have crashed the process. Every method runs inside a transaction of the writer. */
export class Suspects {
  readonly #jobs: JobRows;
  readonly #settling: Settling;
  readonly #count: Statement<[], void>;
  readonly #setApart: Statement<[number]>;
  readonly #poisoned: Statement<[number], { id: number; job: number; url: string }>;
  readonly #suspects: Statement<[JobRange], { suspects: number }>;
  readonly #next: Statement<[JobRange & { readonly deaths: number; readonly now: number }], SuspectRow>;
  readonly #markAlone: Statement<[number]>;
  readonly #remove: Statement<[number]>;

  constructor(db: Database, jobs: JobRows, settling: Settling) {
    this.#jobs = jobs;
    this.#settling = settling;
    // Counts a crash for each request that was out. If it was alone, the crash is its own fault; otherwise another one
    // can be the cause. A request marked `alone` was not if the process died before all others were handed back.
    this.#count = db.prepare(`
      UPDATE frontier SET alone = 0, deaths = CASE
        WHEN alone AND (SELECT count(*) FROM frontier WHERE fence IS NOT NULL) = 1 THEN deaths + 1
        ELSE max(deaths, min(deaths + 1, ${sharedDeathsMax})) END
      WHERE fence IS NOT NULL`);
    this.#setApart = db.prepare('UPDATE frontier SET not_before = -1 WHERE fence IS NOT NULL AND deaths >= ?');
    this.#poisoned = db.prepare(`
      SELECT f.id, f.job, l.url FROM frontier f JOIN ledger l ON l.id = f.id WHERE f.fence IS NOT NULL AND f.deaths >= ?`);
    this.#suspects = db.prepare(`
      SELECT count(*) AS suspects FROM frontier f WHERE fence IS NULL AND not_before < 0 AND job BETWEEN @first AND @last AND ${mayTake}`);
    this.#next = db.prepare(`
      SELECT f.id, f.job, f.host, l.url, l.kind, l.depth, l.self_fed, l.attempts, f.chain
      FROM frontier f JOIN ledger l ON l.id = f.id JOIN host h ON h.id = f.host
      WHERE f.fence IS NULL AND f.not_before < 0 AND f.job BETWEEN @first AND @last AND f.deaths <= @deaths
        AND h.leased = 0 AND h.next_at <= @now AND ${mayTake}
      ORDER BY f.deaths LIMIT ${looksMax}`);
    this.#markAlone = db.prepare('UPDATE frontier SET alone = 1 WHERE id = ?');
    this.#remove = db.prepare('DELETE FROM frontier WHERE id = ?');
  }

  /**
   * Call once after a crash, before the requests that were out go back. Changes the rows of jobs in memory. Returns how
   * many requests were out.
   */
  countDeaths(): number {
    const { changes } = this.#count.run();
    this.#setApart.run(sharedDeathsMax);
    for (const { id, job, url } of this.#poisoned.all(sharedDeathsMax + aloneDeathsMax)) {
      this.#settling.giveUp(id, job, { reason: 'poison', message: poisonMessage(url) }, undefined);
    }
    return changes;
  }

  count(jobs: JobRange): number {
    return this.#suspects.get(jobs)?.suspects ?? 0;
  }

  /** A suspect with at most `aloneDeaths` crashes alone that host and job allow now. Removes those of ended jobs. */
  find(jobs: JobRange, aloneDeaths: number, now: number): SuspectRow | undefined {
    const deaths = sharedDeathsMax + Math.min(aloneDeaths, aloneDeathsMax);
    for (const suspect of this.#next.all({ ...jobs, deaths, now })) {
      const job = this.#jobs.get(suspect.job);
      if (!job || hasEnded(job.status)) this.#remove.run(suspect.id);
      else if (suspect.kind !== 'page' || roomOf(job) > 0) return suspect;
    }
    return undefined;
  }

  markAlone(id: number): void {
    this.#markAlone.run(id);
  }
}
