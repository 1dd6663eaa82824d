// Asks `/healthz` over a new connection again and again, in a thread of its own, so that what it measures is the service and
// not the load.
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface Probe {
  /** Milliseconds from the start of the probe to the request. */
  readonly at: number;
  /** Milliseconds to the end of the response. */
  readonly took: number;
  /** The status, or what went wrong. */
  readonly outcome: string;
}

const pauseMs = 100;
/** An operator's health check gives up after so long. */
const patienceMs = 10_000;

/** Returns a function that ends the probe and returns all that it saw. */
export function startProbe(port: number): () => Promise<readonly Probe[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { probedPort: port } });
  return async () => {
    const seen = new Promise<readonly Probe[]>((resolve) => void worker.once('message', resolve));
    worker.postMessage('stop');
    return seen;
  };
}

async function run(port: number): Promise<void> {
  const over = new AbortController();
  const seen: Probe[] = [];
  const startedAt = performance.now();
  parentPort?.once('message', () => over.abort());
  while (!over.signal.aborted) {
    const at = performance.now();
    const outcome = await ask(port);
    seen.push({ at: at - startedAt, took: performance.now() - at, outcome });
    await sleep(pauseMs);
  }
  parentPort?.postMessage(seen);
}

function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    const asked = request(
      { port, host: '127.0.0.1', path: '/healthz', agent: false, timeout: patienceMs },
      (response) => {
        response.resume().once('close', () => resolve(String(response.statusCode)));
      },
    );
    asked
      .once('timeout', () => asked.destroy(new Error('silence')))
      .once('error', ({ message }) => resolve(message))
      .end();
  });
}

const port = (workerData as { readonly probedPort?: number } | null)?.probedPort;
if (port !== undefined) await run(port);
