// A thread that reads pages, ledgers or lists of jobs, hundreds of rows at a time, so that nothing else waits for them.
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import type { TreeQuery, PageStore } from '../../../core/ports/stores.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import type { ThreadReply } from '../../asked-thread.ts';
import { asData } from '../../carried-error.ts';
import type { Database } from '../file/database.ts';
import { explained } from '../file/faults.ts';
import type { JoinedSlice } from '../jobs/joined-pages.ts';
import { type OperationName, operationOf } from '../../shared/shared-ports.ts';
import { runSteps } from '../file/run-steps.ts';
import { openForReading } from '../file/open-database.ts';
import { PageReads } from '../jobs/page-reads.ts';
import { TreeReads } from '../jobs/tree-reads.ts';

export interface ReaderOptions {
  readonly dir: string;
}

export interface ReaderRequest {
  readonly id: number;
  readonly ask: Ask;
  /** Buffers of earlier replies that are no longer in use. */
  readonly free: readonly ArrayBuffer[];
}

/** What to read. */
export type Ask =
  | { readonly pages: Parameters<PageStore['read']>[0] }
  | { readonly shared: OperationName; readonly args: readonly unknown[]; readonly openPages: OpenPages }
  | { readonly treeOf: string; readonly query: TreeQuery };

/** By job, the pages that are requested now. */
export type OpenPages = ReadonlyMap<string, number> | undefined;

function run(port: MessagePort, { dir }: ReaderOptions): void {
  // Creating a small buffer costs less than passing one back and forth. Shared memory would need no passing, but V8
  // takes nearly twice as long to fill and read it (docs/decisions/storage.md).
  const buffers = new BufferPool({ smallBytesMax: 64 * 2 ** 10 });
  let db: Database | undefined;
  let pages: PageReads | undefined;
  let trees: TreeReads | undefined;

  let isClosed = false;
  const perform = (on: Database, ask: Ask): unknown => {
    if ('shared' in ask) {
      const steps = operationOf(ask.shared).steps(...ask.args);
      return on.transaction('deferred', () => runSteps(on, steps, { openPages: ask.openPages }));
    }
    if ('treeOf' in ask) return (trees ??= new TreeReads(on)).count(ask.treeOf, ask.query);
    const slice = (pages ??= new PageReads(on, buffers)).read(ask.pages);
    failPoint('pages.read');
    return slice;
  };
  const reply = ({ id, ask }: ReaderRequest): void => {
    const succeed = (result: unknown): void => {
      const moved = 'pages' in ask && result ? [(result as JoinedSlice).bytes.buffer] : [];
      port.postMessage({ id, result } satisfies ThreadReply, moved);
    };
    const fail = (error: unknown): void => {
      // Nobody waits for a read that was under way when the store was closed.
      if (!isClosed) port.postMessage({ id, error: asData(explained(error, dir)) } satisfies ThreadReply);
    };
    try {
      // Opened here, so that the caller gets the error.
      const result = perform((db ??= openForReading(dir)), ask);
      if (result instanceof Promise) result.then(succeed, fail);
      else succeed(result);
    } catch (error) {
      fail(error);
    }
  };

  port.on('message', (message: ReaderRequest | 'close') => {
    if (message === 'close') {
      isClosed = true;
      db?.close();
      port.close();
    } else {
      for (const buffer of message.free) buffers.giveBack(buffer);
      reply(message);
    }
  });
  // Not caught: the thread ends, which rejects the pending reads.
  port.on('messageerror', (error) => {
    throw error;
  });
}

if (parentPort) run(parentPort, workerData as ReaderOptions);
