import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
} from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import * as certificates from '../../../test/egress/certificates.ts';
import { startConnectProxy } from '../../../test/egress/connect-proxy.ts';
import type { FetchOptions, FetchResult } from '../../core/ports/fetcher.ts';
import { parsePrivateNetworks } from '../guard/address-policy.ts';
import { createEgress, type EgressOptions } from '../guard/egress.ts';
import { createHttpFetcher } from '../http/http-fetcher.ts';
import { createWebhookSender } from '../http/webhook-sender.ts';

const { rootAuthority, intermediateAuthority, certificateKey: key } = certificates;
const cert = certificates.goodCertificate + intermediateAuthority;
const network = '127.0.0.0/8';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

test('Http2Fallback: fetches over HTTP/2, on one connection, from a host that has nothing else', async () => {
  const site = await serve();
  const fetch = fetcher();
  for (const path of ['/', '/a?b#c', '/x'])
    expect(await fetch(site.url + path)).toMatchObject({ kind: 'body', network });
  expect(await Promise.all(['/1', '/2', '/3', '/4'].map((path) => fetch(site.url + path)))).toHaveLength(4);
  expect(site.log).toEqual(['/', '/a?b', '/x', '/1', '/2', '/3', '/4'].map((path) => `2.0 GET ${path}`));
  // The first was refused in its handshake.
  expect([site.connections(), site.sessions()]).toEqual([2, 1]);
});

test('Http2Fallback: uses HTTP/1.1 for a host that has both', async () => {
  const site = await serve({ allowHTTP1: true });
  expect(await fetcher()(site.url)).toMatchObject({ kind: 'body' });
  expect(site.log).toEqual(['1.1 GET /']);
  const wrong = await serve({ allowHTTP1: true, cert: certificates.selfSignedCertificate });
  expect(await fetcher()(wrong.url)).toMatchObject({ kind: 'failure', error: { reason: 'tls' } });
  expect(wrong.connections()).toBe(1);
});

test('Http2Fallback: returns to HTTP/1.1 when a host has it again', async () => {
  const site = await serve();
  const fetch = fetcher();
  expect(await fetch(`${site.url}/close`)).toMatchObject({ kind: 'body' });
  await site.closed();
  site.stopHttp2();
  expect(await fetch(site.url)).toMatchObject({ kind: 'failure', retryable: true, error: { reason: 'reset' } });
  expect(await fetch(site.url)).toMatchObject({ kind: 'body' });
  expect(site.log.at(-1)).toBe('1.1 GET /');
});

test('Http2Fallback: sends and returns the same as HTTP/1.1', async () => {
  const results: unknown[] = [];
  for (const allowHTTP1 of [true, false]) {
    const site = await serve({ allowHTTP1 });
    const fetch = fetcher();
    const headers = { Authorization: 'Basic x', 'X-Own': 'é' };
    const body = Buffer.from('{"a":1}');
    results.push(
      [
        await fetch(`${site.url}/echo`, { headers }),
        await fetch(`${site.url}/echo`, {
          method: 'POST',
          body,
          wants: 'all',
          headers: { 'Content-Type': 'text/html' },
        }),
        await fetch(`${site.url}/head`, { method: 'HEAD', wantsHead: true }),
        await fetch(`${site.url}/moved`),
        await fetch(`${site.url}/missing`),
        await fetch(`${site.url}/large`),
        await fetch(`${site.url}/large`, { oversize: 'cut' }),
        await fetch(`${site.url}/image`),
        await fetch(`${site.url}/odd`),
      ].map(comparable),
    );
  }
  expect(results[1]).toEqual(results[0]);
  expect(JSON.stringify(results[0])).toContain('x-own');
});

test('Http2Fallback: verifies certificates, unless insecureTls accepts any', async () => {
  const site = await serve({ cert: certificates.selfSignedCertificate });
  const fetch = fetcher();
  const insecureTls = true;
  const verified = { kind: 'failure', retryable: false, error: { reason: 'tls' } };
  for (let round = 0; round < 2; round += 1) {
    expect(await fetch(site.url)).toMatchObject(verified);
    expect(await fetch(site.url, { insecureTls })).toMatchObject({ kind: 'body', isUnverified: true });
  }
  const valid = await serve();
  expect(await fetch(valid.url, { insecureTls })).not.toHaveProperty('isUnverified');
});

