import { hostKey } from '../../../core/host-key.ts';
import {
  type Discard,
  type Finding,
  findingRank,
  isTrapExempt,
  type Link,
  type RequestKind,
} from '../../../core/request.ts';
import { lastmodSays } from '../../../core/lastmod.ts';
import type { CrawlTables, KnownUrl } from './crawl-tables.ts';
import { countChanges } from '../jobs/change-counts.ts';
import { noteMoved } from './revisits.ts';
import { countReason, type JobRow } from '../jobs/job-row.ts';
import { noteExample, tallyOutside, tallySignIn } from '../jobs/tally.ts';
import type { SeenUrls } from './seen-urls.ts';

/** Entries are numbered from 1. */
const noPage = 0;
/** Length limit of a chain of retries whose ledgers are searched for a URL. */
export const earlierJobsMax = 50;

/** Adds URLs to a job's ledger, each once, and to the frontier if they are to be crawled. */
export class Ledger {
  readonly #tables: CrawlTables;
  readonly #seen: SeenUrls;

  constructor(tables: CrawlTables, seen: SeenUrls) {
    this.#tables = tables;
    this.#seen = seen;
  }

  /** Returns how many were queued. The job's counters are changed in memory. */
  add(job: JobRow, links: readonly Link[], kind: RequestKind, foundOn: number | null, now: number): number {
    let queued = 0;
    const moved = new Set<string>();
    for (const link of links) {
      const key = ledgerKey(kind, link);
      // A sitemap that is not to be read gets no entry.
      if (kind !== 'page' && link.discard) continue;
      if (link.isAgain !== true && this.#wasSeen(job.seq, key, link)) {
        this.#noteLastmod(job, link);
        continue;
      }
      if (kind === 'page' && ledgerSize(job) >= this.#tables.jobUrlsMax) {
        this.#countUnlisted(job, key, link.url);
        continue;
      }
      const discard = link.discard ?? (kind === 'page' ? this.#crawledBefore(job, key) : undefined);
      const { url, depth, selfFed, byScript, lastmod, host } = link;
      const known = kind === 'page' && job.since !== null ? this.#tables.baselineOf(job.since, key) : undefined;
      const earlier = known && job.revisits === null ? { ...known, asked: null } : known;
      const isNew = this.#tables.addUrl({
        job: job.seq,
        key,
        kind,
        url,
        depth,
        selfFed,
        byScript,
        foundOn: link.isFollowed === true ? noPage : foundOn,
        discard,
        lastmod,
        earlier,
        host,
      });
      if (isNew && earlier) countChanges(job, 'baseline');
      if (isNew && earlier?.asked && lastmodSays(lastmod, earlier.asked) === 'moved') moved.add(host);
      if (!isNew) {
        if (kind === 'page') this.#seeAgain(job, discard ? { ...link, discard } : link, foundOn);
      } else if (discard) {
        job.outside++;
        countReason(job, discard.reason);
        tallyOutside(job, discard, url);
      } else {
        queued++;
        if (kind === 'page') job.queued++;
        else job.control++;
      }
    }
    noteMoved(job, moved);
    this.#tables.wakeHosts(job, now);
    return queued;
  }

  /** True if the job has the URL. */
  has(job: JobRow, kind: RequestKind, link: Link): boolean {
    const key = ledgerKey(kind, link);
    return wasFound(this.#seen, job.seq, key, link) || this.#tables.known(job.seq, key) !== undefined;
  }

  /** Set if this job is a retry, and a job before it already crawled the URL. */
  #crawledBefore(job: JobRow, key: string): Discard | undefined {
    for (const earlier of this.#tables.earlierJobs(job)) {
      const entry = this.#tables.known(earlier, key);
      if (entry?.state === 'scraped' || entry?.reason === 'unchanged')
        return { reason: 'crawled_before', detail: 'scraped' };
      if ((entry?.state === 'discarded' || entry?.state === 'outside') && entry.attempts > 0)
        return { reason: 'crawled_before', detail: `${entry.state}: ${entry.reason ?? ''}` };
    }
    return undefined;
  }

  /** A sitemap can give the last change of a URL that a page linked to before. */
  #noteLastmod(job: JobRow, link: Link): void {
    if (link.lastmod !== undefined) this.#tables.setLastmod(job.seq, link.key, link.lastmod);
  }

  #wasSeen(job: number, key: string, link: Link): boolean {
    if (wasFound(this.#seen, job, key, link)) return true;
    this.#seen.add(job, link.byScript === true ? scriptKey(key) : key, followedFrom(link));
    return false;
  }

  /**
   * A known URL was found again. If it was discarded because of one page (nofollow, too deep from there, not yet in
   * scope), another page that allows it queues it. If it is nearer than before, its turn moves forward. If it was
   * discarded as part of a trap, it is queued again when it is found where no trap leads; if as a link that scripts made
   * up, when a plain link or a sitemap has it.
   */
  #seeAgain(job: JobRow, link: Link, foundOn: number | null): void {
    this.#noteLastmod(job, link);
    if (link.discard) return;
    const known = this.#tables.known(job.seq, link.key);
    const better = known?.state === 'queued' ? betterFinding(known, link) : undefined;
    if (better) {
      this.#tables.bringNearer(job.seq, link.key, better);
    } else if (known?.reason != null && isOpenAgain(known, link)) {
      job[known.state]--;
      job.queued++;
      countReason(job, known.reason, -1);
      if (known.reason === 'duplicate_of' && known.detail !== null) tallySignIn(job, link.url, known.detail, -1);
      this.#tables.reopen(job.seq, link.key, { ...link, foundOn });
    }
  }

  #countUnlisted(job: JobRow, key: string, url: string): void {
    if (this.#tables.known(job.seq, key)) return;
    job.unlisted++;
    noteExample(job, 'unlisted', url);
  }
}

