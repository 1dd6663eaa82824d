import type { Worker } from 'node:worker_threads';
import { ExitError, exitCodes } from '../../../core/errors.ts';
import { siblingModule, startThread } from '../../../core/process/program-files.ts';
import { threadMemory } from '../../../core/process/thread-memory.ts';
import { asError } from '../../carried-error.ts';
import { type Fault, faultError } from '../file/faults.ts';
import { requestsPerCommit, type RetriedWritesOptions, type WriterReport } from './retried-writes.ts';
import type { Changed } from '../../rules/frontier/changes.ts';
import type { WriterOperations } from './writer-operations.ts';
import type { WriterRequest } from './transactions.ts';
import type { WriterMessage } from './writer-thread.ts';

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type MethodsOf<Names extends keyof WriterOperations> = {
  readonly [Name in Names]: (
    ...args: Parameters<WriterOperations[Name]>
  ) => Promise<ReturnType<WriterOperations[Name]>>;
};

export interface WriterEvents {
  onChange(changed: Changed): void;
  /** Called with the reason when nothing can be written for now, and with undefined when writing continues. */
  onFault(error: ExitError | undefined): void;
  /** Called when nothing can be written any more; `death` is the cause if the thread died. */
  onEnd(error: ExitError, death?: unknown): void;
}

/** The main thread's end of the writer thread: every write is a promise that settles once it is on disk. */
export class Writer {
  readonly #options: RetriedWritesOptions;
  readonly #events: WriterEvents;
  readonly #pending = new Map<number, Pending>();
  /** Requests of this turn of the event loop: one message, and one transaction. */
  #unsent: WriterRequest[] = [];
  #worker: Worker | undefined;
  #retries: boolean;
  #lastId = 0;
  /** Why nothing can be written any more. */
  #ended: ExitError | undefined;

  constructor(options: RetriedWritesOptions, events: WriterEvents) {
    this.#options = options;
    this.#retries = options.retries;
    this.#events = events;
  }

  call<Name extends keyof WriterOperations>(
    name: Name,
    ...args: Parameters<WriterOperations[Name]>
  ): Promise<ReturnType<WriterOperations[Name]>> {
    if (this.#ended) return Promise.reject(this.#ended);
    this.#worker ??= this.#start();
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: (value) => resolve(value as ReturnType<WriterOperations[Name]>), reject });
      const unsent = this.#unsent.push({ id, name, args });
      if (unsent === 1) setImmediate(this.#send);
      if (unsent >= requestsPerCommit) this.#send();
    });
  }

  /** These operations as methods. */
  methods<Name extends keyof WriterOperations>(names: readonly Name[]): MethodsOf<Name> {
    const methods = names.map((name) => [
      name,
      (...args: Parameters<WriterOperations[Name]>) => this.call(name, ...args),
    ]);
    return Object.fromEntries(methods) as MethodsOf<Name>;
  }

  readonly #send = (): void => {
    const requests = this.#unsent;
    if (requests.length === 0) return;
    this.#unsent = [];
    try {
      // The bytes of pages are copied: moving them was no faster at 2 KB a page, and would take them from the caller.
      this.#worker?.postMessage(requests satisfies WriterMessage);
    } catch (error) {
      for (const { id } of requests) {
        this.#pending.get(id)?.reject(error);
        this.#pending.delete(id);
      }
    }
  };

  /** See {@link RetriedWritesOptions}. */
  stopWaiting(): void {
    this.#retries = false;
    this.#send();
    this.#worker?.postMessage('stop waiting' satisfies WriterMessage);
  }

  async close(): Promise<void> {
    this.#ended ??= new ExitError(exitCodes.storageFailed, 'The store is closed.');
    const worker = this.#worker;
    if (!worker) return;
    this.#send();
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
      worker.postMessage('close' satisfies WriterMessage);
    });
  }

  /** Commands that only read never start the thread. */
  #start(): Worker {
    const workerData: RetriedWritesOptions = { ...this.#options, retries: this.#retries };
    const worker = startThread(siblingModule('./writer-thread', import.meta.url), {
      workerData,
      resourceLimits: threadMemory,
    });
    worker.on('message', ({ replies, changed, fault, ended }: WriterReport) => {
      for (const { id, value, error } of replies) {
        const pending = this.#pending.get(id);
        this.#pending.delete(id);
        if (error === undefined) pending?.resolve(value);
        else pending?.reject(asError(error));
      }
      if (fault !== undefined) this.#events.onFault(this.#errorOf(fault));
      if (ended) this.#end(asError(ended));
      // The caller continues first: it can be about to wait for exactly this change.
      setImmediate(() => this.#events.onChange(changed));
    });
    worker.on('error', (error) => this.#died(error));
    // If a reply cannot be deserialized, its caller would wait for ever.
    worker.on('messageerror', (error) => {
      this.#died(error);
      void worker.terminate();
    });
    worker.on('exit', (code) => {
      this.#worker = undefined;
      this.#died(`exit code ${code}`);
    });
    return worker;
  }

  #errorOf(fault: Fault | null): ExitError | undefined {
    return fault === null ? undefined : faultError(fault, this.#options.dir);
  }

  /** Ends all writing: a new thread could not know which pending writes are on disk. The next process reads it. */
  #died(of: unknown): void {
    const [cause] = (of instanceof Error ? of.message : String(of)).split('\n', 1);
    const message = `The thread that writes to ${this.#options.dir} died (${cause}). Everything written is kept. Start hayrake again to continue.`;
    this.#end(new ExitError(exitCodes.storageFailed, message), of);
  }

  #end(error: ExitError, death?: unknown): void {
    if (!this.#ended) {
      this.#ended = error;
      this.#events.onEnd(error, death);
    }
    for (const pending of this.#pending.values()) pending.reject(this.#ended);
    this.#pending.clear();
  }
}
