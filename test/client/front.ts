// What stands between a client and the service, with an address that stays: it can cut connections, and the service behind it can be
// another process after each restart.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Front {
  readonly origin: string;
  /** Connections that were cut. */
  readonly cuts: number;
  close(): Promise<void>;
}

/**
 * `port`: where the service listens now. `cutAfter`: how many bytes of responses the next connection passes before it is
 * reset. @default all
 */
export async function startFront(options: {
  readonly port: () => number;
  readonly cutAfter?: () => number;
}): Promise<Front> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const service = connect(options.port(), '127.0.0.1');
    let left = options.cutAfter?.() ?? Infinity;
    const end = (): void => {
      client.destroy();
      service.destroy();
    };
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.pipe(service);
    service.on('data', (bytes: Buffer) => {
      const passed = bytes.subarray(0, left);
      left -= passed.length;
      if (left > 0) client.write(passed);
      else {
        cuts++;
        client.end(passed, end);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts;
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
