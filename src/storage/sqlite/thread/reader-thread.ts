// A thread that reads pages, ledgers or lists of jobs, hundreds of rows at a time, so that nothing else waits for them.
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import type { TreeCounts, TreeQuery, PageStore } from '../../../core/ports/stores.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import { asData, type CarriedError } from '../../carried-error.ts';
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

export type ReaderMessage = ReaderRequest | 'close';

interface ReaderRequest {
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

/** `slice` is missing if there is no such job, and after an error. */
export interface ReaderReply {
  readonly id: number;
  readonly slice?: JoinedSlice | undefined;
  /** The result of an operation that both stores share. */
  readonly result?: unknown;
  readonly tree?: TreeCounts | undefined;
  readonly error?: CarriedError;
}

function run(port: MessagePort, { dir }: ReaderOptions): void {
  // Creating a small buffer costs less than passing one back and forth. Shared memory would need no passing, but V8
  // takes nearly twice as long to fill and read it (docs/decisions/storage.md).
  const buffers = new BufferPool({ smallBytesMax: 64 * 2 ** 10 });
  let db: Database | undefined;
  let pages: PageReads | undefined;
  let trees: TreeReads | undefined;

  let isClosed = false;
  const sendTree = async (id: number, counting: Promise<TreeCounts | undefined>): Promise<void> => {
    try {
      port.postMessage({ id, tree: await counting } satisfies ReaderReply);
    } catch (error) {
      // Nobody waits for a read that was under way when the store was closed.
      if (!isClosed) port.postMessage({ id, error: asData(explained(error, dir)) } satisfies ReaderReply);
    }
  };

  const answer = ({ id, ask }: ReaderRequest): void => {
    try {
      // Opened here, so that the caller gets the error.
      db ??= openForReading(dir);
      if ('shared' in ask) {
        const steps = operationOf(ask.shared).steps(...ask.args);
        const { openPages } = ask;
        const on = db;
        const result = on.transaction('deferred', () => runSteps(on, steps, { openPages }));
        port.postMessage({ id, result } satisfies ReaderReply);
        return;
      }
      if ('treeOf' in ask) {
        trees ??= new TreeReads(db);
        void sendTree(id, trees.count(ask.treeOf, ask.query));
        return;
      }
      pages ??= new PageReads(db, buffers);
      const slice = pages.read(ask.pages);
      failPoint('pages.read');
      port.postMessage({ id, slice } satisfies ReaderReply, slice ? [slice.bytes.buffer] : []);
    } catch (error) {
      port.postMessage({ id, error: asData(explained(error, dir)) } satisfies ReaderReply);
    }
  };

  port.on('message', (message: ReaderMessage) => {
    if (message === 'close') {
      isClosed = true;
      db?.close();
      port.close();
    } else {
      for (const buffer of message.free) buffers.giveBack(buffer);
      answer(message);
    }
  });
  // Not caught: the thread ends, which rejects the pending reads.
  port.on('messageerror', (error) => {
    throw error;
  });
}

if (parentPort) run(parentPort, workerData as ReaderOptions);