test('Http2Fallback: connects to no address that the fetch may not enter', async () => {
  const site = await serve();
  const fetch = fetcher({ allowPrivate: parsePrivateNetworks(`${network}, 10.0.0.0/8`) });
  expect(await fetch(site.url)).toMatchObject({ kind: 'body' });
  const before = site.connections();
  for (const enter of [undefined, '10.0.0.0/8']) {
    expect(await fetch(site.url, { enter })).toMatchObject({ error: { reason: 'destination_not_allowed' } });
  }
  expect(site.connections()).toBe(before);
});

test('Http2Fallback: works through a proxy', async () => {
  const site = await serve();
  const proxy = await startConnectProxy((socket, head) => {
    const [, port] = /^CONNECT \S+:(\d+) /u.exec(head) ?? [];
    const there = connect(Number(port), '127.0.0.1');
    there.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => there.destroy()).removeAllListeners('data');
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(there).pipe(socket);
  });
  cleanups.push(() => proxy.close());
  const fetch = fetcher({ proxies: [new URL(`http://127.0.0.1:${proxy.port}`)] });
  expect(await fetch(site.url)).toMatchObject({ kind: 'body' });
  expect(await fetch(site.url)).toMatchObject({ kind: 'body' });
  expect(proxy.lines).toHaveLength(2);
});

test('Http2Exchange: receives no more than a window of a body that waits for memory', async () => {
  const site = await serve();
  const body = 8 * 1024 * 1024;
  let resume: (() => void) | undefined;
  let held = 0;
  let isFree = false;
  const memory = {
    hold: (bytes: number, onRoom: () => void) => {
      held = bytes;
      if (!isFree) resume = onRoom;
      return isFree;
    },
  };
  const result = fetcher()(`${site.url}/huge`, { bodyBytesMax: 2 * body, memory });
  // The host notices that nobody reads.
  await site.blocked;
  const sent = site.sentBytes();
  expect(held).toBeLessThan(1024 * 1024);
  expect(sent).toBeLessThan(2 * 1024 * 1024);
  isFree = true;
  resume?.();
  expect(await result).toMatchObject({ kind: 'body', body: { length: body } });
});

test('Http2Connection: closes when it is idle, and ends what is in flight when the egress closes', async () => {
  const site = await serve();
  const { fetch, egress } = fetcherOf();
  expect(await fetch(site.url)).toMatchObject({ kind: 'body' });
  await site.closed();
  const results = [fetch(`${site.url}/silent`), fetch(`${site.url}/silent`)];
  await site.asked('/silent', 2);
  await egress.close();
  for (const result of results) expect(await result).toMatchObject({ kind: 'failure', retryable: true });
});

test('Http2Exchange: ends a fetch that is stopped or silent, and no other of its connection', async () => {
  const site = await serve();
  const fetch = fetcher();
  const stop = new AbortController();
  const stopped = fetch(`${site.url}/silent`, { signal: stop.signal });
  const silent = fetch(`${site.url}/silent`, { silenceMs: 500 });
  await site.asked('/silent', 2);
  const slow = fetch(`${site.url}/slow`);
  await site.asked('/slow', 1);
  stop.abort();
  expect(await stopped).toMatchObject({ kind: 'failure', error: { reason: 'timeout' } });
  expect(await silent).toMatchObject({ kind: 'failure', error: { reason: 'timeout' } });
  site.finishSlow();
  expect(await slow).toMatchObject({ kind: 'body', statusCode: 200 });
});

test('WebhookSender: sends to a host that has only HTTP/2', async () => {
  const site = await serve();
  const { egress } = fetcherOf();
  const { signal } = new AbortController();
  const answer = await createWebhookSender(egress).send(
    `${site.url}/hook`,
    { headers: { 'content-type': 'application/json' }, body: '{}' },
    { deadlineMs: 10_000, signal },
  );
  expect(answer).toMatchObject({ kind: 'response', statusCode: 200 });
  expect(site.log).toEqual(['2.0 POST /hook {}']);
});

type Fetch = (url: string, options?: Partial<FetchOptions>) => Promise<FetchResult>;

function fetcher(options: Partial<EgressOptions> = {}): Fetch {
  return fetcherOf(options).fetch;
}

function fetcherOf(options: Partial<EgressOptions> = {}): { fetch: Fetch; egress: ReturnType<typeof createEgress> } {
  const egress = createEgress({
    allowPrivate: parsePrivateNetworks(network),
    allowPorts: [],
    authorities: [rootAuthority],
    ...options,
  });
  cleanups.push(() => egress.close());
  const { fetch } = createHttpFetcher({ egress, userAgent: 'hayrake-test/1' });
  const { signal } = new AbortController();
  return {
    egress,
    fetch: (url, how) => fetch(url, { signal, deadlineMs: 10_000, bodyBytesMax: 10_000, enter: network, ...how }),
  };
}

