/** Events that a job sends to its `webhook_url`. */

/** `job.progress`: pages were committed; one event covers many. */
export const webhookEvents = ['job.started', 'job.progress', 'job.finished'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** A failed attempt, as the job shows it. */
export interface WebhookFail {
  readonly at: number;
  readonly event: WebhookEvent;
  readonly message: string;
  readonly statusCode?: number;
}
