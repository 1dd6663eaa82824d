import type { CrawlError } from '../request.ts';

/** Delivers messages to webhooks. */
export interface WebhookSender {
  /**
   * Sends one POST and returns one response: redirects are not followed; at most 1 KiB of the body is read, and
   * dropped. Never throws for errors of the network or the other side. Ends within `deadlineMs` in any case, and at
   * once when the signal fires.
   */
  send(url: string, message: WebhookMessage, options: SendOptions): Promise<WebhookResponse>;
}

export interface WebhookMessage {
  /** Names in lower case with their values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendOptions {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

export type WebhookResponse =
  | {
      readonly kind: 'response';
      readonly statusCode: number;
      /** As sent: seconds or an HTTP date. Empty when absent. */
      readonly retryAfter: string;
    }
  | { readonly kind: 'failure'; readonly error: CrawlError };
