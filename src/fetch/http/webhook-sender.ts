import type { FetchResult } from '../../core/ports/fetcher.ts';
import type { SendOptions, WebhookResponse, WebhookMessage, WebhookSender } from '../../core/ports/webhook-sender.ts';
import type { Egress } from '../guard/egress.ts';
import type { WebRequest } from '../http2/request-headers.ts';
import { Exchange } from './exchange.ts';
import { fail } from './fetch-errors.ts';

/** Limit of body bytes read. The body is ignored; it is read only so that the connection can be reused. */
const bodyBytesMax = 1_024;

/** Posts through the guard. */
export function createWebhookSender(egress: Egress): WebhookSender {
  return {
    async send(text, message, options) {
      const url = URL.parse(text);
      if (url === null) return responseOf(fail('badUrl'));
      const refusal = egress.refusal(url);
      if (refusal !== undefined)
        return { kind: 'failure', error: { reason: 'destination_not_allowed', message: refusal } };
      if (options.signal.aborted) return responseOf(fail('stopped'));
      return responseOf(await exchange(egress, url, message, options));
    },
  };
}

function exchange(egress: Egress, url: URL, message: WebhookMessage, options: SendOptions): Promise<FetchResult> {
  const { promise, resolve } = Promise.withResolvers<FetchResult>();
  const request: WebRequest = {
    method: 'POST',
    origin: url.origin,
    path: url.href.slice(url.origin.length),
    headers: message.headers,
    body: Buffer.from(message.body),
    reset: egress.isCrowded(),
  };
  // Once the head has arrived, the result is known, however the body ends.
  const sent = new Exchange(request.path, { ...options, wants: 'head', bodyBytesMax }, resolve);
  // The owner of the job named this URL, so it may be in any of the networks. That opens none of them to fetches.
  sent.send(request, egress.wayTo(url, egress.privateNetworks));
  return promise;
}

function responseOf(result: FetchResult): WebhookResponse {
  if (result === fail('timeout')) return timedOut;
  if (result.kind === 'failure') return { kind: 'failure', error: result.error };
  const retryAfter = result.kind === 'body' ? result.headers.retryAfter : '';
  return { kind: 'response', statusCode: result.statusCode, retryAfter };
}

const timedOut: WebhookResponse = {
  kind: 'failure',
  error: { reason: 'timeout', message: 'The webhook did not respond in time.' },
};
