// Every route with every kind of caller: without a token, with one that lacks the permission, of another org, with the cookie of
// a session. A new route fails the first test until it is listed here.
import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type ServerOptions } from '../../src/api/server.ts';
import type { Service } from '../../src/api/service.ts';
import { type Permission, permissions } from '../../src/core/permissions.ts';
import { registerFirecrawl } from '../../src/firecrawl/register.ts';
import { exchange, statuses } from './raw-socket.ts';
import { type RawAnswer, startService, type TestService } from './start-service.ts';
import { numberedPages, startTestSite, type TestSite } from './test-site.ts';

/** What a route asks of its caller: nothing, a token, or a permission of the token. */
type Asks = 'nothing' | 'token' | Permission;

const asks: Readonly<Record<string, Asks>> = {
  'any /v0/*': 'token',
  'any /v1/*': 'token',
  'any /v2/*': 'token',
  'GET /': 'nothing',
  'GET /assets/:name': 'nothing',
  'GET /crawler/hosts': 'read',
  'GET /crawler/jobs': 'read',
  'GET /crawler/schedules': 'read',
  'GET /crawler/schedules/:id': 'read',
  'GET /crawler/schedules/:id/changes': 'read',
  'GET /crawler/schedules/:id/changes/diff': 'read',
  'GET /crawler/schedules/:id/data': 'read',
  'GET /crawler/schedules/:id/jobs': 'read',
  'GET /crawler/schedules/:id/meta': 'read',
  'GET /schedules': 'nothing',
  'GET /crawler/jobs/:id': 'read',
  'GET /crawler/jobs/:id/changes': 'read',
  'GET /crawler/jobs/:id/changes/diff': 'read',
  'GET /crawler/jobs/:id/data': 'read',
  'GET /crawler/jobs/:id/deliveries': 'read',
  'GET /crawler/jobs/:id/events': 'read',
  'GET /crawler/jobs/:id/extract': 'read',
  'GET /crawler/jobs/:id/export': 'read',
  'GET /crawler/jobs/:id/meta': 'read',
  'GET /crawler/jobs/:id/pages/:page/dropped': 'read',
  'GET /crawler/jobs/:id/pages/:page/raw': 'read',
  'GET /crawler/jobs/:id/pages/:page/screenshot': 'read',
  'GET /crawler/jobs/:id/search': 'read',
  'GET /crawler/jobs/:id/stats': 'read',
  'GET /crawler/jobs/:id/tree': 'read',
  'GET /crawler/jobs/:id/urls': 'read',
  'GET /docs': 'nothing',
  'GET /docs/start.js': 'nothing',
  'GET /docs/swagger-ui.css': 'nothing',
  'GET /docs/swagger-ui.js': 'nothing',
  'GET /healthz': 'nothing',
  'GET /hosts': 'nothing',
  'GET /jobs/:id': 'nothing',
  'GET /jobs/:id/:view': 'nothing',
  'GET /login': 'nothing',
  'GET /metrics': 'nothing',
  'GET /new': 'nothing',
  'GET /openapi.json': 'nothing',
  'GET /org/tokens': 'tokens',
  'GET /r/*': 'write',
  'GET /readyz': 'nothing',
  'GET /service': 'operate',
  'GET /session': 'token',
  'GET /system': 'nothing',
  'GET /tokens': 'nothing',
  'GET /v1/batch/scrape/:id': 'read',
  'GET /v1/batch/scrape/:id/errors': 'read',
  'GET /v1/concurrency-check': 'read',
  'GET /v1/crawl/:id': 'read',
  'GET /v1/crawl/:id/errors': 'read',
  'GET /v1/crawl/active': 'read',
  'GET /v1/scrape/:id': 'read',
  'GET /v1/team/concurrency-check': 'read',
  'GET /v1/team/credit-usage': 'read',
  'GET /v1/team/queue-status': 'read',
  'GET /v2/batch/scrape/:id': 'read',
  'GET /v2/batch/scrape/:id/errors': 'read',
  'GET /v2/concurrency-check': 'read',
  'GET /v2/crawl/:id': 'read',
  'GET /v2/crawl/:id/errors': 'read',
  'GET /v2/crawl/active': 'read',
  'GET /v2/scrape/:id': 'read',
  'GET /v2/team/concurrency-check': 'read',
  'GET /v2/team/credit-usage': 'read',
  'GET /v2/team/queue-status': 'read',
  'GET /webhooks': 'nothing',
  'GET /webhooks/key': 'write',
  'PATCH /crawler/jobs/:id': 'write',
  'PATCH /crawler/schedules/:id': 'write',
  'POST /crawler/jobs': 'write',
  'POST /crawler/schedules': 'write',
  'POST /crawler/schedules/:id/run': 'write',
  'POST /crawler/jobs/:id/cancel': 'write',
  'POST /crawler/jobs/:id/changes/accept': 'write',
  'POST /crawler/jobs/:id/deliveries/:delivery/replay': 'write',
  'POST /crawler/jobs/:id/pages/:page/erase': 'write',
  'POST /crawler/jobs/:id/reextract': 'write',
  'POST /crawler/jobs/:id/resume': 'write',
  'POST /crawler/jobs/:id/retry': 'write',
  'POST /crawler/jobs/:id/stop': 'write',
  'POST /crawler/jobs/preview': 'write',
  'POST /loader': 'write',
  'POST /mcp': 'token',
  'POST /org/tokens': 'tokens',
  'POST /r': 'write',
  'POST /scraper/batch': 'write',
  'POST /scraper/map': 'write',
  'POST /scraper/scrape': 'write',
  'POST /service/backup': 'operate',
  'POST /session': 'nothing',
  'POST /v1/batch/scrape': 'write',
  'POST /v1/crawl': 'write',
  'POST /v1/map': 'write',
  'POST /v1/scrape': 'write',
  'POST /v1/search': 'write',
  'POST /v2/batch/scrape': 'write',
  'POST /v2/crawl': 'write',
  'POST /v2/map': 'write',
  'POST /v2/scrape': 'write',
  'POST /v2/search': 'write',
  'POST /webhooks/key/rotate': 'write',
  'DELETE /crawler/jobs/:id': 'write',
  'DELETE /crawler/schedules/:id': 'write',
  'DELETE /org/tokens/:token': 'tokens',
  'DELETE /session': 'token',
  'DELETE /v1/batch/scrape/:id': 'write',
  // A published client reads errors so.
  'DELETE /v1/batch/scrape/:id/errors': 'read',
  'DELETE /v1/crawl/:id': 'write',
  'DELETE /v1/crawl/:id/errors': 'read',
  'DELETE /v2/batch/scrape/:id': 'write',
  'DELETE /v2/crawl/:id': 'write',
};

