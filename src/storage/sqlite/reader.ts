import { Worker } from 'node:worker_threads';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { siblingModule } from '../../core/sibling-module.ts';
import type { PageSlice, PageStore } from '../../core/stores.ts';
import { asError } from './carried-error.ts';
import { type JoinedSlice, sliceOf } from './joined-pages.ts';
import { PassedBuffers } from './passed-buffers.ts';
import type { ReaderMessage, ReaderOptions, ReaderReply } from './reader-thread.ts';

interface Pending {
  readonly resolve: (slice: PageSlice | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The main thread's end of the thread that reads pages. It is started by the first read: a process that crawls and answers
 * nothing has none. One that dies is replaced at the next read.
 */
export class Reader implements PageStore {
  readonly #dir: string;
  readonly #onDeath: (cause: string) => void;
  readonly #pending = new Map<number, Pending>();
  /** Of replies of which nothing is read any more: the next request takes them back. */
  #free: ArrayBuffer[] = [];
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  /** `onDeath` is told of what the thread died. */
  constructor(dir: string, onDeath: (cause: string) => void) {
    this.#dir = dir;
    this.#onDeath = onDeath;
  }

  read(query: Parameters<PageStore['read']>[0]): Promise<PageSlice | undefined> {
    if (this.#isClosed) return Promise.reject(new ExitError(exitCodes.storageFailed, 'The store is closed.'));
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      worker.postMessage({ id, query, free: this.#free } satisfies ReaderMessage, this.#free);
      this.#free = [];
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (!worker) return;
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
      worker.postMessage('close' satisfies ReaderMessage);
    });
  }

  #start(): Worker {
    const worker = new Worker(siblingModule('./reader-thread', import.meta.url), {
      workerData: { dir: this.#dir } satisfies ReaderOptions,
    });
    worker.on('message', ({ id, slice, error }: ReaderReply) => {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error) pending?.reject(asError(error));
      else pending?.resolve(slice && sliceOf(slice, () => this.#release(slice)));
    });
    let cause: string | undefined;
    worker.on('error', ({ message }) => (cause = message));
    // An answer that cannot be read is one that somebody would wait for for ever.
    worker.on('messageerror', ({ message }) => {
      cause = message;
      void worker.terminate();
    });
    worker.on('exit', (code) => {
      this.#worker = undefined;
      if (code !== 0) this.#died(cause ?? `exit code ${code}`);
    });
    return worker;
  }

  #release({ bytes }: JoinedSlice): void {
    const { buffer } = bytes;
    if (PassedBuffers.isOne(buffer) && this.#free.length < PassedBuffers.keptMax) this.#free.push(buffer);
    else buffer.transfer(0);
  }

  /** Reading changes nothing: whoever asks again is answered by another thread. */
  #died(cause: string): void {
    this.#onDeath(cause);
    const message = `The thread that reads from ${this.#dir} died (${cause.split('\n', 1)[0]}). The next read starts another one.`;
    const error = new ExitError(exitCodes.storageFailed, message, 'unavailable');
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
