import type { Database, Statement } from './database.ts';
import { hostKey } from '../../core/host-key.ts';
import type { Discard, Link, RequestKind } from '../../core/request.ts';
import type { JobRow } from './job-rows.ts';
import { addNotice, countReason } from './job-rows.ts';
import type { Hosts } from './hosts.ts';

/** At most this many URLs of a job are kept; what is found beyond is counted, not crawled. */
const ledgerEntriesMax = 1_000_000;

/** Jobs that are asked what they have of a URL, where each is a retry of the next. */
const earlierJobsMax = 50;

/** Sitemaps first, then pages, shallow before deep. */
export const controlPriority = -1;

interface KnownRow {
  readonly id: number;
  readonly state: string;
  readonly reason: string | null;
  readonly depth: number;
  readonly attempts: number;
}

interface FailedRow {
  readonly kind: RequestKind;
  readonly url: string;
  readonly key: string;
  readonly depth: number;
}

/** Adds URLs to the ledger of a job, each once, and to the frontier where they are to be crawled. */
export class Ledger {
  readonly #hosts: Hosts;
  /** URLs that were seen of late, with the least depth at which they could be followed; infinite where they could not. */
  readonly #seen = new Map<string, number>();
  readonly #insert: Statement<
    [number, string, string, string, number, number | null, string, string | null, string | null, string | null]
  >;
  /** By job: those whose failures it repeats. */
  readonly #earlier = new Map<number, readonly number[]>();
  readonly #failedPages: Statement<[number, number, number], FailedRow>;
  readonly #failedControl: Statement<[number], FailedRow>;
  readonly #jobById: Statement<[string], { seq: number; retry_of: string | null }>;
  readonly #exists: Statement<[number, string]>;
  readonly #known: Statement<[number, string], KnownRow>;
  readonly #bringNearer: Statement<[number, number]>;
  readonly #queueNearer: Statement<[number, number]>;
  readonly #reopen: Statement<[number, number | null, number]>;
  readonly #setLastmod: Statement<[string, number, string]>;
  readonly #queue: Statement<[number | bigint, number, number, number]>;

