// `proxy: NAME`: all connections of a job, to robots.txt, sitemaps and pages, take one proxy of the operator; those of other
// jobs do not.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConnectProxy, startConnectProxy, startSite, type Site } from '../egress/connect-proxy.ts';
import { expectProblem } from './expect-problem.ts';
import type { Row } from './read-results.ts';
import { startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';

let site: TestSite;
let behind: Site;
let proxy: ConnectProxy;
let service: TestService;
let resolving: TestService;

beforeAll(async () => {
  site = await startTestSite({
    '/': htmlPage({ title: 'direct', text: 'Without a proxy.', links: ['/next'] }),
    '/next': htmlPage({ title: 'direct', text: 'Another one without.' }),
  });
  behind = await startSite(({ url = '' }, response) => {
    response.setHeader('content-type', url.endsWith('.txt') ? 'text/plain' : 'text/html');
    if (url === '/robots.txt') response.end('User-agent: *\nDisallow: /private');
    else if (url === '/')
      response.end(htmlPage({ title: 'proxied', text: 'Behind it.', links: ['/next', '/private'] }));
    else response.end(htmlPage({ title: 'proxied', text: 'Another one behind.' }));
  });
  proxy = await startConnectProxy(behind.tunnel);
  const at = `http://127.0.0.1:${proxy.port}`;
  service = await startService({ env: { HAYRAKE_PROXY: `eu=${at},advanced_proxy=${at}` } });
  resolving = await startService({ env: { HAYRAKE_PROXY: at, HAYRAKE_PROXY_RESOLVES: 'true' } });
});
afterAll(async () => {
  await Promise.all([service.close(), resolving.close()]);
  await Promise.all([proxy.close(), behind.close(), site.close()]);
});

async function rowsOf(id: string): Promise<readonly Row[]> {
  return (await service.ok<{ data: readonly Row[] }>(`/crawler/jobs/${id}/data`)).data;
}

function sent(json: unknown): {
  readonly method: 'POST';
  readonly body: string;
  readonly headers: Record<string, string>;
} {
  return { method: 'POST', body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
}

async function titles(more: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const { id } = await service.crawl({ urls: [`${site.origin}/`], ...more });
  await service.untilEnded(id);
  return (await rowsOf(id)).map(({ meta }) => meta.meta.title).toSorted();
}

test.each([{ proxy: 'eu' }, { advanced_proxy: true }])(
  'a job with %j takes the proxy, with its robots.txt',
  async (more) => {
    const before = proxy.connections;
    const { id } = await service.crawl({ urls: [`${site.origin}/`], ...more });
    const job = await service.untilEnded(id);
    expect(job).toMatchObject({ proxy: more.proxy ?? 'advanced_proxy', reasons: { robots_disallowed: 1 } });
    expect((await rowsOf(id)).map(({ meta }) => meta.meta['title'])).toEqual(['proxied', 'proxied']);
    expect(proxy.connections).toBeGreaterThan(before);
  },
);

test('jobs that name no proxy take none, before and after one that does', async () => {
  expect(await titles({})).toEqual(['direct', 'direct']);
  expect(await titles({ proxy: 'eu' })).toEqual(['proxied', 'proxied']);
  const { connections } = proxy;
  expect(await titles({})).toEqual(['direct', 'direct']);
  expect(proxy.connections).toBe(connections);
});

test('needs the permission, and the name of a proxy', async () => {
  const body = { urls: [`${site.origin}/`], proxy: 'eu' };
  const post = (more: object, token?: string) =>
    service.raw('/crawler/jobs', { ...sent({ ...body, ...more }), ...(token !== undefined && { token }) });
  const { token } = await service.createToken({ org: 'acme', permissions: 'read,write' });
  expectProblem(await post({}, token), 403, 'permission_denied');
  expectProblem(await post({ proxy: undefined, advanced_proxy: true }, token), 403, 'permission_denied');
  expect(expectProblem(await post({ proxy: 'us' }), 400, 'invalid_body').errors).toMatchObject([{ field: 'proxy' }]);
  expectProblem(await post({ advanced_proxy: true }), 400, 'invalid_body');
});

test('`insecure_tls` is refused where a proxy resolves names', async () => {
  const json = { urls: [`${site.origin}/`], insecure_tls: true };
  const { errors } = expectProblem(await resolving.raw('/crawler/jobs', sent(json)), 400, 'invalid_body');
  expect(errors).toMatchObject([{ field: 'insecure_tls', message: expect.stringContaining('HAYRAKE_PROXY_RESOLVES') }]);
});
