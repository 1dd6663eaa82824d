/**
 * Durable work: tasks that follow an event or a clock and must survive the death of any process. Requests of jobs are not durable
 * work: they stay in the frontier, which is organised by host.
 */

/** `schedule`: the times of schedules, and the ends of their runs. */
export const workKinds = ['webhook', 'schedule'] as const;
export type WorkKind = (typeof workKinds)[number];

/** `delivered`: done. The word comes from the first kind, webhook events. */
export const workStatuses = ['pending', 'delivered', 'failed'] as const;
export type WorkStatus = (typeof workStatuses)[number];

/** A piece of work and its state. */
export interface WorkEntry {
  /** Rises with the order in which an owner's pieces were stored. */
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
  /** The id of the job or of the schedule whose work it is. */
  readonly owner: string;
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
      /** All pending pieces of this kind and owner are given up too, for the same reason. */
      readonly endsOthers?: boolean;
      /** A code, in the terms of its kind. */
      readonly reason?: string;
    }
  /** Due again after a time by the clock of the store. With a failure: the rules of the kind can give up instead. */
  | {
      readonly kind: 'again';
      readonly afterMs: number;
      readonly failure?: { readonly reason: string; readonly message: string };
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
    /** @default no limit */
    readonly originMax?: number;
    readonly busyKeys: readonly string[];
    /** @default the clock of the store */
    readonly now?: number;
  }): Promise<readonly ClaimedWork[]>;

  /**
   * Writes the result of an attempt. Returns the state of the piece; undefined, and nothing changes, if it does not exist or
   * is not pending. `now`: @default the clock of the store
   */
  settle(id: number, result: WorkResult, now?: number): Promise<WorkStatus | undefined>;

  /**
   * Makes pieces claimed by dead processes due at once. Called when a process begins to work, before its first claim.
   */
  recover(): Promise<void>;

  /** Resolves when a piece might be due, or after `maxMs`, or when the signal fires. A hint: claim to find out. */
  waitUntilDue(maxMs: number, signal: AbortSignal): Promise<void>;

  /** The pieces of a job or a schedule in the order of their ids, after `after`. */
  list(kind: WorkKind, owner: string, query: WorkListQuery): Promise<readonly WorkEntry[]>;

  /**
   * Makes a piece due now, starting from the first attempt with the same payload; undefined if the owner has none with
   * this id.
   */
  repeat(kind: WorkKind, owner: string, id: number): Promise<WorkEntry | undefined>;
}

export interface WorkListQuery {
  readonly after: number;
  readonly limit: number;
  readonly status?: WorkStatus;
}
