// Both ends of the messages between the main thread and the thread that searches.
import { grouped } from '../../../core/grouped.ts';
import type { MessagePort } from 'node:worker_threads';
import { UserError } from '../../../core/errors.ts';
import type { PageSearch, SearchQuery, SearchSlice, SearchStatus } from '../../../core/ports/search.ts';
import { AskedThread, type AskedThreadOptions, type ThreadReply } from '../../asked-thread.ts';
import { asData } from '../../carried-error.ts';
import type { SearchEngine } from './search-engine.ts';
import { type SearchCounts, type Searched, Searches } from './searches.ts';

interface SearchAsk {
  readonly search: SearchQuery | undefined;
}

interface SearchReport {
  readonly counts: SearchCounts;
}

/** Answers the messages of {@link SearchThread}. `explain` turns errors of the engine into those for the user. */
export function serveSearches(port: MessagePort, engine: SearchEngine, explain: (error: unknown) => unknown): void {
  const searches = new Searches(engine, (counts) => port.postMessage({ counts } satisfies SearchReport));
  const response = async ({ id, search }: SearchAsk & { readonly id: number }): Promise<void> => {
    try {
      const result = await (search ? searches.search(search) : searches.sweep());
      port.postMessage({ id, result } satisfies ThreadReply);
    } catch (error) {
      port.postMessage({ id, error: asData(explain(error)) } satisfies ThreadReply);
    }
  };
  port.on('message', (message: (SearchAsk & { readonly id: number }) | 'close') => {
    if (message === 'close') void searches.close().finally(() => port.close());
    else void response(message);
  });
  // Not caught: the thread ends, which rejects the pending searches.
  port.on('messageerror', (error) => {
    throw error;
  });
}

export interface SearchThreadOptions extends Pick<AskedThreadOptions<never>, 'module' | 'workerData' | 'onDeath'> {
  /** Size of the index file; undefined if there is none. */
  readonly bytes?: () => number | undefined;
}

/** The main thread's end. */
export class SearchThread implements PageSearch {
  readonly #thread: AskedThread<SearchAsk, SearchReport>;
  readonly #bytes: SearchThreadOptions['bytes'];
  #indexedPages = 0;
  #rebuilds = 0;
  #indexing = 0;

  constructor({ bytes, ...options }: SearchThreadOptions) {
    this.#bytes = bytes;
    this.#thread = new AskedThread({
      ...options,
      name: 'that searches',
      verb: 'search',
      onDeath: (cause) => {
        this.#indexing = 0;
        options.onDeath(cause);
      },
      onReport: ({ counts }) => {
        this.#indexedPages += counts.indexedPages;
        this.#rebuilds += counts.rebuilds;
        this.#indexing = counts.indexing;
      },
    });
  }

  async search(query: SearchQuery): Promise<SearchSlice | undefined> {
    const found = (await this.#thread.ask({ search: query })) as Searched | undefined;
    if (found?.stopped === 'disk_full')
      throw new UserError(
        'insufficient_storage',
        `The search index cannot grow: its disk is almost full. ${grouped(found.upToPage)} of ${grouped(found.pages)} pages of this job are indexed. The crawl is not affected. Try again after the operator has freed space.`,
      );
    return found;
  }

  async sweep(): Promise<void> {
    await this.#thread.ask({ search: undefined });
  }

  status(): SearchStatus {
    const bytes = this.#bytes?.();
    return {
      indexedPages: this.#indexedPages,
      rebuilds: this.#rebuilds,
      indexing: this.#indexing,
      ...(bytes !== undefined && { bytes }),
    };
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
