// Whatever is sent, the answer is a 4xx problem that says what to change; never a 500, and the service stays up.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { expectProblem } from './expect-problem.ts';
import { type NewToken, type RawAnswer, type RawInit, startService, type TestService } from './start-service.ts';
import { numberedPages, startTestSite, type TestSite } from './test-site.ts';

let site: TestSite;
let service: TestService;
/** As it is out of the box: no private address may be crawled. */
let strict: TestService;
let stranger: NewToken;
let jobId = '';
/** Takes ten seconds, so it is begun first and looked at last. */
let slowHeaders: Promise<RawAnswer>;

beforeAll(async () => {
  site = await startTestSite(numberedPages(2));
  [service, strict] = await Promise.all([startService(), startService({ env: { HAYRAKE_ALLOW_PRIVATE: undefined } })]);
  slowHeaders = exchange('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  stranger = await service.createToken({ org: 'elsewhere' });
  jobId = (await service.crawl({ urls: [`${site.origin}/`] })).id;
});

afterEach(async () => {
  for (const each of [service, strict]) {
    const answer = await each.raw('/healthz', { token: null });
    if (answer.status !== 200 || each.stderr !== '') throw new Error(`the service is not well: ${each.stderr}`);
  }
});

afterAll(async () => {
  await Promise.all([service.close(), strict.close()]);
  await site.close();
});

const json = { 'content-type': 'application/json' };
const url = (): string => `${site.origin}/`;

describe('bodies that are nearly right', () => {
  const post = (body: object): RawInit => ({ method: 'POST', headers: json, body: JSON.stringify(body) });

  test.each([
    [{ url: 'https://a.example', pageLimit: 3 }, '`url`: There is no such field; here it is `urls`.', 'page_limit'],
    [{ urls: [], maxDepth: 1, limit: 2 }, '`maxDepth`: There is no such field; here it is `max_depth`.', 'page_limit'],
    [{ urls: [], nothingSuch: 1 }, '`nothingSuch`: There is no such field.', 'list of 1 to 1,000 URLs'],
  ])('%j: says what the field is called here', async (body, first, other) => {
    const { message, errors } = expectProblem(await service.raw('/crawler/jobs', post(body)), 400, 'invalid_body');
    expect(message).toContain(first);
    expect(JSON.stringify(errors)).toContain(other);
  });

  test('a text in the place of a list is a list of one', async () => {
    const { status, body } = await service.raw(
      '/crawler/jobs',
      post({ urls: url(), include_globs: '/pages/**', page_limit: 1 }),
    );
    expect(status).toBe(200);
    expect(JSON.parse(String(body))).toMatchObject({ urls: [url()], include_globs: ['/pages/**'] });
  });

  test('an own address: names the setting that opens it, and no query that was sent', async () => {
    const answer = await strict.raw('/crawler/jobs?token=SECRET', post({ urls: ['http://127.0.0.1/'] }));
    expect(String(answer.body)).not.toContain('SECRET');
    const { message } = expectProblem(
      await strict.raw('/crawler/jobs', post({ urls: ['http://127.0.0.1/'] })),
      400,
      'destination_not_allowed',
    );
    expect(message).toContain('--allow-private');
  });
});

describe('bodies that are not jobs', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

  test.each<[string, string | Buffer]>([
    ['empty', ''],
    ['white space', ' \n\t '],
    ['null', 'null'],
    ['a list', '[]'],
    ['a string', '"urls"'],
    ['a number', '1'],
    ['an empty object', '{}'],
    ['not JSON', 'urls=http://example.com/'],
    ['a trailing comma', '{"urls":["http://example.com/"],}'],
    ['single quotes', "{'urls':['http://example.com/']}"],
    ['a truncated document', '{"urls":["http://exam'],
    ['two documents', '{"urls":["http://example.com/"]} {}'],
    ['NaN', '{"urls":["http://example.com/"],"page_limit":NaN}'],
    ['1e999', '{"urls":["http://example.com/"],"page_limit":1e999}'],
    ['-0.5', '{"urls":["http://example.com/"],"page_limit":-0.5}'],
    ['a byte order mark', '\uFEFF{"urls":["http://example.com/"]}'],
    ['UTF-16', Buffer.from('{"urls":["http://example.com/"]}', 'utf16le')],
    ['UTF-16 with a byte order mark', Buffer.from('\uFEFF{"urls":["http://example.com/"]}', 'utf16le')],
    ['broken UTF-8', Buffer.from([...Buffer.from('{"urls":["http://example.com/'), 0xff, 0xc0, ...Buffer.from('"]}')])],
    ['gzip', gzipSync('{"urls":["http://example.com/"]}')],
    ['binary', Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index * 7) % 256))],
    ['a NUL', '{"urls":["http://example.com/"]}\0'],
    ['100,000 opening brackets', '['.repeat(100_000)],
    ['arrays nested 100,000 deep', nested(100_000)],
    ['a URL nested 100,000 deep', `{"urls":${nested(100_000)}}`],
    ['a header nested 100,000 deep', `{"urls":["http://example.com/"],"headers":${nested(100_000)}}`],
    ['an unknown field nested 100,000 deep', `{"urls":["http://example.com/"],"deep":${nested(100_000)}}`],
    ['objects nested 100,000 deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['duplicate fields', '{"urls":["http://example.com/"],"urls":["http://example.org/"]}'],
    ['duplicate fields in another spelling', '{"urls":["http://example.com/"],"\\u0075rls":["http://example.org/"]}'],
    ['__proto__', '{"urls":["http://example.com/"],"__proto__":{"page_limit":1}}'],
    ['__proto__ in another spelling', '{"urls":["http://example.com/"],"\\u005f_proto__":{"page_limit":1}}'],
    ['constructor.prototype', '{"urls":["http://example.com/"],"constructor":{"prototype":{"page_limit":1}}}'],
    ['toString', '{"urls":["http://example.com/"],"toString":1,"hasOwnProperty":2}'],
    ['an unknown field with an empty name', '{"urls":["http://example.com/"],"":1}'],
    ['a lone surrogate', '{"urls":["http://example.com/"],"\\ud800":1}'],
    ['70,000 unknown fields', `{${Array.from({ length: 70_000 }, (_, index) => `"${index * 64}":1`).join(',')}}`],
    ['500,001 wrong URLs', `{"urls":[${'1,'.repeat(500_000)}1]}`],
  ])('POST /crawler/jobs: refuses a body that is or has %s with 400', async (_name, body) => {
    const problem = expectProblem(await post(body), 400);
    expect(problem.code).toBe('invalid_body');
    expect(JSON.stringify(problem).length).toBeLessThan(20_000);
  });

  test('POST /crawler/jobs: names the unknown field, the duplicate field or the JSON error in its 400', async () => {
    const detailOf = async (body: string): Promise<string> =>
      expectProblem(await post(body), 400, 'invalid_body').detail;
    expect(await detailOf('{"urls":["http://example.com/"],"__proto__":1}')).toContain('__proto__');
    expect(await detailOf('{"urls":["http://example.com/"],"constructor":1}')).toContain('constructor');
    expect(await detailOf('{"a":{"b":1,"c":[{"b":2}]},"b":3,"b":4}')).toContain('`b`');
    expect(await detailOf('{"urls":[')).toContain('JSON');
  });

  test('POST /crawler/jobs: accepts one field name in different objects, and any characters in strings', async () => {
    const body = `{"urls":["${url()}"],"link_crawling":{"urls":{"urls":1},"\\"}{":"\\\\"},"exclude_globs":["{\\"urls\\":1,","\\\\"],"max_depth":0}`;
    expect((await post(body)).status).toBe(200);
  });

  test.each([
    ['1 MiB and one byte', 'x'.repeat(2 ** 20 + 1), {}],
    ['10 MB, chunked', 'x'.repeat(10_000_000), { 'transfer-encoding': 'chunked' }],
  ])('POST /crawler/jobs: answers 413 when the body has %s', async (_name, body, headers) => {
    expectProblem(await post(body, { ...json, ...headers }), 413, 'body_too_large');
  });

  test('POST /crawler/jobs: accepts a body of exactly 1 MiB', async () => {
    const start = `{"urls":["${url()}"],"max_depth":0}`;
    expect((await post(start.padEnd(2 ** 20))).status).toBe(200);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/xml',
    'json',
    ';',
    '',
  ])('POST /crawler/jobs: answers 415 when the Content-Type is %j', async (type) => {
    expectProblem(await post(`{"urls":["${url()}"]}`, { 'content-type': type }), 415, 'unsupported_media_type');
  });

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'application/json; charset=iso-8859-1',
  ])('POST /crawler/jobs: accepts the Content-Type %j', async (type) => {
    expect((await post(`{"urls":["${url()}"],"max_depth":0}`, { 'content-type': type })).status).toBe(200);
  });
});

