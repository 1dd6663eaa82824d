// A server that responds as the path says: as hayrake, as something else, or not at all.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly key: string | undefined;
  readonly at: number;
}

export interface BadServer {
  readonly origin: string;
  /** Requests by the first segment of their path. */
  readonly asked: ReadonlyMap<string, readonly Asked[]>;
  close(): Promise<void>;
}

type Answer = (response: ServerResponse, count: number, request: IncomingMessage) => void;

export const jobId = '7ZSA4YN8XEM0V3T2K9QJ5RCWBD';

const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void => {
  const type = status === 200 ? 'application/json; charset=utf-8' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type, ...headers }).end(JSON.stringify(body));
};
const problem = (response: ServerResponse, status: number, code: string, more: object, headers = {}): void =>
  json(response, { code, detail: `This is ${code}.`, requestId: 'r1', ...more }, status, headers);
const job = { id: jobId, status: 'succeeded' };
const page = (number: number): object => ({
  meta: { page: number, url: 'https://a/', fetchedUrl: 'https://a/', meta: {} },
  text: '',
});

/** First what is wrong, then a job. */
const thenJob =
  (wrong: Answer, times = 1): Answer =>
  (response, count, request) =>
    count <= times ? wrong(response, count, request) : json(response, job);
const cutShort: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":"7Z', () => response.destroy());
};
const badGateway: Answer = (response) => {
  response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
};

const answers: Readonly<Record<string, Answer>> = {
  html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>A wiki</h1>'),
  'other-json': (response) => json(response, { hello: 'world' }),
  'json-list': (response) => json(response, []),
  redirect: (response) => response.writeHead(302, { location: '/elsewhere/here' }).end(),
  silent: () => {},
  stalling: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"id":');
  },
  'cut-short': cutShort,
  'half-json': (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"7Z'),
  'half-head': (response) => {
    response.socket?.end('HTTP/1.1 200 OK\r\nContent-Type: applic');
  },
  endless: (response) => {
    response.writeHead(404, { 'content-type': 'text/html' });
    const write = (): void => {
      while (!response.destroyed && response.write('spam '.repeat(10_000)));
      response.once('drain', write);
    };
    write();
  },
  'too-limited': (response) => problem(response, 429, 'rate_limited', {}, { 'retry-after': '3600' }),
  'bad-fields': (response) =>
    problem(response, 400, 'invalid_body', { errors: [{ field: 'page_limit', message: 'Too many.' }] }),
  'always-502': badGateway,
  'twice-502': thenJob(badGateway, 2),
  'cut-once': thenJob(cutShort),
  limited: thenJob((response) => problem(response, 429, 'rate_limited', {}, { 'retry-after': '1' })),
  stopping: thenJob((response) =>
    problem(response, 503, 'unavailable', {}, { 'retry-after': new Date(Date.now() + 2_500).toUTCString() }),
  ),
  damaged: (response, count) => {
    if (count === 1) json(response, { data: [page(1)], cursor: 'after-1' });
    else if (count === 2) problem(response, 500, 'page_damaged', { page: 2, cursor: 'after-2' });
    else json(response, { data: [page(3)] });
  },
  'cut-file': (response) => {
    response.writeHead(200, { 'content-type': 'text/csv' });
    response.write('page,url\r\n', () => response.destroy());
  },
};

export async function startBadServer(): Promise<BadServer> {
  const asked = new Map<string, Asked[]>();
  const server = createServer((request, response) => {
    const [, name = ''] = (request.url ?? '').split('/');
    const before = asked.get(name) ?? [];
    const key = request.headers['idempotency-key'];
    before.push({ method: request.method ?? '', key: typeof key === 'string' ? key : undefined, at: Date.now() });
    asked.set(name, before);
    request.resume();
    const answer = answers[name];
    if (answer === undefined) json(response, { data: [] });
    else answer(response, before.length, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
