import { statusOrCode } from '../../../test/egress/status-or-code.ts';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { FetchResult } from '../../core/ports/fetcher.ts';
import {
  type Answer,
  type ConnectProxy,
  type Site,
  startConnectProxy,
  startSite,
  testCertificate,
} from '../../../test/egress/connect-proxy.ts';
import { parsePrivateNetworks } from './address-policy.ts';
import { createEgress, type Egress, type EgressOptions } from './egress.ts';
import { createHttpFetcher } from '../http/http-fetcher.ts';
import { createProxyConnector } from './proxy-connector.ts';
import { readProxy } from './proxy-tunnel.ts';
import type { Resolve } from './resolver.ts';

const authorities = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...authorities, testCertificate]));
afterAll(() => setDefaultCACertificates(authorities));

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).toReversed()) {
    await cleanup();
  }
});

describe('proxy connector', () => {
  test('proxy connector: fetches an http page, and sends the proxy only the judged address', async () => {
    const { proxy, fetch } = await start();
    expect(textOf(await fetch('http://site.test/a?b'))).toBe('site.test /a?b');
    expect(proxy.heads).toEqual(['CONNECT 8.8.8.8:80 HTTP/1.1\r\nhost: 8.8.8.8:80\r\nconnection: keep-alive']);
  });

  test('proxy connector: fetches an https page with TLS between the site and the client', async () => {
    const { proxy, site, fetch } = await start();
    expect(textOf(await fetch('https://site.test/a'))).toBe('site.test /a');
    expect(proxy.lines).toEqual(['CONNECT 8.8.8.8:443 HTTP/1.1']);
    expect(site.serverNames).toEqual(['site.test']);
  });

  test.each(['http:', 'https:'])('proxy connector: reaches a literal address over %s', async (protocol) => {
    const { proxy, fetch } = await start();
    expect(textOf(await fetch(`${protocol}//8.8.8.8/`))).toBe('8.8.8.8 /');
    expect(proxy.lines[0]).toMatch(/^CONNECT 8\.8\.8\.8:/);
  });

  test('proxy connector: writes an IPv6 address in brackets', async () => {
    const { proxy, fetch } = await start({ resolve: resolvesTo('2606:4700::1111') });
    expect(textOf(await fetch('http://site.test/'))).toBe('site.test /');
    expect(proxy.lines).toEqual(['CONNECT [2606:4700::1111]:80 HTTP/1.1']);
  });

  test('proxy connector: returns tls when the certificate of the site is for another name', async () => {
    const { fetch } = await start();
    expect(await fetch('https://other.test/')).toMatchObject({ retryable: false, error: { reason: 'tls' } });
  });

  test.each(['http:', 'https:'])(
    'proxy connector: reuses one connection over %s for several pages',
    async (protocol) => {
      const { proxy, fetch } = await start();
      for (const path of ['/1', '/2', '/3']) {
        expect(textOf(await fetch(`${protocol}//site.test${path}`))).toBe(`site.test ${path}`);
      }
      expect(proxy.connections).toBe(1);
    },
  );

  test.each(['http:', 'https:'])(
    'proxy connector: skips interim responses over %s on one connection',
    async (protocol) => {
      const site = await startSite(({ url = '' }, response) => {
        response.writeContinue();
        response.writeEarlyHints({ link: '</style.css>; rel=preload' });
        response.writeProcessing();
        response.setHeader('content-type', 'text/html');
        response.end(`HTTP/1.1 100 Continue\r\n\r\n${url}`);
      });
      cleanups.push(() => site.close());
      const { proxy, fetch } = await start({}, undefined, site.tunnel);
      for (const path of ['/1', '/2', '/3']) {
        expect(textOf(await fetch(`${protocol}//site.test${path}`))).toBe(`HTTP/1.1 100 Continue\r\n\r\n${path}`);
      }
      expect(proxy.connections).toBe(1);
    },
  );

  test('proxy connector: resolves the name of the proxy, which can be at a private address', async () => {
    const { proxy, egress, fetch } = await start({ resolve: byName({ 'proxy.inner': ['127.0.0.1'] }) }, 'proxy.inner');
    expect(egress.refusal(new URL(`http://127.0.0.1:${proxy.port}/`))).toBeTypeOf('string');
    expect(textOf(await fetch('http://site.test/'))).toBe('site.test /');
  });

  test('proxy connector: sends user name and password to the proxy only', async () => {
    const seen: string[] = [];
    const site = await startSiteOf((headers) => seen.push(...Object.keys(headers)));
    const { proxy, fetch } = await start({}, 'crawler:s%C3%A9cret%40@127.0.0.1', site.tunnel);
    expect(textOf(await fetch('http://site.test/'))).toBe('site.test /');
    const authorization = Buffer.from('crawler:sécret@').toString('base64');
    expect(proxy.heads[0]).toContain(`\r\nproxy-authorization: Basic ${authorization}`);
    expect(seen).not.toContain('proxy-authorization');
  });

  test('proxy connector: keeps bytes that follow the response of the proxy, and reads a response in pieces', async () => {
    const { proxy } = await start({}, undefined, (socket) => {
      const [head, ...drops] = 'HTTP/1.1 200 OK\r\nVia: 1.1 x\r\n\r\nearly';
      socket.setNoDelay().write(head ?? '');
      setTimeout(() => socket.write(drops.join('')), 20);
    });
    const connect = createProxyConnector({
      port: 80,
      proxyFor: () => readProxy(new URL(`http://127.0.0.1:${proxy.port}`)),
      rule: { allows: () => true },
      resolve: resolvesTo('8.8.8.8'),
      onSocket: () => {},
    });
    const socket = await new Promise<Socket>((resolve, reject) => {
      connect({ hostname: 'site.test', host: 'site.test', protocol: 'http:', port: '80' }, (...[error, connected]) =>
        error === null ? resolve(connected) : reject(error),
      );
    });
    expect(String(await once(socket, 'data'))).toBe('early');
    socket.destroy();
  });

  test('proxy connector: tries the next address when the proxy refuses one, with both families among three', async () => {
    const site = await startSiteOf();
    const resolve = resolvesTo('2606:4700::1', '2606:4700::2', '2606:4700::3', '8.8.8.8', '8.8.4.4');
    const { proxy, fetch } = await start({ resolve }, undefined, (socket, head) => {
      if (head.includes('[')) socket.end('HTTP/1.1 503 No way there\r\nContent-Length: 2\r\n\r\nno');
      else site.tunnel(socket, head);
    });
    expect(textOf(await fetch('https://site.test/'))).toBe('site.test /');
    expect(proxy.lines.map((line) => line.split(' ')[1])).toEqual(['[2606:4700::1]:443', '8.8.8.8:443']);
  });

  test('proxy connector: tries at most three addresses', async () => {
    const resolve = resolvesTo('8.8.8.1', '8.8.8.2', '8.8.8.3', '8.8.8.4');
    const { proxy, fetch } = await start({ resolve }, undefined, (socket) => socket.end('HTTP/1.1 502 No\r\n\r\n'));
    expect(await fetch('http://site.test/')).toMatchObject({ error: { reason: 'connect' } });
    expect(proxy.lines.map((line) => line.split(' ')[1])).toEqual(['8.8.8.1:80', '8.8.8.2:80', '8.8.8.3:80']);
  });
});

