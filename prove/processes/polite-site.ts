// Hosts in a separate thread, so that no other part of the campaign delays the record of a request.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Asked, machineNow } from './many-hosts.ts';

interface Shape {
  readonly hosts: number;
  readonly pagesOfAHost: number;
}

export interface PoliteSite {
  readonly origins: readonly string[];
  readonly paths: readonly string[];
  /** Every request to a host, by origin, in the order of their arrival. */
  asked(): Promise<ReadonlyMap<string, readonly Asked[]>>;
  close(): Promise<void>;
}

const pathsOf = ({ pagesOfAHost }: Shape): string[] =>
  Array.from({ length: pagesOfAHost }, (_, page) => (page === 0 ? '/' : `/page/${page}`));

export async function startPoliteSite(shape: Shape): Promise<PoliteSite> {
  const thread = new Worker(new URL(import.meta.url), { workerData: shape });
  const [origins] = (await once(thread, 'message')) as [string[]];
  return {
    origins,
    paths: pathsOf(shape),
    asked: async () => {
      thread.postMessage('asked');
      const [asked] = (await once(thread, 'message')) as [ReadonlyMap<string, readonly Asked[]>];
      return asked;
    },
    close: async () => void (await thread.terminate()),
  };
}

async function serve(shape: Shape): Promise<void> {
  const paths = pathsOf(shape);
  const asked = new Map<string, Asked[]>();
  for (let host = 0; host < shape.hosts; host++) {
    const log: Asked[] = [];
    const server = createServer((request, response) => {
      const path = request.url ?? '/';
      log.push({ path, at: machineNow() });
      const links = path === '/' ? paths.map((other) => `<a href="${other}">${other}</a>`).join(' ') : '';
      if (!paths.includes(path)) response.writeHead(404).end();
      else
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<!doctype html><title>${path}</title><p>This is ${path} of host ${host}, and no other.</p>${links}`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    asked.set(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, log);
  }
  parentPort?.postMessage([...asked.keys()]);
  parentPort?.on('message', () => parentPort?.postMessage(asked));
}

if (!isMainThread) await serve(workerData as Shape);
