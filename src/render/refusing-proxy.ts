// A proxy that refuses everything. Requests of Chromium that bypass the interception end here, and are counted.
import { createServer, type Server } from 'node:net';

export interface RefusingProxy {
  readonly port: number;
  /** Connections that were refused. */
  readonly refused: number;
  close(): void;
}

const response = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** Listens on a free port of 127.0.0.1. It reads nothing, so no input can influence it. */
export async function openRefusingProxy(): Promise<RefusingProxy> {
  let refused = 0;
  const server: Server = createServer((socket) => {
    refused++;
    socket.on('error', () => {});
    socket.end(response, () => socket.destroy());
  });
  server.maxConnections = 100;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The refusing proxy has no port.');
  server.unref();
  return {
    port: address.port,
    get refused() {
      return refused;
    },
    close: () => void server.close(),
  };
}