describe('fields of a job', () => {
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    urls: [
      null,
      {},
      [],
      [1],
      [null],
      [['http://example.com/']],
      Array.from({ length: 1_001 }, () => 'http://example.com/'),
    ],
    output_format: [null, 'pdf', 'Markdown', '', 1, ['text'], {}],
    exclude_globs: [null, [1], [''], ['x'.repeat(513)], ['\ud800'], Array.from({ length: 101 }, () => '*'), {}],
    deliver_globs: [null, [1], [''], ['x'.repeat(513)]],
    include_globs: [null, [1], [''], ['x'.repeat(10_240)], Array.from({ length: 1_000 }, () => '*'), {}],
    exclude_elements: [
      null,
      1,
      ['nav'],
      '[',
      'a[',
      ':nope(',
      'a:::b',
      'nav,,footer',
      ',',
      ':not(',
      'a{}',
      'x'.repeat(4_097),
      ':is('.repeat(1_000),
      ':unknown-thing',
    ],
    include_elements: [null, 1, ['main'], '[', 'a:::b', ':not(', 'x'.repeat(4_097), ':is('.repeat(1_000)],
    content: [null, 'main', '', true, 1],
    output_expiry: [59, -1, 0, 315_360_001, 1e12, 60.5, '60', [], {}, true],
    min_length: [null, -1, 0.5, '0', 1e12, true],
    page_limit: [null, 0, -1, 10_000_001, 1e12, 0.5, '10', true, [], {}],
    fetch_limit: [null, 0, -1, 100_000_001, 1.5, '1'],
    host_delay_ms: [-1, 60_001, 0.5, '100', false, [], 1e308],
    host_concurrency: [0, -1, 1_001, 1.5, '2', true, {}],
    unreachable_seconds: [0, -1, 86_401, 1.5, '20', true, {}],
    max_depth: [-1, 1_001, 1e9, 0.5, '1', true, []],
    force_crawling_mode: ['both', '', 1, true, []],
    scope: [null, 'site', 1, true, []],
    follow_nofollow: [null, 'true', 1],
    trap_detection: [null, 'false', 0],
    confirm_runs: [0, 31, 1.5, '2', null],
    trust_lastmod: [null, 'true', 1],
    priority: [null, 'highest', 1, ''],
    use_browser: [null, 'true', 'yes', 1, []],
    wait_for: [-1, 20_001, 1.5, true, [], 'a[', 'x'.repeat(1_025), '20001'],
    screenshot: ['', 'png', true, 1, [], { format: 'gif' }, { full_page: 1 }, { fullPage: true }, { format: null }],
    block_resources: [null, 'true', 1],
    include_linked_files: [null, 'true', 1],
    respect_robots: [null, 'true', 1],
    insecure_tls: [null, 'true', 1],
    keep_cookies: [null, 'true', 1],
    webhook_url: [
      1,
      {},
      true,
      '',
      'http://example.com/',
      'https://a:b@example.com/',
      `https://example.com/${'x'.repeat(2_048)}`,
    ],
    headers: [1, [], 'a: b', { 'x-a': 1 }],
    cookies: [1, [], 'a=b', { a: null }],
  };

  test.each(Object.entries(wrong).flatMap(([field, values]) => values.map((value) => [field, value] as const)))(
    'POST /crawler/jobs: refuses %s: %j with 400 and names the field',
    async (field, value) => {
      const problem = expectProblem(await postJob({ urls: [url()], [field]: value }), 400);
      expect(problem.detail).toContain(field);
      expect(problem.errors?.[0]?.field).toMatch(new RegExp(`^${field}(\\[\\d+\\]|\\.[\\w-]+)*$`));
    },
  );

  test('POST /crawler/jobs: names all fields that are wrong', async () => {
    const { errors, detail } = expectProblem(
      await postJob({ urls: [], page_limit: 0, content: 'x', foo: 1 }),
      400,
      'invalid_body',
    );
    expect(errors?.map(({ field }) => field).toSorted()).toEqual(['content', 'foo', 'page_limit', 'urls']);
    expect(detail).toContain('3 more');
  });

  test.each([
    ['a glob that backtracks in other engines', { exclude_globs: ['*a*a*a*a*a*a*b'] }],
    ['a hundred globs', { exclude_globs: Array.from({ length: 100 }, () => `${'**/'.repeat(100)}x`) }],
    ['literal brackets and braces in a glob', { include_globs: ['[', '{a,{b,{c', '+(a|aa)'] }],
    ['exclude_elements of the full length', { exclude_elements: 'a,'.repeat(2_047) + 'a' }],
    ['include_elements of the full length', { include_elements: 'p,'.repeat(2_047) + 'p' }],
    ['a deeply nested include_elements', { include_elements: `${':not('.repeat(600)}a${')'.repeat(600)}` }],
    ['a deeply nested exclude_elements', { exclude_elements: `${':not('.repeat(600)}a${')'.repeat(600)}` }],
  ])('POST /crawler/jobs: accepts %s, and the job succeeds', async (_name, fields) => {
    const { id } = await service.createJob({ urls: [url()], ...fields });
    expect((await service.untilEnded(id)).status).toBe('succeeded');
  });
});

