// `insecure_tls`: hosts in private networks whose certificates are wrong are crawled by the jobs that ask for it, and by
// no other; hosts of the public web never.
import { writeFile } from 'node:fs/promises';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as certificates from '../egress/certificates.ts';
import { type ConnectProxy, startConnectProxy } from '../egress/connect-proxy.ts';
import { readToEnd } from '../service/read-results.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { htmlPage } from '../service/test-site.ts';
import { endingsOf, ledgerOf } from './ledger.ts';

const { rootAuthority, intermediateAuthority, certificateKey: key } = certificates;
const good = certificates.goodCertificate + intermediateAuthority;
const wrong = {
  'signed by itself': certificates.selfSignedCertificate,
  expired: certificates.expiredCertificate + intermediateAuthority,
  'for another name': certificates.wrongNameCertificate + intermediateAuthority,
};

type Files = Readonly<Record<string, string | { readonly location: string }>>;
interface Site {
  readonly origin: string;
  readonly port: number;
  readonly asked: string[];
}

const cleanups: (() => Promise<unknown>)[] = [];
let proxy: ConnectProxy;
/** Where connections to public addresses end, by port. */
const publicSites = new Map<number, number>();
let service: TestService;

beforeAll(async () => {
  const authorities = path.join(tmpdir(), `hayrake-insecure-tls-${process.pid}.pem`);
  await writeFile(authorities, rootAuthority);
  proxy = await startConnectProxy((socket, head) => {
    const [, port] = /^CONNECT \S+:(\d+) /u.exec(head) ?? [];
    const there = connect(publicSites.get(Number(port)) ?? Number(port), '127.0.0.1');
    there.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => there.destroy()).removeAllListeners('data');
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(there).pipe(socket);
  });
  service = await startService({
    env: { HAYRAKE_PROXY: `http://127.0.0.1:${proxy.port}`, HAYRAKE_CA_FILE: authorities },
  });
});

afterAll(async () => {
  await service.close();
  for (const cleanup of cleanups) await cleanup();
  await proxy.close();
});

