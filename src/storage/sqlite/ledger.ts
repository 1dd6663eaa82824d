import type { Database, Statement } from './database.ts';
import type { Link, RequestKind } from '../../core/request.ts';
import type { JobRow } from './job-rows.ts';
import { addNotice } from './job-rows.ts';
import type { Hosts } from './hosts.ts';

/** At most this many URLs of a job are kept; what is found beyond is counted, not crawled. */
const ledgerEntriesMax = 1_000_000;

/** Sitemaps first, then pages, shallow before deep. */
export const controlPriority = -1;

/** Adds URLs to the ledger of a job, each once, and to the frontier where they are to be crawled. */
export class Ledger {
  readonly #hosts: Hosts;
  readonly #seen = new Set<string>();
  readonly #insert: Statement<
    [number, string, string, string, number, number | null, string, string | null, string | null]
  >;
  readonly #exists: Statement<[number, string]>;
  readonly #queue: Statement<[number | bigint, number, number, number]>;

  constructor(db: Database, hosts: Hosts) {
    this.#hosts = hosts;
    this.#insert = db.prepare(`
      INSERT INTO ledger (job, key, kind, url, depth, found_on, state, reason, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`);
    this.#exists = db.prepare('SELECT 1 FROM ledger WHERE job = ? AND key = ?');
    this.#queue = db.prepare('INSERT INTO frontier (id, host, job, priority) VALUES (?, ?, ?, ?)');
  }

  /** Answers how many were queued. The row of the job is changed in memory, by the counters. */
  add(job: JobRow, links: readonly Link[], kind: RequestKind, foundOn: number | null, now: number): number {
    let queued = 0;
    const woken = new Set<number>();
    for (const link of links) {
      const key = kind === 'page' ? link.key : `${kind} ${link.key}`;
      // Sitemaps are not listed, so there is nothing to say of one that is not to be read.
      if (kind !== 'page' && link.discard) continue;
      if (this.#wasSeen(job.seq, key)) continue;
      if (kind === 'page' && ledgerSize(job) >= ledgerEntriesMax) {
        this.#countUnlisted(job, key, now);
        continue;
      }
      const { discard } = link;
      const state = discard ? 'discarded' : 'queued';
      const { changes, lastInsertRowid } = this.#insert.run(
        job.seq,
        key,
        kind,
        link.url,
        link.depth,
        foundOn,
        state,
        discard?.reason ?? null,
        discard?.detail ?? null,
      );
      if (changes === 0) continue;
      if (discard) {
        job.discarded++;
        continue;
      }
      queued++;
      if (kind === 'page') job.queued++;
      else job.control++;
      const host = this.#hosts.idOf(link.host);
      this.#queue.run(lastInsertRowid, host, job.seq, kind === 'page' ? link.depth : controlPriority);
      woken.add(host);
    }
    for (const host of woken) this.#hosts.wake(host, now);
    return queued;
  }

  /** What was remembered may not have been committed. */
  forget(): void {
    this.#seen.clear();
  }

  /** Most links of a page were seen on the page before: a set in memory spares the database the question. */
  #wasSeen(job: number, key: string): boolean {
    const name = `${job} ${key}`;
    if (this.#seen.has(name)) return true;
    if (this.#seen.size >= 200_000) this.#seen.clear();
    this.#seen.add(name);
    return false;
  }

  #countUnlisted(job: JobRow, key: string, now: number): void {
    if (this.#exists.get(job.seq, key)) return;
    job.unlisted++;
    const message = `The job found more than ${ledgerEntriesMax.toLocaleString('en')} URLs; those beyond are neither crawled nor listed.`;
    addNotice(job, { code: 'ledger_full', message, at: now });
  }
}

function ledgerSize(job: JobRow): number {
  return job.queued + job.in_flight + job.scraped + job.discarded + job.failed;
}
