// `insecure_tls` in the browser: what a page loads follows the rule of the page, since the service fetches it.
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificateKey, selfSignedCertificate } from '../egress/certificates.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { isBrowserMissing } from './browser.ts';

describe.skipIf(isBrowserMissing)('insecure_tls in the browser (needs chromium-headless-shell and bubblewrap)', () => {
  const servers: { close(done: () => void): unknown; closeAllConnections(): void }[] = [];
  let service: TestService;
  let secure: string;
  let plain: string;

  const listen = async (server: Server | ReturnType<typeof createPlainServer>): Promise<number> => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };

  beforeAll(async () => {
    const script = `document.getElementById('root').innerHTML = '<main><p>${'Written by the script. '.repeat(40)}</p></main>'`;
    const answer: RequestListener = ({ url }, response) => {
      if (url === '/robots.txt') response.writeHead(404).end();
      else if (url === '/app.js') response.setHeader('content-type', 'text/javascript').end(script);
      else
        response
          .setHeader('content-type', 'text/html')
          .end(`<title>Shop</title><div id=root></div><script src="${secure}/app.js"></script>`);
    };
    secure = `https://127.0.0.1:${await listen(createServer({ key: certificateKey, cert: selfSignedCertificate }, answer))}`;
    plain = `http://127.0.0.1:${await listen(createPlainServer(answer))}`;
    service = await startService({ env: { HAYRAKE_BROWSER: 'auto' } });
  });

  afterAll(async () => {
    await service.close();
    for (const server of servers) {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(resolve));
    }
  });

  const scrape = (url: string, insecure_tls: boolean) =>
    service.ok('/scraper/scrape', { method: 'POST', json: { url, insecure_tls, use_browser: true } });

  test('scrape: renders a page and its script over unverified connections, and says so', async () => {
    expect(await scrape(secure, true)).toMatchObject({
      text: expect.stringContaining('Written by the script') as string,
      meta: { rendered: true, tlsVerified: false },
    });
  });

  test('scrape: says so when only a script of the page came over an unverified connection', async () => {
    expect(await scrape(plain, true)).toMatchObject({
      text: expect.stringContaining('Written by the script') as string,
      meta: { rendered: true, tlsVerified: false },
    });
  });

  test('scrape: without insecure_tls a page loads no script whose certificate is wrong', async () => {
    const { text, meta } = (await scrape(plain, false)) as { text?: string; meta?: Record<string, unknown> };
    expect(text ?? '').not.toContain('Written by the script');
    expect(meta ?? {}).not.toHaveProperty('tlsVerified');
  });
});
