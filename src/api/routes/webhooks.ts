import { z } from 'zod';
import { present } from '../../core/defined.ts';
import { workStatuses } from '../../core/ports/work.ts';
import { type Delivery, messageId, type WebhookKeys } from '../../core/webhook.ts';
import { listDeliveries, replayDelivery } from '../../jobs/deliveries.ts';
import { webhookSecret } from '../../jobs/webhook-key.ts';
import { cursor, jobParams, limit, noBody, optionalStatus, withCursor } from './schemas.ts';
import { type Api, callerOf, type Service } from '../service.ts';
import { delivery, deliveryList, deliveryParams, webhookKey } from './webhook-schemas.ts';

const tags = ['webhooks'];

export function registerWebhooks(api: Api, service: Service): void {
  api.get(
    '/crawler/jobs/:id/deliveries',
    {
      schema: {
        tags,
        operationId: 'listDeliveries',
        summary: 'The webhook deliveries of a job and their outcomes, in the order of events',
        description: 'Each delivery has its attempts, the last response and the time of the next attempt.',
        params: jobParams,
        querystring: z.object({
          limit,
          cursor,
          status: optionalStatus(workStatuses, 'Only deliveries in this state.'),
        }),
        response: { 200: deliveryList },
      },
    },
    async (request) => {
      const { id } = request.params;
      const found = await listDeliveries(service, callerOf(request).org, id, request.query);
      return { data: found.rows.map((row) => viewDelivery(id, row)), ...withCursor(found.cursor) };
    },
  );

  api.post(
    '/crawler/jobs/:id/deliveries/:delivery/replay',
    {
      config: { permission: 'write' },
      schema: {
        tags,
        operationId: 'replayDelivery',
        summary: 'Send a delivery again, under the same `webhook-id`',
        description: 'Sends the same bytes with a new time and signature. A receiver that keeps ids can recognise it.',
        params: deliveryParams,
        body: noBody,
        response: { 200: delivery },
      },
    },
    async (request) => {
      const { id, delivery: deliveryId } = request.params;
      return viewDelivery(id, await replayDelivery(service, callerOf(request).org, id, deliveryId));
    },
  );

  api.get(
    '/webhooks/key',
    {
      config: { permission: 'write', hasSecret: true },
      schema: {
        tags,
        operationId: 'getWebhookKey',
        summary: 'The key that signs the webhooks of your org',
        description: 'The first request creates it. Receivers verify the header `webhook-signature` with it.',
        response: { 200: webhookKey },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return viewKeys(await service.outbox.keys(callerOf(request).org));
    },
  );

  api.post(
    '/webhooks/key/rotate',
    {
      config: { permission: 'write', hasSecret: true },
      schema: {
        tags,
        operationId: 'rotateWebhookKey',
        summary: 'Create a new key; the old one also signs for 24 hours',
        description: 'Each delivery has both signatures for 24 hours, so receivers can change their key meanwhile.',
        body: noBody,
        response: { 200: webhookKey },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return viewKeys(await service.outbox.rotateKey(callerOf(request).org));
    },
  );
}

/** A delivery as the API shows it; fields that do not apply are left out. */
function viewDelivery(jobId: string, { id, ...shown }: Delivery) {
  return present({ id, webhookId: messageId(jobId, id), ...shown });
}

function viewKeys({ current, previous }: WebhookKeys) {
  return { key: webhookSecret(current), ...(previous !== undefined && { previousKey: webhookSecret(previous) }) };
}
