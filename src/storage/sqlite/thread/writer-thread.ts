// The thread that writes. Requests that arrive during a commit go into the next transaction together, so commits grow
// with the load and nobody waits for a timer.
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { asData } from '../../carried-error.ts';
import { explained } from '../file/faults.ts';
import { openDatabase } from '../file/open-database.ts';
import { RetriedWrites, type RetriedWritesOptions, requestsPerCommit, type WriterReport } from './retried-writes.ts';
import { nothingChanged } from '../../rules/frontier/changes.ts';
import { Transactions, type WriterRequest } from './transactions.ts';

export type WriterMessage = readonly WriterRequest[] | 'stop waiting' | 'close';

function run(port: MessagePort, options: RetriedWritesOptions): void {
  const db = openDatabase(options.dir, 'writer');
  const transactions = new Transactions(db, options);
  const writes = new RetriedWrites(transactions, options, (report) => {
    port.postMessage(report);
    // The connection stays open: closing it would write.
    if (report.ended) port.close();
  });

  port.on('message', (first: WriterMessage) => {
    const requests: WriterRequest[] = [];
    let message: WriterMessage | undefined = first;
    while (typeof message === 'object') {
      requests.push(...message);
      const next: { message: WriterMessage } | undefined =
        requests.length < requestsPerCommit ? receiveMessageOnPort(port) : undefined;
      message = next?.message;
    }
    if (requests.length > 0) writes.write(requests);
    if (message === 'stop waiting') writes.stopWaiting();
    if (message !== 'close') return;
    writes.close();
    transactions.close();
    db.close();
    port.close();
  });
  // Not caught: the thread ends, which rejects the pending writes.
  port.on('messageerror', (error) => {
    throw error;
  });
}

if (parentPort) {
  const options = workerData as RetriedWritesOptions;
  try {
    run(parentPort, options);
  } catch (error) {
    // As data, because an error that ends the thread loses its exit code.
    const ended = asData(explained(error, options.dir));
    parentPort.postMessage({ replies: [], changed: nothingChanged, ended } satisfies WriterReport);
    parentPort.close();
  }
}
