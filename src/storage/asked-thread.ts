import type { Worker } from 'node:worker_threads';
import { ExitError, exitCodes } from '../core/errors.ts';
import { startThread } from '../core/process/program-files.ts';
import { threadMemory } from '../core/process/thread-memory.ts';
import { asError, type CarriedError } from './carried-error.ts';

/** `error`: instead of a result. */
export interface ThreadReply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: CarriedError;
}

export interface AskedThreadOptions<Report> {
  readonly module: URL;
  readonly workerData: unknown;
  /** What it does, such as `that searches`, and what starts another one: `search`. */
  readonly name: string;
  readonly verb: string;
  /** Called with the cause of the thread's death. */
  readonly onDeath: (cause: string) => void;
  /** Called with messages that are no replies. */
  readonly onReport?: (report: Report) => void;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The main thread's end of a thread that replies to requests with their `id`, and ends with the message `close`. The first
 * request starts it, so a process that sends none has none. A dead thread is replaced at the next request.
 */
export class AskedThread<Ask extends object, Report extends object = never> {
  readonly #options: AskedThreadOptions<Report>;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(options: AskedThreadOptions<Report>) {
    this.#options = options;
  }

  ask(ask: Ask, transferred: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new ExitError(exitCodes.storageFailed, 'The store is closed.'));
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      worker.postMessage({ ...ask, id }, transferred);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (!worker) return;
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
      worker.postMessage('close');
    });
  }

  #start(): Worker {
    const { module, workerData, onDeath, onReport } = this.#options;
    const worker = startThread(module, { resourceLimits: threadMemory, workerData });
    worker.on('message', (message: ThreadReply | Report) => {
      if (!('id' in message)) return onReport?.(message);
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error) pending?.reject(asError(message.error));
      else pending?.resolve(message.result);
    });
    let cause: string | undefined;
    worker.on('error', (error) => (cause = error instanceof Error ? error.message : String(error)));
    // If a reply cannot be deserialized, its caller would wait for ever.
    worker.on('messageerror', ({ message }) => {
      cause = message;
      void worker.terminate();
    });
    worker.on('exit', (code) => {
      this.#worker = undefined;
      const of = cause ?? `exit code ${code}`;
      if (code !== 0) onDeath(of);
      this.#rejectAll(code === 0 ? 'was closed' : `died (${of.split('\n', 1)[0]})`);
    });
    return worker;
  }

  /** The thread changes nothing that was stored, so callers can repeat their requests. */
  #rejectAll(why: string): void {
    const { name, verb } = this.#options;
    const message = `The thread ${name} ${why}. The next ${verb} starts another one.`;
    const error = new ExitError(exitCodes.storageFailed, message, 'unavailable');
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
