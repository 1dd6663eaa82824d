import type { CrawlJob } from './job.ts';
import type { CountedCode, NoticeCode } from './reasons.ts';
import type { CrawlError, Outcome, Request } from './request.ts';

/**
 * All requests of all jobs, grouped by host; decides which is next.
 *
 * A worker leases a host, takes requests of it, and settles each. What is promised:
 * - One lease a host at a time, so whoever holds it is the only one to fetch from there, for all jobs.
 * - A request that was taken and not settled is handed out again after {@link Frontier.recover}: no URL is lost.
 * - `settle` is one transaction. After a crash an outcome is stored wholly or not at all.
 *
 * What is not: that a URL is fetched once. A crash repeats what was in flight; the page is still stored once.
 */
export interface Frontier {
  /** Other processes lease from the same store: what was learnt of a host goes along with it. */
  readonly isShared: boolean;

  /**
   * Begins a life: makes the work of an earlier one, and of processes that are dead, available again, and decides what this
   * one works on. Called before the first lease, and again, while nothing is in flight, when a life was lost.
   *
   * Every host that may have been fetched from waits `delayMs`, or its own longer delay, since what was in flight is not known.
   * With `onlyJob`, requests of other jobs stay where they are. `hasBrowser`: this process can render pages; @default false.
   */
  recover(options: RecoverOptions): Promise<Life>;

  /**
   * Leases a host that is due, or none. None means "not now", never "done". First come hosts of jobs that have no page
   * yet and of jobs that somebody waits for; then hosts of the org, and of its job, that have the fewest leases in this process. Each
   * has its turn, however many hosts others have.
   */
  leaseHost(options?: LeaseOptions): Promise<Leased | undefined>;

  /** Leases only a host of a job that has no page yet or that somebody waits for. `later`: other hosts are due. */
  leaseUrgentHost(): Promise<Leased | 'later' | 'none'>;

  /**
   * Takes up to `max` requests that are due, shallow ones first, round-robin over jobs. Never more of a job than its
   * `pageLimit` and `fetchLimit` still allow with what is in flight, which is what makes both exact.
   */
  take(lease: HostLease, max: number): Promise<readonly Request[]>;

  /**
   * Takes a suspect, a request that was taken at two deaths of the process, with a lease of its host. To be worked on while
   * nothing else is in flight: when the process dies of it alone for the third time it fails as `poison`, and no other
   * request pays. Only one that died alone at most `aloneDeaths` times: whoever dies right after every start, whatever it
   * does, must not blame what it began with. `later`: there are some, but none that may be tried now.
   */
  takeSuspect(aloneDeaths: number): Promise<Suspect | 'later' | 'none'>;

  /**
   * Writes what became of requests taken under this lease: pages, new links, ends, counters, and the end of jobs that
   * have nothing left. With `release`, the host is given back as by {@link Frontier.release}, in the same transaction where the store can. A request that moved, or is tried again at its own URL, may wait for another host then. Settling a request of a job that has ended meanwhile changes nothing.
   */
  settle(lease: HostLease, settlements: readonly Settlement[], release?: ReleaseOptions): Promise<void>;

  /**
   * Gives the host back, with what was taken and not settled, as if it had not been tried. It is leased again `notBefore`
   * at the earliest. Jobs that have something due on the host are told the notice; where there are many, not all of them.
   */
  release(lease: HostLease, options?: ReleaseOptions): Promise<void>;

  /**
   * Fails what is pending on the host, of all jobs, a thousand requests at a time: answers true while more is left. To
   * be called when nothing is in flight under the lease.
   */
  giveUp(lease: HostLease, error: CrawlError, notice: Notice): Promise<boolean>;

  /**
   * Notes how long a host wants to be left alone between two requests, so that the first process after a crash waits
   * for so long. To be awaited before the first page is fetched.
   */
  noteDelay(host: string, delayMs: number): Promise<void>;

