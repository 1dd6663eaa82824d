/** Events that a job and its schedule send to the `webhook_url`. */
import type { z } from 'zod';
import { type Builder, maybe } from './resource.ts';

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
export const webhookFail = (z: Builder) =>
  z.object({
    at: z.int().describe('When the attempt failed. In milliseconds since the epoch.'),
    event: z.enum(webhookEvents).describe('The event that was not delivered.'),
    message: z.string().describe('Why, for people.'),
    statusCode: maybe(z.int(), 'The status code that the webhook returned, if it did.'),
  });
export type WebhookFail = Readonly<z.output<ReturnType<typeof webhookFail>>>;
