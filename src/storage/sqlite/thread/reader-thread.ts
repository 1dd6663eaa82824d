// A thread that reads pages or ledgers, hundreds of rows at a time, so that nothing else waits for them.
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import type {
  FoundScreenshot,
  LedgerEntry,
  LedgerQuery,
  PageStore,
  ScreenshotQuery,
} from '../../../core/ports/stores.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import { asData, type CarriedError } from './carried-error.ts';
import type { Database } from '../file/database.ts';
import { explained } from '../file/faults.ts';
import type { JoinedSlice } from '../jobs/joined-pages.ts';
import { LedgerReads } from '../jobs/ledger-reads.ts';
import { openForReading } from '../file/open-database.ts';
import { PageReads } from '../jobs/page-reads.ts';

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

/** What to read: pages, a screenshot, or entries of a ledger. */
export type Ask =
  | { readonly pages: Parameters<PageStore['read']>[0] }
  | { readonly screenshot: ScreenshotQuery }
  | { readonly urlsOf: string; readonly query: LedgerQuery };

/** `slice` is missing if there is no such job, and after an error. */
export interface ReaderReply {
  readonly id: number;
  readonly slice?: JoinedSlice | undefined;
  readonly found?: FoundScreenshot | undefined;
  readonly urls?: readonly LedgerEntry[];
  readonly error?: CarriedError;
}

function run(port: MessagePort, { dir }: ReaderOptions): void {
  // Creating a small buffer costs less than passing one back and forth. Shared memory would need no passing, but V8
  // takes nearly twice as long to fill and read it (decision 14).
  const buffers = new BufferPool({ smallBytesMax: 64 * 2 ** 10 });
  let db: Database | undefined;
  let pages: PageReads | undefined;
  let ledgers: LedgerReads | undefined;

  const answer = ({ id, ask }: ReaderRequest): void => {
    try {
      // Opened here, so that the caller gets the error.
      db ??= openForReading(dir);
      if ('urlsOf' in ask) {
        ledgers ??= new LedgerReads(db);
        port.postMessage({ id, urls: ledgers.listUrls(ask.urlsOf, ask.query) } satisfies ReaderReply);
        return;
      }
      pages ??= new PageReads(db, buffers);
      if ('screenshot' in ask) {
        port.postMessage({ id, found: pages.screenshot(ask.screenshot) } satisfies ReaderReply);
        return;
      }
      const slice = pages.read(ask.pages);
      failPoint('pages.read');
      port.postMessage({ id, slice } satisfies ReaderReply, slice ? [slice.bytes.buffer] : []);
    } catch (error) {
      port.postMessage({ id, error: asData(explained(error, dir)) } satisfies ReaderReply);
    }
  };

  port.on('message', (message: ReaderMessage) => {
    if (message === 'close') {
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
