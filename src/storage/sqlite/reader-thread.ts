// The thread that reads pages: hundreds of rows at a time, for which nothing else is to wait.
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { PageStore } from '../../core/stores.ts';
import { failPoint } from '../../core/fail-point.ts';
import { asData, type CarriedError } from './carried-error.ts';
import type { Database } from './database.ts';
import { explained } from './faults.ts';
import type { JoinedSlice } from './joined-pages.ts';
import { openForReading } from './open-database.ts';
import { PageReads } from './page-reads.ts';
import { PassedBuffers } from './passed-buffers.ts';

/** Of a directory's database. */
export interface ReaderOptions {
  readonly dir: string;
}

export type ReaderMessage = ReaderRequest | 'close';

interface ReaderRequest {
  readonly id: number;
  readonly query: Parameters<PageStore['read']>[0];
  /** Of earlier replies, of which nothing is read any more. */
  readonly free: readonly ArrayBuffer[];
}

/** `slice` is missing where there is no such job, and where there is an error. */
export interface ReaderReply {
  readonly id: number;
  readonly slice?: JoinedSlice | undefined;
  readonly error?: CarriedError;
}

function run(port: MessagePort, { dir }: ReaderOptions): void {
  const buffers = new PassedBuffers();
  let db: Database | undefined;
  let pages: PageReads | undefined;

  const answer = ({ id, query }: ReaderRequest): void => {
    try {
      // Here, so that whoever asks is told of what went wrong.
      db ??= openForReading(dir);
      pages ??= new PageReads(db, dir, buffers);
      const slice = pages.read(query);
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
      buffers.giveBack(message.free);
      answer(message);
    }
  });
  // Not caught, so that the thread ends, and with it whoever waits for the answer.
  port.on('messageerror', (error) => {
    throw error;
  });
}

if (parentPort) run(parentPort, workerData as ReaderOptions);
