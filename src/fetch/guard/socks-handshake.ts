// SOCKS 5 (RFC 1928), with a user and password (RFC 1929). Three messages, so no library: those that exist tell refusals
// apart by their text, and keep the password in their errors.
import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { parseAddress } from './address-policy.ts';
import { ProxyError } from './proxy-error.ts';

const [noLogin, withLogin] = [0, 2];
const [ipv4, name, ipv6] = [1, 3, 4];

export interface SocksTarget {
  /** An address, or a name that the proxy is to resolve. */
  readonly host: string;
  readonly port: number;
}

/**
 * Requests a connection on a socket to the proxy. Returns false if the proxy does not open this one. Throws a
 * {@link ProxyError} if trying another is pointless. Reads no byte of the other end. Never ends if the socket closes.
 */
export async function socksHandshake(
  socket: Socket,
  login: { readonly user: string; readonly password: string } | undefined,
  { host, port }: SocksTarget,
): Promise<boolean> {
  socket.write(Buffer.from(login ? [5, 2, noLogin, withLogin] : [5, 1, noLogin]));
  const [version, method] = await read(socket, 2);
  if (version !== 5) throw new ProxyError('PROXY_BROKEN');
  if (method === withLogin && login) {
    socket.write(Buffer.concat([Buffer.from([1]), withLength(login.user), withLength(login.password)]));
    const [, status] = await read(socket, 2);
    if (status !== 0) throw new ProxyError('PROXY_DENIED');
  } else if (method !== noLogin) throw new ProxyError('PROXY_DENIED');
  socket.write(Buffer.concat([Buffer.from([5, 1, 0]), addressOf(host), Buffer.from([port >> 8, port & 255])]));
  const [again, reply, , kind] = await read(socket, 4);
  if (again !== 5 || reply === undefined || reply > 8) throw new ProxyError('PROXY_BROKEN');
  if (reply !== 0) return false;
  const length = kind === ipv4 ? 4 : kind === ipv6 ? 16 : kind === name ? ((await read(socket, 1))[0] ?? 0) : undefined;
  if (length === undefined) throw new ProxyError('PROXY_BROKEN');
  await read(socket, length + 2);
  return true;
}

function addressOf(host: string): Buffer {
  const family = isIP(host);
  if (family === 0) return Buffer.concat([Buffer.from([name]), withLength(host)]);
  const bytes = parseAddress(host)?.toByteArray() ?? [];
  return Buffer.from([bytes.length === 4 ? ipv4 : ipv6, ...bytes]);
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** Exactly these bytes: later ones are of the other end, and stay in the socket. */
async function read(socket: Socket, bytes: number): Promise<Buffer> {
  for (;;) {
    const chunk = socket.read(bytes) as Buffer | null;
    if (chunk?.length === bytes) return chunk;
    // The proxy has ended the connection in between.
    if (chunk !== null || socket.readableEnded) throw new ProxyError('PROXY_BROKEN');
    await once(socket, 'readable');
  }
}
