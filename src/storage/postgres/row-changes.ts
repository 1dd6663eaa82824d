// What a transaction has changed in memory, and what is still to be written of it.
import type { PageRecord } from '../../core/page.ts';
import type { WebhookEvent } from '../../core/webhook-event.ts';
import type { Ending, NewUrl } from '../rules/crawl-tables.ts';
import type { JobRow } from '../rules/job-row.ts';

/** Each list in the order in which its rows came to be, which is that of their numbers. */
export interface RowChanges {
  /** By the clock of the database. */
  readonly now: number;
  readonly jobs: readonly JobRow[];
  readonly urls: {
    readonly added: readonly AddedUrl[];
    readonly reopened: readonly ReopenedUrl[];
    readonly nearer: readonly NearerUrl[];
    readonly lastmods: readonly Lastmod[];
  };
  readonly requests: {
    /** Taken out of the frontier. */
    readonly removed: readonly number[];
    readonly postponed: readonly PostponedRequest[];
    readonly ended: readonly EndedRequest[];
  };
  readonly pages: readonly AddedPage[];
  readonly pageKeys: readonly AddedPageKey[];
  readonly templates: readonly EndedTemplate[];
  readonly events: readonly AddedEvent[];
  /** Events that are due now. */
  readonly hastened: readonly number[];
  /** Hosts that have work now, and from when on. */
  readonly wake: { readonly hosts: readonly string[]; readonly at: number };
}

/** A URL that was not in the ledger. */
export interface AddedUrl extends NewUrl {
  readonly isQueued: boolean;
}

/** A URL of the ledger that was discarded, and is queued after all. */
export interface ReopenedUrl {
  readonly job: number;
  readonly id: number;
  readonly depth: number;
  readonly foundOn: number | null;
  readonly host: string;
}

/** A URL that waits in the frontier, and takes its turn earlier. */
export interface NearerUrl {
  readonly job: number;
  readonly id: number;
  readonly depth: number;
}

export interface Lastmod {
  readonly job: number;
  readonly key: string;
  readonly lastmod: string;
}

export interface PostponedRequest {
  readonly id: number;
  readonly notBefore: number;
}

/** Of a request, or of an attempt after which there will be another. */
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

export interface AddedPageKey {
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