async function siteOf(cert: string, files: (origin: string) => Files, options: ServerOptions = {}): Promise<Site> {
  const asked: string[] = [];
  const server = createServer({ key, cert, ...options }, (request, response) => {
    asked.push(request.url ?? '');
    const file = files(origin)[request.url ?? ''];
    const type = request.url === '/robots.txt' ? 'text/plain' : 'text/html';
    if (file === undefined) response.writeHead(404).end();
    else if (typeof file === 'object') response.writeHead(302, file).end();
    else response.writeHead(200, { 'content-type': type }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const origin = `https://127.0.0.1:${port}`;
  return { origin, port, asked };
}

const small = (origin: string): Files => ({
  '/robots.txt': `User-agent: *\nDisallow: /private\nSitemap: ${origin}/named.xml`,
  '/named.xml': `<urlset><url><loc>${origin}/listed</loc></url></urlset>`,
  '/': htmlPage({ text: 'The start', links: ['/a', '/private', '/moved'] }),
  '/a': htmlPage({ text: 'Another page' }),
  '/moved': { location: '/b' },
  '/b': htmlPage({ text: 'A page that moved' }),
  '/listed': htmlPage({ text: 'A page in the sitemap' }),
  '/private': htmlPage({ text: 'Private' }),
});

async function verificationsOf(jobId: string): Promise<Record<string, unknown>> {
  const rows = await readToEnd(service, jobId, 'data', () => 400);
  return Object.fromEntries(rows.map(({ meta }) => [new URL(meta.url).pathname, meta.meta['tlsVerified']]));
}

test.each(Object.entries(wrong))(
  'insecure_tls: a job crawls a private host whose certificate is %s, and no other job does',
  async (_, cert) => {
    const site = await siteOf(cert, small);
    const urls = [`${site.origin}/`];
    const before = await service.crawl({ urls });
    expect(await endingsOf(service, before.id)).toMatchObject({ '/': 'tls' });
    expect(site.asked).toEqual([]);

    const job = await service.crawl({ urls, insecure_tls: true });
    expect(job).toMatchObject({ insecure_tls: true, complete: true });
    expect(await endingsOf(service, job.id)).toEqual({
      '/': 'scraped',
      '/a': 'scraped',
      '/moved': 'scraped',
      '/listed': 'scraped',
      '/private': 'robots_disallowed',
    });
    expect(await verificationsOf(job.id)).toEqual({ '/': false, '/a': false, '/moved': false, '/listed': false });

    // robots.txt and connections are in memory, but they are not for this one.
    site.asked.length = 0;
    const after = await service.crawl({ urls, insecure_tls: false });
    expect(await endingsOf(service, after.id)).toMatchObject({ '/': 'tls' });
    expect(site.asked).toEqual([]);
  },
);

test('insecure_tls: pages whose certificate is valid have no tlsVerified', async () => {
  const site = await siteOf(good, small);
  const job = await service.crawl({ urls: [`${site.origin}/`], insecure_tls: true });
  const verifications = await verificationsOf(job.id);
  expect(verifications).toEqual({ '/': undefined, '/a': undefined, '/moved': undefined, '/listed': undefined });
});

test('insecure_tls: a page that an unverified redirect leads to has tlsVerified false', async () => {
  const target = await siteOf(good, () => ({ '/': htmlPage({ text: 'The target' }) }));
  const from = await siteOf(wrong.expired, () => ({ '/': { location: `${target.origin}/` } }));
  const job = await service.crawl({ urls: [`${from.origin}/`], insecure_tls: true });
  expect(await verificationsOf(job.id)).toEqual({ '/': false });
});

test.each(Object.entries(wrong))('insecure_tls: a public host fails when its certificate is %s', async (_, cert) => {
  const outer = await siteOf(cert, small);
  publicSites.set(8443, outer.port);
  const elsewhere = 'https://93.184.216.34:8443';
  const inner = await siteOf(wrong['signed by itself'], () => ({
    '/': htmlPage({ text: 'The start', links: [`${elsewhere}/linked`, '/leads-out'] }),
    '/leads-out': { location: `${elsewhere}/target` },
    '/start-leads-out': { location: `${elsewhere}/` },
  }));
  const urls = [`${inner.origin}/`, `${inner.origin}/start-leads-out`, `${elsewhere}/start`];
  const job = await service.crawl({ urls, insecure_tls: true, allow_external: true, force_crawling_mode: 'link' });
  expect(await endingsOf(service, job.id)).toEqual({
    '/': 'scraped',
    '/start-leads-out': 'tls',
    '/leads-out': 'tls',
    '/linked': 'tls',
    '/start': 'tls',
  });
  const failures = await ledgerOf(service, job.id, { reason: 'tls' });
  for (const { detail } of failures) expect(detail).toMatch(/certificate/u);
  expect(outer.asked).toEqual([]);
});

test('insecure_tls: a scrape and a preview accept the certificate too, and say so', async () => {
  const site = await siteOf(wrong['signed by itself'], small);
  const url = `${site.origin}/a`;
  const post = (to: string, json: unknown): Promise<{ meta?: unknown; page?: unknown }> =>
    service.ok(to, { method: 'POST', json });
  expect(await post('/scraper/scrape', { url })).toMatchObject({ status: 'failed', error: { reason: 'tls' } });
  expect(await post('/scraper/scrape', { url, insecure_tls: true })).toMatchObject({
    status: 'scraped',
    meta: { tlsVerified: false },
  });
  expect(await post('/crawler/jobs/preview', { urls: [url], insecure_tls: true })).toMatchObject({
    robots: { status: 'read' },
    page: { status: 'read', meta: { tlsVerified: false } },
    sitemap: { status: 'read' },
  });
  expect(await post('/crawler/jobs/preview', { urls: [url] })).toMatchObject({ robots: { status: 'unreachable' } });
});

test('insecure_tls: is refused where no private network is open', async () => {
  const closed = await startService({ env: { HAYRAKE_ALLOW_PRIVATE: undefined } });
  try {
    const urls = ['https://example.com/'];
    const bodies = {
      '/crawler/jobs': { urls },
      '/crawler/jobs/preview': { urls },
      '/scraper/scrape': { url: urls[0] },
      '/scraper/map': { url: urls[0] },
      '/scraper/batch': { urls },
    };
    for (const [to, body] of Object.entries(bodies)) {
      const answer = await closed.api(to, { method: 'POST', json: { ...body, insecure_tls: true } });
      const problem = (await answer.json()) as { detail: string; code: string; errors: { field: string }[] };
      expect([answer.status, problem.code]).toEqual([400, 'invalid_body']);
      expect(problem.detail).toContain('HAYRAKE_ALLOW_PRIVATE');
      expect(problem.errors.map(({ field }) => field)).toEqual(['insecure_tls']);
    }
  } finally {
    await closed.close();
  }
});
