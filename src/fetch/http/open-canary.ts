import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Opens a listener on this machine that accepts, counts and closes connections: a destination that must stay
 * unreachable.
 */
export async function openCanary(): Promise<{
  readonly port: number;
  readonly connections: () => number;
  close(): Promise<void>;
}> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.destroy();
  });
  // Reachable from this machine only.
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
