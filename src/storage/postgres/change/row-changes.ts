// The changes that a transaction made in memory, and that it must still write.
import type { LineOfJob } from '../../rules/frontier/lease-turns.ts';
import type { PageRecord } from '../../../core/page.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import type { NewWork } from '../../rules/schedules/runs.ts';
import type { WebhookEvent } from '../../../core/webhook-event.ts';
import type { Ending, NewUrl, Place } from '../../rules/frontier/crawl-tables.ts';
import type { FreedHost } from './free-hosts.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';

/** Each list is in the order in which its rows were made, which is the order of their numbers. */
export interface RowChanges {
  /** By the clock of the database. */
  readonly now: number;
  /** URLs that the ledger of a job has at most. */
  readonly jobUrlsMax: number;
  readonly jobs: readonly ChangedJob[];
  /** Jobs to lock before anything is written. */
  readonly toLock: JobsToLock | undefined;
  readonly urls: {
    readonly added: readonly AddedUrl[];
    readonly reopened: readonly ReopenedUrl[];
    readonly nearer: readonly NearerUrl[];
    readonly lastmods: readonly Lastmod[];
  };
  readonly requests: {
    /** Taken out of the frontier. */
    readonly removed: readonly RemovedRequest[];
    readonly postponed: readonly PostponedRequest[];
    /** Each under its lease. */
    readonly taken: readonly HeldRequest[];
    readonly handedBack: readonly HeldRequest[];
    readonly moved: readonly MovedRequest[];
    readonly ended: readonly EndedRequest[];
  };
  /** The worker that takes, which must not be dead. */
  readonly taker: number | undefined;
  readonly pages: readonly AddedPage[];
  readonly pageKeys: readonly AddedPageKey[];
  readonly removedPageKeys: readonly RemovedPageKey[];
  readonly extracted: readonly AddedExtracted[];
  readonly templates: readonly EndedTemplate[];
  readonly events: readonly AddedEvent[];
  /** Work that follows the ends of runs. */
  readonly endedRuns: readonly NewWork[];
  /** Events that are due now. */
  readonly hastened: readonly number[];
  /** Hosts that have work now. */
  readonly wake: readonly WokenHost[];
  /** Hosts that are released, at the end. */
  readonly freed: readonly FreedHost[];
}

export interface ChangedJob {
  readonly row: JobRow;
  /** As it was read. */
  readonly before: JobRow;
}

/** The transaction waits for the first list. A job of the second that another transaction holds fails this one. */
export interface JobsToLock {
  readonly waitedFor: readonly number[];
  readonly ifFree: readonly number[];
}

/** A URL that was not in the ledger. */
export interface AddedUrl extends NewUrl {
  readonly isQueued: boolean;
}

/** A URL of the ledger that was discarded, and is queued again. */
export interface ReopenedUrl {
  readonly job: number;
  readonly id: number;
  readonly depth: number;
  readonly selfFed: boolean;
  readonly byScript: boolean;
  readonly foundOn: number | null;
  readonly host: string;
}

/** A URL that waits in the frontier, and whose turn moves forward. */
export interface NearerUrl {
  readonly job: number;
  readonly id: number;
  readonly depth: number;
  readonly selfFed: boolean;
  readonly byScript: boolean;
}

export interface Lastmod {
  readonly job: number;
  readonly key: string;
  readonly lastmod: string;
}

/** `fence`: as it was read; null if nobody had taken the request. */
export interface RemovedRequest {
  readonly id: number;
  readonly fence: number | null;
}

export interface HeldRequest {
  readonly id: number;
  readonly fence: number;
}

export interface PostponedRequest extends RemovedRequest {
  readonly notBefore: number;
}

/** A request that waits for a host, perhaps another one. */
export interface MovedRequest extends Omit<Place, 'job'>, HeldRequest {}

/** A ledger entry with the end of its request, or of an attempt that another follows. */
export interface EndedRequest {
  readonly job: number;
  readonly id: number;
  readonly attempts: number;
  readonly ending: Ending;
}

export interface AddedPage {
  readonly job: number;
  readonly number: number;
  readonly record: PageRecord;
}

/** A page that was made of a raw body. Its job is locked, so its number is final. */
export interface AddedExtracted {
  readonly job: number;
  readonly number: number;
  readonly page: ExtractedPage;
}

/** A host with new work: from when on, in whose line it waits, and how many URLs that job has queued. */
export interface WokenHost {
  readonly host: string;
  readonly at: number;
  readonly line: LineOfJob;
  readonly queued: number;
  /** True if all jobs that have new work there need a browser. */
  readonly needsBrowser: boolean;
}

export interface AddedPageKey {
  readonly job: number;
  readonly key: string;
  readonly entry: number;
  /** The key was looked up, and no page had it. */
  readonly isNew: boolean;
}

/** A key that a page of an earlier job had. */
export interface RemovedPageKey {
  readonly job: number;
  readonly key: string;
  readonly entry: number;
}

export interface EndedTemplate {
  readonly job: number;
  readonly template: string;
}

export interface AddedEvent {
  readonly id: number;
  readonly job: number;
  readonly url: string;
  readonly event: WebhookEvent;
  readonly now: number;
  readonly dueAt: number;
}
