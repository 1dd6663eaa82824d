// Objects outside the database, such as a bucket of S3, and what the database knows of them.
import type { SegmentPlace } from './blobs.ts';

/** Names are never used twice, so an object never changes. Errors are {@link ObjectStoreError}s. */
export interface ObjectStore {
  /** For operators: `s3://bucket/prefix`. */
  readonly place: string;
  /** The object is there when this resolves. After an error it can be there as well. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Undefined if there is no such object, or if it ends before `place` does. @default all of it */
  get(name: string, range?: Pick<SegmentPlace, 'at' | 'size'>): Promise<Buffer | undefined>;
  /** Does nothing to those that are missing. */
  delete(names: readonly string[]): Promise<void>;
  /** All objects whose names begin with `prefix`, some at a time. */
  list(prefix: string): AsyncIterable<ListedObjects>;
  /** What its operator should know. Rejects if it cannot be used. */
  examine(): Promise<{ readonly clockAheadMs: number; readonly isVersioned: boolean; readonly isLocked: boolean }>;
  close(): Promise<void>;
}

export interface ListedObjects {
  readonly objects: readonly { readonly name: string; readonly bytes: number; readonly modifiedAt: number }[];
  /** By the clock of the store. */
  readonly now: number;
}

/** `away`: it can pass by itself. `refused`: the operator must do something. */
export type ObjectStoreProblem = 'away' | 'refused';

export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError';
  readonly kind: ObjectStoreProblem;

  constructor(kind: ObjectStoreProblem, message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * The objects that hold segments. An object is `new` from before its PUT, `live` from the first commit of a row that
 * names it, and `dead` once no row does. Dead objects are kept for a while: a backup of the database names them. A `new`
 * object with bytes of a job whose results are gone becomes `lost`: no row has ever named it, and none will. A commit that
 * names a dead or lost object fails.
 */
export interface SegmentObjects {
  /**
   * Call it before the PUT, with the jobs whose bytes it will have. Returns those whose results are gone: nothing of them
   * may be stored any more, so this object must not be.
   */
  register(name: string, bytes: number, jobs: readonly string[]): Promise<readonly string[]>;
  /** False if one of them is dead, lost or forgotten: its segments must be stored again. */
  areAlive(names: readonly string[]): Promise<boolean>;
  /**
   * Segments that should be in an object of their own, with at most about `bytesMax`: those of an ended job that share
   * objects with other jobs, or those in an object that also has what was deleted.
   */
  nextMove(bytesMax: number): Promise<SegmentMove | undefined>;
  /** Names the new place of each segment that still has the old one. */
  move(name: string, move: SegmentMove, places: readonly SegmentPlace[]): Promise<void>;
  /** A segment in an object with a raw body that the erasure of a page reaches. */
  segmentOf(jobId: string, page: number): Promise<MovedSegment | undefined>;
  /**
   * Takes a segment into the database, so that a part of it can be erased, unless it has moved. Its object is
   * written again without it.
   */
  takeIn(segment: MovedSegment, bytes: Uint8Array): Promise<void>;
  /** Marks `live` objects dead that no row names, and `new` ones lost after `keptMs`. True if there were any. */
  markDead(keptMs: number): Promise<boolean>;
  /** Some objects that have been dead for so long. */
  dead(sinceMs: number): Promise<readonly string[]>;
  /** Some objects that have been lost for so long. */
  lost(sinceMs: number): Promise<readonly string[]>;
  /** Removes the rows of deleted objects. */
  forget(names: readonly string[]): Promise<void>;
  /** Those of the names that have a row. */
  known(names: readonly string[]): Promise<readonly string[]>;
  /** Live objects after a name, in order, some at a time. */
  live(after: string): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  /** Jobs with segments in objects that clients can still read. */
  jobsOutside(): Promise<readonly JobOutside[]>;
  /** Which database this is, and where its objects are. Undefined if it has never used any. */
  identity(): Promise<ObjectsIdentity | undefined>;
  /** `replaces`: also if there is one. */
  setIdentity(identity: ObjectsIdentity, replaces: boolean): Promise<void>;
}

export interface ObjectsIdentity {
  readonly installation: string;
  /** See {@link ObjectStore.place}. */
  readonly place: string;
}

export interface JobOutside {
  readonly id: string;
  readonly org: string;
  readonly pages: number;
  /** The pages whose screenshots are in objects. */
  readonly pictures: readonly number[];
}

export interface SegmentMove {
  /** All are of one ended job. */
  readonly isOfOneJob: boolean;
  /** Their ids. */
  readonly jobs: readonly string[];
  readonly segments: readonly MovedSegment[];
}

export interface MovedSegment extends SegmentPlace {
  /** Its id. */
  readonly segment: number;
}
