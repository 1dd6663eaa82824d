// SOCKS 5, against a real server (microsocks) where it is installed, and against one that does what it should not; and
// proxies that a job names.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Site, startConnectProxy, startSite } from '../../../test/egress/connect-proxy.ts';
import { statusOrCode } from '../../../test/egress/status-or-code.ts';
import { parsePrivateNetworks } from './address-policy.ts';
import { createEgress, type Egress, type EgressOptions } from './egress.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const loopback = '127.0.0.0/8';
const enter = [loopback];

function open(proxy: string | undefined, more: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({
    allowPrivate: parsePrivateNetworks(loopback),
    allowPorts: [],
    ...(proxy !== undefined && { proxies: [new URL(proxy)] }),
    ...more,
  });
  cleanups.push(() => egress.close());
  return egress;
}

async function site(): Promise<{ readonly origin: string; readonly port: number }> {
  const { createServer: createHttp } = await import('node:http');
  const server = createHttp((_, response) => response.end('hay')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port };
}

async function get(egress: Egress, url: string, proxy?: string, networks: readonly string[] = enter): Promise<unknown> {
  const { origin } = new URL(url);
  return statusOrCode(await egress.wayTo(new URL(url), networks, false, proxy), origin, '/');
}

/** A SOCKS server that sends these responses, one after each message, and then connects to the port on this machine. */
async function scripted(answers: readonly number[][], port = 0): Promise<{ url: string; messages: Buffer[] }> {
  const messages: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    const left = [...answers];
    const answer = (message: Buffer): void => {
      messages.push(message);
      const bytes = left.shift();
      if (left.length === 0) {
        socket.off('data', answer);
        if (port > 0) {
          const there = connect(port, '127.0.0.1').on('error', () => socket.destroy());
          socket.pipe(there).pipe(socket);
        }
      }
      // A byte at a time: no message is one packet.
      for (const byte of bytes ?? []) socket.write(Buffer.from([byte]));
      if (bytes?.length === 0) socket.end();
    };
    socket.setNoDelay(true).on('data', answer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(
    () => server.close(),
    () => sockets.forEach((socket) => socket.destroy()),
  );
  return { url: `127.0.0.1:${(server.address() as AddressInfo).port}`, messages };
}

const opened = [5, 0, 0, 1, 127, 0, 0, 1, 0, 80];

describe('SOCKS 5', () => {
  test('a SOCKS proxy: gets the judged address of a name, and the site answers', async () => {
    const { port } = await site();
    const proxy = await scripted([[5, 0], opened], port);
    const egress = open(`socks5://${proxy.url}`, {
      resolve: (_, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    expect(await get(egress, `http://site.example:${port}/`)).toBe(200);
    expect(proxy.messages.map((message) => message.toJSON().data)).toEqual([
      [5, 1, 0],
      [5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255],
    ]);
  });

  test('a SOCKS proxy that resolves: gets the name', async () => {
    const { port } = await site();
    const proxy = await scripted(
      [
        [5, 0],
        [5, 0, 0, 3, 2, 104, 105, 0, 80],
      ],
      port,
    );
    const egress = open(`socks5://${proxy.url}`, { allowPrivate: [], proxyResolves: true });
    expect(await get(egress, 'http://site.example/', undefined, [])).toBe(200);
    expect(proxy.messages[1]?.subarray(3, 5).toJSON().data).toEqual([3, 12]);
    expect(proxy.messages[1]?.subarray(5, 17).toString()).toBe('site.example');
  });

  test('a SOCKS proxy with a password: gets it only when it asks for it', async () => {
    const { origin, port } = await site();
    const asks = await scripted([[5, 2], [1, 0], opened], port);
    expect(await get(open(`socks5://ann:p%40ss@${asks.url}`), origin)).toBe(200);
    expect([...asks.messages[0]!]).toEqual([5, 2, 0, 2]);
    expect(asks.messages[1]?.toString('latin1')).toBe('\u0001\u0003ann\u0004p@ss');
    const open1 = await scripted([[5, 0], opened], port);
    expect(await get(open(`socks5://ann:p%40ss@${open1.url}`), origin)).toBe(200);
    expect(Buffer.concat(open1.messages).toString('latin1')).not.toContain('p@ss');
  });

  test.each<[string, string, readonly number[][]]>([
    [
      'rejects the password',
      'PROXY_DENIED',
      [
        [5, 2],
        [1, 1],
      ],
    ],
    ['accepts no way to sign in', 'PROXY_DENIED', [[5, 255]]],
    [
      'does not open the connection',
      'PROXY_REFUSED',
      [
        [5, 0],
        [5, 5, 0, 1, 0, 0, 0, 0, 0, 0],
      ],
    ],
    [
      'is not allowed to',
      'PROXY_REFUSED',
      [
        [5, 0],
        [5, 2, 0, 1, 0, 0, 0, 0, 0, 0],
      ],
    ],
    ['speaks HTTP', 'PROXY_BROKEN', [[...Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]]],
    [
      'names an unknown kind of address',
      'PROXY_BROKEN',
      [
        [5, 0],
        [5, 0, 0, 9, 0, 0],
      ],
    ],
    ['ends in the middle', 'PROXY_BROKEN', [[5, 0], []]],
  ])('a SOCKS proxy that %s: %s', async (_, code, answers) => {
    const { origin } = await site();
    const proxy = await scripted(answers);
    expect(await get(open(`socks5://ann:secret@${proxy.url}`), origin)).toBe(code);
  });

  test('a SOCKS proxy is not contacted for a destination that is refused', async () => {
    const proxy = await scripted([[5, 0], opened]);
    const egress = open(`socks5://${proxy.url}`, { allowPrivate: [] });
    expect(await get(egress, 'http://10.0.0.1/', undefined, [])).toBe('DESTINATION_NOT_ALLOWED');
    expect(proxy.messages).toEqual([]);
  });

  const hasServer = spawnSync('microsocks', ['-h']).error === undefined;
  test.skipIf(!hasServer)('a real SOCKS server: with and without a password (needs microsocks)', async () => {
    const { origin } = await site();
    for (const [login, flags, wrong] of [
      ['', [], 200],
      ['ann:pass@', ['-u', 'ann', '-P', 'pass'], 'PROXY_DENIED'],
    ] as const) {
      const port = await freePort();
      const server = spawn('microsocks', ['-i', '127.0.0.1', '-p', String(port), ...flags], { stdio: 'ignore' });
      cleanups.push(() => server.kill());
      await untilOpen(port);
      expect(await get(open(`socks5://${login}127.0.0.1:${port}`), origin)).toBe(200);
      expect(await get(open(`socks5://ann:wrong@127.0.0.1:${port}`), origin)).toBe(wrong);
    }
  });
});

describe('named proxies', () => {
  test('named proxies: each request takes the one that it names, and others go as they always do', async () => {
    const { origin, port } = await site();
    const [one, two] = [await scripted([[5, 0], opened], port), await scripted([[5, 0], opened], port)];
    const egress = open(undefined, {
      namedProxies: new Map([
        ['one', new URL(`socks5://${one.url}`)],
        ['two', new URL(`socks5://${two.url}`)],
      ]),
    });
    expect(egress.proxyNames).toEqual(['one', 'two']);
    expect(await get(egress, origin)).toBe(200);
    expect([one.messages.length, two.messages.length]).toEqual([0, 0]);
    expect(await get(egress, origin, 'two')).toBe(200);
    expect([one.messages.length, two.messages.length]).toEqual([0, 2]);
    expect(await get(egress, origin, 'one')).toBe(200);
    expect([one.messages.length, two.messages.length]).toEqual([2, 2]);
  });

  test('named proxies: a name that is gone never leads out another way', async () => {
    const web: Site = await startSite((_, response) => response.end());
    const usual = await startConnectProxy(web.tunnel);
    cleanups.push(
      () => web.close(),
      () => usual.close(),
    );
    const egress = open(`http://127.0.0.1:${usual.port}`);
    const { origin } = await site();
    await expect(get(egress, origin, 'gone')).rejects.toMatchObject({ code: 'PROXY_REMOVED' });
    expect(usual.connections).toBe(0);
  });

  test('named proxies: judge destinations as all others do', async () => {
    const proxy = await scripted([[5, 0], opened]);
    const egress = open(undefined, {
      allowPrivate: [],
      namedProxies: new Map([['one', new URL(`socks5://${proxy.url}`)]]),
    });
    expect(await get(egress, 'http://10.0.0.1/', 'one', [])).toBe('DESTINATION_NOT_ALLOWED');
    expect(proxy.messages).toEqual([]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Resolves when something listens. */
async function untilOpen(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}
