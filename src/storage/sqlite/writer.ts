import { Worker } from 'node:worker_threads';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { siblingModule } from '../../core/sibling-module.ts';
import type { Changed, WriterOperations } from './writer-operations.ts';
import type { WriterReport } from './writer-thread.ts';

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The main thread's end of the writer thread: every write as a promise that settles once it is on disk. */
export class Writer {
  readonly #dir: string;
  readonly #onChange: (changed: Changed) => void;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;
  /** Why nothing can be written any more. */
  #ended: Error | undefined;

  constructor(dir: string, onChange: (changed: Changed) => void) {
    this.#dir = dir;
    this.#onChange = onChange;
  }

  call<Name extends keyof WriterOperations>(
    name: Name,
    ...args: Parameters<WriterOperations[Name]>
  ): Promise<ReturnType<WriterOperations[Name]>> {
    if (this.#ended) return Promise.reject(this.#ended);
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: (value) => resolve(value as ReturnType<WriterOperations[Name]>), reject });
      // The bytes of pages are copied: moving them was no faster at 2 KB a page, and would take them from the caller.
      worker.postMessage({ id, name, args });
    });
  }

  async close(): Promise<void> {
    this.#ended ??= new ExitError(exitCodes.storageFailed, 'The store is closed.');
    const worker = this.#worker;
    if (!worker) return;
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
      worker.postMessage('close');
    });
  }

  /** Commands that only read never start the thread. */
  #start(): Worker {
    const worker = new Worker(siblingModule('./writer-thread', import.meta.url), { workerData: { dir: this.#dir } });
    worker.on('message', ({ replies, changed }: WriterReport) => {
      for (const { id, value, error } of replies) {
        const pending = this.#pending.get(id);
        this.#pending.delete(id);
        if (error === undefined) pending?.resolve(value);
        else pending?.reject(new ExitError(error.exitCode, error.message));
      }
      // Whoever was answered has its turn first: it may be about to wait for just this.
      setImmediate(() => this.#onChange(changed));
    });
    worker.on('error', (error) => {
      this.#failAll(error instanceof Error ? error.message : String(error));
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#failAll('it ended');
    });
    return worker;
  }

  #failAll(cause: string): void {
    this.#ended ??= new ExitError(exitCodes.storageFailed, `The thread that writes to ${this.#dir} failed: ${cause}.`);
    for (const pending of this.#pending.values()) pending.reject(this.#ended);
    this.#pending.clear();
  }
}