  constructor(db: Database, hosts: Hosts) {
    this.#hosts = hosts;
    this.#insert = db.prepare(`
      INSERT INTO ledger (job, key, kind, url, depth, found_on, state, reason, detail, lastmod) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`);
    this.#failedPages = db.prepare(
      "SELECT kind, url, key, depth FROM ledger WHERE job = ? AND state = 'failed' AND kind = 'page' ORDER BY id LIMIT ? OFFSET ?",
    );
    // No more than the sitemaps and origins of a job.
    this.#failedControl = db.prepare(
      "SELECT kind, url, key, depth FROM ledger WHERE job = ? AND state = 'failed' AND kind <> 'page' ORDER BY id",
    );
    this.#jobById = db.prepare('SELECT seq, retry_of FROM job WHERE id = ?');
    this.#exists = db.prepare('SELECT 1 FROM ledger WHERE job = ? AND key = ?');
    this.#known = db.prepare('SELECT id, state, reason, depth, attempts FROM ledger WHERE job = ? AND key = ?');
    this.#bringNearer = db.prepare('UPDATE ledger SET depth = ? WHERE id = ?');
    this.#queueNearer = db.prepare('UPDATE frontier SET priority = ? WHERE id = ?');
    this.#reopen = db.prepare(
      "UPDATE ledger SET state = 'queued', reason = NULL, detail = NULL, depth = ?, found_on = ? WHERE id = ?",
    );
    this.#setLastmod = db.prepare('UPDATE ledger SET lastmod = ? WHERE job = ? AND key = ?');
    this.#queue = db.prepare('INSERT INTO frontier (id, host, job, priority) VALUES (?, ?, ?, ?)');
  }

  /** Queues again, in a job that repeats another, what failed there: some of its URLs, and all its sitemaps. */
  addFailed(job: JobRow, earlier: JobRow, urls: { readonly from: number; readonly max: number }, now: number): void {
    this.add(job, this.#failedPages.all(earlier.seq, urls.max, urls.from).map(linkOf), 'page', null, now);
    for (const row of this.#failedControl.all(earlier.seq)) this.add(job, [linkOf(row)], row.kind, null, now);
  }

  /** Answers how many were queued. The row of the job is changed in memory, by the counters. */
  add(job: JobRow, links: readonly Link[], kind: RequestKind, foundOn: number | null, now: number): number {
    let queued = 0;
    const woken = new Set<number>();
    for (const link of links) {
      const key = kind === 'page' ? link.key : `${kind} ${link.key}`;
      // Sitemaps are not listed, so there is nothing to say of one that is not to be read.
      if (kind !== 'page' && link.discard) continue;
      if (this.#wasSeen(job.seq, key, link)) {
        this.#noteLastmod(job, link);
        continue;
      }
      if (kind === 'page' && ledgerSize(job) >= ledgerEntriesMax) {
        this.#countUnlisted(job, key);
        continue;
      }
      const discard = link.discard ?? (kind === 'page' ? this.#crawledBefore(job, key) : undefined);
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
        link.lastmod ?? null,
      );
      if (changes === 0) {
        if (kind === 'page') this.#seeAgain(job, discard ? { ...link, discard } : link, foundOn, now);
        continue;
      }
      if (discard) {
        job.discarded++;
        countReason(job, discard.reason);
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

  /** What an earlier job has of the URL, where this one repeats its failures. */
  #crawledBefore(job: JobRow, key: string): Discard | undefined {
    for (const earlier of this.earlierJobs(job)) {
      const entry = this.#known.get(earlier, key);
      if (entry?.state === 'scraped') return { reason: 'crawled_before', detail: 'scraped' };
      if (entry?.state === 'discarded' && entry.attempts > 0)
        return { reason: 'crawled_before', detail: `discarded: ${entry.reason ?? ''}` };
    }
    return undefined;
  }

  /** The job that this one repeats, the one that that one repeats, and so on. */
  earlierJobs(job: JobRow): readonly number[] {
    if (job.retry_of === null) return [];
    const known = this.#earlier.get(job.seq);
    if (known) return known;
    const jobs: number[] = [];
    for (let id: string | null = job.retry_of; id !== null && jobs.length < earlierJobsMax;) {
      const row = this.#jobById.get(id);
      if (row) jobs.push(row.seq);
      id = row?.retry_of ?? null;
    }
    if (this.#earlier.size >= 1_000) this.#earlier.clear();
    this.#earlier.set(job.seq, jobs);
    return jobs;
  }

  /** A sitemap may say of a URL that a page named before when it was last changed. */
  #noteLastmod(job: JobRow, link: Link): void {
    if (link.lastmod !== undefined) this.#setLastmod.run(link.lastmod, job.seq, link.key);
  }

  /** What was remembered may not have been committed. */
  forget(): void {
    this.#seen.clear();
    this.#earlier.clear();
  }

  /** Most links of a page were seen on the page before: what is kept in memory spares the database the question. */
  #wasSeen(job: number, key: string, { depth, discard }: Link): boolean {
    const name = `${job} ${key}`;
    const earlier = this.#seen.get(name);
    if (earlier !== undefined && (discard || earlier <= depth)) return true;
    if (this.#seen.size >= 100_000) this.#seen.clear();
    this.#seen.set(name, discard ? Number.POSITIVE_INFINITY : depth);
    return false;
  }

  /**
   * A URL that is known already was found again. What was discarded as one page had it (nofollow, too deep from there, not
   * yet in scope) is followed where another page lets it; what is nearer than it seemed takes its turn earlier.
   */
  #seeAgain(job: JobRow, link: Link, foundOn: number | null, now: number): void {
    this.#noteLastmod(job, link);
    if (link.discard) return;
    const known = this.#known.get(job.seq, link.key);
    if (known?.state === 'queued' && link.depth < known.depth) {
      this.#bringNearer.run(link.depth, known.id);
      this.#queueNearer.run(link.depth, known.id);
    } else if (known?.state === 'discarded' && known.reason !== null && known.attempts === 0) {
      this.#reopen.run(link.depth, foundOn, known.id);
      job.discarded--;
      job.queued++;
      countReason(job, known.reason, -1);
      const host = this.#hosts.idOf(link.host);
      this.#queue.run(known.id, host, job.seq, link.depth);
      this.#hosts.wake(host, now);
    }
  }

  #countUnlisted(job: JobRow, key: string): void {
    if (this.#exists.get(job.seq, key)) return;
    job.unlisted++;
    const message = `The job found more than ${ledgerEntriesMax.toLocaleString('en')} URLs; those beyond are neither crawled nor listed.`;
    addNotice(job, { code: 'ledger_full', message, at: Date.now() });
  }
}

/** The key of what is no page begins with its kind. */
function linkOf({ kind, url, key, depth }: FailedRow): Link {
  return { url, key: kind === 'page' ? key : key.slice(kind.length + 1), depth, host: hostKey(new URL(url)) };
}

function ledgerSize(job: JobRow): number {
  return job.queued + job.in_flight + job.scraped + job.discarded + job.failed;
}
