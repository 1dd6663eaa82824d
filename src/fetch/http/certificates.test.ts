import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import * as certificates from '../../../test/egress/certificates.ts';
import { startConnectProxy } from '../../../test/egress/connect-proxy.ts';
import type { FetchResult } from '../../core/ports/fetcher.ts';
import { parsePrivateNetworks } from '../guard/address-policy.ts';
import { createEgress, type EgressOptions } from '../guard/egress.ts';
import { createHttpFetcher } from './http-fetcher.ts';
import { createWebhookSender } from './webhook-sender.ts';

const { rootAuthority, intermediateAuthority, certificateKey: key } = certificates;
const { goodCertificate, wrongNameCertificate, expiredCertificate, earlyCertificate, selfSignedCertificate } =
  certificates;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const untrusted = /signed by a trusted authority.*HAYRAKE_CA_FILE/u;
test.each<[string, string, boolean, RegExp]>([
  ['its authority is unknown', goodCertificate + intermediateAuthority, false, untrusted],
  ['it signed its certificate itself', selfSignedCertificate, false, untrusted],
  ['it omits its intermediate certificate', goodCertificate, true, untrusted],
  ['its certificate is for another name', wrongNameCertificate + intermediateAuthority, true, /for another name/u],
  ['its certificate has expired', expiredCertificate + intermediateAuthority, true, /has expired/u],
  ['its certificate is not valid yet', earlyCertificate + intermediateAuthority, true, /not valid yet/u],
])('HttpFetcher: says what is wrong when %s', async (_, cert, isRootKnown, message) => {
  const url = await serve({ cert });
  expect(await fetch(url, isRootKnown ? { authorities: [rootAuthority] } : {})).toMatchObject({
    kind: 'failure',
    retryable: false,
    error: { reason: 'tls', message: expect.stringMatching(message) as string },
  });
});

const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
test.each<[string, ServerOptions, RegExp]>([
  ['has only versions of TLS that are too old', old, /TLS 1\.2/u],
  ['shares no cipher', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }, /shares no cipher/u],
  ['has neither HTTP/1.1 nor HTTP/2', { ALPNProtocols: ['h3'] }, /neither HTTP\/1\.1 nor HTTP\/2/u],
])('HttpFetcher: fails for good when the host %s', async (_, options, message) => {
  const url = await serve({ cert: goodCertificate + intermediateAuthority, ...options });
  expect(await fetch(url, { authorities: [rootAuthority] })).toMatchObject({
    kind: 'failure',
    retryable: false,
    isLocal: false,
    error: { reason: 'tls', message: expect.stringMatching(message) as string },
  });
});

test.each<[string, string, string]>([
  ['the root', goodCertificate + intermediateAuthority, rootAuthority],
  ['the intermediate that the host omits', goodCertificate, intermediateAuthority],
  ['the certificate that the host signed itself', selfSignedCertificate, selfSignedCertificate],
])('HttpFetcher: trusts a host when the authorities have %s', async (_, cert, authority) => {
  const url = await serve({ cert });
  expect(await fetch(url, { authorities: [authority] })).toMatchObject({ kind: 'body', statusCode: 200 });
});

test('HttpFetcher: trusts the authorities through a proxy as well', async () => {
  const url = await serve({ cert: goodCertificate + intermediateAuthority });
  const proxy = await serveProxy();
  expect(await fetch(url, { proxies: [proxy] })).toMatchObject({ kind: 'failure', error: { reason: 'tls' } });
  expect(await fetch(url, { proxies: [proxy], authorities: [rootAuthority] })).toMatchObject({
    kind: 'body',
    statusCode: 200,
  });
});

test('WebhookSender: trusts the authorities', async () => {
  const url = await serve({ cert: goodCertificate + intermediateAuthority });
  const send = (options: Partial<EgressOptions>): Promise<unknown> =>
    createWebhookSender(egressOf(options)).send(
      url,
      { headers: {}, body: '' },
      {
        deadlineMs: 10_000,
        signal: new AbortController().signal,
      },
    );
  expect(await send({})).toMatchObject({ kind: 'failure', error: { reason: 'tls' } });
  expect(await send({ authorities: [rootAuthority] })).toMatchObject({ statusCode: 200 });
});

function egressOf(options: Partial<EgressOptions>): ReturnType<typeof createEgress> {
  const egress = createEgress({ allowPrivate: parsePrivateNetworks('127.0.0.0/8'), allowPorts: [], ...options });
  cleanups.push(() => egress.close());
  return egress;
}

function fetch(url: string, options: Partial<EgressOptions>): Promise<FetchResult> {
  const fetcher = createHttpFetcher({ egress: egressOf(options), userAgent: 'hayrake-test/1' });
  const { signal } = new AbortController();
  return fetcher.fetch(url, { signal, deadlineMs: 10_000, bodyBytesMax: 1_000, enter: '127.0.0.0/8' });
}

async function serve(options: ServerOptions): Promise<string> {
  const server = createServer({ key, ...options }, (_request, response) => {
    response.setHeader('content-type', 'text/html').end('page');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A proxy that connects to any address. */
async function serveProxy(): Promise<URL> {
  const proxy = await startConnectProxy((socket, head) => {
    const [, host, port] = /^CONNECT (\S+):(\d+) /u.exec(head) ?? [];
    const there = connect(Number(port), host ?? '');
    there.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => there.destroy()).removeAllListeners('data');
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(there).pipe(socket);
  });
  cleanups.push(() => proxy.close());
  return new URL(`http://127.0.0.1:${proxy.port}`);
}
