import { createHmac } from 'node:crypto';
import { discovered } from '../core/job.ts';
import type { WebhookMessage } from '../core/ports/webhook-sender.ts';
import { type DueDelivery, messageId, type WebhookKeys } from '../core/webhook.ts';

export interface MessageOptions {
  /** The whole `User-Agent` header. */
  readonly userAgent: string;
  /** The cursor of the feed of a schedule before the first row of a run. */
  readonly feedCursor: (schedule: string, run: string) => string;
}

/**
 * One delivery attempt in the format of Standard Webhooks (standardwebhooks.com). The body and `webhook-id` are the
 * same for every attempt; the timestamp, and with it the signature, belongs to the attempt.
 */
export function messageOf(
  delivery: DueDelivery,
  keys: WebhookKeys,
  now: number,
  { userAgent, feedCursor }: MessageOptions,
): WebhookMessage {
  const id = messageId(delivery.owner, delivery.id);
  const timestamp = String(Math.floor(now / 1000));
  const body = bodyOf(delivery, feedCursor);
  const signatures = [keys.current, ...(keys.previous ? [keys.previous] : [])].map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    headers: {
      'user-agent': userAgent,
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
    body,
  };
}

function bodyOf({ owner, event, createdAt, facts }: DueDelivery, feedCursor: MessageOptions['feedCursor']): string {
  const timestamp = new Date(createdAt).toISOString();
  if ('changes' in facts) {
    const data = { ...facts, cursor: feedCursor(facts.schedule, facts.job) };
    return JSON.stringify({ type: event, timestamp, data });
  }
  if ('schedule' in facts) return JSON.stringify({ type: event, timestamp, data: facts });
  const { status, complete, findings, finishedAt, pages } = facts;
  const progress = { discovered: discovered(facts.progress), ...facts.progress };
  return JSON.stringify({
    type: event,
    timestamp,
    data: {
      id: owner,
      status,
      complete,
      findings,
      progress,
      finishedAt,
      ...(pages !== undefined && { pages: { from: pages.from, to: pages.to } }),
    },
  });
}