/** Without what differs between two connections. */
function comparable(result: FetchResult): unknown {
  const { latencyMs: _, ...rest } = { latencyMs: 0, ...result };
  if ('body' in rest) return { ...rest, head: undefined, body: Buffer.from(rest.body).toString('latin1') };
  return { ...rest, head: undefined };
}

interface Site {
  readonly url: string;
  readonly log: readonly string[];
  readonly connections: () => number;
  readonly sessions: () => number;
  readonly sentBytes: () => number;
  /** Resolves when a response waits for its reader. */
  readonly blocked: Promise<void>;
  /** Resolves when no session is open. */
  readonly closed: () => Promise<void>;
  /** Resolves when a path was requested so many times. */
  readonly asked: (path: string, times: number) => Promise<void>;
  readonly finishSlow: () => void;
  /** Offers HTTP/1.1 alone from now on. */
  readonly stopHttp2: () => void;
}

async function serve(options: SecureServerOptions = {}): Promise<Site> {
  const log: string[] = [];
  const [blocked, listeners] = [Promise.withResolvers<void>(), new Set<() => void>()];
  let [connections, sessions, open, sentBytes] = [0, 0, 0, 0];
  let isHttp2 = true;
  let finishSlow = (): void => undefined;
  const changed = (): void => listeners.forEach((listener) => listener());
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const listener = (): void => void (holds() && listeners.delete(listener) && resolve());
      listeners.add(listener);
      listener();
    });
  const answer = (request: Http2ServerRequest, response: Http2ServerResponse, body: string): void => {
    response.setHeader('content-type', 'text/html');
    const respond = {
      '/echo': () => {
        const names = [
          'authorization',
          'x-own',
          'user-agent',
          'accept',
          'accept-language',
          'content-length',
          'content-type',
        ];
        response.setHeader('link', ['<http://a/>', '<b>']);
        response.setHeader('set-cookie', ['a=1', 'b=2']);
        response.end(JSON.stringify([request.method, names.map((name) => [name, request.headers[name]]), body]));
      },
      '/moved': () => response.writeHead(302, { location: '/thé' }).end(),
      '/missing': () => response.writeHead(404).end('missing'),
      '/large': () => response.end('x'.repeat(20_000)),
      '/image': () => response.writeHead(200, { 'content-type': 'image/png' }).end('x'.repeat(100_000)),
      '/odd': () => response.writeHead(200, { 'content-encoding': 'odd' }).end('x'),
      '/huge': () => {
        const piece = Buffer.alloc(16 * 1024, 'x');
        let left = 512;
        const write = (): void => {
          for (; left > 0; left -= 1) {
            sentBytes += piece.length;
            if (!response.write(piece)) {
              left -= 1;
              response.once('drain', write);
              blocked.resolve();
              return;
            }
          }
          response.end();
        };
        write();
      },
      '/silent': () => undefined,
      '/slow': () => {
        response.write('half');
        finishSlow = () => response.end('whole');
      },
      '/close': () => {
        response.stream.session?.close();
        response.end('page');
      },
    }[request.url];
    if (respond === undefined) response.end('page');
    else respond();
  };
  const server = createSecureServer({
    key,
    cert,
    ...options,
    ...(options.allowHTTP1 !== true && {
      ALPNProtocols: undefined,
      ALPNCallback: ({ protocols }: { protocols: string[] }) =>
        protocols.find((protocol) => protocol === (isHttp2 ? 'h2' : 'http/1.1')),
      allowHTTP1: true,
    }),
  });
  server.on('request', (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      log.push(`${request.httpVersion} ${request.method} ${request.url}${body === '' ? '' : ` ${body}`}`);
      changed();
      answer(request, response, body);
    });
  });
  server
    .on('connection', () => (connections += 1))
    .on('session', (session) => {
      sessions += 1;
      open += 1;
      session.on('error', () => undefined);
      session.on('close', () => {
        open -= 1;
        changed();
      });
      cleanups.push(() => Promise.resolve(session.destroy()));
    });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => Promise.resolve(server.close()));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    connections: () => connections,
    sessions: () => sessions,
    sentBytes: () => sentBytes,
    blocked: blocked.promise,
    closed: () => until(() => open === 0),
    asked: (path, times) => until(() => log.filter((line) => line.endsWith(` ${path}`)).length >= times),
    finishSlow: () => finishSlow(),
    stopHttp2: () => (isHttp2 = false),
  };
}
