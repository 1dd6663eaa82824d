/** Events that a job and its schedule send to the `webhook_url`, and the outbox that keeps each event until it is delivered. */
import type { ChangeCounts } from './baseline.ts';
import type { Job, JobProgress, JobStatus } from './job.ts';
import type { ClaimedWork, WorkEntry, WorkStatus } from './ports/work.ts';
import type { RunError } from './schedule.ts';
import type { ScheduleEvent, WebhookEvent } from './webhook-event.ts';

/** One event for one webhook, with the HTTP status of the last response. */
export interface Delivery extends Omit<WorkEntry, 'subject' | 'code'> {
  readonly event: WebhookEvent;
  readonly statusCode: number | null;
}

/** The id by which a webhook recognises a delivery, the same at every attempt. */
export function messageId(owner: string, deliveryId: number): string {
  return `msg_${owner}_${deliveryId}`;
}

/** A delivery with its content. The first attempt fixes the content for all attempts. */
export interface DueDelivery extends Omit<ClaimedWork, 'key' | 'subject' | 'payload'> {
  readonly url: string;
  readonly event: WebhookEvent | ScheduleEvent;
  readonly facts: DeliveryFacts | RunFacts | ScheduleFacts;
}

/** What `schedule.changed` says of a run. */
export interface RunFacts {
  readonly schedule: string;
  readonly job: string;
  readonly changes: ChangeCounts;
}

/** What an event of a schedule says. */
export interface ScheduleFacts {
  readonly schedule: string;
  readonly name: string;
  readonly error: RunError;
  readonly nextRunAt: number | null;
}

/** State of the job when the event was first sent. */
export interface DeliveryFacts {
  readonly status: JobStatus;
  readonly complete: Job['complete'];
  readonly findings: Job['findings'];
  readonly progress: JobProgress;
  readonly finishedAt: number | null;
  /** For `job.progress`: the numbers of the new pages, first and last. */
  readonly pages?: { readonly from: number; readonly to: number };
}

/** The result of one attempt. */
export type DeliveryResult =
  | { readonly kind: 'delivered'; readonly statusCode: number }
  /** `retryAt`: time of the next attempt; null gives up. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly statusCode?: number;
      readonly retryAt: number | null;
    }
  /** The webhook wants no more events: nothing of its job is sent from now on. */
  | { readonly kind: 'gone'; readonly message: string; readonly statusCode: number };

/** Signing keys of an org (Standard Webhooks: symmetric, 32 random bytes). */
export interface WebhookKeys {
  readonly current: Uint8Array;
  /** The previous key, for 24 hours after its replacement: both sign. */
  readonly previous?: Uint8Array;
}

/**
 * The undelivered events of all jobs. An event is stored in the transaction that causes it, so none is lost. It is sent
 * at least once, in no promised order.
 */
export interface Outbox {
  /**
   * Takes up to `max` due deliveries, longest due first: none for a URL in `busyUrls`, at most one for each other URL,
   * and at most `originMax` per origin, `busyUrls` included. A delivery not settled within a minute, or before the next
   * process recovers the store, is due again.
   */
  claim(query: {
    readonly max: number;
    readonly originMax: number;
    readonly busyUrls: readonly string[];
  }): Promise<readonly DueDelivery[]>;

  /** Writes the result of an attempt. Changes nothing for a delivery that was settled meanwhile. */
  settle(id: number, result: DeliveryResult): Promise<void>;

  /** Lists deliveries of a job in the order of events, after `after`. */
  list(
    jobId: string,
    query: { readonly after: number; readonly limit: number; readonly status?: WorkStatus },
  ): Promise<readonly Delivery[]>;

  /** Sends a delivery again, starting from the first attempt; undefined if the job has none with this id. */
  replay(jobId: string, id: number): Promise<Delivery | undefined>;

  /** Returns the keys of an org. The first call creates them. */
  keys(org: string): Promise<WebhookKeys>;

  /** Creates a new key; the old one also signs for 24 hours. */
  rotateKey(org: string): Promise<WebhookKeys>;

  /** Resolves when a delivery might be due, or after `maxMs`, or when the signal fires. A hint. */
  waitForDue(maxMs: number, signal: AbortSignal): Promise<void>;
}
