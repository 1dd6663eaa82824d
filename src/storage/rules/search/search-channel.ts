// Both ends of the messages between the main thread and the thread that searches.
import { grouped } from '../../../core/grouped.ts';
import type { MessagePort } from 'node:worker_threads';
import type { Worker } from 'node:worker_threads';
import { ExitError, exitCodes, UserError } from '../../../core/errors.ts';
import type { PageSearch, SearchQuery, SearchSlice, SearchStatus } from '../../../core/ports/search.ts';
import { startThread } from '../../../core/process/program-files.ts';
import { threadMemory } from '../../../core/process/thread-memory.ts';
import { asData, asError, type CarriedError } from '../../carried-error.ts';
import type { SearchEngine } from './search-engine.ts';
import { type SearchCounts, type Searched, Searches } from './searches.ts';

type SearchMessage = { readonly id: number; readonly search?: SearchQuery } | 'close';

type SearchReply =
  | { readonly id: number; readonly found?: Searched | undefined; readonly error?: CarriedError }
  | { readonly counts: SearchCounts };

/** Answers the messages of {@link SearchThread}. `explain` turns errors of the engine into those for the user. */
export function serveSearches(port: MessagePort, engine: SearchEngine, explain: (error: unknown) => unknown): void {
  const post = (reply: SearchReply): void => port.postMessage(reply);
  const searches = new Searches(engine, (counts) => post({ counts }));
  const answer = async (id: number, query: SearchQuery | undefined): Promise<void> => {
    try {
      if (query) post({ id, found: await searches.search(query) });
      else {
        await searches.sweep();
        post({ id });
      }
    } catch (error) {
      post({ id, error: asData(explain(error)) });
    }
  };
  port.on('message', (message: SearchMessage) => {
    if (message === 'close') void searches.close().finally(() => port.close());
    else void answer(message.id, message.search);
  });
  // Not caught: the thread ends, which rejects the pending searches.
  port.on('messageerror', (error) => {
    throw error;
  });
}

export interface SearchThreadOptions {
  readonly module: URL;
  readonly workerData: unknown;
  /** Called with the cause of the thread's death. */
  readonly onDeath: (cause: string) => void;
  /** Size of the index file; undefined if there is none. */
  readonly bytes?: () => number | undefined;
}

interface Pending {
  readonly resolve: (found: Searched | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The main thread's end. The first search starts the thread, so a process without searches has none. A dead thread is
 * replaced at the next search.
 */
export class SearchThread implements PageSearch {
  readonly #options: SearchThreadOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;
  #indexedPages = 0;
  #rebuilds = 0;
  #indexing = 0;

  constructor(options: SearchThreadOptions) {
    this.#options = options;
  }

  async search(query: SearchQuery): Promise<SearchSlice | undefined> {
    const found = await this.#ask(query);
    if (found?.stopped === 'disk_full')
      throw new UserError(
        'insufficient_storage',
        `The search index cannot grow: its disk is almost full. ${grouped(found.upToPage)} of ${grouped(found.pages)} pages of this job are indexed. The crawl is not affected. Try again after the operator has freed space.`,
      );
    return found;
  }

  async sweep(): Promise<void> {
    await this.#ask(undefined);
  }

  status(): SearchStatus {
    const bytes = this.#options.bytes?.();
    return {
      indexedPages: this.#indexedPages,
      rebuilds: this.#rebuilds,
      indexing: this.#indexing,
      ...(bytes !== undefined && { bytes }),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (!worker) return;
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
      worker.postMessage('close' satisfies SearchMessage);
    });
  }

  #ask(search: SearchQuery | undefined): Promise<Searched | undefined> {
    if (this.#isClosed) return Promise.reject(new ExitError(exitCodes.storageFailed, 'The store is closed.'));
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      worker.postMessage({ id, ...(search && { search }) } satisfies SearchMessage);
    });
  }

  #start(): Worker {
    const { module, workerData } = this.#options;
    const worker = startThread(module, { resourceLimits: threadMemory, workerData });
    worker.on('message', (reply: SearchReply) => {
      if ('counts' in reply) {
        this.#indexedPages += reply.counts.indexedPages;
        this.#rebuilds += reply.counts.rebuilds;
        this.#indexing = reply.counts.indexing;
        return;
      }
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if (reply.error) pending?.reject(asError(reply.error));
      else pending?.resolve(reply.found);
    });
    let cause: string | undefined;
    worker.on('error', (error) => (cause = error instanceof Error ? error.message : String(error)));
    worker.on('messageerror', ({ message }) => {
      cause = message;
      void worker.terminate();
    });
    worker.on('exit', (code) => {
      this.#worker = undefined;
      this.#indexing = 0;
      if (code !== 0) this.#options.onDeath(cause ?? `exit code ${code}`);
      const why = code === 0 ? 'was closed' : `died (${(cause ?? `exit code ${code}`).split('\n', 1)[0]})`;
      const error = new ExitError(
        exitCodes.storageFailed,
        `The thread that searches ${why}. The next search starts another one.`,
        'unavailable',
      );
      for (const { reject } of this.#pending.values()) reject(error);
      this.#pending.clear();
    });
    return worker;
  }
}