/** Begins work although it is a `GET`, so a cookie alone must not be enough. */
const workOfGet = new Set(['GET /r/*']);

/** Bodies and queries without which the existence of the job is not looked at. */
const bodies: Readonly<Record<string, object>> = {
  'PATCH /crawler/jobs/:id': { output_expiry: 60 },
  'POST /org/tokens': { permissions: ['tokens'] },
  'PATCH /crawler/schedules/:id': { paused: true },
};

const queries: Readonly<Record<string, string>> = {
  'GET /crawler/jobs/:id/changes/diff': '?url=https://example.com/',
  'GET /crawler/schedules/:id/changes/diff': '?url=https://example.com/',
  'GET /crawler/jobs/:id/export': '?format=csv',
  'GET /crawler/jobs/:id/search': '?q=page',
};

const unknownJob = '01arz3ndektsv4rrffq69g5fav';
const guarded = Object.entries(asks).filter(([, asked]) => asked !== 'nothing');
const withPermission = guarded.filter((row): row is [string, Permission] => row[1] !== 'token');

let site: TestSite;
let service: TestService;
/** A job of the operator's org. */
let job: string;

beforeAll(async () => {
  site = await startTestSite(numberedPages(2));
  service = await startService({ env: { HAYRAKE_REQUESTS_PER_MINUTE: '0' } });
  ({ id: job } = await service.crawl({ urls: [`${site.origin}/1`] }));
});
afterAll(async () => {
  await service?.close();
  await site?.close();
});

