import { hostKey } from '../../core/host-key.ts';
import type { Discard, Link, RequestKind } from '../../core/request.ts';
import type { CrawlTables } from './crawl-tables.ts';
import { addNotice, countReason, type JobRow } from './job-row.ts';
import type { SeenUrls } from './seen-urls.ts';

/** At most this many URLs of a job are kept; what is found beyond is counted, not crawled. */
const ledgerEntriesMax = 1_000_000;

/** Jobs that are asked what they have of a URL, where each is a retry of the next. */
export const earlierJobsMax = 50;

/** Adds URLs to the ledger of a job, each once, and to the frontier where they are to be crawled. */
export class Ledger {
  readonly #tables: CrawlTables;
  readonly #seen: SeenUrls;

  constructor(tables: CrawlTables, seen: SeenUrls) {
    this.#tables = tables;
    this.#seen = seen;
  }

  /** Answers how many were queued. The row of the job is changed in memory, by the counters. */
  add(job: JobRow, links: readonly Link[], kind: RequestKind, foundOn: number | null, now: number): number {
    let queued = 0;
    for (const link of links) {
      const key = ledgerKey(kind, link);
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
      const { url, depth, lastmod, host } = link;
      const isNew = this.#tables.addUrl({ job: job.seq, key, kind, url, depth, foundOn, discard, lastmod, host });
      if (!isNew) {
        if (kind === 'page') this.#seeAgain(job, discard ? { ...link, discard } : link, foundOn);
      } else if (discard) {
        job.discarded++;
        countReason(job, discard.reason);
      } else {
        queued++;
        if (kind === 'page') job.queued++;
        else job.control++;
      }
    }
    this.#tables.wakeHosts(now);
    return queued;
  }

  /** What an earlier job has of the URL, where this one repeats its failures. */
  #crawledBefore(job: JobRow, key: string): Discard | undefined {
    for (const earlier of this.#tables.earlierJobs(job)) {
      const entry = this.#tables.known(earlier, key);
      if (entry?.state === 'scraped') return { reason: 'crawled_before', detail: 'scraped' };
      if (entry?.state === 'discarded' && entry.attempts > 0)
        return { reason: 'crawled_before', detail: `discarded: ${entry.reason ?? ''}` };
    }
    return undefined;
  }

  /** A sitemap may say of a URL that a page named before when it was last changed. */
  #noteLastmod(job: JobRow, link: Link): void {
    if (link.lastmod !== undefined) this.#tables.setLastmod(job.seq, link.key, link.lastmod);
  }

  #wasSeen(job: number, key: string, link: Link): boolean {
    const depth = followedFrom(link);
    if (this.#seen.has(job, key, depth)) return true;
    this.#seen.add(job, key, depth);
    return false;
  }

  /**
   * A URL that is known already was found again. What was discarded as one page had it (nofollow, too deep from there, not
   * yet in scope) is followed where another page lets it; what is nearer than it seemed takes its turn earlier.
   */
  #seeAgain(job: JobRow, link: Link, foundOn: number | null): void {
    this.#noteLastmod(job, link);
    if (link.discard) return;
    const known = this.#tables.known(job.seq, link.key);
    if (known?.state === 'queued' && link.depth < known.depth) {
      this.#tables.bringNearer(job.seq, link.key, link.depth);
    } else if (known?.state === 'discarded' && known.reason !== null && known.attempts === 0) {
      job.discarded--;
      job.queued++;
      countReason(job, known.reason, -1);
      this.#tables.reopen(job.seq, link.key, { depth: link.depth, foundOn, host: link.host });
    }
  }

  #countUnlisted(job: JobRow, key: string): void {
    if (this.#tables.known(job.seq, key)) return;
    job.unlisted++;
    const message = `The job found more than ${ledgerEntriesMax.toLocaleString('en')} URLs; those beyond are neither crawled nor listed.`;
    addNotice(job, { code: 'ledger_full', message, at: this.#tables.timeOfDay() });
  }
}

/** The key of what is no page begins with its kind. */
export function ledgerKey(kind: RequestKind, link: Pick<Link, 'key'>): string {
  return kind === 'page' ? link.key : `${kind} ${link.key}`;
}

/** The depth at which a link could be followed. */
export function followedFrom({ depth, discard }: Link): number {
  return discard ? Number.POSITIVE_INFINITY : depth;
}

/** A URL of the ledger as it was found. */
export function linkOf(row: {
  readonly kind: RequestKind;
  readonly url: string;
  readonly key: string;
  readonly depth: number;
}): Link {
  const { kind, url, key, depth } = row;
  return { url, key: kind === 'page' ? key : key.slice(kind.length + 1), depth, host: hostKey(new URL(url)) };
}

function ledgerSize(job: JobRow): number {
  return job.queued + job.in_flight + job.scraped + job.discarded + job.failed;
}
