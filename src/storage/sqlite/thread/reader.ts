import type { Worker } from 'node:worker_threads';
import { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import { ExitError, exitCodes } from '../../../core/errors.ts';
import { siblingModule, startThread } from '../../../core/process/program-files.ts';
import { threadMemory } from '../../../core/process/thread-memory.ts';
import type { PageSlice, PageStore, TreeCounts, TreeQuery } from '../../../core/ports/stores.ts';
import { asError } from '../../carried-error.ts';
import { sliceOf } from '../jobs/joined-pages.ts';
import type { OperationName } from '../../shared/shared-ports.ts';
import type { Ask, OpenPages, ReaderMessage, ReaderOptions, ReaderReply } from './reader-thread.ts';

interface Pending {
  readonly resolve: (reply: ReaderReply) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The main thread's end of a reader thread. The first read starts the thread: a process that crawls and serves nothing
 * has none. A dead thread is replaced at the next read.
 */
export class Reader implements Pick<PageStore, 'read'> {
  readonly #dir: string;
  readonly #onDeath: (cause: string) => void;
  readonly #pending = new Map<number, Pending>();
  /** Buffers of replies that are no longer in use. The next request returns them to the thread. */
  readonly #free = new BufferPool();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  /** `onDeath` is called with the cause of the thread's death. */
  constructor(dir: string, onDeath: (cause: string) => void) {
    this.#dir = dir;
    this.#onDeath = onDeath;
  }

  async read(query: Parameters<PageStore['read']>[0]): Promise<PageSlice | undefined> {
    const { slice } = await this.#ask({ pages: query });
    return slice && sliceOf(slice, () => this.#free.giveBack(slice.bytes.buffer));
  }

  /** Runs an operation that both stores share. */
  async run(shared: OperationName, args: readonly unknown[], openPages: OpenPages): Promise<unknown> {
    return (await this.#ask({ shared, args, openPages })).result;
  }

  async countTree(jobId: string, query: TreeQuery): Promise<TreeCounts | undefined> {
    return (await this.#ask({ treeOf: jobId, query })).tree;
  }

  #ask(ask: Ask): Promise<ReaderReply> {
    if (this.#isClosed) return Promise.reject(new ExitError(exitCodes.storageFailed, 'The store is closed.'));
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      const free = this.#free.takeAll();
      worker.postMessage({ id, ask, free } satisfies ReaderMessage, free);
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
    const worker = startThread(siblingModule('./reader-thread', import.meta.url), {
      resourceLimits: threadMemory,
      workerData: { dir: this.#dir } satisfies ReaderOptions,
    });
    worker.on('message', (reply: ReaderReply) => {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if (reply.error) pending?.reject(asError(reply.error));
      else pending?.resolve(reply);
    });
    let cause: string | undefined;
    worker.on('error', ({ message }) => (cause = message));
    // If a reply cannot be deserialized, its caller would wait for ever.
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

  /** Rejects pending reads. Reading changes nothing, so callers can repeat it: the next read starts another thread. */
  #died(cause: string): void {
    this.#onDeath(cause);
    const message = `The thread that reads from ${this.#dir} died (${cause.split('\n', 1)[0]}). The next read starts another one.`;
    const error = new ExitError(exitCodes.storageFailed, message, 'unavailable');
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
