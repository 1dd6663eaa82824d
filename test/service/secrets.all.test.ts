// What was secret stays so: after a crawl with a secret wherever one can be given, none of them is in what the service wrote.
import { expect, test } from 'vitest';
import { startConnectProxy } from '../egress/connect-proxy.ts';
import { startService } from './start-service.ts';
import { createTestStore } from './test-store.ts';
import { htmlPage, startTestSite } from './test-site.ts';

const planted = {
  operatorToken: 'planted-operator-token-7Qm2xVb9Lk4Tz8Rw',
  header: 'planted-header-value-Jd83kQpz',
  cookie: 'planted-cookie-value-Vn27sYtw',
  scrapeHeader: 'planted-scrape-value-Gh45cXbm',
  userinfo: 'planted-url-password-Rk91fZqa',
  proxyUser: 'planted-proxy-user-Wm64hDse',
  proxyPassword: 'planted-proxy-password-Tb38gLcu',
  wrongToken: 'planted-wrong-token-Px52jNvy-0123456789',
};

/** As it is, and as it may have been written down. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    bytes.toString('base64').replaceAll('=', ''),
    bytes.toString('base64url'),
    encodeURIComponent(secret),
  ];
}

test('service: writes no secret to the log, to standard output or to the store', async () => {
  const asked: string[] = [];
  const site = await startTestSite({
    '/': (request, response) => {
      asked.push(JSON.stringify(request.headers));
      response
        .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'session=of-the-site' })
        .end(htmlPage({ title: 'Start', links: ['/missing', '/drop', '/two'] }));
    },
    '/two': htmlPage({ title: 'Two' }),
    '/drop': (request) => void request.socket.destroy(),
  });
  const proxy = await startConnectProxy(
    (socket) => void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
  );
  const env = { HAYRAKE_LOG_LEVEL: 'debug', HAYRAKE_TOKEN: planted.operatorToken };
  const service = await startService({ env });
  // The address below is asked for by the one that knows the proxy, not by the service.
  const other = await createTestStore();
  let [stdout, stderr] = ['', ''];
  const token = { token: planted.operatorToken };
  const made = await service.createToken({ org: 'default' });
  const secrets = { ...planted, token: made.token };
  try {
    const { host } = new URL(site.origin);
    // What a page shows is no secret of ours; where its links lead is kept in the ledger.
    site.add({ '/two': `<title>Two</title><a href="http://someone:${planted.userinfo}@${host}/three">three</a>` });
    const withPassword = await service.raw('/crawler/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: [`http://someone:${planted.userinfo}@${host}/`] }),
      ...token,
    });
    expect(withPassword.status).toBe(400);
    stdout += withPassword.body.toString();
    const { id } = await service.createJob(
      {
        urls: [`${site.origin}/`],
        headers: { 'x-api-key': planted.header },
        cookies: { session: planted.cookie },
        force_crawling_mode: 'link',
        output_format: 'text',
      },
      token,
    );
    const ended = async (job: string): Promise<boolean> =>
      ((await service.ok<{ finishedAt: number | null }>(`/crawler/jobs/${job}`, token)).finishedAt ?? 0) > 0;
    await expect.poll(() => ended(id), { timeout: 60_000 }).toBe(true);
    const scrape = { format: 'text', url: `${site.origin}/two`, headers: { authorization: planted.scrapeHeader } };
    await service.ok('/scraper/scrape', { ...token, json: scrape });
    // Requests that fail are logged and answered as well.
    const answers = await Promise.all([
      service.raw(`/crawler/jobs/${id}`, { token: made.token }),
      service.raw(`/crawler/jobs/${id}/urls`, { token: made.token }),
      service.raw(`/crawler/jobs/${id}/data`, { token: made.token }),
      service.raw('/crawler/jobs', { token: planted.wrongToken }),
      service.raw('/crawler/jobs?limit=0', { token: made.token }),
      service.raw('/metrics', { token: null }),
    ]);
    for (const { body } of answers) stdout += body.toString();

    // Other processes with a secret of their own. The address is asked for at the proxy, which is on this machine.
    const through = {
      HAYRAKE_PROXY: `http://${planted.proxyUser}:${planted.proxyPassword}@127.0.0.1:${proxy.port}`,
      ...env,
    };
    const crawled = await service.run(['config'], through);
    const scraped = await service.run(['scrape', 'http://93.184.215.14/', '--timeout', '5', '--json'], {
      ...through,
      ...other.env,
    });
    for (const run of [crawled, scraped]) {
      stdout += run.stdout;
      stderr += run.stderr;
    }
    // They were all used.
    expect(asked[0]).toContain(planted.header);
    expect(asked[0]).toContain(planted.cookie);
    expect(proxy.heads.join('\n')).toContain(
      Buffer.from(`${planted.proxyUser}:${planted.proxyPassword}`).toString('base64'),
    );
    await service.stop();
    const written = new Map([
      ['standard output and answers', stdout],
      ['standard error', stderr + service.stderr],
    ]);
    const stores = [service.store, other];
    for (const [index, store] of stores.entries()) {
      const content = await store.content();
      expect([...content.keys()]).toContain(store.kind === 'postgres' ? 'job' : 'hayrake.db');
      for (const [name, text] of content) written.set(`${name} of store ${index + 1}`, text);
    }
    expect(service.stderr).toContain('request processed');
    const found = Object.entries(secrets).flatMap(([secret, value]) =>
      [...written].flatMap(([where, text]) =>
        formsOf(value).some((form) => text.includes(form)) ? [`${secret} in ${where}`] : [],
      ),
    );
    expect(found).toEqual([]);
  } finally {
    await service.close();
    await other.remove();
    await site.close();
    await proxy.close();
  }
});

test('log: writes one JSON object per line when clients and sites send line breaks', async () => {
  const evil = '{"level":50,"msg":"forged"}';
  const site = await startTestSite({
    '/': htmlPage({ title: 'Start', links: [`/%0a${encodeURIComponent(evil)}`, '/a\n{"msg":"forged"}'] }),
  });
  const service = await startService({ env: { HAYRAKE_LOG_LEVEL: 'debug' } });
  try {
    await service.crawl({ urls: [`${site.origin}/`, `${site.origin}/?a=%0a${encodeURIComponent(evil)}`] });
    for (const sent of [
      `/%0a${evil.replaceAll('"', '%22')}`,
      '/crawler/jobs/%0d%0a%7b%7d',
      '/crawler/jobs?status=%0aforged',
    ])
      await service.raw(sent, { headers: { 'x-request-id': 'forged', 'user-agent': evil } });
    await service.stop();
    const lines = service.stderr.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) expect((JSON.parse(line) as { msg: string }).msg).not.toContain('forged');
  } finally {
    await service.close();
    await site.close();
  }
});
