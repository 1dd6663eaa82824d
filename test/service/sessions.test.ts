// Sessions of browsers: how one begins, which requests its cookie opens, how it ends.
//
// Real browsers differ from these requests in that they send many cookies, of other programs on the same host too; prefetch
// links; keep several tabs; and send requests that other sites cause. Operators run several API processes, revoke tokens,
// change HAYRAKE_TOKEN, and put a proxy that ends TLS in front.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from './start-service.ts';

let service: TestService;
let other: TestService;

beforeAll(async () => {
  service = await startService();
  other = await startService({ store: service.store, role: 'api' });
});
afterAll(async () => {
  await other?.close();
  await service?.close();
});

const dashboard = { 'x-hayrake-ui': '1', 'sec-fetch-site': 'same-origin' };

/** The cookie of a new session, as a browser sends it back. */
async function signIn(token: string, at = service): Promise<string> {
  const response = await at.api('/session', { token: null, headers: dashboard, json: { token } });
  expect(response.status).toBe(204);
  return cookieOf(response);
}

function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

async function expectRefusal(response: Response, status: number, code: string): Promise<void> {
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code]);
}

const withCookie = (
  cookie: string,
  path = '/crawler/jobs',
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response> => service.api(path, { token: null, ...init, headers: { cookie, ...init.headers } });

describe('signing in with a token', () => {
  test('POST /session: sets a cookie that scripts and other sites cannot use', async () => {
    const response = await service.api('/session', {
      token: null,
      headers: dashboard,
      json: { token: service.token },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('set-cookie')).toMatch(
      new RegExp(`^hayrake_${service.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200$`),
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    const cookie = cookieOf(response);
    const session = await withCookie(cookie, '/session');
    expect(await session.json()).toMatchObject({ org: 'default', permissions: expect.arrayContaining(['write']) });
  });

  test('POST /session: marks the cookie Secure when a proxy terminates TLS', async () => {
    const headers = { ...dashboard, 'x-forwarded-proto': 'https' };
    const response = await service.api('/session', { token: null, headers, json: { token: service.token } });
    expect(response.headers.get('set-cookie')).toMatch(/; Secure$/);
  });

  test.each([
    ['a wrong token', dashboard, { token: 'nope' }, 401, 'invalid_token'],
    ['a missing header of the dashboard', {}, { token: 'x' }, 403, 'sign_in_refused'],
    [
      'a request of another site',
      { ...dashboard, 'sec-fetch-site': 'cross-site' },
      { token: 'x' },
      403,
      'sign_in_refused',
    ],
    ['an unknown field', dashboard, { token: 'x', org: 'acme' }, 400, 'invalid_body'],
    ['a missing token', dashboard, {}, 400, 'invalid_body'],
    ['a token that is too long', dashboard, { token: 'x'.repeat(1_001) }, 400, 'invalid_body'],
  ])('POST /session: refuses %s and sets no cookie', async (_, headers, json, status, code) => {
    const response = await service.api('/session', { token: null, headers, json });
    await expectRefusal(response, status, code);
    expect(response.headers.get('set-cookie')).toBeNull();
  });
});

describe('session cookie', () => {
  test('session cookie: gives the permissions of its token, among the cookies of other programs', async () => {
    const { token } = await service.createToken({ org: 'acme', permissions: 'read' });
    const cookie = await signIn(token);
    const response = await withCookie(`a=b; hayrake_1=${'x'.repeat(43)}; ${cookie}; c=d`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    await expectRefusal(
      await withCookie(cookie, '/crawler/jobs', {
        method: 'POST',
        headers: { ...dashboard, 'content-type': 'application/json' },
        body: '{"urls":["http://127.0.0.1/"]}',
      }),
      403,
      'permission_denied',
    );
  });

  test.each([
    ['from another site', 'GET', { 'sec-fetch-site': 'cross-site' }],
    ['from another origin of this site', 'GET', { 'sec-fetch-site': 'same-site' }],
    ['from an address bar', 'GET', { 'sec-fetch-site': 'none' }],
    ['that changes something, without the header', 'POST', { 'sec-fetch-site': 'same-origin' }],
    ['that changes something, with another value', 'DELETE', { 'x-hayrake-ui': 'yes' }],
    ['with a wrong token as well', 'GET', { authorization: 'Bearer nope' }, 'invalid_token'],
    ['with another scheme as well', 'GET', { authorization: 'Basic YTpi' }],
  ])('session cookie: does not count in a request %s', async (_, method, headers, code = 'unauthorized') => {
    const cookie = await signIn(service.token);
    const path = method === 'DELETE' ? '/session' : '/crawler/jobs';
    await expectRefusal(await withCookie(cookie, path, { method, headers: { ...headers } }), 401, code);
    expect((await withCookie(cookie)).status).toBe(200);
  });

  // Over plain HTTP a browser says nothing of where a request comes from, and another port of the host is the same site.
  test('session cookie: does not begin work by a GET when the header of the dashboard is absent', async () => {
    const cookie = await signIn(service.token);
    const path = '/r/http://127.0.0.1:1/';
    for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }] as const)
      await expectRefusal(await withCookie(cookie, path, { headers: { ...headers } }), 401, 'unauthorized');
    const admitted = await withCookie(cookie, path, { headers: dashboard });
    expect(admitted.status).not.toBe(401);
  });

  test.each([
    ['is empty', (cookie: string) => cookie.replace(/=.*/, '=')],
    ['has an unknown value', (cookie: string) => cookie.replace(/=.*/, `=${'A'.repeat(43)}`)],
    ['is 5,000 characters long', (cookie: string) => cookie.replace(/=.*/, `=${'A'.repeat(5_000)}`)],
    ['is there twice', (cookie: string) => `${cookie}; ${cookie}`],
    ['has the name for another port', (cookie: string) => cookie.replace(/_\d+/, '_1')],
  ])('session cookie: is refused with 401 when it %s', async (_, change) => {
    const cookie = await signIn(service.token);
    await expectRefusal(await withCookie(change(cookie)), 401, 'unauthorized');
  });

  test('session cookie: is valid at every API process, and ends at all of them with its token', async () => {
    const { id, token } = await service.createToken({ org: 'acme' });
    const cookie = (await signIn(token, other)).replace(`_${other.port}`, `_${service.port}`);
    expect((await withCookie(cookie)).status).toBe(200);
    expect((await service.run(['token', 'revoke', id])).code).toBe(0);
    await expectRefusal(await withCookie(cookie), 401, 'unauthorized');
    const atOther = cookie.replace(`_${service.port}`, `_${other.port}`);
    await expectRefusal(
      await other.api('/crawler/jobs', { token: null, headers: { cookie: atOther } }),
      401,
      'unauthorized',
    );
  });

  test('DELETE /session: ends the session for good', async () => {
    const cookie = await signIn(service.token);
    const response = await withCookie(cookie, '/session', { method: 'DELETE', headers: dashboard });
    expect(response.status).toBe(204);
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
    await expectRefusal(await withCookie(cookie), 401, 'unauthorized');
  });

  test('session cookie: does not show the jobs of another org', async () => {
    const { token } = await service.createToken({ org: 'acme' });
    const job = await service.createJob({ urls: ['http://127.0.0.1:9/'] });
    await expectRefusal(await withCookie(await signIn(token), `/crawler/jobs/${job.id}`), 404, 'job_not_found');
  });
});

describe('login link', () => {
  /** A fresh link, from the banner of a process on the same store. */
  async function newCode(): Promise<string> {
    await other.restart();
    const code = /login\?code=([\w-]+)/.exec(other.stdout)?.[1];
    if (code === undefined) throw new Error(`no login link: ${other.stdout}`);
    return code;
  }
  const open = (code: string, init: RequestInit = {}): Promise<Response> =>
    service.api(`/login?code=${code}`, { token: null, redirect: 'manual', ...init });

  test('GET /login: signs in one browser once, also at another process', async () => {
    const code = await newCode();
    const response = await open(code, { headers: { accept: 'text/html', 'sec-fetch-site': 'none' } });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
    expect((await withCookie(cookieOf(response))).status).toBe(200);
    const again = await open(code);
    await expectRefusal(again, 403, 'sign_in_refused');
    expect(again.headers.get('set-cookie')).toBeNull();
    expect(service.stderr).toContain('a login link that is wrong, used or expired');
  });

  test('GET /login: keeps the code when the request is HEAD or a prefetch', async () => {
    const code = await newCode();
    expect((await open(code, { method: 'HEAD' })).status).toBe(405);
    expect((await open(code, { headers: { 'sec-purpose': 'prefetch;prerender' } })).status).toBe(403);
    expect((await open(code)).status).toBe(303);
  });

  test.each(['', 'x', 'A'.repeat(22), 'A'.repeat(200), '%00'])(
    'GET /login: refuses the code %j with 403',
    async (code) => {
      await expectRefusal(await open(code), 403, 'sign_in_refused');
    },
  );

  test('GET /login: shows the dashboard to a browser when the code is wrong', async () => {
    const response = await open('nope', { headers: { accept: 'text/html' } });
    expect(response.status).toBe(403);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('paths shared with API clients', () => {
  test('GET /: names the OpenAPI document to API clients, and is a page to browsers', async () => {
    const response = await service.api('/', { token: null });
    expect(await response.json()).toMatchObject({ openapi: '/openapi.json' });
    const page = await service.api('/', { token: null, headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
    const tag = page.headers.get('etag') ?? '';
    const same = await service.api('/', { token: null, headers: { accept: 'text/html', 'if-none-match': tag } });
    expect(same.status).toBe(304);
  });

  test('dashboard paths: answer 404 to API clients and outside the assets', async () => {
    await expectRefusal(await service.api('/jobs/1', { headers: { accept: 'application/json' } }), 404, 'not_found');
    await expectRefusal(await service.api('/assets/..%2f..%2fpackage.json', { token: null }), 404, 'not_found');
  });

  test('GET /session: reports the org of a bearer token, without an end', async () => {
    expect(await service.ok('/session')).toMatchObject({ org: 'default', expiresAt: null });
  });
});

test('GET /login and POST /session: answer 429 after too many attempts', async () => {
  const codes = Array.from({ length: 40 }, () => other.api('/login?code=guess', { token: null }));
  const statuses = (await Promise.all(codes)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([403]));
  const response = await other.api('/session', { token: null, headers: dashboard, json: { token: other.token } });
  await expectRefusal(response, 429, 'rate_limited');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(other.stderr).toContain('too many tries');
  // A token in a header has a limit of its own.
  expect((await other.api('/crawler/jobs')).status).toBe(200);
});
