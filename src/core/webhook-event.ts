/** Events that a job and its schedule send to the `webhook_url`. */

/** `job.progress`: pages were committed; one event covers many. */
export const webhookEvents = ['job.started', 'job.progress', 'job.finished'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** `schedule.failed`: a run could not be created. */
export const scheduleEvents = ['schedule.failed'] as const;
export type ScheduleEvent = (typeof scheduleEvents)[number];

/** A failed attempt, as the job shows it. */
export interface WebhookFail {
  readonly at: number;
  readonly event: WebhookEvent;
  readonly message: string;
  readonly statusCode?: number;
}
