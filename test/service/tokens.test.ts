// GET, POST and DELETE of /org/tokens.
//
// What real operators and clients do: rotate a token by creating one and revoking the other; revoke the token that they use;
// give a colleague less than they have; and try to get more than they have, for longer, or in another org.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { tokensPerOrgMax } from '../../src/jobs/manage-tokens.ts';
import { expectProblem } from './expect-problem.ts';
import { type NewToken, type RawAnswer, startService, type TestService } from './start-service.ts';

interface Token {
  readonly id: string;
  readonly org: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}
interface Created extends Token {
  readonly token: string;
}
interface Tokens {
  readonly data: readonly Token[];
  readonly cursor?: string;
}

let service: TestService;
/** Manages the tokens of the org `acme`. */
let manager: NewToken;

beforeAll(async () => {
  service = await startService();
  manager = await service.createToken({ org: 'acme', permissions: 'read,write,tokens' });
});
afterAll(() => service.close());

const post = (json: unknown, token = manager.token): Promise<RawAnswer> =>
  service.raw('/org/tokens', {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
async function create(json: unknown, token = manager.token): Promise<Created> {
  const answer = await post(json, token);
  expect(answer.status, answer.body.toString()).toBe(200);
  expect(answer.headers['cache-control']).toContain('no-store');
  return JSON.parse(answer.body.toString()) as Created;
}
const list = (query = '', token = manager.token): Promise<Tokens> => service.ok(`/org/tokens${query}`, { token });
const revoke = (id: string, token = manager.token): Promise<RawAnswer> =>
  service.raw(`/org/tokens/${id}`, { method: 'DELETE', token });

describe('life of a token', () => {
  test('/org/tokens: creates a token that works, lists it without its secret, and revokes it at once', async () => {
    const before = Date.now();
    const { token, ...shown } = await create({ name: ' search pipeline ', permissions: ['read'], expires_in: 3_600 });
    expect(token).toMatch(/^hr_[\w-]{43}[0-9a-f]{8}$/);
    expect(shown).toMatchObject({ org: 'acme', name: 'search pipeline', permissions: ['read'], revokedAt: null });
    expect(shown.expiresAt! - before).toBeGreaterThanOrEqual(3_600_000);
    expect(await service.ok('/session', { token })).toMatchObject({ org: 'acme', permissions: ['read'] });
    const listed = await list();
    expect(listed.data[0]).toEqual(shown);
    expect(JSON.stringify(listed)).not.toContain(token);
    expect((await revoke(shown.id)).status).toBe(204);
    expect((await revoke(shown.id)).status).toBe(204);
    expectProblem(await service.raw('/crawler/jobs', { token }), 401, 'invalid_token');
    expect((await list()).data.find(({ id }) => id === shown.id)?.revokedAt).toBeGreaterThanOrEqual(before);
  });

  test('POST /org/tokens: gives read and write without expiry by default', async () => {
    expect(await create({})).toMatchObject({ name: '', permissions: ['read', 'write'], expiresAt: null });
  });

  test('DELETE /org/tokens/{token}: ends the sessions that were opened with the token', async () => {
    const { id, token } = await create({ name: 'browser' });
    const signedIn = await service.api('/session', {
      method: 'POST',
      token: null,
      json: { token },
      headers: { 'x-hayrake-ui': '1' },
    });
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const open = () => service.api('/crawler/jobs', { token: null, headers: { cookie } });
    expect((await open()).status).toBe(200);
    expect((await revoke(id)).status).toBe(204);
    expect((await open()).status).toBe(401);
  });

  test('DELETE /org/tokens/{token}: lets a token revoke itself', async () => {
    const own = await create({ permissions: ['read', 'tokens'] });
    expect((await revoke(own.id, own.token)).status).toBe(204);
    expectProblem(await service.raw('/org/tokens', { token: own.token }), 401, 'invalid_token');
  });
});

describe('limits of what a token can grant', () => {
  test.each(['read,write', 'metrics', 'read,write,ignore_robots,high_priority,metrics'])(
    '/org/tokens: answers 403 when the token has only %s',
    async (permissions) => {
      const { token, id } = await service.createToken({ org: 'acme', permissions });
      expectProblem(await service.raw('/org/tokens', { token }), 403, 'permission_denied');
      expectProblem(await post({}, token), 403, 'permission_denied');
      expectProblem(await revoke(id, token), 403, 'permission_denied');
    },
  );

  test.each([
    ['another org', { org: 'default' }],
    ['a permission that the caller lacks', { permissions: ['read', 'ignore_robots'] }],
    [
      'all permissions',
      { permissions: ['read', 'write', 'ignore_robots', 'high_priority', 'proxy', 'metrics', 'tokens', 'operate'] },
    ],
  ])('POST /org/tokens: refuses a token for %s with 403', async (_name, json) => {
    expectProblem(await post(json), 403, 'permission_denied');
  });

  test("POST /org/tokens: creates none that lives longer than the caller's token", async () => {
    const brief = await create({ permissions: ['read', 'tokens'], expires_in: 600 });
    expectProblem(await post({ permissions: ['read'], expires_in: 6_000 }, brief.token), 403, 'permission_denied');
    const heir = await create({ permissions: ['read'] }, brief.token);
    expect(heir.expiresAt).toBe(brief.expiresAt);
  });

  test('/org/tokens: hides the tokens of another org', async () => {
    const stranger = await service.createToken({ org: 'elsewhere', permissions: 'read,tokens' });
    expect((await list('', stranger.token)).data.map(({ org }) => org)).toEqual(['elsewhere']);
    expectProblem(await revoke(manager.id, stranger.token), 404, 'token_not_found');
    expectProblem(await service.raw('/org/tokens?org=acme', { token: stranger.token }), 403, 'permission_denied');
    const { cursor } = await list('?limit=1');
    expectProblem(await service.raw(`/org/tokens?cursor=${cursor!}`, { token: stranger.token }), 400, 'invalid_cursor');
  });

  test('/org/tokens: lets the token of the operator manage all orgs', async () => {
    const made = await create({ org: 'newcomers', permissions: ['metrics'] }, service.token);
    expect(made).toMatchObject({ org: 'newcomers', permissions: ['metrics'] });
    expect((await list('?org=newcomers', service.token)).data.map(({ id }) => id)).toEqual([made.id]);
    expect(new Set((await list('', service.token)).data.map(({ org }) => org)).size).toBeGreaterThan(1);
    expect((await revoke(made.id, service.token)).status).toBe(204);
  });
});

describe('list of tokens', () => {
  test('GET /org/tokens: lists each token once over its pages, newest first', async () => {
    const { data: all } = await list();
    const found: string[] = [];
    for (let query = '?limit=2'; ;) {
      const { data, cursor } = await list(query);
      found.push(...data.map(({ id }) => id));
      if (cursor === undefined) break;
      query = `?limit=2&cursor=${cursor}`;
    }
    expect(found).toEqual(all.map(({ id }) => id));
    expect(all.map(({ createdAt }) => createdAt)).toEqual(
      all.map(({ createdAt }) => createdAt).toSorted((a, b) => b - a),
    );
  });
});

describe('bad input', () => {
  test.each<[string, unknown, number, ErrorCode]>([
    ['an unknown field', { scope: 'all' }, 400, 'invalid_body'],
    ['an empty list of permissions', { permissions: [] }, 400, 'invalid_body'],
    ['an unknown permission', { permissions: ['root'] }, 400, 'invalid_body'],
    ['a long name', { name: 'x'.repeat(101) }, 400, 'invalid_body'],
    ['a name that moves the cursor of a terminal', { name: '\u001b[2J' }, 400, 'invalid_body'],
    ['a name that reverses text', { name: 'a\u202eb' }, 400, 'invalid_body'],
    ['an org with a space', { org: 'a b' }, 400, 'invalid_body'],
    ['a lifetime of 0', { expires_in: 0 }, 400, 'invalid_body'],
    ['a lifetime of a century', { expires_in: 4_000_000_000 }, 400, 'invalid_body'],
    ['a list as body', [], 400, 'invalid_body'],
  ])('POST /org/tokens: refuses %s (%i %s)', async (_name, json, status, code) => {
    expectProblem(await post(json), status, code);
  });

  test.each(['nope', 't_000000000000', '%00', 'x'.repeat(5_000), "'--"])(
    'DELETE /org/tokens/{token}: answers 404 when the id is %s',
    async (id) => {
      expectProblem(await revoke(id), 404, 'token_not_found');
    },
  );

  test('POST /org/tokens: answers 429 when the org has as many tokens as it can have', async () => {
    const crowd = await service.createToken({ org: 'crowd', permissions: 'read,tokens' });
    for (let made = 1; made < tokensPerOrgMax; made++) await create({ permissions: ['read'] }, crowd.token);
    expectProblem(await post({ permissions: ['read'] }, crowd.token), 429, 'too_many_tokens');
    const [newest] = (await list('?limit=1', crowd.token)).data;
    expect((await revoke(newest!.id, crowd.token)).status).toBe(204);
    await create({ permissions: ['read'] }, crowd.token);
  });
});

test('hayrake token list: shows the name of a token', async () => {
  const { code } = await service.run(['token', 'create', '--org', 'named', '--name', 'nightly "export"']);
  expect(code).toBe(0);
  expect((await service.run(['token', 'list'])).stdout).toContain('"nightly \\"export\\""');
  expect((await service.run(['token', 'create', '--name', '\u001b[2J'])).code).toBe(2);
});
