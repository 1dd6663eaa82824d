// The most memory that the browsers of this process have had: a thread of its own looks, so that a busy test hides nothing.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { fileBytesOf, privateBytesOf, processTree } from '../../src/render/process-tree.ts';

const lookMs = 10;

/** Returns a function that ends the watch and returns the peak in bytes. */
export function watchPeak(): () => Promise<number> {
  const worker = new Worker(new URL(import.meta.url), { workerData: process.pid });
  return async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    worker.once('message', resolve);
    worker.postMessage('end');
    const peak = await promise;
    await worker.terminate();
    return peak;
  };
}

if (!isMainThread && typeof workerData === 'number') {
  const own = workerData;
  let peak = 0;
  const timer = setInterval(() => {
    const pids = processTree(own).filter((pid) => pid !== own);
    // The processes of a browser see the same files, but the first one, which sees those of the machine.
    const machine = fileBytesOf(own);
    const files = Math.max(0, ...pids.map(fileBytesOf).filter((bytes) => bytes !== machine));
    peak = Math.max(peak, pids.reduce((sum, pid) => sum + privateBytesOf(pid), 0) + files);
  }, lookMs);
  parentPort?.once('message', () => {
    clearInterval(timer);
    parentPort?.postMessage(peak);
  });
}