describe('URLs', () => {
  test.each([
    '',
    ' ',
    '/path',
    '//example.com/',
    'http://',
    'http:///',
    'https:example.com',
    'http:/example.com',
    '#top',
    '?q',
    'http://example.com:99999/',
    'http://exa mple.com/',
    'http://example.com/a b',
    'http://[::1',
    'http://%00/',
    'http://a\u0000b/',
    'http://example.com/\r\nHost: x',
    'http://10.0.0.9\\@example.com/',
    'http:\\\\example.com',
    'http://user@example.com/',
    'http://user:pw@example.com/',
    'http://:@example.com/',
    'http://[fe80::1%25eth0]/',
    `http://example.com/${'a'.repeat(8_192)}`,
    'file:///etc/passwd',
    ' FILE:///etc/passwd',
    'file:/etc/passwd',
    'source:file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'dict://example.com/',
    'ldap://example.com/',
    'data:text/html,x',
    'javascript:alert(1)',
    'blob:http://example.com/x',
    'view-source:http://example.com/',
    'chrome://version',
    'about:blank',
    'ws://example.com/',
    'jar:http://example.com/!/',
  ])('POST /crawler/jobs: refuses the URL %j with 400 and names its place', async (bad) => {
    const { detail, errors } = expectProblem(await postJob({ urls: [url(), bad] }), 400, 'invalid_body');
    expect(detail).toMatch(/^`urls\[1\]`: (The|Only)/);
    expect(errors).toHaveLength(1);
  });

  test('POST /crawler/jobs: answers 413 when a URL has two million characters', async () => {
    expectProblem(await postJob({ urls: [`http://example.com/${'a'.repeat(2_000_000)}`] }), 413, 'body_too_large');
  });

  const loopback = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '127。0。0。1',
    '１２７.0.0.1',
    '127.255.255.254',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'x.localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '%31%32%37.0.0.1',
  ];
  const elsewhere = [
    '0',
    '0.0.0.0',
    '10.0.0.9',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.2.1',
    '192.168.0.9',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::7f00:1]',
    '[2001::1]',
    '[fec0::1]',
    '[fe80::1]',
    '[ff02::1]',
    '[100::1]',
    '[5f00::1]',
    '[fd00:ec2::254]',
    '[fc00::1]',
    'metadata',
    'metadata.google.internal',
    'printer.local',
    'db.internal',
  ];

  test.each([...loopback, ...elsewhere])(
    'POST /crawler/jobs: refuses http://%s/ when private addresses are not allowed',
    async (host) => {
      const { detail } = expectProblem(
        await postJob({ urls: [`http://${host}/`] }, strict),
        400,
        'destination_not_allowed',
      );
      expect(detail).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
    },
  );

  test('POST /crawler/jobs: refuses all private addresses with the same words', async () => {
    const details = new Set<string>();
    for (const host of [...loopback, ...elsewhere]) {
      details.add(expectProblem(await postJob({ urls: [`http://${host}/`] }, strict), 400).detail);
    }
    expect(details.size).toBe(1);
  });

  test.each([22, 25, 6379, 9222, 1, 65_535])('POST /crawler/jobs: refuses port %i of a public host', async (port) => {
    expectProblem(await postJob({ urls: [`http://example.com:${port}/`] }, strict), 400, 'destination_not_allowed');
  });

  test('POST /crawler/jobs: refuses the port of the service itself, also when the network is allowed', async () => {
    for (const host of ['127.0.0.1', 'localhost', '127.1']) {
      expectProblem(await postJob({ urls: [`http://${host}:${service.port}/`] }), 400, 'destination_not_allowed');
    }
  });
});

