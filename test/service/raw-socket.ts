// Connections on which a test writes what it likes, when it likes.
import { connect, type Socket } from 'node:net';

/** A connection that stands. Errors are ordinary: whoever is attacked may hang up. */
export async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
  await new Promise<void>((resolve) => void socket.once('connect', resolve).once('close', () => resolve()));
  return socket;
}

/** All that is sent until the other side closes. */
export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await new Promise((resolve) => void socket.once('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

/** Writes, and reads until the other side closes. */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket = await open(port);
  socket.write(bytes);
  return readAll(socket);
}

/** Statuses of the answers in what was read. */
export function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
