// How many connections there may be. When there is no room for another, the one that has been idle longest makes some: a
// thousand clients that send nothing, or their headers a byte at a time, cannot keep out one that has something to ask.
import type { IncomingMessage } from 'node:http';
import { readFileSync } from 'node:fs';
import type { Api } from './service.ts';

type Socket = IncomingMessage['socket'];

/** Files that everything else may have open: database, log, threads. */
const otherFiles = 64;

/** Connections that the process can bear: as many as were asked for, and at most half of the files that it may open. */
export function affordable(connections: number): number {
  return Math.max(10, Math.min(connections, Math.floor((openFilesMax() - otherFiles) / 2)));
}

/** Answers whether a connection is one too many: there was none idle when it came, so all it gets is told so. */
export function limitConnections(api: Api, connectionsMax: number): (socket: Socket) => boolean {
  const all = new Set<Socket>();
  /** Those on which nothing is being answered, longest first. */
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
      // Refused when it asks for something: what is closed before it was read is reset, and nobody learns why.
      surplus.add(socket);
      return;
    }
    all.delete(longest);
    idle.delete(longest);
    longest.destroy();
  });
  api.addHook('onRequest', async ({ raw }) => void idle.delete(raw.socket));
  api.addHook('onResponse', async ({ raw }) => {
    // Node closes what is idle when it begins to close, and would wait for what becomes so later.
    if (isClosing) raw.socket.destroySoon();
    else if (!raw.socket.destroyed && all.has(raw.socket)) idle.add(raw.socket);
  });
  // Node would wait for those that were opened in advance and never used, as proxies and browsers do.
  api.addHook('preClose', async () => {
    isClosing = true;
    for (const socket of idle) socket.destroy();
  });
  return (socket) => surplus.has(socket);
}

/** What `ulimit -n` says. Node raises it to the hard limit when it starts. */
export function openFilesMax(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  const [, files = ''] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return files === '' ? Number.POSITIVE_INFINITY : Number(files);
}
