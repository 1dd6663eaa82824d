// Stands between the program and an object store, and does what networks and busy stores do.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to a request: nothing, a pause, an error of the store, a connection that ends before, within or instead of the answer. */
export type Fault = 'none' | 'slow' | 'slow_down' | 'refused' | 'cut_before' | 'cut_within' | 'cut_after';

const slowMs = 400;

export interface FaultyProxy {
  readonly origin: string;
  readonly requests: { readonly method: string; readonly path: string }[];
  /** Decides for each request. */
  fault: (method: string, path: string) => Fault;
  delayMs: number;
  close(): Promise<void>;
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((asked, answer) => {
    const { method = '', url = '' } = asked;
    proxy.requests.push({ method, path: url });
    const fault = proxy.fault(method, url);
    setTimeout(() => forward(asked, answer, fault), proxy.delayMs + (fault === 'slow' ? slowMs : 0));
  });
  const proxy: FaultyProxy & { origin: string } = {
    origin: '',
    requests: [],
    fault: () => 'none',
    delayMs: 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
  function forward(asked: IncomingMessage, answer: ServerResponse, fault: Fault): void {
    const { method, url } = asked;
    if (fault === 'cut_before') return void asked.socket.destroy();
    if (fault === 'slow_down') return refuse(answer, 503, 'SlowDown');
    if (fault === 'refused') return refuse(answer, 403, 'InvalidAccessKeyId');
    // The signature names the host that was asked for.
    const through = request({ hostname, port, method, path: url, headers: asked.headers, agent: false }, (got) => {
      if (fault === 'cut_after') {
        got.resume().once('end', () => asked.socket.destroy());
        return;
      }
      answer.writeHead(got.statusCode ?? 500, got.headers);
      if (fault === 'cut_within')
        got.once('data', () => asked.socket.destroy()).once('end', () => asked.socket.destroy());
      else got.pipe(answer);
    });
    through.once('error', () => asked.socket.destroy());
    asked.pipe(through);
  }
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  proxy.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

function refuse(answer: ServerResponse, status: number, code: string): void {
  answer.writeHead(status, { 'content-type': 'application/xml', connection: 'close' });
  answer.end(`<Error><Code>${code}</Code></Error>`);
}
