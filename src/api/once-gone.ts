import type { ServerResponse } from 'node:http';

type Socket = ServerResponse['req']['socket'];

const callsBySocket = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once: when the response is complete, or its client gone. When a connection closes, Node notifies only the
 * current one of several pipelined responses, so this listens on the socket too.
 */
export function onceGone(response: ServerResponse, callback: () => void): void {
  const { socket } = response.req;
  if (response.closed || socket.destroyed) {
    callback();
    return;
  }
  const calls = callsBySocket.get(socket) ?? watch(socket);
  const gone = (): void => {
    calls.delete(gone);
    response.off('close', gone);
    callback();
  };
  calls.add(gone);
  response.once('close', gone);
}

function watch(socket: Socket): Set<() => void> {
  const calls = new Set<() => void>();
  callsBySocket.set(socket, calls);
  socket.once('close', () => {
    for (const call of calls) call();
  });
  return calls;
}
