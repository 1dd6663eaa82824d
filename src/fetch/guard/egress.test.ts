import { statusOrCode } from '../../../test/egress/status-or-code.ts';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parsePrivateNetworks } from './address-policy.ts';
import { createEgress, type Egress, type EgressOptions } from './egress.ts';
import { createGuardedConnector } from './guarded-connector.ts';
import type { Resolve } from './resolver.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()));
});

describe('Egress.refusal', () => {
  const closed = egressOf({});
  const reopened = egressOf({ allowPrivate: parsePrivateNetworks('127.0.0.0/8') });

  const spellings = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '017700000001',
    '0177.0.0.1',
    '１２７.０.０.１',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '127.0.0.1.',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
    'localhost',
    'LOCALHOST.',
    'x.localhost',
    'x.localhost.',
    'metadata',
    'metadata.google.internal',
    'METADATA.google.internal.',
    'printer.local',
    'a.svc.cluster.local',
    'wiki.internal',
    'localhost.localdomain',
    'nas.home.arpa',
    'router.lan',
    'api.default.svc',
    '169.254.169.254',
    '10.0.0.9',
  ];

  test('Egress.refusal: returns the same text for every private host in any notation', () => {
    const answers = new Set(spellings.map((host) => judge(closed, `http://${host}/`)));
    expect(answers.size).toBe(1);
    expect([...answers][0]).toBeTypeOf('string');
  });

  test.each([
    'http://10.0.0.9\\@pub.test/',
    'http://pub.test@10.0.0.9/',
    'http://10.0.0.9#@pub.test',
    'http:\\\\10.0.0.9',
  ])('Egress.refusal: judges %s by the host that it connects to', (url) => {
    expect(judge(closed, url)).toBeTypeOf('string');
  });

  test.each([
    'file:///etc/passwd',
    ' FILE:///etc',
    'ftp://pub.test/',
    'gopher://pub.test/',
    'data:text/html,x',
    'javascript:1',
    'blob:http://pub.test/x',
    'view-source:http://pub.test/',
    'about:blank',
    'ws://pub.test/',
    'jar:http://pub.test/',
    'dict://pub.test',
    'ldap://pub.test',
    'chrome://settings',
  ])('Egress.refusal: refuses the scheme of %s', (url) => {
    expect(judge(reopened, url)).toContain('http and https');
  });

  test('Egress.refusal: refuses a URL with credentials', () => {
    expect(judge(closed, 'http://user:pw@pub.test/')).toContain('password');
    expect(judge(closed, 'http://user@pub.test/')).toContain('password');
  });

  test.each([0, 22, 25, 6379, 7999, 9000, 9222, 5432, 65_535])(
    'Egress.refusal: refuses port %i of a public host',
    (port) => {
      expect(judge(closed, `http://pub.test:${port}/`)).toBeTypeOf('string');
      expect(judge(reopened, `http://8.8.8.8:${port}/`)).toBeTypeOf('string');
    },
  );

  test.each([
    'http://pub.test/',
    'https://pub.test/',
    'http://pub.test:8000/',
    'http://8.8.8.8:8999',
    'https://[2606:2800::1]/',
  ])('Egress.refusal: allows %s', (url) => {
    expect(judge(closed, url)).toBeUndefined();
  });

  test('Egress.refusal: allows the ports of allowPorts', () => {
    expect(judge(egressOf({ allowPorts: [3000] }), 'http://pub.test:3000/')).toBeUndefined();
  });

  test('Egress.refusal: allows any port and localhost within an open network', () => {
    expect(judge(reopened, 'http://127.0.0.1:22/')).toBeUndefined();
    expect(judge(reopened, 'http://localhost:3000/')).toBeUndefined();
    expect(judge(reopened, 'http://x.localhost:3000/')).toBeUndefined();
    expect(judge(reopened, 'http://169.254.169.254/')).toBeTypeOf('string');
  });

  test.each(['wiki.internal', 'printer.local', 'a.svc.cluster.local.', 'internal'])(
    'Egress.refusal: allows the name %s when any network is open',
    (host) => {
      expect(judge(closed, `http://${host}/`)).toBeTypeOf('string');
      expect(judge(reopened, `http://${host}:3000/`)).toBeUndefined();
    },
  );

  test.each(['metadata', 'metadata.google.internal', 'METADATA.google.internal.', 'instance-data', 'metadata.goog'])(
    'Egress.refusal: refuses the metadata name %s even when every network is open',
    (host) => {
      const open = egressOf({ allowPrivate: parsePrivateNetworks('0.0.0.0/0, ::/0') });
      expect(judge(open, `http://${host}/`)).toBe(judge(closed, 'http://10.0.0.9/'));
    },
  );

  test('Egress.refusal: refuses the own port of the service on this machine even when every network is open', () => {
    const egress = egressOf({ allowPrivate: parsePrivateNetworks('0.0.0.0/0, ::/0') });
    expect(judge(egress, 'http://127.0.0.1:8080/')).toBeUndefined();
    egress.setOwnPort(8080);
    const hosts = ['127.0.0.1', '127.9.9.9', 'localhost', '0.0.0.0', '[::]', '[::1]', '[::ffff:7f00:1]'];
    expect(hosts.filter((host) => judge(egress, `http://${host}:8080/`) === undefined)).toEqual([]);
    expect(judge(egress, 'http://127.0.0.1:8081/')).toBeUndefined();
    expect(judge(egress, 'http://10.255.255.254:8080/')).toBeUndefined();
  });
});

