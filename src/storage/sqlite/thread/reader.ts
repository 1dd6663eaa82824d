import { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import type { PageSlice, PageStore, TreeCounts, TreeQuery } from '../../../core/ports/stores.ts';
import { siblingModule } from '../../../core/process/program-files.ts';
import { AskedThread } from '../../asked-thread.ts';
import type { OperationName } from '../../shared/shared-ports.ts';
import { type JoinedSlice, sliceOf } from '../jobs/joined-pages.ts';
import type { Ask, OpenPages, ReaderOptions, ReaderRequest } from './reader-thread.ts';

/** The main thread's end of a reader thread. */
export class Reader implements Pick<PageStore, 'read'> {
  readonly #thread: AskedThread<Omit<ReaderRequest, 'id'>>;
  /** Buffers of replies that are no longer in use. The next request returns them to the thread. */
  readonly #free = new BufferPool();

  /** `onDeath` is called with the cause of the thread's death. */
  constructor(dir: string, onDeath: (cause: string) => void) {
    const module = siblingModule('./reader-thread', import.meta.url);
    const workerData: ReaderOptions = { dir };
    this.#thread = new AskedThread({ module, workerData, name: `that reads from ${dir}`, verb: 'read', onDeath });
  }

  async read(query: Parameters<PageStore['read']>[0]): Promise<PageSlice | undefined> {
    const slice = (await this.#ask({ pages: query })) as JoinedSlice | undefined;
    return slice && sliceOf(slice, () => this.#free.giveBack(slice.bytes.buffer));
  }

  /** Runs an operation that both stores share. */
  run(shared: OperationName, args: readonly unknown[], openPages: OpenPages): Promise<unknown> {
    return this.#ask({ shared, args, openPages });
  }

  async countTree(jobId: string, query: TreeQuery): Promise<TreeCounts | undefined> {
    return (await this.#ask({ treeOf: jobId, query })) as TreeCounts | undefined;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #ask(ask: Ask): Promise<unknown> {
    const free = this.#free.takeAll();
    return this.#thread.ask({ ask, free }, free);
  }
}
