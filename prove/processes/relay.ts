// An address of a database that stays, whichever server is behind it, and whether or not anything gets through.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** Ends all connections; later ones lead to another server on 127.0.0.1. */
  to(port: number): void;
  /** While it is silent, no byte gets through and no connection ends, as with a cable that was pulled. */
  setSilent(isSilent: boolean): void;
  close(): Promise<void>;
}

export async function startRelay(port: number): Promise<Relay> {
  let target = port;
  let isSilent = false;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
    const upstream = connect({ port: target, host: '127.0.0.1', noDelay: true });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      // Its `close` follows.
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        if (!other.write(bytes)) socket.pause();
      });
      socket.on('drain', () => isSilent || other.resume());
      socket.on('end', () => other.end());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    if (isSilent) upstream.pause();
    else client.resume();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    to: (next) => {
      target = next;
      for (const socket of sockets) socket.destroy();
    },
    setSilent: (silent) => {
      isSilent = silent;
      for (const socket of sockets) {
        if (silent) socket.pause();
        else socket.resume();
      }
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