interface Call {
  readonly token?: string | null;
  readonly id?: string;
  /** The address that it comes from. */
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls a route as it stands in the table. */
function call(route: string, { token = null, id = unknownJob, headers = {}, from }: Call): Promise<RawAnswer> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern
    .replace(':id', id)
    .replace(':page', '1')
    .replace(':delivery', '1')
    .replace(':token', unknownJob)
    .replace('/r/*', '/r/http://127.0.0.1:9/')
    .replace('*', 'nothing');
  const isWrite = method !== 'GET' && method !== 'DELETE' && method !== 'any';
  return service.raw(path + (queries[route] ?? ''), {
    method: method === 'any' ? 'GET' : method,
    token,
    ...(from !== undefined && { from }),
    headers: { ...headers, ...(isWrite && { 'content-type': 'application/json' }) },
    ...(isWrite && { body: JSON.stringify(bodies[route] ?? {}) }),
  });
}

let walks = 1;

/** Each walk has an address of its own: one with too many wrong tokens gets 429. */
async function statusesOf(rows: readonly (readonly [string, unknown])[], how: Call): Promise<Record<string, number>> {
  const found: [string, number][] = [];
  const from = `127.0.0.${++walks}`;
  for (const [route] of rows) found.push([route, (await call(route, { ...how, from })).status]);
  return Object.fromEntries(found);
}

const all = (rows: readonly (readonly [string, unknown])[], status: number): Record<string, number> =>
  Object.fromEntries(rows.map(([route]) => [route, status]));

const tokenWith = async (granted: readonly Permission[]): Promise<string> =>
  (await service.ok<{ token: string }>('/org/tokens', { json: { permissions: granted } })).token;

const tokenOfOther = async (): Promise<string> =>
  (await service.createToken({ org: 'other', permissions: permissions.join(',') })).token;

const signIn = async (token: string): Promise<string> => {
  const response = await service.api('/session', { token: null, headers: { 'x-hayrake-ui': '1' }, json: { token } });
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
};

test('routes: are those of the table', async () => {
  const found = new Set<string>();
  const note = (message: unknown): void => {
    const { fastify } = message as { readonly fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }) => {
      if (method !== 'HEAD') found.add(`${typeof method === 'string' ? method : 'any'} ${url}`);
    });
  };
  diagnostics.subscribe('fastify.initialization', note);
  const limits = { requestsPerMinute: 0, waitingPerOrg: 1, connections: 10, memoryBytes: 2 ** 40 };
  const api = await createServer(nothingBehind as Service, {
    ...(nothingBehind as ServerOptions),
    limits: { ...(nothingBehind as ServerOptions).limits, ...limits },
    host: '127.0.0.1',
    facades: (server, behind) =>
      registerFirecrawl(server, behind, nothingBehind as Parameters<typeof registerFirecrawl>[2]),
  });
  diagnostics.unsubscribe('fastify.initialization', note);
  await api.close();
  expect([...found].toSorted()).toEqual(Object.keys(asks).toSorted());
});

