import type { Database, Statement } from '../file/database.ts';
import { hasEnded } from '../../../core/job.ts';
import { aloneFrom, deathsAfter, poisonFrom, poisonMessage, sharedDeathsMax } from '../../rules/frontier/deaths.ts';
import { type JobRange, type SuspectRow, suspects } from '../../shared/frontier-rows.ts';
import { runSteps } from '../file/run-steps.ts';
import { roomOf } from '../../rules/jobs/job-row.ts';
import type { Settling } from '../../rules/frontier/settling.ts';
import type { JobRows } from '../jobs/job-rows.ts';

/** Requests that can have crashed the process. Every method runs inside a transaction of the writer. */
export class Suspects {
  readonly #db: Database;
  readonly #jobs: JobRows;
  readonly #settling: Settling;
  readonly #out: Statement<[], { readonly id: number; readonly deaths: number; readonly alone: number }>;
  readonly #count: Statement<[number, number]>;
  readonly #setApart: Statement<[number]>;
  readonly #poisoned: Statement<[number], { id: number; job: number; url: string }>;
  readonly #mark: Statement<[number]>;
  readonly #remove: Statement<[number]>;

  constructor(db: Database, jobs: JobRows, settling: Settling) {
    this.#db = db;
    this.#jobs = jobs;
    this.#settling = settling;
    this.#out = db.prepare('SELECT id, deaths, alone FROM frontier WHERE fence IS NOT NULL');
    this.#count = db.prepare('UPDATE frontier SET alone = 0, deaths = ? WHERE id = ?');
    this.#setApart = db.prepare('UPDATE frontier SET not_before = -1 WHERE fence IS NOT NULL AND deaths >= ?');
    this.#poisoned = db.prepare(`
      SELECT f.id, f.job, l.url FROM frontier f JOIN ledger l ON l.id = f.id WHERE f.fence IS NOT NULL AND f.deaths >= ?`);
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

  /** A suspect with at most `aloneDeaths` crashes alone that host and job allow now. Removes those of ended jobs. */
  find(jobs: JobRange, aloneDeaths: number, now: number): SuspectRow | undefined {
    for (const suspect of runSteps(this.#db, suspects(jobs, aloneDeaths, now))) {
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