describe('proxy connector: refused destinations', () => {
  test.each([
    '127.0.0.1',
    '10.0.0.9',
    '169.254.169.254',
    '[::1]',
    '[::ffff:10.0.0.9]',
    '[fd00:ec2::254]',
    '2130706433',
    '0.0.0.0',
    '8.8.8.8:22',
  ])('proxy connector: never requests the refused address %s from the proxy', async (host) => {
    const { proxy, egress } = await start();
    expect(await dial(egress, `http://${host}`)).toBe('DESTINATION_NOT_ALLOWED');
    expect(await dial(egress, `https://${host}`)).toBe('DESTINATION_NOT_ALLOWED');
    expect(proxy.connections).toBe(0);
  });

  test.each([
    [['127.0.0.1']],
    [['10.0.0.9']],
    [['169.254.169.254']],
    [['8.8.8.8', '10.0.0.9']],
    [['10.0.0.9', '8.8.8.8']],
    [['::ffff:127.0.0.1']],
    [['fd00:ec2::254']],
    [[]],
  ])('proxy connector: never requests a name that resolves to %j from the proxy', async (addresses) => {
    const { proxy, fetch } = await start({ resolve: resolvesTo(...addresses) });
    for (const protocol of ['http:', 'https:']) {
      expect(await fetch(`${protocol}//site.test/`)).toMatchObject({
        retryable: false,
        error: { reason: 'destination_not_allowed' },
      });
    }
    expect(proxy.connections).toBe(0);
  });

  test('proxy connector: requests 500 alternating names by their public address only', async () => {
    let turn = 0;
    const resolve: Resolve = (host, callback) =>
      resolvesTo((turn += 1) % 2 === 0 ? '10.0.0.9' : '8.8.8.8')(host, callback);
    const { proxy, fetch } = await start({ resolve });
    let bodies = 0;
    // Fifty at a time: a busy machine would not open all connections before their deadline.
    for (let first = 0; first < 500; first += 50) {
      const some = Array.from({ length: 50 }, (_, n) => fetch(`http://site${first + n}.test/`));
      bodies += (await Promise.all(some)).filter(({ kind }) => kind === 'body').length;
    }
    expect(bodies).toBe(250);
    expect(new Set(proxy.lines)).toEqual(new Set(['CONNECT 8.8.8.8:80 HTTP/1.1']));
  });

  test('proxy connector: never requests the own port of the service, and requests another port of an open network', async () => {
    const resolve = resolvesTo('127.0.0.1');
    const { proxy, egress, fetch } = await start({ resolve, allowPrivate: parsePrivateNetworks('127.0.0.0/8') });
    egress.setOwnPort(8380);
    expect(await dial(egress, 'http://site.test:8380')).toBe('DESTINATION_NOT_ALLOWED');
    expect(proxy.connections).toBe(0);
    expect(await fetch('http://site.test:3000/')).toMatchObject({ error: { reason: 'destination_not_allowed' } });
    expect(proxy.connections).toBe(0);
    expect(textOf(await fetch('http://site.test:3000/', '127.0.0.0/8'))).toBe('site.test:3000 /');
  });

  test('proxy connector: returns dns for an unknown name without a request to the proxy', async () => {
    const { proxy, fetch } = await start({ resolve: byName({ 'site.test': [] }) });
    expect(await fetch('http://nobody.invalid/')).toMatchObject({ error: { reason: 'dns' } });
    expect(proxy.connections).toBe(0);
  });
});

