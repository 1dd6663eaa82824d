import type { CrawlError } from './request.ts';

/** Takes one message to a webhook. */
export interface WebhookSender {
  /**
   * One POST, one answer: redirects are not followed, and of the body at most 1 KiB is read, and dropped. Never throws for
   * what the network or the other side does. Ends within `deadlineMs` in any case, and at once when the signal fires.
   */
  send(url: string, message: WebhookMessage, options: SendOptions): Promise<WebhookAnswer>;
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

export type WebhookAnswer =
  | {
      readonly kind: 'answer';
      readonly statusCode: number;
      /** As sent: seconds or an HTTP date. Empty when absent. */
      readonly retryAfter: string;
    }
  | { readonly kind: 'failure'; readonly error: CrawlError };
