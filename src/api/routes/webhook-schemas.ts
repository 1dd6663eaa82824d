// Schemas of requests about webhooks and of their responses.
import { maybe } from '../../core/resource.ts';
import { z } from 'zod';
import { jobStatuses } from '../../core/job.ts';
import { scheduleEvents, webhookEvents } from '../../core/webhook-event.ts';
import { workStatuses } from '../../core/ports/work.ts';
import { changeCounts, cursors, finding, jobParams, progress } from './schemas.ts';

export const deliveryParams = jobParams.extend({ delivery: z.string().describe('The id of the delivery.') });

export const delivery = z
  .object({
    id: z.int(),
    webhookId: z.string().describe('The `webhook-id` that is sent with every attempt.'),
    event: z.enum(webhookEvents),
    status: z.enum(workStatuses),
    createdAt: z.int(),
    attempts: z.int().describe('Attempts started since the last replay.'),
    nextAt: maybe(z.int(), 'When the next attempt is due; for an attempt in flight, when it counts as lost.'),
    settledAt: maybe(z.int(), 'When it was delivered or given up.'),
    statusCode: maybe(z.int(), 'The last status code that the webhook returned.'),
    error: maybe(z.string(), 'Why the last attempt failed.'),
  })
  .meta({ id: 'Delivery' });

export const deliveryList = z.object({ data: z.array(delivery), ...cursors }).meta({ id: 'DeliveryList' });

export const webhookKey = z
  .object({
    key: z.string().describe('Signs the webhooks of your org: `whsec_` and 32 bytes in base64.'),
    previousKey: maybe(z.string(), 'The previous key, which also signs for 24 hours after a rotation.'),
  })
  .meta({ id: 'WebhookKey' });

/** The body of a webhook of a schedule. */
export const scheduleEvent = z
  .object({
    type: z.enum(scheduleEvents),
    timestamp: z.string().describe('When it happened, in ISO 8601.'),
    data: z.object({
      schedule: z.string().describe('The id of the schedule.'),
      name: z.string(),
      error: z.object({ code: z.string(), message: z.string(), at: z.int() }).describe('As `lastError`.'),
      nextRunAt: z.int().nullable().describe('When the next run is due.'),
    }),
  })
  .meta({ id: 'ScheduleEvent' });

/** The body of the webhook of a run with changes. */
export const runEvent = z
  .object({
    type: z.literal('schedule.changed'),
    timestamp: z.string().describe('When the run ended, in ISO 8601.'),
    data: z.object({
      schedule: z.string().describe('The id of the schedule.'),
      job: z.string().describe('The id of the run.'),
      changes: changeCounts,
      cursor: z.string().describe('The rows of the run follow it in `GET /crawler/schedules/{id}/changes`.'),
    }),
  })
  .meta({ id: 'RunEvent' });

/** The body of a webhook of a job. */
export const webhookEvent = z
  .object({
    type: z.enum(webhookEvents).exclude(['schedule.changed']),
    timestamp: z.string().describe('When it happened, in ISO 8601.'),
    data: z.object({
      id: z.string().describe('The id of the job.'),
      status: z.enum(jobStatuses),
      complete: z.boolean().nullable().describe('As in the job.'),
      findings: z.array(finding).describe('As in the job.'),
      progress,
      finishedAt: z.int().nullable().describe('Milliseconds since the epoch.'),
      pages: maybe(
        z.object({ from: z.int(), to: z.int() }),
        'With `job.progress`: the numbers of the first and the last page that were committed.',
      ),
    }),
  })
  .meta({ id: 'WebhookEvent' });