describe('proxy connector: proxy failures', () => {
  const login = 'crawler:hunter2';
  const says =
    (text: string): Answer =>
    (socket) =>
      socket.end(text);
  const troubles: readonly (readonly [name: string, kind: RegExp, answer: Answer])[] = [
    [
      'requires another password',
      /password/,
      says('HTTP/1.1 407 crawler:hunter2?\r\nProxy-Authenticate: Basic\r\n\r\n'),
    ],
    ['reaches no host', /did not open a connection to the host/, says('HTTP/1.1 502 Bad Gateway\r\n\r\nhunter2')],
    ['forbids the request', /did not open a connection to the host/, says('HTTP/1.0 403 Forbidden\r\n\r\n')],
    ['redirects', /did not open/, says('HTTP/1.1 302 Found\r\nLocation: http://10.0.0.9/\r\n\r\n')],
    ['responds with 100 Continue', /did not open/, says('HTTP/1.1 100 Continue\r\n\r\n')],
    ['speaks another protocol', /did not respond as a proxy/, says('SSH-2.0-OpenSSH_9.9\r\n')],
    ['closes without a response', /did not respond as a proxy/, says('')],
    ['closes within its response', /did not respond as a proxy/, says('HTTP/1.1 200 OK\r\nVia: x')],
    ['resets the connection', /did not respond as a proxy/, (socket) => socket.resetAndDestroy()],
    ['never ends its headers', /did not respond as a proxy/, (socket) => void drip(socket)],
    ['sends a head of 1 MB', /did not respond/, says(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1e6)}\r\n\r\n`)],
  ];

  test.each(troubles)(
    'proxy connector: reports a proxy that %s, without its address or password',
    async (_, kind, answer) => {
      const { proxy, fetch } = await start({}, `${login}@127.0.0.1`, answer);
      for (const protocol of ['http:', 'https:']) {
        expectTrouble(await fetch(`${protocol}//site.test/secret-path`), kind);
      }
      // The proxy received nothing but CONNECT.
      expect(new Set(proxy.lines)).toEqual(new Set(['CONNECT 8.8.8.8:80 HTTP/1.1', 'CONNECT 8.8.8.8:443 HTTP/1.1']));
      expect(proxy.rest).toBe('');
      await expect.poll(() => proxy.sockets.size).toBe(0);
    },
  );

  test('proxy connector: reports a proxy that does not listen', async () => {
    const { proxy, fetch } = await start({}, `${login}@127.0.0.1`);
    await proxy.close();
    expectTrouble(await fetch('http://site.test/'), /could not be reached/);
  });

  test.each(['proxy.unknown', '255.255.255.255'])(
    'proxy connector: reports a proxy that it cannot connect to (%s)',
    async (host) => {
      const { fetch } = await start({ resolve: byName({ 'site.test': ['8.8.8.8'], 'proxy.unknown': [] }) }, host);
      for (let times = 0; times < 2; times++) {
        expectTrouble(await fetch('https://site.test/'), /could not be reached/);
      }
    },
  );

  test('proxy connector: sends no byte to a proxy at another address than it dialled', async () => {
    // Connecting to this one leads to 127.0.0.1.
    const { proxy, fetch } = await start({}, `${login}@0.0.0.0`);
    expectTrouble(await fetch('http://site.test/'), /could not be reached/);
    await expect.poll(() => proxy.sockets.size).toBe(0);
    expect({ heads: proxy.heads, connections: proxy.connections }).toEqual({ heads: [], connections: 1 });
  });

  test('proxy connector: gives up a proxy that does not respond within ten seconds', async () => {
    const { proxy, fetch } = await start({}, `${login}@127.0.0.1`, () => {});
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const fetching = fetch('http://site.test/');
    await vi.waitUntil(() => proxy.heads.length === 1);
    vi.advanceTimersByTime(10_000);
    expectTrouble(await fetching, /in time/);
    await expect.poll(() => proxy.sockets.size).toBe(0);
  });
});