describe('query parameters of lists', () => {
  const lists = (): readonly string[] => [
    '/crawler/jobs',
    ...['urls', 'data', 'meta'].map((name) => `/crawler/jobs/${jobId}/${name}`),
  ];

  test.each<[string, ErrorCode]>([
    ['limit=0', 'invalid_parameter'],
    ['limit=-1', 'invalid_parameter'],
    ['limit=1e9', 'invalid_parameter'],
    ['limit=NaN', 'invalid_parameter'],
    ['limit=1&limit=2', 'invalid_parameter'],
    ['limit=%00', 'invalid_parameter'],
    ['limit=%ff', 'invalid_parameter'],
    ['cursor=x', 'invalid_cursor'],
    ['cursor=-1', 'invalid_cursor'],
    ['cursor=%00', 'invalid_cursor'],
    ['cursor=%zz', 'invalid_cursor'],
    ["cursor=';DROP TABLE job;--", 'invalid_cursor'],
    [`cursor=${'A'.repeat(10_240)}`, 'invalid_cursor'],
    ['cursor=a&cursor=b', 'invalid_parameter'],
  ])('lists of the API: refuse the query %s with 400', async (query, code) => {
    for (const path of lists()) expectProblem(await service.raw(`${path}?${query.replaceAll(' ', '%20')}`), 400, code);
  });

  test.each([
    ['/crawler/jobs', 'status=done'],
    ['/crawler/jobs', 'status=failed&status=failed'],
    ['urls', 'status=running'],
    ['urls', 'status=%00'],
    ['urls', 'reason=a&reason=b'],
  ])('list %s: refuses the query %s with 400', async (path, query) => {
    const full = path.startsWith('/') ? path : `/crawler/jobs/${jobId}/${path}`;
    expectProblem(await service.raw(`${full}?${query}`), 400, 'invalid_parameter');
  });

  test.each(['__proto__=1', 'constructor=1', 'limit[]=0', 'a'.repeat(8_000), '&&&===', '%', '%zz=%zz', '?x=?'])(
    'lists of the API: refuse the unknown parameter %s, except /data and /meta, which ignore it',
    async (query) => {
      const answers = await Promise.all(lists().map((path) => service.raw(`${path}?${query}`)));
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 200, 200]);
      for (const answer of answers.slice(0, 2)) expectProblem(answer, 400, 'invalid_parameter');
    },
  );
});

