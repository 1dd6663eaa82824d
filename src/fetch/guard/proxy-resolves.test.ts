// Proxies that resolve names, and several proxies: what reaches them, and what never does.
import { afterEach, describe, expect, test } from 'vitest';
import { type ConnectProxy, type Site, startConnectProxy, startSite } from '../../../test/egress/connect-proxy.ts';
import { statusOrCode } from '../../../test/egress/status-or-code.ts';
import { parsePrivateNetworks } from './address-policy.ts';
import { createEgress, type Egress, type EgressOptions } from './egress.ts';
import { proxyChoice } from './proxy-choice.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(options: EgressOptionsGiven = {}): Promise<{ proxy: ConnectProxy; site: Site; egress: Egress }> {
  const site = await startSite(({ headers, url }, response) => response.end(`${headers.host} ${url}`));
  const proxy = await startConnectProxy(site.tunnel);
  const egress = createEgress({
    allowPrivate: [],
    allowPorts: [],
    proxies: [new URL(`http://127.0.0.1:${proxy.port}`)],
    proxyResolves: true,
    // Names exist only for the proxy.
    resolve: (name, callback) => {
      if (name.includes('localhost')) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(new Error(`${name} was resolved here`), []);
    },
    ...options,
  });
  cleanups.push(
    () => site.close(),
    () => proxy.close(),
    () => egress.close(),
  );
  return { proxy, site, egress };
}
type EgressOptionsGiven = Partial<EgressOptions>;

async function get(egress: Egress, url: string, enter: readonly string[] = []): Promise<unknown> {
  return statusOrCode(await egress.wayTo(new URL(url), enter), new URL(url).origin, '/');
}

describe('a proxy that resolves', () => {
  test('a proxy that resolves: gets the name of a site, over http and https, and nothing is resolved here', async () => {
    const { proxy, egress } = await start();
    expect(await get(egress, 'http://site.test/')).toBe(200);
    expect(proxy.lines).toEqual(['CONNECT site.test:80 HTTP/1.1']);
    await get(egress, 'https://site.test/');
    expect(proxy.lines[1]).toBe('CONNECT site.test:443 HTTP/1.1');
    expect(egress.refusal(new URL('http://site.test/'))).toBeUndefined();
    expect(await egress.networkOf(new URL('http://site.test/'))).toBe('');
    expect(await egress.addressOf(new URL('http://site.test/'))).toBeUndefined();
  });

  const attacks = [
    'http://8.8.8.8/',
    'http://10.0.0.1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://１２７.０.０.１/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://x.localhost/',
    'http://intranet/',
    'http://intranet./',
    'http://printer.local/',
    'http://PRINTER.local./',
    'http://a.svc.cluster.local/',
    'http://wiki.internal/',
    'http://localhost.localdomain/',
    'http://nas.home.arpa/',
    'http://router.lan./',
    'http://api.default.svc/',
    'http://metadata.google.internal/',
    'http://metadata.goog/',
    'http://ｌocalhost/',
    'http://intranet../',
    'http://localhost.../',
    'http://wiki.internal../',
    'http://1.2.3.4../',
    'http://.intranet/',
    'http://wiki。internal/',
  ];
  test.each(attacks)('a proxy that resolves: never hears of %s, by request or by connection', async (url) => {
    const { proxy, egress } = await start();
    expect(egress.refusal(new URL(url))).toBeTypeOf('string');
    expect(egress.fetchRefusal(new URL(url), [])).toBeTypeOf('string');
    // Also where a caller forgets to ask.
    expect(await get(egress, url)).toBe('DESTINATION_NOT_ALLOWED');
    expect(proxy.connections).toBe(0);
  });

  test('a proxy that resolves: refuses a port that no site of the web has', async () => {
    const { egress } = await start();
    expect(egress.refusal(new URL('http://site.test:22/'))).toBeTypeOf('string');
    expect(egress.refusal(new URL('http://site.test:8443/'))).toBeUndefined();
  });

  test('a proxy that resolves: gets an address only inside a network that is open, and only for a job in it', async () => {
    const { proxy, egress } = await start({ allowPrivate: parsePrivateNetworks('10.0.0.0/8') });
    const [network = ''] = egress.privateNetworks;
    expect(egress.fetchRefusal(new URL('http://10.0.0.1/'), [network])).toBeUndefined();
    expect(await get(egress, 'http://10.0.0.1/', [network])).toBe(200);
    expect(proxy.lines).toEqual(['CONNECT 10.0.0.1:80 HTTP/1.1']);
    for (const url of ['http://10.0.0.1/', 'http://11.0.0.1/', 'http://wiki.internal/'])
      expect(egress.fetchRefusal(new URL(url), [])).toBeTypeOf('string');
    await expect(get(egress, 'http://11.0.0.1/', [network])).rejects.toThrow('may not reach');
    expect(proxy.connections).toBe(1);
  });
});

describe('several proxies', () => {
  const hosts = Array.from({ length: 300 }, (_, index) => `host-${index}.example`);

  test('several proxies, sticky: a host has one of them, and all have some hosts', () => {
    const [choose, again] = [proxyChoice(['a', 'b', 'c'], 'sticky'), proxyChoice(['a', 'b', 'c'], 'sticky')];
    const chosen = hosts.map(choose);
    expect(hosts.toReversed().map(again)).toEqual(chosen.toReversed());
    for (const proxy of ['a', 'b', 'c']) expect(chosen.filter((one) => one === proxy).length).toBeGreaterThan(60);
  });

  test('several proxies, in turn: each gets the same number of connections', () => {
    const chosen = hosts.map(proxyChoice(['a', 'b', 'c'], 'round_robin'));
    for (const proxy of ['a', 'b', 'c']) expect(chosen.filter((one) => one === proxy)).toHaveLength(100);
  });

  test('several proxies: connections go to the one that was chosen', async () => {
    const { proxy, site, egress } = await start();
    const other = await startConnectProxy(site.tunnel);
    const both = createEgress({
      allowPrivate: [],
      allowPorts: [],
      proxies: [proxy.port, other.port].map((port) => new URL(`http://127.0.0.1:${port}`)),
      proxyRule: 'round_robin',
      proxyResolves: true,
    });
    cleanups.push(
      () => other.close(),
      () => both.close(),
    );
    for (const host of ['a.test', 'b.test', 'c.test', 'd.test']) expect(await get(both, `http://${host}/`)).toBe(200);
    expect([proxy.connections, other.connections]).toEqual([2, 2]);
    expect(await get(egress, 'http://a.test/')).toBe(200);
  });
});
