import type { Database, Statement } from './database.ts';
import { hasEnded } from '../../core/job.ts';
import type { RequestKind } from '../../core/request.ts';
import type { JobRows } from './job-rows.ts';
import type { Settling } from './settling.ts';

/** From so many deaths on a request is taken alone: a batch dies together, and one of it may be what kills. */
const sharedDeathsMax = 2;
/** Deaths alone after which it is given up. */
const aloneDeathsMax = 3;

export interface TakenRow {
  readonly id: number;
  readonly url: string;
  readonly kind: RequestKind;
  readonly depth: number;
  readonly attempts: number;
}

interface SuspectRow extends TakenRow {
  readonly job: number;
  readonly host: number;
}

interface JobRange {
  readonly first: number;
  readonly last: number;
}

/** Requests that the process may have died of. Every method runs inside a transaction of the writer. */
export class Suspects {
  readonly #jobs: JobRows;
  readonly #settling: Settling;
  readonly #count: Statement<[], void>;
  readonly #setApart: Statement<[number]>;
  readonly #poisoned: Statement<[number], { id: number; job: number; url: string }>;
  readonly #suspects: Statement<[JobRange], { suspects: number }>;
  readonly #next: Statement<[JobRange & { readonly now: number }], SuspectRow>;
  readonly #markAlone: Statement<[number]>;
  readonly #remove: Statement<[number]>;

  constructor(db: Database, jobs: JobRows, settling: Settling) {
    this.#jobs = jobs;
    this.#settling = settling;
    // What was out when the process died: alone, the death is its own; else it may be another's.
    this.#count = db.prepare(`
      UPDATE frontier SET deaths = CASE WHEN alone THEN deaths + 1 ELSE min(deaths + 1, ${sharedDeathsMax}) END, alone = 0
      WHERE fence IS NOT NULL`);
    this.#setApart = db.prepare('UPDATE frontier SET not_before = -1 WHERE fence IS NOT NULL AND deaths >= ?');
    this.#poisoned = db.prepare(`
      SELECT f.id, f.job, l.url FROM frontier f JOIN ledger l ON l.id = f.id WHERE f.fence IS NOT NULL AND f.deaths >= ?`);
    this.#suspects = db.prepare(`
      SELECT count(*) AS suspects FROM frontier WHERE fence IS NULL AND not_before < 0 AND job BETWEEN @first AND @last`);
    this.#next = db.prepare(`
      SELECT f.id, f.job, f.host, l.url, l.kind, l.depth, l.attempts
      FROM frontier f JOIN ledger l ON l.id = f.id JOIN host h ON h.id = f.host
      WHERE f.fence IS NULL AND f.not_before < 0 AND f.job BETWEEN @first AND @last AND h.leased = 0 AND h.next_at <= @now
      LIMIT 1`);
    this.#markAlone = db.prepare('UPDATE frontier SET alone = 1 WHERE id = ?');
    this.#remove = db.prepare('DELETE FROM frontier WHERE id = ?');
  }

  /** To be called once after a death, before what was out goes back; the rows of jobs are changed in memory. */
  countDeaths(now: number): void {
    this.#count.run();
    this.#setApart.run(sharedDeathsMax);
    for (const { id, job, url } of this.#poisoned.all(sharedDeathsMax + aloneDeathsMax)) {
      const message = `The program died ${aloneDeathsMax} times while it worked on ${url} and nothing else.`;
      this.#settling.giveUp(id, job, { reason: 'poison', message }, undefined, now);
    }
  }

  count(jobs: JobRange): number {
    return this.#suspects.get(jobs)?.suspects ?? 0;
  }

  /** One whose host may be asked now. Those of jobs that have ended are removed on the way. */
  find(jobs: JobRange, now: number): SuspectRow | undefined {
    for (;;) {
      const suspect = this.#next.get({ ...jobs, now });
      if (!suspect) return undefined;
      const job = this.#jobs.get(suspect.job);
      if (job && !hasEnded(job.status)) return suspect;
      this.#remove.run(suspect.id);
    }
  }

  markAlone(id: number): void {
    this.#markAlone.run(id);
  }
}
