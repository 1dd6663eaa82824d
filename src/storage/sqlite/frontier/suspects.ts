import type { Database, Statement } from '../file/database.ts';
import { hasEnded } from '../../../core/job.ts';
import type { RequestKind } from '../../../core/request.ts';
import {
  aloneFrom,
  deathsAfter,
  poisonFrom,
  poisonMessage,
  sharedDeathsMax,
  stageMax,
} from '../../rules/frontier/deaths.ts';
import { type BaselineRow, earlierColumns } from '../../rules/jobs/baseline-rows.ts';
import { roomOf } from '../../rules/jobs/job-row.ts';
import type { Settling } from '../../rules/frontier/settling.ts';
import type { JobRows } from '../jobs/job-rows.ts';

/** Suspects examined to find one that can be tried now. */
const looksMax = 50;

export interface TakenRow extends BaselineRow {
  readonly id: number;
  readonly url: string;
  readonly kind: RequestKind;
  readonly depth: number;
  readonly self_fed: number;
  readonly by_script: number;
  readonly attempts: number;
  readonly chain: string | null;
  readonly lastmod: string | null;
}

interface SuspectRow extends TakenRow {
  readonly job: number;
  readonly host: number;
  readonly deaths: number;
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
  readonly #out: Statement<[], { readonly id: number; readonly deaths: number; readonly alone: number }>;
  readonly #count: Statement<[number, number]>;
  readonly #setApart: Statement<[number]>;
  readonly #poisoned: Statement<[number], { id: number; job: number; url: string }>;
  readonly #suspects: Statement<[JobRange], { suspects: number }>;
  readonly #next: Statement<[JobRange & { readonly deaths: number; readonly now: number }], SuspectRow>;
  readonly #mark: Statement<[number]>;
  readonly #remove: Statement<[number]>;

  constructor(db: Database, jobs: JobRows, settling: Settling) {
    this.#jobs = jobs;
    this.#settling = settling;
    this.#out = db.prepare('SELECT id, deaths, alone FROM frontier WHERE fence IS NOT NULL');
    this.#count = db.prepare('UPDATE frontier SET alone = 0, deaths = ? WHERE id = ?');
    this.#setApart = db.prepare('UPDATE frontier SET not_before = -1 WHERE fence IS NOT NULL AND deaths >= ?');
    this.#poisoned = db.prepare(`
      SELECT f.id, f.job, l.url FROM frontier f JOIN ledger l ON l.id = f.id WHERE f.fence IS NOT NULL AND f.deaths >= ?`);
    this.#suspects = db.prepare(`
      SELECT count(*) AS suspects FROM frontier f WHERE fence IS NULL AND not_before < 0 AND job BETWEEN @first AND @last AND ${mayTake}`);
    this.#next = db.prepare(`
      SELECT f.id, f.job, f.host, f.deaths, l.url, l.kind, l.depth, l.self_fed, l.by_script, l.attempts, ${earlierColumns}, f.chain
      FROM frontier f JOIN ledger l ON l.id = f.id JOIN host h ON h.id = f.host
      WHERE f.fence IS NULL AND f.not_before < 0 AND f.job BETWEEN @first AND @last AND f.deaths <= @deaths
        AND h.leased = 0 AND h.next_at <= @now AND ${mayTake}
      ORDER BY f.deaths LIMIT ${looksMax}`);
    this.#mark = db.prepare('UPDATE frontier SET alone = 1 WHERE id = ?');
    this.#remove = db.prepare('DELETE FROM frontier WHERE id = ?');
  }

  /**
   * Call once after a crash, before the requests that were out go back. Changes the rows of jobs in memory. Returns how
   * many requests were out.
   */
  countDeaths(): number {
    const out = this.#out.all();
    const isAlone = out.length === 1;
    for (const { id, deaths, alone } of out) {
      this.#count.run(deathsAfter({ deaths, isSuspect: alone === 1, isAlone }), id);
    }
    this.#setApart.run(sharedDeathsMax);
    for (const { id, job, url } of this.#poisoned.all(poisonFrom)) {
      this.#settling.giveUp(id, job, { reason: 'poison', message: poisonMessage(url) }, undefined);
    }
    return out.length;
  }

  count(jobs: JobRange): number {
    return this.#suspects.get(jobs)?.suspects ?? 0;
  }

  /** A suspect with at most `aloneDeaths` crashes alone that host and job allow now. Removes those of ended jobs. */
  find(jobs: JobRange, aloneDeaths: number, now: number): SuspectRow | undefined {
    for (const suspect of this.#next.all({ ...jobs, deaths: stageMax(aloneDeaths), now })) {
      const job = this.#jobs.get(suspect.job);
      if (!job || hasEnded(job.status)) this.#remove.run(suspect.id);
      else if (suspect.kind !== 'page' || roomOf(job, Date.now()) > 0) return suspect;
    }
    return undefined;
  }

  /** Marks a request that is taken as a suspect. Returns true if it must be tried alone. */
  mark({ id, deaths }: SuspectRow): boolean {
    this.#mark.run(id);
    return deaths >= aloneFrom;
  }
}
