// A host that refuses HTTP/1.1 in the handshake is crawled like any other.
import { writeFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as certificates from '../egress/certificates.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { htmlPage } from '../service/test-site.ts';
import { endingsOf } from './ledger.ts';

const asked: string[] = [];
const server = createSecureServer({
  key: certificates.certificateKey,
  cert: certificates.goodCertificate + certificates.intermediateAuthority,
  allowHTTP1: false,
});
let service: TestService;
let origin: string;

beforeAll(async () => {
  server.on('stream', (stream, { ':path': pathname = '' }) => {
    asked.push(pathname);
    const file = files()[pathname];
    if (pathname === '/moved') stream.respond({ ':status': 302, location: '/page-1' }, { endStream: true });
    else if (pathname === '/cut') {
      stream.respond({ 'content-type': 'text/html', 'content-length': 1_000 });
      stream.end('<title>Half</title><p>half a page');
    } else if (file === undefined) stream.respond({ ':status': 404 }, { endStream: true });
    else {
      stream.respond({ 'content-type': pathname.endsWith('.txt') ? 'text/plain' : 'text/html' });
      stream.end(file);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const authorities = path.join(tmpdir(), `hayrake-http2-only-${process.pid}.pem`);
  await writeFile(authorities, certificates.rootAuthority);
  service = await startService({ env: { HAYRAKE_CA_FILE: authorities } });
});

afterAll(async () => {
  await service.close();
  server.close();
});

const names = Array.from({ length: 30 }, (_, at) => `/page-${at + 1}`);
const files = (): Readonly<Record<string, string>> => ({
  '/robots.txt': `User-agent: *\nDisallow: /private\nSitemap: ${origin}/named.xml`,
  '/named.xml': `<urlset><url><loc>${origin}/only-in-sitemap</loc></url></urlset>`,
  '/': htmlPage({ title: 'Home', links: [...names, '/private', '/moved', '/missing', '/cut'] }),
  '/only-in-sitemap': htmlPage({ title: 'Only in the sitemap' }),
  ...Object.fromEntries(names.map((name) => [name, htmlPage({ title: name })])),
});

test('crawl: reads a site that has only HTTP/2, and no half page of it', async () => {
  const job = await service.crawl({ urls: [`${origin}/`] });
  const endings = await endingsOf(service, job.id);
  for (const name of ['/', ...names, '/only-in-sitemap']) expect([name, endings[name]]).toEqual([name, 'scraped']);
  expect(endings).toMatchObject({ '/private': 'robots_disallowed', '/missing': 'http_404', '/cut': 'reset' });
  expect(asked).not.toContain('/private');
  expect(asked.filter((pathname) => pathname === '/page-7')).toHaveLength(1);
});