describe('every route of the OpenAPI document', () => {
  interface Route {
    readonly method: string;
    readonly path: string;
    /** Parameters without which the request is wrong anyway. */
    readonly query: string;
    readonly isPublic: boolean;
  }
  interface Operation {
    readonly security?: readonly unknown[];
    readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[];
  }
  const needed: Readonly<Record<string, string>> = {
    q: 'hay',
    format: 'jsonl',
    url: 'https://site.example/',
  };
  const routes: Route[] = [];
  beforeAll(async () => {
    const { paths } = await service.ok<{ paths: Record<string, Record<string, Operation>> }>('/openapi.json');
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { security, parameters = [] }] of Object.entries(operations)) {
        const query = parameters
          .filter((parameter) => parameter.in === 'query' && parameter.required === true)
          .map(({ name }) => `${name}=${needed[name] ?? ''}`)
          .join('&');
        const route = path.replace('{page}', '1');
        routes.push({ method: method.toUpperCase(), path: route, query, isPublic: security?.length === 0 });
      }
    }
    if (routes.length < 11) throw new Error(`only ${routes.length} routes are documented`);
  });
  const guarded = (): Route[] => routes.filter(({ isPublic }) => !isPublic);
  const ofJobs = (): Route[] => routes.filter(({ path }) => path.startsWith('/crawler/jobs/{id}'));
  const send = (
    { method, path, query }: Route,
    id: string,
    { to = service, ...init }: RawInit & { readonly to?: TestService } = {},
  ): Promise<RawAnswer> =>
    to.raw(`${path.replace('{id}', id)}${query === '' ? '' : '?'}${query}`, {
      method,
      // The only route whose body is required, and is checked before the job is looked for.
      ...(method === 'PATCH' && { body: '{"output_expiry":null}', headers: { 'content-type': 'application/json' } }),
      ...init,
    });

  let addresses = 0;

  test.each<[string, RawInit, ErrorCode]>([
    ['without a token', { token: null }, 'unauthorized'],
    ['with a wrong token', { token: 'wrong' }, 'invalid_token'],
    ['with another authentication scheme', { headers: { authorization: 'Basic eDp5' } }, 'unauthorized'],
    ['with two tokens', { headers: { authorization: ['Bearer a', 'Bearer b'] } }, 'unauthorized'],
    ['with a token of 10 KB', { token: 'x'.repeat(10_240) }, 'invalid_token'],
  ])('every guarded route: answers 401 before any other check when the request comes %s', async (_, init, code) => {
    // A service takes 300 wrong tokens of an address in a minute.
    const from = `127.0.1.${++addresses}`;
    for (const route of guarded()) {
      for (const id of [jobId, 'x', '%zz']) {
        const answer = await send(route, id, { from, ...init, ...(route.method === 'POST' && { body: 'x' }) });
        expectProblem(answer, 401, code);
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
      }
    }
  });

  test('every route of a job: answers 404 to the token of another org and leaves the job unchanged', async () => {
    const earlier = await service.job(jobId);
    for (const route of ofJobs())
      expectProblem(await send(route, jobId, { token: stranger.token }), 404, 'job_not_found');
    expect(await service.job(jobId)).toEqual(earlier);
  });

  test.each([
    '0',
    '-1',
    'null',
    'undefined',
    '7'.repeat(26),
    '7'.repeat(27),
    'a'.repeat(12_000),
    '%00',
    '%zz',
    '%ff',
    '%E0%A4%A',
    '..',
    '%2e%2e',
    'a%2Fb',
    "'--",
    '🌾',
    '*',
    '{id}',
  ])('every route of a job: answers 404 when the id is %s', async (id) => {
    for (const route of ofJobs()) {
      const answer = await send(route, id === '🌾' ? encodeURIComponent(id) : id);
      // A path with `..` in it is sent as it is.
      expectProblem(answer, 404, id === '..' || id === '%2e%2e' ? undefined : 'job_not_found');
    }
  });

  test('every route: answers 405 and names the allowed methods when the method is another', async () => {
    for (const { path } of routes) {
      const isThis = (route: Route): boolean =>
        new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.replace('{id}', jobId));
      const known = new Set(routes.filter(isThis).map(({ method }) => method));
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE']) {
        if (known.has(method)) continue;
        const answer = await service.raw(path.replace('{id}', jobId), { method });
        expect(expectProblem(answer, 405, 'method_not_allowed').detail).toContain(method);
        expect(answer.headers.allow?.split(', ').filter((each) => each !== 'HEAD')).toEqual([...known].toSorted());
      }
    }
  });

  test('GET /crawler/jobs/{id}: ignores X-HTTP-Method-Override', async () => {
    const answer = await service.raw(`/crawler/jobs/${jobId}`, { headers: { 'x-http-method-override': 'DELETE' } });
    expect(answer.status).toBe(200);
    expect((await service.raw(`/crawler/jobs/${jobId}/data`)).status).toBe(200);
  });

  test('every GET route: ignores a body', async () => {
    // The job has no pictures, raw bodies, records and earlier job, there is no schedule, and the reader's path is a URL.
    for (const route of routes.filter(
      ({ method, path }) =>
        method === 'GET' && !/\/(?:screenshot|raw|dropped|extract|diff)$|^\/crawler\/schedules\/|^\/r\//.test(path),
    )) {
      expect((await send(route, jobId, { body: '{', headers: json })).status).toBe(200);
    }
  });
});

