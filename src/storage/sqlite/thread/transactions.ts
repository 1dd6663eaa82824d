import { ExitError, exitCodes } from '../../../core/errors.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import { freePages, freePagesOf } from '../../../core/process/free-bytes.ts';
import type { Settlement } from '../../../core/ports/frontier.ts';
import type { Swept } from '../../../core/ports/stores.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import { asData, type CarriedError } from '../../carried-error.ts';
import { CrawlerFence } from './crawler-fence.ts';
import type { Database } from '../file/database.ts';
import { busyMs } from '../file/open-database.ts';
import { endsWriting, explained, type Fault, faultOf } from '../file/faults.ts';
import { type Changed, nothingChanged } from '../../rules/frontier/changes.ts';
import { type OperationName, operationOf } from '../../shared/shared-ports.ts';
import { createWrites, type WriterOperations, type Writes } from './writer-operations.ts';

export interface WriterRequest {
  readonly id: number;
  readonly name: keyof WriterOperations;
  readonly args: readonly unknown[];
}

export interface WriterReply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: CarriedError;
}

/** The result of some requests. */
export interface Attempt {
  readonly replies: readonly WriterReply[];
  readonly changed: Changed;
  /** The requests that a fault left undone, in order. */
  readonly left: readonly WriterRequest[];
  readonly fault?: Fault;
  /** Set if writing ends for good. */
  readonly ended?: CarriedError;
}

export interface TransactionsOptions {
  readonly dir: string;
  /** If set, this process is the one that crawls, until another claims the database: see `CrawlerFence`. */
  readonly bootId?: string;
  /** URLs that the ledger keeps per job at most. */
  readonly jobUrlsMax: number;
}

/** Runs requests as transactions on the writing connection. */
export class Transactions {
  readonly #db: Database;
  readonly #dir: string;
  readonly #writes: Writes;
  readonly #fence: CrawlerFence | undefined;
  #hasRemoved = false;

  constructor(db: Database, { dir, bootId, jobUrlsMax }: TransactionsOptions) {
    this.#db = db;
    this.#dir = dir;
    this.#writes = createWrites(db, jobUrlsMax);
    this.#fence = bootId === undefined ? undefined : new CrawlerFence(db, dir, bootId);
  }

  /** Commits them together. If one fails, commits each alone, so that the others succeed. */
  attempt(requests: readonly WriterRequest[]): Attempt {
    try {
      return { ...this.#commit(requests), left: [] };
    } catch (error) {
      const nothing = { replies: [], changed: nothingChanged, left: requests };
      const fault = faultOf(error, this.#dir);
      if (fault !== undefined) return { ...nothing, fault };
      const told = asData(explained(error, this.#dir));
      if (endsWriting(error)) return { ...nothing, ended: told };
      const [only] = requests;
      if (requests.length > 1 || !only) return this.#attemptEach(requests);
      return { ...nothing, replies: [{ id: only.id, error: told }], left: [] };
    }
  }

  /** Notes that the process stops in order. If nothing can be written, the log stays, and the next start finds it. */
  close(): void {
    try {
      this.#db.transaction('immediate', () => this.#fence?.release());
    } catch (error) {
      const isFenced = error instanceof ExitError && error.exitCode === exitCodes.directoryInUse;
      if (!isFenced && faultOf(error, this.#dir) === undefined) throw error;
    }
  }

  #attemptEach(requests: readonly WriterRequest[]): Attempt {
    const attempts: Attempt[] = [];
    for (const request of requests) {
      const attempt = this.attempt([request]);
      attempts.push(attempt);
      if (attempt.left.length > 0) break;
    }
    const last = attempts.at(-1);
    return {
      ...last,
      replies: attempts.flatMap(({ replies }) => replies),
      changed: {
        jobs: attempts.flatMap(({ changed }) => changed.jobs),
        haveWork: attempts.some(({ changed }) => changed.haveWork),
        haveEvents: attempts.some(({ changed }) => changed.haveEvents),
      },
      left: last && last.left.length > 0 ? requests.slice(attempts.length - 1) : [],
    };
  }

  #commit(requests: readonly WriterRequest[]): { replies: readonly WriterReply[]; changed: Changed } {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      failPoint('commit.begun');
      this.#fence?.check();
      const replies = requests.map(this.#perform);
      const changed = this.#writes.flush();
      failPoint('commit.due');
      this.#db.exec('COMMIT');
      failPoint('commit.done');
      this.#fence?.claimed();
      requests.forEach(freeWhatIsStored);
      this.#emptyLogAfter(requests, replies);
      return { replies, changed };
    } catch (error) {
      this.#writes.forget();
      if (this.#db.isInTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** The log has what was removed until it is written over. */
  #emptyLogAfter(requests: readonly WriterRequest[], replies: readonly WriterReply[]): void {
    const sweep = requests.findIndex(({ name }) => name === 'sweep');
    const swept = replies[sweep]?.value as Swept | undefined;
    if (swept?.more === true) this.#hasRemoved = true;
    if (requests.some(isErasing)) this.#emptyLog(busyMs);
    else if (this.#hasRemoved && swept?.more === false) this.#emptyLog(0);
  }

  /** If a reader needs the log for longer, the next sweep empties it. */
  #emptyLog(waitMs: number): void {
    this.#hasRemoved = true;
    try {
      this.#db.pragma(`busy_timeout = ${waitMs}`);
      this.#hasRemoved = this.#db.pragma('wal_checkpoint(TRUNCATE)') !== 0;
    } catch (error) {
      // The commit is done. A fault of the disk shows at the next write.
      if (faultOf(error, this.#dir) === undefined) throw error;
    } finally {
      this.#db.pragma(`busy_timeout = ${busyMs}`);
    }
  }

  readonly #perform = (request: WriterRequest): WriterReply => {
    const operation = this.#writes.operations[request.name] as (...args: readonly unknown[]) => unknown;
    return { id: request.id, value: operation(...request.args) };
  };
}

function isErasing({ name, args }: WriterRequest): boolean {
  return name === 'shared' && operationOf(args[0] as OperationName).erases === true;
}

/** Frees the thread's own copy of the pages. */
function freeWhatIsStored({ name, args }: WriterRequest): void {
  if (name === 'settle') freePagesOf(args[1] as readonly Settlement[]);
  const [[port, method] = [], values] = name === 'shared' ? (args as Parameters<WriterOperations['shared']>) : [];
  if (values && port === 'reextractions' && method === 'commit')
    freePages((values[2] as readonly ExtractedPage[]).map(({ page }) => page));
}
