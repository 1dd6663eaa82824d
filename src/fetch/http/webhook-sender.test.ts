import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { WebhookResponse } from '../../core/ports/webhook-sender.ts';
import { parsePrivateNetworks } from '../guard/address-policy.ts';
import { createEgress } from '../guard/egress.ts';
import { createWebhookSender } from './webhook-sender.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const message = { headers: { 'webhook-id': 'msg_1', 'content-type': 'application/json' }, body: '{"ü":"\u{1F600}"}' };

async function listen(server: Server, scheme = 'http'): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => void server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `${scheme}://127.0.0.1:${address.port}`;
}

const serve = (listener: RequestListener): Promise<string> => listen(createHttpServer(listener));

function send(
  url: string,
  options: { readonly deadlineMs?: number; readonly signal?: AbortSignal; readonly allowPrivate?: string } = {},
): Promise<WebhookResponse> {
  const { deadlineMs = 10_000, signal = new AbortController().signal, allowPrivate = '127.0.0.0/8' } = options;
  const egress = createEgress({
    allowPrivate: allowPrivate === '' ? [] : parsePrivateNetworks(allowPrivate),
    allowPorts: [],
  });
  cleanups.push(() => egress.close());
  return createWebhookSender(egress).send(url, message, { deadlineMs, signal });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

test('WebhookSender: sends the message unchanged in one POST', async () => {
  const arrived: unknown[] = [];
  const url = await serve((request, response) => {
    void bodyOf(request).then((body) => {
      arrived.push([
        request.method,
        request.url,
        request.headers['webhook-id'],
        request.headers['content-length'],
        body,
      ]);
      response.writeHead(202).end();
    });
  });
  expect(await send(`${url}/hook?key=%20a&b=?`)).toEqual({ kind: 'response', statusCode: 202, retryAfter: '' });
  const { body } = message;
  expect(arrived).toEqual([['POST', '/hook?key=%20a&b=?', 'msg_1', String(Buffer.byteLength(body)), body]]);
});

describe('WebhookSender: responses', () => {
  test('WebhookSender: returns status and Retry-After', async () => {
    const url = await serve((_, response) => void response.writeHead(429, { 'retry-after': '7' }).end('later'));
    expect(await send(url)).toEqual({ kind: 'response', statusCode: 429, retryAfter: '7' });
  });

  test('WebhookSender: does not follow a redirect', async () => {
    let asks = 0;
    const canary = await serve((_, response) => {
      asks++;
      response.end();
    });
    const url = await serve((_, response) => void response.writeHead(307, { location: canary }).end());
    expect(await send(url)).toMatchObject({ kind: 'response', statusCode: 307 });
    expect(asks).toBe(0);
  });

  test('WebhookSender: stops reading a long response body', async () => {
    let sent = 0;
    const url = await serve((_, response) => {
      response.writeHead(200);
      const write = (): void => {
        if (response.destroyed) return;
        sent += 512;
        response.write('x'.repeat(512), () => setImmediate(write));
      };
      write();
    });
    expect(await send(url)).toMatchObject({ kind: 'response', statusCode: 200 });
    // Bytes still in flight when the connection is closed.
    expect(sent).toBeLessThan(2 ** 20);
  });

  test('WebhookSender: returns the status when the body does not end by the deadline', async () => {
    const url = await serve((_, response) => void response.writeHead(200).write('x'));
    expect(await send(url, { deadlineMs: 300 })).toMatchObject({ kind: 'response', statusCode: 200 });
  });

  test('WebhookSender: returns the status when the body is truncated', async () => {
    const url = await serve((_, response) => {
      response.writeHead(500, { 'content-length': '100' }).write('x', () => response.destroy());
    });
    expect(await send(url)).toMatchObject({ kind: 'response', statusCode: 500 });
  });

  test('WebhookSender: returns the status after interim responses', async () => {
    const url = await serve((_, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeHead(200).end();
    });
    expect(await send(url)).toMatchObject({ kind: 'response', statusCode: 200 });
  });
});

describe('WebhookSender: no response', () => {
  test.each<[string, (socket: Socket) => void, string]>([
    ['reset when the connection is closed at once', (socket) => void socket.destroy(), 'reset'],
    [
      'bad_response when the host does not speak HTTP',
      (socket) => void socket.end('220 mail.test ESMTP\r\n'),
      'bad_response',
    ],
    ['timeout when the host does not respond', () => {}, 'timeout'],
    ['timeout when the host sends half a head', (socket) => void socket.write('HTTP/1.1 200 OK\r\nx: '), 'timeout'],
  ])('WebhookSender: returns %s', async (_, serveSocket, reason) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => serveSocket(socket));
    });
    expect(await send(await listen(server), { deadlineMs: 500 })).toMatchObject({
      kind: 'failure',
      error: { reason },
    });
  });

  test('WebhookSender: returns connect when the port is closed', async () => {
    const server = createHttpServer();
    const url = await listen(server);
    await cleanups.pop()?.();
    expect(await send(url)).toMatchObject({ kind: 'failure', error: { reason: 'connect' } });
  });

  test('WebhookSender: fails when its signal is aborted', async () => {
    const stop = new AbortController();
    const url = await serve(() => stop.abort());
    expect(await send(url, { signal: stop.signal })).toMatchObject({ kind: 'failure' });
    expect(await send(url, { signal: stop.signal })).toMatchObject({ kind: 'failure' });
  });
});

test.each([
  ['a private address', async () => serve((_, response) => void response.end())],
  [
    'a name of a private address',
    async () => (await serve((_, response) => void response.end())).replace('127.0.0.1', 'localhost'),
  ],
  ['a mail port', async () => 'https://203.0.113.7:25/'],
  ['an invalid URL', async () => 'not a URL'],
  ['another scheme', async () => 'ftp://203.0.113.7/'],
])('WebhookSender: does not connect to %s', async (_, urlOf) => {
  expect(await send(await urlOf(), { allowPrivate: '' })).toMatchObject({
    kind: 'failure',
    error: { reason: 'destination_not_allowed' },
  });
});

// Rules on the URL itself: its address can be one that the operator opened.
test.each([
  ['the name of a metadata service', (url: string) => url.replace('127.0.0.1', 'metadata.google.internal')],
  ['a user name and a password', (url: string) => url.replace('127.0.0.1', 'user:password@127.0.0.1')],
])('WebhookSender: refuses a URL with %s even in an open network', async (_, urlFrom) => {
  let asked = 0;
  const url = await serve((__, response) => {
    asked++;
    response.end();
  });
  expect(await send(urlFrom(url))).toMatchObject({ kind: 'failure', error: { reason: 'destination_not_allowed' } });
  expect(asked).toBe(0);
});
