// Holds or rejects writes while nothing can be written.
//
//   writing  ──a fault: full, read-only, locked──►  paused  ──a write succeeds, and the disk has room──►  writing
//
// While paused, the engine's writes are held and retried, in order. Requests of clients are rejected at once.
import { asData, type CarriedError } from '../../carried-error.ts';
import { nothingChanged, type Changed } from '../../rules/frontier/changes.ts';
import type { Operation } from '../../shared/operation.ts';
import { operationOf, type OperationName } from '../../shared/shared-ports.ts';
import { DiskRoom } from '../file/disk-room.ts';
import { faultError, type Fault } from '../file/faults.ts';
import type { Attempt, Transactions, TransactionsOptions, WriterReply, WriterRequest } from './transactions.ts';
import { frontierMethods } from '../frontier/frontier-methods.ts';
import type { WriterOperations } from './writer-operations.ts';

/**
 * Writes that wait while nothing can be written: those of the engine. Their callers have nothing else to do, so no more
 * are held than were in flight. All others are rejected at once, because a client waits for the response.
 */
const waiting: ReadonlySet<string> = new Set([
  ...frontierMethods,
  'sweep',
  'claimWork',
] satisfies (keyof WriterOperations)[]);

function mayWait(request: WriterRequest): boolean {
  return sharedIn(request)?.waits ?? waiting.has(request.name);
}

/** It frees space, or needs almost none. It runs while the disk is low on space. */
function makesRoom(request: WriterRequest): boolean {
  return sharedIn(request)?.makesRoom ?? request.name === 'sweep';
}

function sharedIn({ name, args }: WriterRequest): Operation | undefined {
  return name === 'shared' ? operationOf(args[0] as OperationName) : undefined;
}

/** How soon held writes are retried. */
const retryMs = 1_000;
/** How often the disk is checked while nothing is wrong. */
const lookEveryMs = 10_000;
/** More in one transaction would delay the first of them. */
export const requestsPerCommit = 64;

/** One message for everything that one transaction did. */
export interface WriterReport {
  readonly replies: readonly WriterReply[];
  readonly changed: Changed;
  /** Set when writing pauses, and null when it continues. */
  readonly fault?: Fault | null;
  readonly ended?: CarriedError;
}

export interface RetriedWritesOptions extends TransactionsOptions {
  /** False rejects writes that would otherwise be held. */
  readonly retries: boolean;
  /** See {@link DiskRoom}. */
  readonly diskFreeMb: number;
}

export class RetriedWrites {
  readonly #transactions: Transactions;
  readonly #dir: string;
  readonly #room: DiskRoom;
  readonly #report: (report: WriterReport) => void;
  readonly #looking: NodeJS.Timeout;
  #retries: boolean;
  #fault: Fault | undefined;
  #held: WriterRequest[] = [];
  #retry: NodeJS.Timeout | undefined;

  constructor(transactions: Transactions, options: RetriedWritesOptions, report: (report: WriterReport) => void) {
    this.#transactions = transactions;
    this.#dir = options.dir;
    this.#retries = options.retries;
    this.#room = new DiskRoom(options.dir, options.diskFreeMb);
    this.#report = report;
    this.#looking = setInterval(() => this.#look(), lookEveryMs);
    this.#look();
  }

  write(requests: readonly WriterRequest[]): void {
    if (this.#fault === undefined) {
      this.#attempt(requests);
      return;
    }
    const isUrgent = (request: WriterRequest): boolean => this.#fault === 'disk_low' && makesRoom(request);
    const urgent = requests.filter(isUrgent);
    this.#delay(requests.filter((request) => !isUrgent(request)));
    if (urgent.length > 0) this.#attempt(urgent);
  }

  /** Rejects the held writes, and from now on all that would be held. */
  stopWaiting(): void {
    this.#retries = false;
    this.#delay(this.#held.splice(0));
  }

  /** Repeatable. */
  close(): void {
    clearInterval(this.#looking);
    clearTimeout(this.#retry);
    this.stopWaiting();
  }

  #attempt(requests: readonly WriterRequest[]): void {
    const attempt = this.#transactions.attempt(requests);
    this.#tell(attempt);
    if (attempt.fault === undefined) return;
    this.#pause(attempt.fault);
    this.#delay(attempt.left);
  }

  #tell({ replies, changed, ended }: Attempt): void {
    if (ended) this.close();
    this.#report({ replies: replies.filter(({ id }) => id !== probe.id), changed, ...(ended && { ended }) });
  }

  #delay(requests: readonly WriterRequest[]): void {
    const isHeld = (request: WriterRequest): boolean => this.#retries && mayWait(request);
    this.#held.push(...requests.filter(isHeld));
    const refused = requests.filter((request) => !isHeld(request));
    if (refused.length === 0 || this.#fault === undefined) return;
    const error = asData(faultError(this.#fault, this.#dir));
    this.#report({ replies: refused.map(({ id }) => ({ id, error })), changed: nothingChanged });
  }

  #look(): void {
    if (this.#fault === undefined && this.#room.isLow()) this.#pause('disk_low');
  }

  #pause(fault: Fault): void {
    const isNew = this.#fault === undefined;
    this.#fault = fault;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#tryAgain(), retryMs);
    if (isNew) this.#report({ replies: [], changed: nothingChanged, fault });
  }

  #tryAgain(): void {
    if (this.#room.isLow()) {
      this.#pause('disk_low');
      return;
    }
    do {
      const requests = this.#held.splice(0, requestsPerCommit);
      const attempt = this.#transactions.attempt(requests.length > 0 ? requests : [probe]);
      this.#tell(attempt);
      if (attempt.ended) return;
      if (attempt.fault !== undefined) {
        this.#held.unshift(...attempt.left.filter(({ id }) => id !== probe.id));
        this.#pause(attempt.fault);
        return;
      }
    } while (this.#held.length > 0);
    this.#fault = undefined;
    this.#report({ replies: [], changed: nothingChanged, fault: null });
  }
}

/** Written if nothing is held, to find out if writing works again. */
const probe: WriterRequest = { id: 0, name: 'ping', args: [] };
