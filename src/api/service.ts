import type { ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { DroppedOf } from '../core/ports/dropped.ts';
import type { HostState } from '../core/ports/crawl-status.ts';
import type { DestinationPolicy } from '../core/ports/fetcher.ts';
import type { Permission } from '../core/permissions.ts';
import type { Previewer } from '../core/ports/preview.ts';
import type { PageSearch } from '../core/ports/search.ts';
import type { Store } from '../core/ports/stores.ts';
import type { ReadSiteRules } from '../core/ports/site-rules.ts';
import type { SystemDesk } from '../core/ports/system-desk.ts';
import type { FairBudget } from '../core/process/fair-budget.ts';
import type { FileRoom } from '../export/export-format.ts';
import type { ExportName } from '../export/formats.ts';
import type { Cursors } from '../jobs/cursor.ts';
import type { Caller } from './guard/authenticate.ts';
import { onceGone } from './once-gone.ts';

/** Dependencies of the routes. */
export interface Service extends Pick<
  Store,
  'jobs' | 'pages' | 'blobs' | 'erasures' | 'changes' | 'tokens' | 'schedules' | 'outbox' | 'ping'
> {
  readonly siteRules: ReadSiteRules;
  readonly droppedOf: DroppedOf;
  /** Undefined if the operator has switched it off. */
  readonly search: PageSearch | undefined;
  readonly cursors: Cursors;
  readonly destinations: DestinationPolicy;
  /** Resolves to true if a crawling process has a browser. */
  readonly hasBrowser: () => Promise<boolean>;
  /** The operator has named a language model. */
  readonly hasModel: boolean;
  /** Webhooks can use plain http. */
  readonly webhookHttp: boolean;
  /** Limit of unfinished jobs per org. @default none */
  readonly jobsPerOrg?: number;
  /** Limit of schedules per org. */
  readonly schedulesPerOrg: number;
  readonly outputExpirySeconds: number | null;
  /** For all pages of a request to the loader. */
  readonly loaderSeconds: number;
  /** Memory budget of responses in progress. */
  readonly responses: FairBudget;
  /** For exports that need a file: where, and how many MiB of its disk stay free. */
  readonly exportFiles: FileRoom;
  /** Called when an export begins. Returns a function that is called with its outcome. */
  readonly onExport: (format: ExportName) => (outcome: ExportOutcome) => void;
  readonly system: SystemDesk;
  /** Metrics of the service, as text for Prometheus. */
  metrics(): Promise<string>;
  /** What this process, if it crawls, knows about a host (`name:port`). */
  hostState(host: string): HostState | undefined;
  /** Undefined if this process does not crawl, or has stopped crawling. */
  previewer(): Previewer | undefined;
  /** See `Store.objectsProblem`. */
  readonly objectsProblem: Store['objectsProblem'];
  /** Returns true while this process crawls; undefined if other processes crawl. */
  readonly isCrawling: (() => boolean) | undefined;
  /** Begins to crawl a job for which a request waits, if no process crawls yet. */
  readonly begin?: (jobId: string) => Promise<void>;
  /** Fires when the server begins to stop, so that waiting requests end. */
  readonly stopping: AbortSignal;
}

/** `cut`: the client left, or the service stopped. */
export type ExportOutcome = 'complete' | 'cut' | 'failed';

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
    /** No token required. `uncounted`: no rate limit either. */
    public?: boolean | 'uncounted';
    /** The permission that the token needs; `none`: any token will do. @default 'read' */
    permission?: Permission | 'none';
    /** The response can take long: concurrent requests are limited per org. */
    waits?: boolean;
    /** Over the rate limit, the request waits instead of being refused. */
    waitsItsTurn?: boolean;
    /** One at a time per org. */
    isExport?: boolean;
    /** Unknown query parameters are ignored. @default false: `invalid_parameter` */
    ignoresUnknownParameters?: boolean;
    /** The response has a secret, so it is not compressed. @default false */
    hasSecret?: boolean;
    /** Refused while memory is short. */
    beginsWork?: boolean;
  }
}

/** Returns the caller; every route that is not public has one. */
export function callerOf(request: { readonly caller: Caller | undefined }): Caller {
  if (!request.caller) throw new Error('a route without authentication requested its caller');
  return request.caller;
}

/** Abort reason. Nothing reads it, but each abort without one would create an exception with its stack. */
const isGone = 'gone';

/**
 * Fires when the response is complete, its client gone, or the server stops. Not built with `AbortSignal.any`, which
 * costs a twentieth of a large response (docs/decisions/storage.md).
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
