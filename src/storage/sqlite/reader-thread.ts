// A thread that reads pages, or ledgers: hundreds of rows at a time, for which nothing else is to wait.
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { BufferPool } from '../../core/buffer-pool.ts';
import type { LedgerEntry, LedgerQuery, PageStore } from '../../core/stores.ts';
import { failPoint } from '../../core/fail-point.ts';
import { asData, type CarriedError } from './carried-error.ts';
import type { Database } from './database.ts';
import { explained } from './faults.ts';
import type { JoinedSlice } from './joined-pages.ts';
import { LedgerReads } from './ledger-reads.ts';
import { openForReading } from './open-database.ts';
import { PageReads } from './page-reads.ts';

/** Of a directory's database. */
export interface ReaderOptions {
  readonly dir: string;
}

export type ReaderMessage = ReaderRequest | 'close';

interface ReaderRequest {
  readonly id: number;
  readonly ask: Ask;
  /** Of earlier replies, of which nothing is read any more. */
  readonly free: readonly ArrayBuffer[];
}

/** What is asked for: pages, or entries of a ledger. */
export type Ask =
  | { readonly pages: Parameters<PageStore['read']>[0] }
  | { readonly urlsOf: string; readonly query: LedgerQuery };

/** `slice` is missing where there is no such job, and where there is an error. */
export interface ReaderReply {
  readonly id: number;
  readonly slice?: JoinedSlice | undefined;
  readonly urls?: readonly LedgerEntry[];
  readonly error?: CarriedError;
}

function run(port: MessagePort, { dir }: ReaderOptions): void {
  // What is small is made anew for less than it costs to pass a buffer to and fro. Shared memory would need no passing, but takes V8
  // nearly twice as long to fill and to read (decision 14).
  const buffers = new BufferPool({ smallBytesMax: 64 * 2 ** 10 });
  let db: Database | undefined;
  let pages: PageReads | undefined;
  let ledgers: LedgerReads | undefined;

  const answer = ({ id, ask }: ReaderRequest): void => {
    try {
      // Here, so that whoever asks is told of what went wrong.
      db ??= openForReading(dir);
      if ('urlsOf' in ask) {
        ledgers ??= new LedgerReads(db);
        port.postMessage({ id, urls: ledgers.listUrls(ask.urlsOf, ask.query) } satisfies ReaderReply);
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
      db?.close();
      port.close();
    } else {
      for (const buffer of message.free) buffers.giveBack(buffer);
      answer(message);
    }
  });
  // Not caught, so that the thread ends, and with it whoever waits for the answer.
  port.on('messageerror', (error) => {
    throw error;
  });
}

if (parentPort) run(parentPort, workerData as ReaderOptions);