describe('callers', () => {
  test('routes: answer 401 when there is no token, or a wrong one', async () => {
    expect(await statusesOf(guarded, {})).toEqual(all(guarded, 401));
    expect(await statusesOf(guarded, { token: 'hr_wrong' })).toEqual(all(guarded, 401));
  });

  test.each(permissions)('routes: answer 403 when the token has every permission but %s', async (missing) => {
    const rows = withPermission.filter(([, asked]) => asked === missing);
    const token = await tokenWith(permissions.filter((each) => each !== missing));
    expect(await statusesOf(rows, { token })).toEqual(all(rows, 403));
  });

  test.each(permissions)('routes: admit a token that has only %s', async (only) => {
    const rows = withPermission.filter(([, asked]) => asked === only);
    const token = await tokenWith([only]);
    for (const [route, status] of Object.entries(await statusesOf(rows, { token })))
      expect([route, status === 401 || status === 403]).toEqual([route, false]);
  });

  test('routes: answer 404 to another org as if there were no such job', async () => {
    const rows = guarded.filter(([route]) => route.includes(':id'));
    const token = await tokenOfOther();
    expect(await statusesOf(rows, { token, id: job })).toEqual(all(rows, 404));
    expect(await statusesOf(rows, { token })).toEqual(all(rows, 404));
  });
});

describe('sessions', () => {
  test('routes: answer 401 to a cookie when the request can come from another site', async () => {
    const headers = { cookie: await signIn(service.token) };
    const rows = guarded.filter(([route]) => !/^(?:GET|any) /.test(route) || workOfGet.has(route));
    expect(await statusesOf(rows, { headers })).toEqual(all(rows, 401));
    const foreign = { ...headers, 'x-hayrake-ui': '1', 'sec-fetch-site': 'cross-site' };
    expect(await statusesOf(guarded, { headers: foreign })).toEqual(all(guarded, 401));
  });

  test('routes: answer 403 to a session whose token lacks the permission', async () => {
    const rows = withPermission.filter(([, asked]) => asked !== 'read');
    const headers = { cookie: await signIn(await tokenWith(['read'])), 'x-hayrake-ui': '1' };
    expect(await statusesOf(rows, { headers })).toEqual(all(rows, 403));
  });

  test('routes: answer 401 to a session, and 403 to a login code, that have expired', async () => {
    const headers = { cookie: await signIn(service.token), 'x-hayrake-ui': '1' };
    expect((await call('GET /session', { headers })).status).toBe(200);
    const code = /login\?code=([\w-]+)/.exec(service.stdout)?.[1] ?? '';
    await service.stop();
    await service.changeDatabase('UPDATE session SET expires_at = 1');
    await service.start();
    const renamed = { ...headers, cookie: headers.cookie.replace(/\d+/, String(service.port)) };
    expect(await statusesOf(guarded, { headers: renamed })).toEqual(all(guarded, 401));
    expect((await service.raw(`/login?code=${code}`, { token: null })).status).toBe(403);
  });
});

test('watcher of a job: answers 401 without a token, 403 without the permission, 404 to another org', async () => {
  const watch = async (token: string | undefined): Promise<number[]> => {
    const protocol = token === undefined ? [] : [`Sec-WebSocket-Protocol: ${token}`];
    const head = [
      'Host: 127.0.0.1',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      ...protocol,
    ];
    const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
    return statuses(await exchange(service.port, [`GET /v1/crawl/${job} HTTP/1.1`, ...head, key, '', ''].join('\r\n')));
  };
  expect(await watch(undefined)).toEqual([401]);
  expect(await watch('hr_wrong')).toEqual([401]);
  expect(await watch(await tokenWith(permissions.filter((each) => each !== 'read')))).toEqual([403]);
  expect(await watch(await tokenOfOther())).toEqual([404]);
});

test('pages of the service: cannot be framed', async () => {
  for (const path of ['/', '/new', '/jobs/x', '/docs', '/login?code=wrong']) {
    const { headers } = await service.raw(path, { token: null, headers: { accept: 'text/html' } });
    expect([path, headers['content-security-policy']]).toEqual([
      path,
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
  }
});

/** Stands for all that routes are built with: registering them calls nothing of it. */
const nothingBehind: unknown = new Proxy(Object, {
  get: (_, name) => (name === 'then' ? undefined : nothingBehind),
  apply: () => nothingBehind,
});
