import type { CrawlJob } from '../job.ts';
import type { CountedCode, JobCode } from '../job-codes.ts';
import type { CrawlError, Link, Outcome, Request } from '../request.ts';

/**
 * All requests of all jobs, grouped by host; decides which is next.
 *
 * A worker leases a host, takes requests of it, and settles each. Promised:
 * - A host has one lease at a time, so its holder alone fetches from there, for all jobs.
 * - A request that was taken and not settled is handed out again after {@link Frontier.recover}: no URL is lost.
 * - `settle` is one transaction. After a crash an outcome is stored completely or not at all.
 *
 * Not promised: that a URL is fetched once. A crash repeats the requests in flight; the page is still stored once.
 */
export interface Frontier {
  /** Other processes lease from the same store, so each release passes on what this process learnt about the host. */
  readonly isShared: boolean;

  /**
   * A lane may keep a host while it rests. False while that could hold up jobs on it which only another process can work
   * on.
   */
  mayKeepHosts(): boolean;

  /**
   * Begins a life: makes the work of an earlier life, and of dead processes, available again, and decides what this one
   * works on. Call it before the first lease, and again after a life was lost, while nothing is in flight.
   *
   * Every host with possible requests in flight waits `delayMs`, or its own longer delay, because the store does not
   * know which requests were in flight. With `onlyJob`, requests of other jobs stay where they are. `hasBrowser`: this
   * process can render pages. Without it, requests of jobs that need a browser are neither leased nor taken; @default
   * false.
   */
  recover(options: RecoverOptions): Promise<Life>;

  /**
   * Leases hosts that are due. None means "not now", never "done". Hosts of jobs without a page yet, and of jobs that a
   * client waits for, come first. Then come hosts of the org, and of its jobs, with the fewest leases in this process.
   * Every org and job gets its turn, however many hosts others have. Can lease fewer hosts than wanted although more are
   * due, but not none.
   */
  leaseHosts(options?: LeaseOptions): Promise<readonly Leased[]>;

  /** Leases only hosts of jobs that have no page yet or that a client waits for. `later`: only other hosts are due. */
  leaseUrgentHosts(most: number): Promise<readonly Leased[] | 'later' | 'none'>;

  /**
   * Takes up to `max` requests that are due: shallow ones first, shared evenly among orgs, and within an org among its
   * jobs by priority. Never takes more of a job than `pageLimit` and `fetchLimit` still allow, requests in flight
   * included. That makes both limits exact.
   */
  take(lease: HostLease, max: number, patience?: Patience): Promise<readonly Request[]>;

  /**
   * Takes a suspect with a lease of its host: a request that was in flight at two deaths of the process. Work on one
   * suspect at a time. If the process dies with it and other requests, the suspect comes back with `isAlone`: work on it
   * while nothing else is in flight. If the process dies on it alone for the third time, it fails as `poison`, and no
   * other request is affected. Takes only a suspect that died alone at most `aloneDeaths` times: a process that crashes
   * on every start must not blame the request it happened to begin with. `later`: suspects exist, but none may be tried
   * now.
   */
  takeSuspect(aloneDeaths: number): Promise<Suspect | 'later' | 'none'>;

  /**
   * Writes the outcomes of requests taken under this lease: pages, new links, ends, counters, and the end of jobs that
   * have nothing left. With `release`, it gives the host back like {@link Frontier.release}, in the same transaction if
   * the store can. A request that moved, or that is retried at its own URL, can then wait for another host. For a
   * request of a job that has ended meanwhile, nothing changes.
   */
  settle(
    lease: HostLease,
    settlements: readonly Settlement[],
    release?: ReleaseOptions,
    patience?: Patience,
  ): Promise<void>;

  /**
   * Gives the host back. Requests taken but not settled return as if never tried. The host is not leased again before
   * `notBefore`. Jobs with something due on the host get the notice; if there are many, not all of them do.
   */
  release(lease: HostLease, options?: ReleaseOptions): Promise<void>;

  /**
   * Fails the pending requests of all jobs on the host, or only those of one job, a thousand at a time. Returns true
   * while more are left. Call it when nothing is in flight under the lease.
   */
  giveUp(lease: HostLease, error: CrawlError, notice: Notice, onlyJob?: string): Promise<boolean>;

  /**
   * Fails the pending requests of jobs that need a browser, at most a thousand at a time. Returns true while more can be
   * left. Has no effect in a process that has a browser. Call it only when no live process has one.
   */
  giveUpForBrowser(error: CrawlError): Promise<boolean>;

  /**
   * Notes the delay that a host wants between two requests, so that the first process after a crash waits as long.
   * Await it before the first page is fetched.
   */
  noteDelay(host: string, delayMs: number): Promise<void>;