/** The key of anything but a page begins with its kind. */
export function ledgerKey(kind: RequestKind, link: Pick<Link, 'key'>): string {
  return kind === 'page' ? link.key : `${kind} ${link.key}`;
}

/** True if a URL that is outside or discarded can be crawled, now that this link leads to it. */
function isOpenAgain(
  known: KnownUrl,
  link: Link,
): known is KnownUrl & { readonly state: 'outside' | 'discarded' | 'failed' } {
  const { state, reason, attempts } = known;
  if (link.isAgain === true) return state === 'discarded' || state === 'failed';
  if (state === 'outside') return attempts === 0;
  if (state !== 'discarded') return false;
  return reason === 'script_link' ? link.byScript !== true : reason === 'trap' && isTrapExempt(link);
}

/** What two findings of a URL say together, in either order: the nearest place counts, and any plain link. */
function betterFinding(known: Pick<KnownUrl, 'rank' | 'byScript'>, link: Link): Finding | undefined {
  const rank = Math.min(known.rank, findingRank(link));
  const byScript = known.byScript && link.byScript === true;
  if (rank === known.rank && byScript === known.byScript) return undefined;
  const depth = Math.floor(rank);
  return { depth, selfFed: rank > depth, byScript };
}

/** True if a URL was found as near, and by a plain link unless this is none. */
export function wasFound(seen: SeenUrls, job: number, key: string, link: Link): boolean {
  const rank = followedFrom(link);
  return seen.has(job, key, rank) || (link.byScript === true && seen.has(job, scriptKey(key), rank));
}

/** Links that scripts made are remembered apart. Keys of URLs have no spaces. */
function scriptKey(key: string): string {
  return `script ${key}`;
}

/** The rank of a link that can be followed; infinite if it cannot. */
function followedFrom(link: Link): number {
  return link.discard ? Number.POSITIVE_INFINITY : findingRank(link);
}

/** A link to a URL of the ledger, as it was found. */
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
  return job.queued + job.in_flight + job.scraped + job.discarded + job.failed + job.outside;
}