  /**
   * Notes in which network hosts of a job are, by host, and returns all that count. A host that was noted on the public web
   * stays there.
   */
  noteNetworks(jobId: string, networks: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;

  /** What a lane must know of a job; undefined when there is no such job. */
  crawlJob(id: string): Promise<CrawlJob | undefined>;

  /** What the ledger of a job has under a dedupe key; undefined where that is nothing. Cheap: it is asked at each redirect. */
  knownUrl(jobId: string, key: string): Promise<KnownUrl | undefined>;

  /** Those of the jobs that have ended. */
  endedJobs(ids: readonly string[]): Promise<readonly string[]>;

  /** Resolves when a host may have become due, or after `maxMs`, or when the signal fires. A hint, not a promise. */
  waitForWork(maxMs: number, signal: AbortSignal): Promise<void>;
}

export interface RecoverOptions {
  readonly delayMs: number;
  readonly onlyJob?: string;
  /** See `Store.hasBrowser`. @default false */
  readonly hasBrowser?: boolean;
}

/** The time in which what a process leases is its own. */
export interface Life {
  /** Requests that a process may have died of: see {@link Frontier.takeSuspect}. */
  readonly suspects: number;
  /** Whether the life before this one ended with requests that it had taken: what killed it may be among them. */
  readonly isAfterDeath: boolean;
  /** Fires when others may take over what was leased: nothing more may be fetched, and what is in flight is thrown away. */
  readonly lost: AbortSignal;
  /**
   * To be asked right before each fetch, since a process that was stopped for a while learns last that its time is over.
   * Where it answers false, `lost` has fired.
   */
  readonly isHeld: () => boolean;
}

/** Of the only process that crawls: nobody takes over what it leases. */
export const unendingLife: Omit<Life, 'suspects' | 'isAfterDeath'> = {
  lost: new AbortController().signal,
  isHeld: () => true,
};

export interface LeaseOptions {
  /** Requests are taken at once, where that needs no wait: as many as are of use to a turn that begins now (`core/turn.ts`). @default false */
  readonly takes?: boolean;
  /** Leases of this process that one org may have; what is urgent may go beyond. @default any number */
  readonly lanesPerOrg?: number;
  /** There are more hosts than lanes, so that it matters whose turn it is. @default true */
  readonly isScarce?: boolean;
}

export interface HostLease {
  readonly hostId: number;
  /** `name:port`. */
  readonly host: string;
  /** Rises with every lease of the host; guards every write made under it. */
  readonly fence: number;
  /** How much of what the host may be asked at a time is this lease's, up to 1: a host with much to do is leased several times. */
  readonly share: number;
  /** What the last holder noted, and how long ago. */
  readonly memory?: { readonly text: string; readonly ageMs: number };
}

/** A host under lease, and what was taken with it. */
export interface Leased {
  readonly lease: HostLease;
  readonly requests: readonly Request[];
  /** There may be more that is due. */
  readonly mayHaveMore: boolean;
}

/** A URL of a job's ledger, as far as it was committed. */
export interface KnownUrl {
  /** The number of the request. URLs that were found first have the smallest. */
  readonly id: number;
  readonly url: string;
  readonly depth: number;
  /** What is in flight is queued. */
  readonly state: 'queued' | 'scraped' | 'discarded' | 'failed';
  /** As the ledger lists it: also of the last attempt at what is queued. */
  readonly reason: string | null;
  readonly detail: string | null;
  readonly statusCode: number | null;
  readonly attempts: number;
}

export interface Suspect {
  readonly lease: HostLease;
  readonly request: Request;
}

export interface ReleaseOptions {
  readonly notBefore?: number;
  readonly delayMs?: number;
  readonly notice?: Notice;
  /** For the next holder, where that may be another process: how the host answers. At most 10,000 characters. */
  readonly memory?: string;
}

/** Told to a job once, however often it happens. */
export interface Notice {
  readonly code: NoticeCode;
  readonly message: string;
}

export interface Settlement {
  readonly request: Request;
  readonly outcome: Outcome;
  /** The site was asked for the URL: where it is a page, this counts towards the job's `fetchLimit`. */
  readonly fetched: boolean;
  /** What the owner of the job should know of the page. Each code is counted. */
  readonly remarks?: readonly CountedCode[];
  /** Reported to the job once, however often it comes. */
  readonly notice?: Notice;
  /** Set when this page was the last of a run that showed its URL template to be a trap. */
  readonly endedTemplate?: EndedTemplate;
}

export interface EndedTemplate {
  readonly template: string;
  /** Pages in a row that brought no new text. */
  readonly pages: number;
}
