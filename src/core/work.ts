/**
 * Durable work: what is to be done once something else has happened, by any process, however often processes die. Requests of jobs
 * are not durable work: they stay in the frontier, which is about hosts.
 */

export const workKinds = ['webhook'] as const;
export type WorkKind = (typeof workKinds)[number];

/** `delivered`: done. The word is that of the first kind, the events for webhooks. */
export const workStatuses = ['pending', 'delivered', 'failed'] as const;
export type WorkStatus = (typeof workStatuses)[number];

/** A piece of work as it stands. */
export interface WorkEntry {
  /** Rises with the order in which pieces were stored within a job. */
  readonly id: number;
  /** What is to be done, in the words of its kind. */
  readonly subject: string;
  readonly status: WorkStatus;
  readonly createdAt: number;
  /** Attempts begun. */
  readonly attempts: number;
  /** When the next attempt is due; null where there is none. */
  readonly nextAt: number | null;
  /** When it was done or given up. */
  readonly settledAt: number | null;
  /** The code of the last result, in the words of its kind: for webhooks, the HTTP status. */
  readonly code: number | null;
  /** Why the last attempt failed; null where none has. */
  readonly error: string | null;
}

/** A piece of work that was claimed. */
export interface ClaimedWork {
  readonly id: number;
  readonly jobId: string;
  readonly org: string;
  /** Pieces with one key are done one at a time, since a claim leaves out the keys that are busy. */
  readonly key: string;
  readonly subject: string;
  readonly createdAt: number;
  /** Attempts begun, with this one. */
  readonly attempts: number;
  /** JSON, made in the transaction of the first claim. It is the same at every attempt. */
  readonly payload: string;
}

/** The end of one attempt. */
export type WorkResult =
  | { readonly kind: 'done'; readonly code?: number }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly code?: number;
      /** When to try again; null gives it up. */
      readonly retryAt: number | null;
      /** All pending pieces of this kind and job are given up with it, for the same reason. */
      readonly endsOthers?: boolean;
    };

/**
 * The durable work of one store. A piece is stored in the transaction that brings it about, so that none is lost; the rules of its
 * kind (`storage/rules/work.ts`) say when. It is done at least once: a process that dies during an attempt leaves it to another.
 * What is promised is not an order, but that the piece that is due longest is claimed first.
 */
export interface WorkQueue {
  /**
   * Takes up to `max` pieces of a kind that are due, longest due first: none with a key in `busyKeys`, at most one of each other
   * key, and no more than `originMax` of one origin, with those in `busyKeys`. The origin of a key that is a URL is its scheme, host
   * and port. A claim lasts a minute: a piece that is not settled by then is due again. An empty result means "not now".
   */
  claim(query: {
    readonly kind: WorkKind;
    readonly max: number;
    readonly originMax: number;
    readonly busyKeys: readonly string[];
  }): Promise<readonly ClaimedWork[]>;

  /** Writes the result of an attempt. For a piece that is not pending, or is not there, nothing changes. */
  settle(id: number, result: WorkResult): Promise<void>;

  /** Makes due at once what was claimed by processes that are dead. Called when a process begins to work, before its first claim. */
  recover(): Promise<void>;

  /** Resolves when a piece may have become due, or after `maxMs`, or when the signal fires. A hint: claim and see. */
  waitUntilDue(maxMs: number, signal: AbortSignal): Promise<void>;

  /** The pieces of a job in the order of their ids, after `after`. */
  list(kind: WorkKind, jobId: string, query: WorkListQuery): Promise<readonly WorkEntry[]>;

  /** Makes a piece due now, from the first attempt on and with the same payload; undefined where the job has none with this id. */
  repeat(kind: WorkKind, jobId: string, id: number): Promise<WorkEntry | undefined>;
}

export interface WorkListQuery {
  readonly after: number;
  readonly limit: number;
  readonly status?: WorkStatus;
}