test('proxy connector: gives up a TLS handshake through the proxy after ten seconds in all', async () => {
  const { proxy, fetch } = await start({}, undefined, (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const fetching = fetch('https://site.test/');
  await vi.waitUntil(() => proxy.rest !== '');
  vi.advanceTimersByTime(10_000);
  expect(await fetching).toMatchObject({
    error: { reason: 'connect', message: 'The host did not accept the connection in time.' },
  });
  await expect.poll(() => proxy.sockets.size).toBe(0);
});

test('Egress.close: closes pending, busy and idle connections through the proxy', async () => {
  const site = await startSite((request, response) => {
    if (request.url === '/idle') response.end();
    else response.write('a beginning');
  });
  cleanups.push(() => site.close());
  const resolve = byName({ 'hangs.test': ['8.8.4.4'], 'site.test': ['8.8.8.8'] });
  const { proxy, egress, fetch } = await start({ resolve }, undefined, (socket, head) => {
    if (!head.includes('8.8.4.4')) site.tunnel(socket, head);
  });
  await fetch('https://site.test/idle');
  const fetching = ['http://site.test/busy', 'http://hangs.test/', 'https://hangs.test/'].map((url) => fetch(url));
  await vi.waitUntil(() => proxy.connections === 4);
  await egress.close();
  await expect.poll(() => proxy.sockets.size).toBe(0);
  expect((await Promise.all(fetching)).map(({ kind }) => kind)).toEqual(['failure', 'failure', 'failure']);
});

function expectTrouble(result: FetchResult, kind: RegExp): void {
  expect(result).toMatchObject({ kind: 'failure', retryable: true, error: { reason: 'connect' } });
  const text = JSON.stringify(result);
  expect(text).toContain("The operator's proxy");
  expect(text).toMatch(kind);
  expect(text).not.toMatch(/crawler|hunter2|proxy\.|\d/);
}

function textOf(result: FetchResult): string {
  return result.kind === 'body' ? Buffer.from(result.body).toString() : JSON.stringify(result);
}

interface Started {
  readonly proxy: ConnectProxy;
  readonly site: Site;
  readonly egress: Egress;
  fetch(url: string, enter?: string): Promise<FetchResult>;
}

/** Creates an egress through its own proxy, with a site that records its requests. */
async function start(options: Partial<EgressOptions> = {}, at = '127.0.0.1', answer?: Answer): Promise<Started> {
  const site = await startSiteOf();
  const proxy = await startConnectProxy(answer ?? site.tunnel);
  const egress = createEgress({
    allowPrivate: [],
    allowPorts: [],
    resolve: resolvesTo('8.8.8.8'),
    proxies: [new URL(`http://${at}:${proxy.port}`)],
    ...options,
  });
  cleanups.push(
    () => proxy.close(),
    () => egress.close(),
  );
  const fetcher = createHttpFetcher({ egress, userAgent: 'hayrake-test/1' });
  const defaults = { signal: new AbortController().signal, deadlineMs: 30_000, bodyBytesMax: 1_000_000 };
  return { proxy, site, egress, fetch: (url, enter) => fetcher.fetch(url, { ...defaults, enter }) };
}

async function startSiteOf(onHeaders: (headers: NodeJS.Dict<unknown>) => unknown = () => {}): Promise<Site> {
  const site = await startSite(({ headers, url }, response) => {
    onHeaders(headers);
    response.setHeader('content-type', 'text/html');
    response.end(`${headers.host} ${url}`);
  });
  cleanups.push(() => site.close());
  return site;
}

/** Connects without checking the URL first, and returns the error code. */
async function dial(egress: Egress, origin: string): Promise<unknown> {
  const url = new URL('/', origin);
  return Promise.resolve(egress.wayTo(url, egress.privateNetworks)).then(
    (way) => statusOrCode(way, origin, '/'),
    (error: NodeJS.ErrnoException) => error.code,
  );
}

async function drip(socket: Socket): Promise<void> {
  socket.write('HTTP/1.1 200 OK\r\n');
  while (!socket.destroyed) {
    socket.write(`X-More: ${'x'.repeat(1000)}\r\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function resolvesTo(...addresses: string[]): Resolve {
  const answer = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, callback) => callback(null, answer);
}

/** Other names are public; those with no address are unknown, as is all of `.invalid`. */
function byName(names: Readonly<Record<string, string[]>>): Resolve {
  return (host, callback) => {
    const addresses = names[host] ?? (host.endsWith('.invalid') ? [] : ['8.8.8.8']);
    if (addresses.length > 0) resolvesTo(...addresses)(host, callback);
    else callback(Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' }), []);
  };
}
