/**
 * Durable work: tasks that follow an event and must survive the death of any process. Requests of jobs are not durable
 * work: they stay in the frontier, which is organised by host.
 */

export const workKinds = ['webhook'] as const;
export type WorkKind = (typeof workKinds)[number];

/** `delivered`: done. The word comes from the first kind, webhook events. */
export const workStatuses = ['pending', 'delivered', 'failed'] as const;
export type WorkStatus = (typeof workStatuses)[number];

/** A piece of work and its state. */
export interface WorkEntry {
  /** Rises with the order in which a job's pieces were stored. */
  readonly id: number;
  /** The task, in the terms of its kind. */
  readonly subject: string;
  readonly status: WorkStatus;
  readonly createdAt: number;
  /** Attempts begun. */
  readonly attempts: number;
  /** When the next attempt is due; null if there is none. */
  readonly nextAt: number | null;
  /** When it was done or given up. */
  readonly settledAt: number | null;
  /** The code of the last result, in the terms of its kind: for webhooks, the HTTP status. */
  readonly code: number | null;
  /** Why the last attempt failed; null if none has. */
  readonly error: string | null;
}

/** A claimed piece of work. */
export interface ClaimedWork {
  readonly id: number;
  readonly jobId: string;
  readonly org: string;
  /** Pieces with the same key run one at a time, because a claim leaves out busy keys. */
  readonly key: string;
  readonly subject: string;
  readonly createdAt: number;
  /** Attempts begun, including this one. */
  readonly attempts: number;
  /** JSON, created in the transaction of the first claim. The same at every attempt. */
  readonly payload: string;
}

/** The end of one attempt. */
export type WorkResult =
  | { readonly kind: 'done'; readonly code?: number }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly code?: number;
      /** Time of the next attempt; null gives up. */
      readonly retryAt: number | null;
      /** All pending pieces of this kind and job are given up too, for the same reason. */
      readonly endsOthers?: boolean;
    };

/**
 * The durable work of one store. A piece is stored in the transaction that causes it, so none is lost; the rules of its
 * kind (`storage/rules/outbox/work.ts`) say when. It runs at least once: if a process dies during an attempt, another one
 * retries. The order is not promised, only that the piece longest due is claimed first.
 */
export interface WorkQueue {
  /**
   * Takes up to `max` due pieces of a kind, longest due first: none with a key in `busyKeys`, at most one of each other
   * key, and at most `originMax` per origin, `busyKeys` included. The origin of a key that is a URL is its scheme, host
   * and port. A claim lasts a minute; a piece not settled by then is due again. An empty result means "not now".
   */
  claim(query: {
    readonly kind: WorkKind;
    readonly max: number;
    readonly originMax: number;
    readonly busyKeys: readonly string[];
  }): Promise<readonly ClaimedWork[]>;

  /** Writes the result of an attempt. Changes nothing if the piece does not exist or is not pending. */
  settle(id: number, result: WorkResult): Promise<void>;

  /**
   * Makes pieces claimed by dead processes due at once. Called when a process begins to work, before its first claim.
   */
  recover(): Promise<void>;

  /** Resolves when a piece might be due, or after `maxMs`, or when the signal fires. A hint: claim to find out. */
  waitUntilDue(maxMs: number, signal: AbortSignal): Promise<void>;

  /** The pieces of a job in the order of their ids, after `after`. */
  list(kind: WorkKind, jobId: string, query: WorkListQuery): Promise<readonly WorkEntry[]>;

  /**
   * Makes a piece due now, starting from the first attempt with the same payload; undefined if the job has none with
   * this id.
   */
  repeat(kind: WorkKind, jobId: string, id: number): Promise<WorkEntry | undefined>;
}

export interface WorkListQuery {
  readonly after: number;
  readonly limit: number;
  readonly status?: WorkStatus;
}