describe('unknown paths', () => {
  test.each([
    '/crawler',
    '/crawler/jobs/x/y/z',
    '/%2e%2e/',
    '/..;/',
    '/../../etc/passwd',
    '/CRAWLER/JOBS',
    '/crawler/jobs;a=b',
    '/%',
    '/%zz',
    '/%00',
    '/favicon.ico',
    '/docs/../openapi.json',
    `/${'a'.repeat(12_000)}`,
  ])('HTTP server: answers %s with 404 and names /openapi.json', async (path) => {
    expect(expectProblem(await service.raw(path), 404, 'not_found').detail).toContain('/openapi.json');
  });

  test.each(['/', '//', '///', '*'])(
    'HTTP server: answers %s with the address of the OpenAPI document',
    async (path) => {
      const answer = await service.raw(path);
      expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([
        200,
        expect.objectContaining({ openapi: '/openapi.json' }),
      ]);
    },
  );

  test('HTTP server: answers 431 when the path or a header is longer than 16 KiB', async () => {
    expectProblem(await service.raw(`/${'a'.repeat(20_000)}`), 431, 'headers_too_large');
    expectProblem(
      await service.raw('/healthz', { headers: { 'x-long': 'a'.repeat(20_000) } }),
      431,
      'headers_too_large',
    );
  });
});

