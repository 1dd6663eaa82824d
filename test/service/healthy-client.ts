// A client that means well, in a thread of its own, so that what it measures is the service and not the test.
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface Experience {
  /** Milliseconds to each answer, in ascending order. */
  readonly times: readonly number[];
  /** What was no 200. */
  readonly failures: readonly string[];
}

interface Target {
  readonly port: number;
  readonly token: string;
}

const pauseMs = 20;

/** Asks for a list over new connections, over and over. Answers what ends it, and tells how it was. */
export async function startHealthyClient(target: Target): Promise<() => Promise<Experience>> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { healthyClientOf: target } });
  const next = (): Promise<unknown> => new Promise((resolve) => void worker.once('message', resolve));
  // It has been answered once.
  await next();
  return async () => {
    const experience = next();
    worker.postMessage('stop');
    return (await experience) as Experience;
  };
}

async function run({ port, token }: Target): Promise<void> {
  const over = new AbortController();
  const times: number[] = [];
  const failures: string[] = [];
  parentPort?.once('message', () => over.abort());
  do {
    const start = performance.now();
    const outcome = await ask(port, token);
    times.push(performance.now() - start);
    if (outcome !== '200') failures.push(outcome);
    if (times.length === 1) parentPort?.postMessage('ready');
    await sleep(pauseMs);
  } while (!over.signal.aborted);
  const experience: Experience = { times: times.slice(1).toSorted((a, b) => a - b), failures };
  parentPort?.postMessage(experience);
}

function ask(port: number, token: string): Promise<string> {
  return new Promise((resolve) => {
    request({
      host: '127.0.0.1',
      port,
      path: '/crawler/jobs?limit=1',
      headers: { authorization: `Bearer ${token}` },
      agent: false,
    })
      .on('error', (error) => resolve(error.message))
      .on('response', (response) => {
        response.resume().on('end', () => resolve(String(response.statusCode)));
        response.on('error', (error) => resolve(error.message));
      })
      .end();
  });
}

// The tests themselves may run in a thread.
const { healthyClientOf } = (workerData ?? {}) as { readonly healthyClientOf?: Target };
if (healthyClientOf) await run(healthyClientOf);
