import { setTimeout as sleep } from 'node:timers/promises';
import { failPoint } from '../core/process/fail-point.ts';
import type { Log } from '../core/ports/log.ts';
import { readRetryAfter } from '../core/retry-after.ts';
import type { WebhookResponse, WebhookSender } from '../core/ports/webhook-sender.ts';
import type { DeliveryResult, DueDelivery, Outbox } from '../core/webhook.ts';
import { messageOf, type MessageOptions } from './message.ts';
import { retryAfterMsMax, retryTime, schedule } from './schedule.ts';

/** Attempts in flight at most, in all and to one origin. One URL has one at most: see {@link Outbox.claim}. */
const attemptsMax = 16;
const originMax = 4;
/** Wall-clock time for one attempt. */
const deadlineMs = 15_000;
/** How long to wait before looking for due deliveries without a hint that there are some. */
const idleMs = 500;
/** How long to pause after the store failed. */
const troubleMs = 5_000;
/** How long attempts in flight can take to end after `stop`. */
const drainMs = 5_000;

export interface NotifierOptions extends MessageOptions {
  /** Pauses between the attempts for an event. @default {@link schedule} */
  readonly pausesMs?: readonly number[];
}

/** Sends the deliveries in the outbox. A slow or dead webhook delays only its own deliveries. */
export class Notifier {
  readonly #outbox: Outbox;
  readonly #sender: WebhookSender;
  readonly #message: MessageOptions;
  readonly #pausesMs: readonly number[];
  readonly #log: Log;
  /** Attempts in flight, by URL. */
  readonly #attempts = new Map<string, Promise<void>>();
  /** Fires when attempts in flight are no longer waited for. */
  readonly #abandon = new AbortController();
  /** Fires when the outbox must be read again: an attempt has ended, and its URL is free. */
  #wake = new AbortController();

  constructor(outbox: Outbox, sender: WebhookSender, options: NotifierOptions, log: Log) {
    this.#outbox = outbox;
    this.#sender = sender;
    this.#message = options;
    this.#pausesMs = options.pausesMs ?? schedule;
    this.#log = log;
  }

  /**
   * Sends until `stop`, and resolves within seconds of it. Abandoned attempts count as attempts, and are due again when
   * their claims end. Never rejects: a failure of the store is logged, and the store tried again.
   */
  async run(stop: AbortSignal): Promise<void> {
    stop.addEventListener('abort', () => this.#wake.abort());
    while (!stop.aborted) {
      this.#wake = new AbortController();
      const { signal } = this.#wake;
      try {
        for (const delivery of await this.#claim()) this.#start(delivery);
        await this.#outbox.waitForDue(idleMs, signal);
      } catch (error) {
        this.#log.error('the outbox could not be read', { error });
        await sleep(troubleMs, undefined, { signal: stop }).catch(() => {});
      }
    }
    const patience = setTimeout(() => this.#abandon.abort(), drainMs);
    await Promise.all(this.#attempts.values());
    clearTimeout(patience);
  }

  async #claim(): Promise<readonly DueDelivery[]> {
    const max = attemptsMax - this.#attempts.size;
    return max === 0 ? [] : this.#outbox.claim({ max, originMax, busyUrls: [...this.#attempts.keys()] });
  }

  #start(delivery: DueDelivery): void {
    const attempt = this.#attempt(delivery)
      // The result is not stored: the delivery is due again when its claim ends.
      .catch((error: unknown) => this.#log.error('a delivery could not be settled', { delivery: delivery.id, error }))
      .finally(() => {
        this.#attempts.delete(delivery.url);
        this.#wake.abort();
      });
    this.#attempts.set(delivery.url, attempt);
  }

  async #attempt(delivery: DueDelivery): Promise<void> {
    const keys = await this.#outbox.keys(delivery.org);
    const message = messageOf(delivery, keys, Date.now(), this.#message);
    failPoint('delivery.sending');
    const { signal } = this.#abandon;
    const response = await this.#sender.send(delivery.url, message, { deadlineMs, signal });
    failPoint('delivery.sent');
    // The delivery might have arrived.
    if (signal.aborted && response.kind === 'failure') return;
    const result = judge(response, delivery.attempts, this.#pausesMs, Date.now(), Math.random());
    await this.#outbox.settle(delivery.id, result);
    failPoint('delivery.settled');
    const { id, owner, event, attempts } = delivery;
    this.#log.debug('webhook told', { of: owner, delivery: id, event, attempts, result: result.kind });
    // A job lists its failed deliveries. A schedule does not.
    if ('error' in delivery.facts && result.kind === 'failed' && result.retryAt === null)
      this.#log.warn('an event of a schedule was not delivered', { schedule: owner, event, error: result.message });
  }
}

/** The result of a delivery attempt. `attempts`: attempts begun, including this one. */
export function judge(
  response: WebhookResponse,
  attempts: number,
  pausesMs: readonly number[],
  now: number,
  random: number,
): DeliveryResult {
  if (response.kind === 'failure') {
    const { reason, message } = response.error;
    // The destination will not be allowed later either.
    const retryAt = reason === 'destination_not_allowed' ? null : retryTime({ attempts }, pausesMs, now, random);
    return { kind: 'failed', message, retryAt };
  }
  const { statusCode } = response;
  if (statusCode >= 200 && statusCode < 300) return { kind: 'delivered', statusCode };
  if (statusCode === 410)
    return { kind: 'gone', statusCode, message: 'The webhook responded with 410: it is permanently gone.' };
  const isRedirect = statusCode >= 300 && statusCode < 400;
  const message = `The webhook responded with ${statusCode}${isRedirect ? ', and redirects are not followed' : ''}.`;
  const retryAfterMs = readRetryAfter(response.retryAfter, now, retryAfterMsMax);
  return { kind: 'failed', statusCode, message, retryAt: retryTime({ attempts, retryAfterMs }, pausesMs, now, random) };
}
