// Schemas of requests about webhooks and of their responses.
import { z } from 'zod';
import { webhookEvents } from '../core/webhook-event.ts';
import { deliveryStatuses } from '../core/webhook.ts';
import { cursors, jobParams } from './schemas.ts';

export const deliveryParams = jobParams.extend({ delivery: z.string().describe('The id of the delivery.') });

export const delivery = z
  .object({
    id: z.int(),
    webhookId: z.string().describe('The `webhook-id` that the webhook is told, at every attempt.'),
    event: z.enum(webhookEvents),
    status: z.enum(deliveryStatuses),
    createdAt: z.int(),
    attempts: z.int().describe('Attempts begun, since the last replay.'),
    nextAt: z.int().optional().describe('When the next attempt is due; for one in flight, when it is taken for lost.'),
    settledAt: z.int().optional().describe('When it was delivered or given up.'),
    statusCode: z.int().optional().describe('What the webhook answered last.'),
    error: z.string().optional().describe('Why the last attempt failed.'),
  })
  .meta({ id: 'Delivery' });

export const deliveryList = z.object({ data: z.array(delivery), ...cursors }).meta({ id: 'DeliveryList' });

export const webhookKey = z
  .object({
    key: z.string().describe('Signs what the webhooks of your org are told: `whsec_` and 32 bytes in base64.'),
    previousKey: z.string().optional().describe('The key before, which signs as well for 24 hours after a rotation.'),
  })
  .meta({ id: 'WebhookKey' });