describe('malformed HTTP', () => {
  const head = (line: string, ...headers: string[]): string =>
    [line, 'Host: localhost', ...headers, '', ''].join('\r\n');
  const bearer = (): string => `Authorization: Bearer ${service.token}`;

  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['TLS', Buffer.from([0x16, 3, 1, 0, 0xa5, 1, 0, 0, 0xa1, 3, 3, ...Array.from({ length: 64 }, () => 7)])],
    ['a wrong version', 'GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n'],
    ['an unknown method', head('FETCH /healthz HTTP/1.1')],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['two Hosts', head('GET /healthz HTTP/1.1', 'Host: y')],
    ['a space before the colon', head('GET /healthz HTTP/1.1', 'X-A : b')],
    ['a folded header', head('GET /healthz HTTP/1.1', 'X-A: b', ' c')],
    ['a NUL in a header', head('GET /healthz HTTP/1.1', 'X-A: \0')],
    ['a NUL in the path', head('GET /\0 HTTP/1.1')],
    ['a negative Content-Length', head('POST /crawler/jobs HTTP/1.1', 'Content-Length: -1')],
    ['two Content-Lengths', head('POST /crawler/jobs HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2')],
    [
      'Content-Length and chunked',
      head('POST /crawler/jobs HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    ],
    ['chunked twice', head('POST /crawler/jobs HTTP/1.1', 'Transfer-Encoding: chunked, identity')],
    [
      '16 KiB and more of headers',
      head('GET /healthz HTTP/1.1', ...Array.from({ length: 400 }, (_, index) => `X-${index}: ${'a'.repeat(50)}`)),
    ],
  ])('HTTP server: answers %s with a 4xx problem and closes the connection', async (_name, bytes) => {
    const answer = await exchange(bytes);
    expectProblem(answer, answer.status);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  test('POST /crawler/jobs: answers 400 when a chunk has no valid size', async () => {
    const answer = await exchange(
      `${head('POST /crawler/jobs HTTP/1.1', bearer(), 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\n`,
    );
    expectProblem(answer, 400);
  });

  test('POST /crawler/jobs: answers 400 when the body ends before its Content-Length', async () => {
    const request = head(
      'POST /crawler/jobs HTTP/1.1',
      bearer(),
      'Content-Type: application/json',
      'Content-Length: 100',
    );
    expectProblem(await exchange(`${request}{"urls":[`, { halfClose: true }), 400);
  });

  test('POST /crawler/jobs: does not read bytes after its Content-Length as a request', async () => {
    const request = head(
      'POST /crawler/jobs HTTP/1.1',
      bearer(),
      'Content-Type: application/json',
      'Content-Length: 2',
    );
    const { body } = await exchange(`${request}{}GARBAGE\r\n\r\n`);
    expect(body.toString()).toContain('"code":"bad_request"');
  });

  test('HTTP server: answers 408 when headers never end', async () => {
    expectProblem(await slowHeaders, 408, 'request_timeout');
  });

  test('HTTP server: stays up when 1,000 clients reset their connections at once', async () => {
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const socket = connect(service.port, '127.0.0.1');
          await once(socket, 'connect');
          socket.resetAndDestroy();
        }),
      );
    }
    expect((await service.raw('/healthz')).status).toBe(200);
  });

  test('GET /data?wait: stays up when a client goes away while it waits', async () => {
    const held = await startTestSite(numberedPages(1));
    const gate = held.hold('/');
    const { id } = await service.createJob({ urls: [`${held.origin}/`], force_crawling_mode: 'link' });
    await gate.reached;
    for (const accept of ['application/json', 'application/x-ndjson']) {
      const gone = new AbortController();
      const waiting = service
        .api(`/crawler/jobs/${id}/data?wait=60`, { signal: gone.signal, headers: { accept } })
        .then((response) => response.text());
      // Answered after the one that waits was received.
      await service.raw('/healthz');
      gone.abort();
      await expect(waiting).rejects.toThrow('aborted');
    }
    gate.open();
    expect((await service.untilEnded(id)).status).toBe('succeeded');
    await held.close();
  });
});

// --- helpers ---

function post(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = json,
  on = service,
): Promise<RawAnswer> {
  return on.raw('/crawler/jobs', { method: 'POST', headers, body });
}

function postJob(job: unknown, on = service): Promise<RawAnswer> {
  return post(JSON.stringify(job), json, on);
}

/** Sends bytes as they are, and reads the last answer there is until the connection is closed. */
async function exchange(
  bytes: string | Uint8Array,
  options: { readonly halfClose?: boolean } = {},
): Promise<RawAnswer> {
  const socket: Socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  socket.write(bytes);
  if (options.halfClose === true) socket.end();
  const chunks: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
  socket.end();
  const text = Buffer.concat(chunks).toString('latin1');
  const at = [...text.matchAll(/HTTP\/1\.1 \d{3} /g)].at(-1)?.index;
  const [headText = '', ...body] = text.slice(at).split('\r\n\r\n');
  const [statusLine = '', ...lines] = headText.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: Buffer.from(body.join('\r\n\r\n'), 'latin1') };
}