  /**
   * Notes the networks of hosts of a job, by host, and returns all that apply. A host noted on the public web stays
   * there.
   */
  noteNetworks(jobId: string, networks: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;

  /** Returns what a lane must know about a job; undefined if there is no such job. */
  crawlJob(id: string): Promise<CrawlJob | undefined>;

  /**
   * Returns the ledger entry of a job under a dedupe key; undefined if there is none. Cheap: called at each redirect.
   */
  knownUrl(jobId: string, key: string): Promise<KnownUrl | undefined>;

  /** Returns the jobs among these that have ended. Those whose time is up end now: nobody may take anything of them soon. */
  endedJobs(ids: readonly string[]): Promise<readonly string[]>;

  /** Resolves when a host might be due, or after `maxMs`, or when the signal fires. A hint, not a promise. */
  waitForWork(maxMs: number, signal: AbortSignal): Promise<void>;
}

export interface RecoverOptions {
  readonly delayMs: number;
  readonly onlyJob?: string;
  /** See `Store.hasBrowser`. @default false */
  readonly hasBrowser?: boolean;
  /**
   * A live view of the pages that this process requests now, by job; none has 0. What is taken and not in it shows as
   * queued. @default not known, so what is taken shows as in flight
   */
  readonly openPages?: ReadonlyMap<string, number>;
}

/** The time during which the leases of a process are its own. */
export interface Life {
  /** Requests that might have killed a process: see {@link Frontier.takeSuspect}. */
  readonly suspects: number;
  /** True if the previous life ended with requests taken: one of them might have killed the process. */
  readonly isAfterDeath: boolean;
  /** Fires when others can take over the leases: fetch nothing more, and drop what is in flight. */
  readonly lost: AbortSignal;
  /**
   * Call it right before each fetch: a process that was suspended for a while learns late that its time is over. If it
   * returns false, `lost` has fired.
   */
  readonly isHeld: () => boolean;
}

/** For the only crawling process: no other takes over its leases. */
export const unendingLife: Omit<Life, 'suspects' | 'isAfterDeath'> = {
  lost: new AbortController().signal,
  isHeld: () => true,
};

export interface LeaseOptions {
  /** Hosts to lease. @default 1 */
  readonly most?: number;
  /**
   * Takes requests at once if that needs no wait: as many as a turn that begins now can use (`core/turn.ts`). @default
   * false
   */
  readonly takes?: boolean;
  /** Leases of this process per org; urgent requests can exceed it. @default no limit */
  readonly lanesPerOrg?: number;
  /** There are more hosts than lanes, so turns matter. @default true */
  readonly isScarce?: boolean;
}

export interface Patience {
  /** The host rests, so the store can do this a little later, together with what else comes in. @default false */
  readonly isPatient?: boolean;
}

export interface HostLease {
  readonly hostId: number;
  /** `name:port`. */
  readonly host: string;
  /** Rises with every lease of the host; guards every write made under it. */
  readonly fence: number;
  /**
   * For at least so long, nobody has sent the host a request under a lease. Infinite if it was never leased. @default 0
   */
  readonly restedMs?: number;
  /** Leased before it may be asked, for a batch: nothing is sent, but URLs without a turn in their time end. @default false */
  readonly mustRest?: boolean;
  /** The last holder's note about the host, and its age. */
  readonly memory?: { readonly text: string; readonly ageMs: number };
}

/** A host under lease, with the requests taken. */
export interface Leased {
  readonly lease: HostLease;
  readonly requests: readonly Request[];
  /** More requests can be due. */
  readonly mayHaveMore: boolean;
}

/** A committed URL of a job's ledger. */
export interface KnownUrl {
  /** The number of the request. URLs found first have the smallest. */
  readonly id: number;
  readonly url: string;
  readonly depth: number;
  /** A request in flight counts as queued. */
  readonly state: 'queued' | 'scraped' | 'discarded' | 'failed' | 'outside';
  /** As the ledger lists it; of a queued request, that of its last attempt. */
  readonly reason: string | null;
  readonly detail: string | null;
  readonly statusCode: number | null;
  readonly attempts: number;
  /** The job of `since` knew a page of this URL. */
  readonly hasEarlier: boolean;
}

export interface Suspect {
  readonly lease: HostLease;
  readonly request: Request;
  /** Nothing else may be in flight while it is tried. */
  readonly isAlone: boolean;
}

export interface ReleaseOptions {
  readonly notBefore?: number;
  readonly delayMs?: number;
  readonly notice?: Notice;
  /** For the next holder, if another process can be that: how the host responds. At most 10,000 characters. */
  readonly memory?: string;
}

/** A notice that a job gets once, however often it happens. */
export interface Notice {
  readonly code: JobCode;
  readonly message: string;
  /** Why its URLs failed, for the remedy: a reason of the ledger. */
  readonly reason?: string;
}

/** A notice about the page, or about an earlier one with this URL. */
export type Remark = CountedCode | { readonly code: CountedCode; readonly url: string };

export interface Settlement {
  readonly request: Request;
  readonly outcome: Outcome;
  /** The URL was requested from the site. For a page this counts towards the job's `fetchLimit`. */
  readonly fetched: boolean;
  /** Pages that were asked once more, which count towards it too. @default 0 */
  readonly samples?: number;
  /** URLs that ended in another way than theirs, and are to be asked again. */
  readonly again?: readonly Link[];
  /** Bytes of the bodies that the attempt fetched, as sent. @default 0 */
  readonly bytes?: number;
  /** Notices about the page for the job's owner. Each code is counted. */
  readonly remarks?: readonly Remark[];
  /** Reported to the job once, however often it occurs. */
  readonly notice?: Notice;
  /** Set if this page was the last of a run that proved its URL template to be a trap, or made up by scripts. */
  readonly endedTemplate?: EndedTemplate;
}

export interface EndedTemplate {
  readonly template: string;
  /** Consecutive pages without new text, or links that led nowhere. */
  readonly pages: number;
  /** It ends for links that scripts made, which all led nowhere. @default false */
  readonly byScript?: boolean;
}

/** The name under which a job keeps an ended template. Templates have no spaces. */
export function endedName({ template, byScript = false }: Pick<EndedTemplate, 'template' | 'byScript'>): string {
  return byScript ? `script ${template}` : template;
}
