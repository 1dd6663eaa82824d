// One server with many names. It writes down who asked for what, and how many requests it had at a time.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface NamedServer {
  readonly port: number;
  /** Names with paths, in the order in which they were asked for. */
  readonly asked: readonly { readonly name: string; readonly path: string; readonly at: number }[];
  /** The most requests at a time, to names that `isCounted` accepts. */
  most(isCounted: (name: string) => boolean): number;
  close(): Promise<void>;
}

/** Answers with HTML after `delayMs`; 404 without it. */
export async function startNamedServer(
  html: (name: string, path: string, port: number) => string | undefined,
  delayMs = 0,
): Promise<NamedServer> {
  const asked: { name: string; path: string; at: number }[] = [];
  const turns: { name: string; from: number; to: number }[] = [];
  const server = createServer((request, response) => {
    const { host = '' } = request.headers;
    const name = host.replace(/:\d+$/, '');
    const at = performance.timeOrigin + performance.now();
    const path = request.url ?? '/';
    asked.push({ name, path, at });
    const text = html(name, path, port);
    const turn = { name, from: performance.now(), to: Number.POSITIVE_INFINITY };
    turns.push(turn);
    setTimeout(() => {
      turn.to = performance.now();
      const type = path === '/robots.txt' ? 'text/plain' : 'text/html';
      response.writeHead(text === undefined ? 404 : 200, { 'content-type': type }).end(text ?? '');
    }, delayMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    asked,
    most: (isCounted) => {
      const counted = turns.filter(({ name }) => isCounted(name));
      return Math.max(
        0,
        ...counted.map(({ from: at }) => counted.filter(({ from, to }) => from <= at && at < to).length),
      );
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
