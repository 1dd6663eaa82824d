/** What a job tells its `webhook_url`, and the outbox that keeps it until it has arrived. */
import type { JobProgress, JobStatus } from './job.ts';
import type { WebhookEvent } from './webhook-event.ts';

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One event on its way to one webhook. */
export interface Delivery {
  /** Rising with the order of events of a job. */
  readonly id: number;
  readonly event: WebhookEvent;
  readonly status: DeliveryStatus;
  readonly createdAt: number;
  /** Attempts begun. */
  readonly attempts: number;
  /** When the next attempt is due; null where there is none. */
  readonly nextAt: number | null;
  /** When it was delivered or given up. */
  readonly settledAt: number | null;
  /** What the webhook answered last. */
  readonly statusCode: number | null;
  /** Why the last attempt failed; null where none has. */
  readonly error: string | null;
}

/** What a webhook knows a delivery by, at every attempt. */
export function messageId(jobId: string, deliveryId: number): string {
  return `msg_${jobId}_${deliveryId}`;
}

/** A delivery with what is to be sent. The same at every attempt: what is told was fixed at the first. */
export interface DueDelivery {
  readonly id: number;
  readonly jobId: string;
  readonly org: string;
  readonly url: string;
  readonly event: WebhookEvent;
  readonly createdAt: number;
  /** Attempts begun, with this one. */
  readonly attempts: number;
  readonly facts: DeliveryFacts;
}

/** How the job stood when the event was told first. */
export interface DeliveryFacts {
  readonly status: JobStatus;
  readonly progress: JobProgress;
  readonly finishedAt: number | null;
  /** Of `job.progress`: the numbers of the pages that are new, first and last. */
  readonly pages?: { readonly from: number; readonly to: number };
}

/** What came of one attempt. */
export type DeliveryResult =
  | { readonly kind: 'delivered'; readonly statusCode: number }
  /** `retryAt`: when to try again; null gives it up. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly statusCode?: number;
      readonly retryAt: number | null;
    }
  /** The webhook does not want to be told any more: nothing of its job is sent from now on. */
  | { readonly kind: 'gone'; readonly message: string; readonly statusCode: number };

/** Signing keys of an org (Standard Webhooks: symmetric, 32 random bytes). */
export interface WebhookKeys {
  readonly current: Uint8Array;
  /** The one before, for 24 hours after it was replaced: both sign. */
  readonly previous?: Uint8Array;
}

/**
 * The events of all jobs that have not arrived yet. An event is stored in the transaction that brings it about, so that
 * none is lost; it is sent at least once, in no promised order.
 */
export interface Outbox {
  /**
   * Takes up to `max` deliveries that are due, longest due first, none for a URL in `busyUrls`, at most one for each other
   * URL, and so many that with `busyUrls` no more than `originMax` go to one origin. One that is not settled within a
   * minute, or before the next process recovers the store, is due again.
   */
  claim(query: {
    readonly max: number;
    readonly originMax: number;
    readonly busyUrls: readonly string[];
  }): Promise<readonly DueDelivery[]>;

  /** Writes what came of an attempt. For a delivery that was settled meanwhile, nothing changes. */
  settle(id: number, result: DeliveryResult): Promise<void>;

  /** Deliveries of a job in the order of events, behind `after`. */
  list(
    jobId: string,
    query: { readonly after: number; readonly limit: number; readonly status?: DeliveryStatus },
  ): Promise<readonly Delivery[]>;

  /** Sends a delivery again, from the first attempt on; undefined where the job has none with this id. */
  replay(jobId: string, id: number): Promise<Delivery | undefined>;

  /** The keys of an org, made when first asked for. */
  keys(org: string): Promise<WebhookKeys>;

  /** Makes a new key; the old one signs as well for 24 hours. */
  rotateKey(org: string): Promise<WebhookKeys>;

  /** Resolves when a delivery may have become due, or after `maxMs`, or when the signal fires. A hint. */
  waitForDue(maxMs: number, signal: AbortSignal): Promise<void>;
}
