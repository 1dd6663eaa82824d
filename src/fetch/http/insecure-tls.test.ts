import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import * as certificates from '../../../test/egress/certificates.ts';
import { startConnectProxy } from '../../../test/egress/connect-proxy.ts';
import type { FetchOptions, FetchResult } from '../../core/ports/fetcher.ts';
import { parsePrivateNetworks } from '../guard/address-policy.ts';
import { createEgress, type EgressOptions } from '../guard/egress.ts';
import { createHttpFetcher } from './http-fetcher.ts';

const { rootAuthority, intermediateAuthority, certificateKey: key } = certificates;
const { goodCertificate, wrongNameCertificate, expiredCertificate, earlyCertificate, selfSignedCertificate } =
  certificates;
const network = '127.0.0.0/8';
const publicAddress = '93.184.216.34';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const wrong: readonly (readonly [string, string])[] = [
  ['of an unknown authority', goodCertificate + intermediateAuthority],
  ['that it signed itself', selfSignedCertificate],
  ['for another name', wrongNameCertificate + intermediateAuthority],
  ['that has expired', expiredCertificate + intermediateAuthority],
  ['that is not valid yet', earlyCertificate + intermediateAuthority],
];
const insecure = { enter: network, insecureTls: true } as const;

describe.each([['directly', false] as const, ['through a proxy', true] as const])('%s', (_, hasProxy) => {
  const options = async (): Promise<Partial<EgressOptions>> => ({
    authorities: [rootAuthority],
    ...(hasProxy && { proxies: [(await serveProxy()).url] }),
  });

  test.each(wrong)('insecureTls: accepts a certificate %s in a private network, and says so', async (_, cert) => {
    const isKnown = cert.startsWith(goodCertificate);
    const site = await serve({ cert });
    const fetch = fetcher({ ...(await options()), ...(isKnown && { authorities: [] }) });
    // A second connection resumes no TLS session, which would hide a wrong name.
    for (const path of ['/close', '/', '/']) {
      expect(await fetch(`${site.url}${path}`, insecure)).toMatchObject({
        kind: 'body',
        statusCode: 200,
        isUnverified: true,
      });
    }
  });

  test('insecureTls: says nothing of a certificate that is valid, and nothing without TLS', async () => {
    const site = await serve({ cert: goodCertificate + intermediateAuthority });
    const fetch = fetcher(await options());
    const result = await fetch(site.url, insecure);
    expect(result).toMatchObject({ kind: 'body', statusCode: 200, network });
    expect(result).not.toHaveProperty('isUnverified');
  });

  test.each(wrong)('insecureTls: a fetch without it verifies a certificate %s, before and after', async (_, cert) => {
    const isKnown = cert.startsWith(goodCertificate);
    const site = await serve({ cert });
    const fetch = fetcher({ ...(await options()), ...(isKnown && { authorities: [] }) });
    const verified = { kind: 'failure', retryable: false, error: { reason: 'tls' } };
    expect(await fetch(site.url, { enter: network })).toMatchObject(verified);
    expect(await fetch(site.url, insecure)).toMatchObject({ kind: 'body' });
    // The connection of the fetch before is open and idle.
    expect(await fetch(site.url, { enter: network })).toMatchObject(verified);
    expect(await fetch(site.url, insecure)).toMatchObject({ kind: 'body' });
    expect(site.requests()).toBe(2);
  });
});

test.each(wrong)('insecureTls: a public host fails with a certificate %s', async (_, cert) => {
  const site = await serve({ cert });
  const proxy = await serveProxy(() => site.port);
  const isKnown = cert.startsWith(goodCertificate);
  const fetch = fetcher({
    proxies: [proxy.url],
    allowPorts: [site.port],
    authorities: isKnown ? [] : [rootAuthority],
    resolve: (_name, callback) => callback(null, [{ address: publicAddress, family: 4 }]),
  });
  for (const host of [publicAddress, 'site.test']) {
    for (const enter of [undefined, network]) {
      expect(await fetch(`https://${host}:${site.port}/`, { insecureTls: true, enter })).toMatchObject({
        kind: 'failure',
        retryable: false,
        error: { reason: 'tls', message: expect.stringMatching(/certificate/u) as string },
      });
    }
  }
  expect(site.requests()).toBe(0);
});

test('insecureTls: a private address outside the network that the fetch may enter is not contacted', async () => {
  const site = await serve({ cert: selfSignedCertificate });
  const fetch = fetcher({ allowPrivate: parsePrivateNetworks('127.0.0.0/8, 10.0.0.0/8') });
  for (const enter of [undefined, '10.0.0.0/8']) {
    expect(await fetch(site.url, { enter, insecureTls: true })).toMatchObject({
      kind: 'failure',
      error: { reason: 'destination_not_allowed' },
    });
  }
  expect(site.requests()).toBe(0);
});

test('insecureTls: versions of TLS that are not safe are refused all the same', async () => {
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  const site = await serve({ cert: selfSignedCertificate, ...old });
  expect(await fetcher({})(site.url, insecure)).toMatchObject({ kind: 'failure', error: { reason: 'tls' } });
});

test('insecureTls: a redirect over an unverified connection says so', async () => {
  const site = await serve({ cert: selfSignedCertificate });
  expect(await fetcher({})(`${site.url}/moved`, insecure)).toMatchObject({
    kind: 'redirect',
    location: '/',
    network,
    isUnverified: true,
  });
});

type Fetch = (url: string, options: Partial<FetchOptions>) => Promise<FetchResult>;

function fetcher(options: Partial<EgressOptions>): Fetch {
  const egress = createEgress({ allowPrivate: parsePrivateNetworks(network), allowPorts: [], ...options });
  cleanups.push(() => egress.close());
  const { fetch } = createHttpFetcher({ egress, userAgent: 'hayrake-test/1' });
  const { signal } = new AbortController();
  return (url, how) => fetch(url, { signal, deadlineMs: 10_000, bodyBytesMax: 1_000, ...how });
}

async function serve(options: ServerOptions): Promise<{ url: string; port: number; requests: () => number }> {
  let requests = 0;
  const server = createServer({ key, ...options }, (request, response) => {
    requests += 1;
    if (request.url === '/close') response.setHeader('connection', 'close');
    if (request.url === '/moved') response.writeHead(302, { location: '/' }).end();
    else response.setHeader('content-type', 'text/html').end('page');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, port, requests: () => requests };
}

/** A proxy that connects to this machine, whatever address it is asked for. */
async function serveProxy(portOf = (asked: number) => asked): Promise<{ url: URL }> {
  const proxy = await startConnectProxy((socket, head) => {
    const [, port] = /^CONNECT \S+:(\d+) /u.exec(head) ?? [];
    const there = connect(portOf(Number(port)), '127.0.0.1');
    there.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => there.destroy()).removeAllListeners('data');
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(there).pipe(socket);
  });
  cleanups.push(() => proxy.close());
  return { url: new URL(`http://127.0.0.1:${proxy.port}`) };
}
