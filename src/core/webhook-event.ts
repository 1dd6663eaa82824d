/** What a job tells its `webhook_url`. */

/** `job.progress`: pages were committed; many together. */
export const webhookEvents = ['job.started', 'job.progress', 'job.finished'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** An attempt that failed, as the job shows it. */
export interface WebhookFail {
  readonly at: number;
  readonly event: WebhookEvent;
  readonly message: string;
  readonly statusCode?: number;
}