describe('Egress connections', () => {
  test('Egress: does not connect to a refused literal address, and resolves no name for it', async () => {
    const canary = await startCanary();
    const resolve = vi.fn<Resolve>();
    const egress = egressOf({ resolve, allowPorts: [canary.port] });
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0']) {
      expect(await get(egress, `http://${host}:${canary.port}/`)).toBe('DESTINATION_NOT_ALLOWED');
    }
    expect(resolve).not.toHaveBeenCalled();
    expect(canary.connections).toBe(0);
  });

  test.each([
    [['127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [[]],
  ])('Egress: does not connect to a name that resolves to %j', async (addresses) => {
    const canary = await startCanary();
    const egress = egressOf({ resolve: resolvesTo(...addresses), allowPorts: [canary.port] });
    expect(await get(egress, `http://site.test:${canary.port}/`)).toBe('DESTINATION_NOT_ALLOWED');
    expect(await get(egress, `https://site.test:${canary.port}/`)).toBe('DESTINATION_NOT_ALLOWED');
    expect(canary.connections).toBe(0);
  });

  test.each(['http:', 'https:'])(
    'createGuardedConnector: sends no byte over %s to a refused peer that it reached',
    async (protocol) => {
      const canary = await startCanary();
      const verdicts = [true, false];
      const connect = createGuardedConnector({
        port: canary.port,
        rule: { allows: () => verdicts.shift() ?? false },
        resolve: resolvesTo('127.0.0.1'),
        onSocket: () => {},
      });
      const error = await new Promise<unknown>((resolve) => {
        connect({ hostname: 'site.test', host: 'site.test', protocol, port: String(canary.port) }, (...answer) => {
          // Left open, it would delay the end of a failing test.
          answer[1]?.destroy();
          resolve(answer[0]);
        });
      });
      expect(error).toMatchObject({ code: 'DESTINATION_NOT_ALLOWED' });
      await canary.closed;
      expect({ connections: canary.connections, bytes: canary.bytes }).toEqual({ connections: 1, bytes: 0 });
    },
  );

  test('Egress: does not connect to a name that resolves to the own address and port of the service', async () => {
    const canary = await startCanary();
    const egress = egressOf({ resolve: resolvesTo('127.0.0.1'), allowPrivate: parsePrivateNetworks('127.0.0.0/8') });
    egress.setOwnPort(canary.port);
    expect(await get(egress, `http://site.test:${canary.port}/`)).toBe('DESTINATION_NOT_ALLOWED');
    expect(canary.connections).toBe(0);
  });

  test.each(['http:', 'https:'])(
    'Egress: returns only an error over %s when the connection fails synchronously with a cached address',
    async (protocol) => {
      // A broadcast address: the system itself refuses a TCP connection to it, synchronously.
      const egress = egressOf({
        resolve: resolvesTo('255.255.255.255'),
        allowPrivate: parsePrivateNetworks('255.255.255.255/32'),
      });
      for (let times = 0; times < 2; times++) {
        expect(await get(egress, `${protocol}//a.test/`)).toBe('ENETUNREACH');
      }
    },
  );

  test('Egress: connects to localhost over the address family that is open', async () => {
    const canary = await startCanary();
    const egress = egressOf({
      resolve: resolvesTo('::1', '127.0.0.1'),
      allowPrivate: parsePrivateNetworks('127.0.0.0/8'),
    });
    await get(egress, `http://localhost:${canary.port}/`);
    expect(canary.connections).toBe(1);
  });

  test('Egress: does not enter an open network without permission, even over an existing connection', async () => {
    const canary = await startCanary();
    const egress = egressOf({
      resolve: resolvesTo('127.0.0.1'),
      allowPrivate: parsePrivateNetworks('127.0.0.0/8,10.0.0.0/8'),
    });
    const url = `http://site.test:${canary.port}/`;
    await get(egress, url, ['127.0.0.0/8']);
    expect(canary.connections).toBe(1);
    for (const enter of [[], ['10.0.0.0/8'], ['of-nobody']]) {
      expect(await get(egress, url, enter)).toBe('DESTINATION_NOT_ALLOWED');
      expect(await get(egress, `http://127.0.0.1:${canary.port}/`, enter)).toBe('DESTINATION_NOT_ALLOWED');
    }
    expect(canary.connections).toBe(1);
  });

  test('Egress: enters an open network on its listed ports only', async () => {
    const canary = await startCanary();
    const allowPrivate = parsePrivateNetworks(`127.0.0.1:${canary.port}`);
    const egress = egressOf({ resolve: resolvesTo('127.0.0.1'), allowPrivate });
    await get(egress, `http://site.test:${canary.port}/`);
    expect(canary.connections).toBe(1);
    expect(await get(egress, `http://site.test:${canary.port === 80 ? 81 : 80}/`)).toBe('DESTINATION_NOT_ALLOWED');
    expect(judge(egress, 'http://127.0.0.1:22/')).toBeTypeOf('string');
    expect(judge(egress, `http://127.0.0.1:${canary.port}/`)).toBeUndefined();
  });

  test('Egress: ignores the proxy of the environment', async () => {
    const canary = await startCanary();
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${canary.port}`);
    vi.stubEnv('http_proxy', `http://127.0.0.1:${canary.port}`);
    const egress = egressOf({ resolve: resolvesTo('127.0.0.1') });
    expect(await get(egress, 'http://site.test/')).toBe('DESTINATION_NOT_ALLOWED');
    expect(canary.connections).toBe(0);
    vi.unstubAllEnvs();
  });

  test('Egress: refuses 500 of 500 connections to names that alternate between addresses', async () => {
    const canary = await startCanary();
    let turn = 0;
    const resolve: Resolve = (hostname, callback) =>
      resolvesTo((turn += 1) % 2 === 0 ? '127.0.0.1' : '::ffff:127.0.0.1')(hostname, callback);
    const egress = egressOf({ resolve, allowPorts: [canary.port] });
    const attempts = Array.from({ length: 500 }, (_, n) => get(egress, `http://site${n % 2}.test:${canary.port}/`));
    expect(new Set(await Promise.all(attempts))).toEqual(new Set(['DESTINATION_NOT_ALLOWED']));
    expect(canary.connections).toBe(0);
  });
});

function judge(egress: Egress, url: string): string | undefined {
  return egress.refusal(new URL(url));
}

function resolvesTo(...addresses: string[]): Resolve {
  const answer = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, callback) => callback(null, answer);
}

function egressOf(options: Partial<EgressOptions>): Egress {
  const egress = createEgress({ allowPrivate: [], allowPorts: [], ...options });
  cleanups.push(() => egress.close());
  return egress;
}

/** Returns the error code of a request that may enter these networks. */
async function get(egress: Egress, url: string, enter: readonly string[] = egress.privateNetworks): Promise<unknown> {
  const { origin, pathname } = new URL(url);
  return Promise.resolve()
    .then(() => egress.wayTo(new URL(url), enter))
    .then(
      (way) => statusOrCode(way, origin, pathname),
      (error: NodeJS.ErrnoException) => error.code,
    );
}

interface Canary {
  readonly port: number;
  readonly closed: Promise<unknown>;
  connections: number;
  bytes: number;
}

/** Counts connections, and hangs up on the first byte. */
async function startCanary(): Promise<Canary> {
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<unknown>();
  const server: Server = createServer((socket: Socket) => {
    canary.connections += 1;
    socket.on('data', (chunk) => {
      canary.bytes += chunk.length;
      socket.destroy();
    });
    socket.on('error', () => {}).on('close', onClosed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const canary: Canary = { port: portOf(server), closed, connections: 0, bytes: 0 };
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return canary;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
