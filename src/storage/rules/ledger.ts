import { hostKey } from '../../core/host-key.ts';
import { type Discard, findingRank, isTrapExempt, type Link, type RequestKind } from '../../core/request.ts';
import type { CrawlTables, KnownUrl } from './crawl-tables.ts';
import { addNotice, countReason, type JobRow } from './job-row.ts';
import type { SeenUrls } from './seen-urls.ts';

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
      if (kind === 'page' && ledgerSize(job) >= this.#tables.jobUrlsMax) {
        this.#countUnlisted(job, key, link.url);
        continue;
      }
      const discard = link.discard ?? (kind === 'page' ? this.#crawledBefore(job, key) : undefined);
      const { url, depth, selfFed, lastmod, host } = link;
      const isNew = this.#tables.addUrl({
        job: job.seq,
        key,
        kind,
        url,
        depth,
        selfFed,
        foundOn,
        discard,
        lastmod,
        host,
      });
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
    this.#tables.wakeHosts(job, now);
    return queued;
  }

  /** Whether the job has the URL. */
  has(job: JobRow, kind: RequestKind, link: Link): boolean {
    const key = ledgerKey(kind, link);
    return this.#seen.has(job.seq, key, followedFrom(link)) || this.#tables.known(job.seq, key) !== undefined;
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
    const rank = followedFrom(link);
    if (this.#seen.has(job, key, rank)) return true;
    this.#seen.add(job, key, rank);
    return false;
  }

  /**
   * A URL that is known already was found again. What was discarded as one page had it (nofollow, too deep from there, not
   * yet in scope) is followed where another page lets it; what is nearer than it seemed takes its turn earlier. A URL that
   * was taken for a part of a trap is queued again when it is found where no trap leads.
   */
  #seeAgain(job: JobRow, link: Link, foundOn: number | null): void {
    this.#noteLastmod(job, link);
    if (link.discard) return;
    const known = this.#tables.known(job.seq, link.key);
    if (known?.state === 'queued' && findingRank(link) < known.rank) {
      this.#tables.bringNearer(job.seq, link.key, link);
    } else if (known?.state === 'discarded' && known.reason !== null && isOpenAgain(known, link)) {
      job.discarded--;
      job.queued++;
      countReason(job, known.reason, -1);
      this.#tables.reopen(job.seq, link.key, { ...link, foundOn });
    }
  }

  #countUnlisted(job: JobRow, key: string, url: string): void {
    if (this.#tables.known(job.seq, key)) return;
    job.unlisted++;
    const message = `The job found more than ${this.#tables.jobUrlsMax.toLocaleString('en')} URLs; those beyond are neither crawled nor listed.`;
    // The number is put in when the job ends.
    if (job.unlisted === 1)
      addNotice(job, { code: 'ledger_full', message, at: this.#tables.timeOfDay(), example: url });
  }
}

/** The key of what is no page begins with its kind. */
export function ledgerKey(kind: RequestKind, link: Pick<Link, 'key'>): string {
  return kind === 'page' ? link.key : `${kind} ${link.key}`;
}

/** Whether a URL that was discarded may be crawled, now that it was found here. */
function isOpenAgain({ reason, attempts }: KnownUrl, link: Link): boolean {
  return reason === 'trap' ? isTrapExempt(link) : attempts === 0;
}

/** The rank of the place from which a link can be followed. */
export function followedFrom(link: Link): number {
  return link.discard ? Number.POSITIVE_INFINITY : findingRank(link);
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
