// A proxy of the kind that an operator has (CONNECT; RFC 9110, 9.3.6), and what is behind it: whatever address it is asked
// for, it connects to the site on this machine, so that a test can have pages on public addresses.
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface ConnectProxy {
  readonly port: number;
  /** The head of each request. */
  readonly heads: readonly string[];
  /** The first line of each head. */
  readonly lines: readonly string[];
  /** What came after the heads, and was not passed on. */
  readonly rest: string;
  readonly connections: number;
  /** Those that are open. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** What the proxy does once it was sent a head. */
export type Answer = (socket: Socket, head: string) => void;

export async function startConnectProxy(answer: Answer): Promise<ConnectProxy> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let rest = '';
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket.on('close', () => sockets.delete(socket)));
    let head = '';
    const read = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      heads.push(head.slice(0, end));
      rest += head.slice(end + 4);
      socket.off('data', read).on('data', (more) => (rest += more.toString('latin1')));
      answer(socket, head);
    };
    socket.on('error', () => {}).on('data', read);
  });
  const port = await listen(server);
  return {
    port,
    heads,
    sockets,
    get lines() {
      return heads.map((head) => head.split('\r\n', 1)[0] ?? '');
    },
    get rest() {
      return rest;
    },
    get connections() {
      return connections;
    },
    close: () => close(server, sockets),
  };
}

export interface Site {
  /** Connections over http and https. */
  readonly connections: number;
  /** The server name that each TLS greeting asked for; false if it asked for none. */
  readonly serverNames: readonly (string | false)[];
  /** Connects the client of a proxy with the site: over https where port 443 was asked for. */
  readonly tunnel: Answer;
  close(): Promise<void>;
}

/** A site over http and https, with the {@link testCertificate}. */
export async function startSite(listener: RequestListener): Promise<Site> {
  const serverNames: (string | false)[] = [];
  const plain = createHttpServer(listener);
  const secure = createHttpsServer({ cert: testCertificate, key: testKey }, listener);
  secure.on('secureConnection', ({ servername }) => serverNames.push(servername ?? false));
  const sockets = new Set<Socket>();
  let connections = 0;
  for (const server of [plain, secure]) {
    server.on('connection', (socket: Socket) => {
      connections += 1;
      sockets.add(socket.on('error', () => {}));
    });
  }
  const [plainPort, securePort] = await Promise.all([listen(plain), listen(secure)]);
  return {
    serverNames,
    get connections() {
      return connections;
    },
    tunnel(socket, head) {
      const there = connect(/:443 HTTP/.test(head) ? securePort : plainPort, '127.0.0.1');
      there.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.on('close', () => there.destroy()).removeAllListeners('data');
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(there).pipe(socket);
    },
    close: async () => {
      await Promise.all([close(plain, sockets), close(secure, sockets)]);
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
}

/** Signed by itself, for `site.test` and 8.8.8.8, from 2020 to 2120. Protects nothing. */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBbTCCAROgAwIBAgIBATAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAxoYXlyYWtl
LXRlc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBcxFTATBgNV
BAMMDGhheXJha2UtdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBXh0Odm
iI8DKGvTrri2JVtaKEQQVEE8icMu1mYcgZ7ljXwKdEeo/ENwKFmpt7Pcote+cARl
dmGOSYcRiRLQhHSjTjBMMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJc2l0
ZS50ZXN0hwQICAgIMB0GA1UdDgQWBBQzNpl5qTgJ22G1pIzD7TpI1c972TAKBggq
hkjOPQQDAgNIADBFAiEA/gMyMK3ANmWijeIMktMzc57Kx5mHzvVnIEcxMAyZsgUC
IApUOka0PhLK9GtbHALn277G4afJITmXGhoR9gnM7YvR
-----END CERTIFICATE-----
`;
const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNXIAnOtrwnRWvDQs
gGvLE0vHSqgGgf8UKl/3fTTypT+hRANCAAQV4dDnZoiPAyhr0664tiVbWihEEFRB
PInDLtZmHIGe5Y18CnRHqPxDcChZqbez3KLXvnAEZXZhjkmHEYkS0IR0
-----END PRIVATE KEY-----
`;
