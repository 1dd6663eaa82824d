import type { ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { DestinationPolicy } from '../core/fetcher.ts';
import type { Permission } from '../core/permissions.ts';
import type { JobStore, PageStore } from '../core/stores.ts';
import type { Outbox } from '../core/webhook.ts';
import type { Cursors } from '../jobs/cursor.ts';
import type { AnswerBudget } from './answer-budget.ts';
import type { Caller } from './authenticate.ts';
import { onceGone } from './once-gone.ts';

/** What the routes work on. */
export interface Service {
  readonly jobs: JobStore;
  readonly pages: PageStore;
  readonly cursors: Cursors;
  readonly outbox: Outbox;
  readonly destinations: DestinationPolicy;
  /** Whether something that crawls has a browser. */
  readonly hasBrowser: () => Promise<boolean>;
  /** Whether a webhook may be told over http. */
  readonly webhookHttp: boolean;
  /** Jobs of one org that may be unfinished at a time. */
  readonly jobsPerOrg: number;
  /** Bytes of answers that are under way. */
  readonly answers: AnswerBudget;
  /** How the service is doing, as text for Prometheus. */
  metrics(): Promise<string>;
  /** Rejects when the database cannot be written. */
  ping(): Promise<void>;
  /** Whether this process crawls; undefined where that is left to others. */
  readonly isCrawling: (() => boolean) | undefined;
  /** Fires when the server begins to stop: nobody is kept waiting. */
  readonly stopping: AbortSignal;
}

export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** Answers without a token. `uncounted`: as often as anybody asks. */
    public?: boolean | 'uncounted';
    /** What the token has to allow. @default 'read' */
    permission?: Permission;
    /** The answer may take long: an org has only so many at a time. */
    waits?: boolean;
    /** Refused while memory is short. */
    beginsWork?: boolean;
  }
}

/** Who is asking; every route that is not public has one. */
export function callerOf(request: { readonly caller: Caller | undefined }): Caller {
  if (!request.caller) throw new Error('a route without authentication asked for its caller');
  return request.caller;
}

/** Why a signal has fired: nobody reads it, and each abort without one would make an exception with its stack. */
const isGone = 'gone';

/**
 * Fires when the answer is complete or its client gone, or when the server stops. Not made of two signals by `AbortSignal.any`, which
 * costs a twentieth of a large answer (decision 14).
 */
export function goneSignal(response: ServerResponse, { stopping }: Service): AbortSignal {
  const gone = new AbortController();
  const stop = (): void => gone.abort(stopping.reason);
  if (stopping.aborted) stop();
  stopping.addEventListener('abort', stop);
  onceGone(response, () => {
    stopping.removeEventListener('abort', stop);
    gone.abort(isGone);
  });
  return gone.signal;
}
