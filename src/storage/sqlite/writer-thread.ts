// The thread that writes. Requests that came in while a transaction was being committed go into the next one together, so
// commits grow with the load and nobody waits for a timer.
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { explained, openDatabase } from './open-database.ts';
import { createWrites, type Changed, type WriterOperations } from './writer-operations.ts';

export interface WriterRequest {
  readonly id: number;
  readonly name: keyof WriterOperations;
  readonly args: readonly unknown[];
}

export interface WriterReply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: WriterError;
}

/** An error as data: what crosses threads keeps no class. */
export interface WriterError {
  readonly message: string;
  readonly exitCode: number;
}

/** One message for all that one transaction did. */
export interface WriterReport {
  readonly replies: readonly WriterReply[];
  readonly changed: Changed;
}

/** More in one transaction would make the first of them wait. */
const requestsPerCommit = 64;

function run(port: MessagePort, dir: string): void {
  const db = openDatabase(dir, 'writer');
  const writes = createWrites(db);

  const perform = (request: WriterRequest): WriterReply => {
    const operation = writes.operations[request.name] as (...args: readonly unknown[]) => unknown;
    return { id: request.id, value: operation(...request.args) };
  };

  const commit = (requests: readonly WriterRequest[]): WriterReport => {
    db.exec('BEGIN IMMEDIATE');
    try {
      const replies = requests.map(perform);
      const changed = writes.flush();
      db.exec('COMMIT');
      return { replies, changed };
    } catch (error) {
      writes.forget();
      if (db.isInTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };

  /** Together where possible; when one of them fails, each alone, so that the others do not pay for it. */
  const handle = (requests: readonly WriterRequest[]): WriterReport => {
    try {
      return commit(requests);
    } catch (error) {
      const [only] = requests;
      if (requests.length === 1 && only) {
        const reply = { id: only.id, error: asData(explained(error, dir)) };
        return { replies: [reply], changed: { jobs: [], haveWork: false, haveEvents: false } };
      }
      const reports = requests.map((request) => handle([request]));
      return {
        replies: reports.flatMap((report) => report.replies),
        changed: {
          jobs: reports.flatMap(({ changed }) => changed.jobs),
          haveWork: reports.some(({ changed }) => changed.haveWork),
          haveEvents: reports.some(({ changed }) => changed.haveEvents),
        },
      };
    }
  };

  port.on('message', (first: WriterRequest | 'close') => {
    const requests: WriterRequest[] = [];
    let message: WriterRequest | 'close' | undefined = first;
    while (message !== undefined && message !== 'close') {
      requests.push(message);
      const next: { message: WriterRequest | 'close' } | undefined =
        requests.length < requestsPerCommit ? receiveMessageOnPort(port) : undefined;
      message = next?.message;
    }
    if (requests.length > 0) port.postMessage(handle(requests));
    if (message !== 'close') return;
    db.close();
    port.close();
  });
}

function asData(error: unknown): WriterError {
  if (error instanceof ExitError) return { message: error.message, exitCode: error.exitCode };
  return {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    exitCode: exitCodes.failed,
  };
}

if (parentPort) run(parentPort, (workerData as { dir: string }).dir);
