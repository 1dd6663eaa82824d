import type { Dispatcher } from 'undici';
import type { SendOptions, WebhookAnswer, WebhookMessage, WebhookSender } from '../../core/ports/webhook-sender.ts';
import { type AnswerHeaders, readFetchedHeaders } from '../answer/answer-head.ts';
import type { Egress } from '../guard/egress.ts';
import type { WebRequest } from '../http2/request-headers.ts';
import { fail, toFailure } from './fetch-errors.ts';

/** Limit of body bytes read. The body is ignored; it is read only so that the connection can be reused. */
const bodyBytesMax = 1_024;

/** Posts through the guard. */
export function createWebhookSender(egress: Egress): WebhookSender {
  return {
    send(text, message, options) {
      const url = URL.parse(text);
      if (url === null) return Promise.resolve(failure(fail('badUrl')));
      const refusal = egress.refusal(url);
      if (refusal !== undefined) {
        return Promise.resolve({ kind: 'failure', error: { reason: 'destination_not_allowed', message: refusal } });
      }
      if (options.signal.aborted) return Promise.resolve(failure(fail('stopped')));
      return exchange(egress, url, message, options);
    },
  };
}

function exchange(egress: Egress, url: URL, message: WebhookMessage, options: SendOptions): Promise<WebhookAnswer> {
  const { promise, resolve } = Promise.withResolvers<WebhookAnswer>();
  const request: WebRequest = {
    method: 'POST',
    origin: url.origin,
    path: url.href.slice(url.origin.length),
    headers: message.headers,
    body: Buffer.from(message.body),
    reset: egress.isCrowded(),
  };
  const handler = new WebhookExchange(options, resolve);
  // The owner of the job named this URL, so it may be in any of the networks. That opens none of them to fetches.
  const way = egress.wayTo(url, egress.privateNetworks);
  // Never throws: errors in a request go to its handler.
  if (!(way instanceof Promise)) way.dispatcher.dispatch(request, handler);
  else {
    way.then(
      ({ dispatcher }) => {
        if (!handler.isSettled) dispatcher.dispatch(request, handler);
      },
      (error: unknown) => handler.fail(error instanceof Error ? error : new Error(String(error))),
    );
  }
  return promise;
}

/**
 * One POST and its response. It settles once: when the response ends, when enough of it was read, or when the deadline
 * or the signal cuts it off. Once the head has arrived, the result is known, however the body ends.
 */
class WebhookExchange implements Dispatcher.DispatchHandler {
  readonly #settle: (answer: WebhookAnswer) => void;
  readonly #deadline: NodeJS.Timeout;
  readonly #signal: AbortSignal;
  readonly #stop = (): void => this.#end(failure(fail('stopped')));
  #controller: Dispatcher.DispatchController | undefined;
  #known: WebhookAnswer | undefined;
  #bodyBytes = 0;
  #isSettled = false;

  constructor({ deadlineMs, signal }: SendOptions, settle: (answer: WebhookAnswer) => void) {
    this.#settle = settle;
    this.#signal = signal;
    this.#deadline = setTimeout(() => this.#end(timedOut), deadlineMs);
    signal.addEventListener('abort', this.#stop);
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** No connection could be made. */
  fail(error: Error): void {
    this.#finish(failure(toFailure(error)));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The connection came too late: undici provides the controller only now.
    if (this.#isSettled) controller.abort(cancelled);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: AnswerHeaders): void {
    if (statusCode < 200) return;
    this.#known = { kind: 'answer', statusCode, retryAfter: readFetchedHeaders(headers).retryAfter };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > bodyBytesMax) this.#end(timedOut);
  }

  onResponseEnd(): void {
    this.#finish(failure(fail('badResponse')));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(failure(toFailure(error)));
  }

  /** Settles before the response is complete, and so closes the connection. */
  #end(otherwise: WebhookAnswer): void {
    this.#finish(otherwise);
    this.#controller?.abort(cancelled);
  }

  #finish(otherwise: WebhookAnswer): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#deadline);
    this.#signal.removeEventListener('abort', this.#stop);
    this.#settle(this.#known ?? otherwise);
  }
}

function failure({ error }: ReturnType<typeof fail>): WebhookAnswer {
  return { kind: 'failure', error };
}

const timedOut: WebhookAnswer = {
  kind: 'failure',
  error: { reason: 'timeout', message: 'The webhook did not respond in time.' },
};

/** Nobody sees it: the exchange has settled before it is thrown. */
const cancelled = new Error('The exchange was cancelled.');
