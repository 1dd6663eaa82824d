import type { Database } from '../file/database.ts';
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

  constructor(db: Database, jobs: JobRows, settling: Settling) {
    this.#db = db;
    this.#jobs = jobs;
    this.#settling = settling;
  }

  /**
   * Call once after a crash, before the requests that were out go back. Changes the rows of jobs in memory. Returns how
   * many requests were out.
   */
  countDeaths(): number {
    const out = this.#db.all<Pick<SuspectRow, 'id' | 'deaths'> & { readonly alone: number }>(
      'SELECT id, deaths, alone FROM frontier WHERE fence IS NOT NULL',
    );
    const isAlone = out.length === 1;
    for (const { id, deaths, alone } of out) {
      const after = deathsAfter({ deaths, isSuspect: alone === 1, isAlone });
      this.#db.run('UPDATE frontier SET alone = 0, deaths = ? WHERE id = ?', after, id);
    }
    this.#db.run('UPDATE frontier SET not_before = -1 WHERE fence IS NOT NULL AND deaths >= ?', sharedDeathsMax);
    const poisoned = this.#db.all<Pick<SuspectRow, 'id' | 'job' | 'url'>>(
      'SELECT f.id, f.job, l.url FROM frontier f JOIN ledger l ON l.id = f.id WHERE f.fence IS NOT NULL AND f.deaths >= ?',
      poisonFrom,
    );
    for (const { id, job, url } of poisoned) {
      this.#settling.giveUp(id, job, { reason: 'poison', message: poisonMessage(url) }, undefined);
    }
    return out.length;
  }

  /** A suspect with at most `aloneDeaths` crashes alone that host and job allow now. Removes those of ended jobs. */
  find(jobs: JobRange, aloneDeaths: number, now: number): SuspectRow | undefined {
    for (const suspect of runSteps(this.#db, suspects(jobs, aloneDeaths, now))) {
      const job = this.#jobs.get(suspect.job);
      if (!job || hasEnded(job.status)) this.#db.run('DELETE FROM frontier WHERE id = ?', suspect.id);
      else if (suspect.kind !== 'page' || roomOf(job, Date.now()) > 0) return suspect;
    }
    return undefined;
  }

  /** Marks a request that is taken as a suspect. Returns true if it must be tried alone. */
  mark({ id, deaths }: SuspectRow): boolean {
    this.#db.run('UPDATE frontier SET alone = 1 WHERE id = ?', id);
    return deaths >= aloneFrom;
  }
}
