// Limits the number of connections. If there is no room for a new one, the connection idle longest is closed. So a
// thousand clients that send nothing, or their headers one byte at a time, cannot keep out a client with a request.
import type { IncomingMessage } from 'node:http';
import { readFileSync } from 'node:fs';
import type { Api } from '../service.ts';

type Socket = IncomingMessage['socket'];

/** Allowance for other open files: database, log, threads. */
const otherFiles = 64;

/**
 * Connections that the process can hold: at most the configured number, and at most half of the files that it may open.
 * One half is for the API, the other one for connections to sites.
 */
export function affordable(connections: number): number {
  return Math.max(10, Math.min(connections, Math.floor((openFilesMax() - otherFiles) / 2)));
}

/**
 * Returns a function that reports whether a connection is surplus: no other was idle when it arrived, so its only
 * response is an error.
 */
export function limitConnections(api: Api, connectionsMax: number): (socket: Socket) => boolean {
  const all = new Set<Socket>();
  /** Connections without a request in progress, idle longest first. */
  const idle = new Set<Socket>();
  const surplus = new WeakSet<Socket>();
  let isClosing = false;
  api.server.on('connection', (socket) => {
    all.add(socket);
    idle.add(socket);
    socket.once('close', () => {
      all.delete(socket);
      idle.delete(socket);
    });
    if (all.size <= connectionsMax) return;
    const [longest = socket] = idle;
    if (longest === socket) {
      // Refuse it when it sends a request: a connection closed before its request was read is reset, and the client
      // never learns why.
      surplus.add(socket);
      return;
    }
    all.delete(longest);
    idle.delete(longest);
    longest.destroy();
  });
  api.addHook('onRequest', async ({ raw }) => void idle.delete(raw.socket));
  api.addHook('onResponse', async ({ raw }) => {
    // Node closes idle connections when it begins to close, but would wait for those that become idle later.
    if (isClosing) raw.socket.destroySoon();
    else if (!raw.socket.destroyed && all.has(raw.socket)) idle.add(raw.socket);
  });
  // Node would wait for connections opened in advance and never used, as proxies and browsers do.
  api.addHook('preClose', async () => {
    isClosing = true;
    for (const socket of idle) socket.destroy();
  });
  return (socket) => surplus.has(socket);
}

/** The limit of `ulimit -n`. Node raises it to the hard limit when it starts. */
export function openFilesMax(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  const [, files = ''] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return files === '' ? Number.POSITIVE_INFINITY : Number(files);
}
