/** Events that a job and its schedule send to the `webhook_url`. */

/**
 * The events of a job, which its deliveries list. `job.progress`: pages were committed; one event covers many.
 * `schedule.changed`: a run of a schedule has ended, and the feed has rows of it.
 */
export const webhookEvents = ['job.started', 'job.progress', 'job.finished', 'schedule.changed'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** The events of a schedule that belong to no job. `schedule.failed`: a run could not be created. */
export const scheduleEvents = ['schedule.failed'] as const;
export type ScheduleEvent = (typeof scheduleEvents)[number];

/** A failed attempt, as the job shows it. */
export interface WebhookFail {
  readonly at: number;
  readonly event: WebhookEvent;
  readonly message: string;
  readonly statusCode?: number;
}
