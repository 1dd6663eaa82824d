// What must never be reached: servers on inner addresses that count who comes.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { htmlPage } from '../service/test-site.ts';

export const canaryAddresses = [
  '127.0.0.1',
  '127.8.8.8',
  '::1',
  '10.0.0.9',
  '172.16.0.9',
  '172.31.255.9',
  '192.168.0.9',
  '169.254.169.254',
  'fd00:ec2::254',
  '100.100.100.200',
  '168.63.129.16',
] as const;

export type CanaryAddress = (typeof canaryAddresses)[number];

/** Where clouds hand out credentials: never reopened. */
export const metadataAddresses: readonly CanaryAddress[] = [
  '169.254.169.254',
  'fd00:ec2::254',
  '100.100.100.200',
  '168.63.129.16',
];

export const canaryPorts = [80, 443, 8000] as const;

export interface Canaries {
  /** Connections by address, since the last call; addresses that nobody came to are left out. */
  takeConnections(): Record<string, number>;
  /** Requests as `METHOD address:port/path`, since the last call. */
  takeRequests(): string[];
  close(): Promise<void>;
}

/** As a host in a URL. */
export function urlHost(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** As a label in a name: `10.0.0.9` is `10-0-0-9`. */
export function labelOf(address: string): string {
  return address.replaceAll(/[.:]/g, '-');
}

export async function startCanaries(): Promise<Canaries> {
  let connections: Record<string, number> = {};
  let requests: string[] = [];
  const servers = canaryAddresses.flatMap((address) =>
    canaryPorts.map(async (port) => {
      const server: Server = createServer((request, response) => {
        requests.push(`${request.method} ${address}:${port}${request.url}`);
        response.setHeader('content-type', 'text/html');
        if (request.url === '/robots.txt') response.statusCode = 404;
        response.end(
          htmlPage({ text: `Secrets of ${address}, port ${port}, at ${request.url}.`, links: linksOf(request.url) }),
        );
      });
      server.on('connection', () => (connections[address] = (connections[address] ?? 0) + 1));
      server.listen(port, address);
      await once(server, 'listening');
      return server;
    }),
  );
  const started = await Promise.all(servers);
  return {
    takeConnections: () => {
      const taken = connections;
      connections = {};
      return taken;
    },
    takeRequests: () => {
      const taken = requests;
      requests = [];
      return taken;
    },
    close: async () => {
      await Promise.all(
        started.map((server) => {
          server.closeAllConnections();
          server.close();
          return once(server, 'close');
        }),
      );
    },
  };
}

/** Pages that lead further inside. */
function linksOf(path: string | undefined): string[] {
  return path === '/door' ? ['/from-inside', 'http://pub.test/page'] : [];
}
