// What the service accepts besides the exact spelling of a request, and that no spelling passes a check.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { crawlerMarker } from '../../src/core/product-token.ts';
import { expectProblem } from './expect-problem.ts';
import { type NewToken, type RawAnswer, startService, type TestService } from './start-service.ts';
import { numberedPages, startTestSite, type TestSite } from './test-site.ts';

let site: TestSite;
let service: TestService;
let stranger: NewToken;
let jobId = '';

interface Page {
  readonly data: readonly { readonly meta: { readonly page: number } }[];
  readonly cursor?: string;
}

beforeAll(async () => {
  site = await startTestSite(numberedPages(3));
  service = await startService();
  stranger = await service.createToken({ org: 'elsewhere' });
  jobId = (await service.crawl({ urls: [`${site.origin}/`] })).id;
});

afterAll(async () => {
  await service.close();
  await site.close();
});

const bodyOf = (answer: RawAnswer): unknown => JSON.parse(answer.body.toString());

/** Other spellings of a path. */
const spellings = (path: string): readonly string[] => [
  `${path}/`,
  `${path}//`,
  `/${path}`,
  path.replaceAll('/', '//'),
  path.replaceAll('/', '///'),
];

describe('slashes', () => {
  test.each(['', '/data', '/meta', '/urls', '/deliveries'])(
    'GET /crawler/jobs/{id}%s: gives the same response with trailing or doubled slashes',
    async (suffix) => {
      const path = `/crawler/jobs/${jobId}${suffix}`;
      const plain = await service.raw(path);
      expect(plain.status).toBe(200);
      for (const spelling of spellings(path)) {
        const answer = await service.raw(spelling);
        expect.soft(answer.status, spelling).toBe(200);
        expect.soft(answer.body.equals(plain.body), spelling).toBe(true);
        expect.soft(answer.headers.etag, spelling).toBe(plain.headers.etag);
      }
    },
  );

  test.each(['/healthz', '/readyz', '/openapi.json', '/crawler/jobs'])(
    'GET %s: accepts trailing and doubled slashes',
    async (path) => {
      for (const spelling of spellings(path)) expect.soft((await service.raw(spelling)).status, spelling).toBe(200);
    },
  );

  test('POST and DELETE: accept trailing and doubled slashes', async () => {
    const created = await service.raw('/crawler/jobs/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: [`${site.origin}/`], max_depth: 0 }),
    });
    expect(created.status).toBe(200);
    const { id } = bodyOf(created) as { id: string };
    expect(created.headers.location).toBe(`/crawler/jobs/${id}`);
    expect((await service.raw(`//crawler/jobs/${id}//cancel/`, { method: 'POST' })).status).toBe(200);
    expect((await service.raw(`/crawler/jobs/${id}/`, { method: 'DELETE' })).status).toBe(200);
    expectProblem(await service.raw(`/crawler/jobs/${id}/data/`), 410, 'job_data_expired');
  });

  test('HTTP server: keeps the slashes of the query', async () => {
    const { data } = bodyOf(await service.raw(`/crawler//jobs/${jobId}/meta/?limit=2&x=//a//`)) as Page;
    expect(data).toHaveLength(2);
    expectProblem(await service.raw(`/crawler/jobs/?cursor=a//b`), 400, 'invalid_cursor');
  });

  test('GET /data: starts the Link to the next page with one slash when the path has more', async () => {
    for (const path of [`//crawler/jobs/${jobId.toLowerCase()}/data/`, `/crawler///jobs/${jobId}//data`]) {
      const { headers } = await service.raw(`${path}?limit=1`);
      expect(headers['link']).toMatch(
        new RegExp(`^</crawler/jobs/${jobId}/data\\?limit=1&cursor=[\\w-]+>; rel="next"$`),
      );
    }
  });

  test.each(['/crawler/jobs%2F', '/crawler%2Fjobs', '/crawler/./jobs', '/crawler/x/../jobs', '/crawler\\jobs'])(
    'HTTP server: answers the path %s with 404',
    async (path) => void expectProblem(await service.raw(path), 404),
  );
});

describe('checks of other spellings', () => {
  const guarded = (): readonly string[] => [
    '/crawler/jobs',
    `/crawler/jobs/${jobId}`,
    `/crawler/jobs/${jobId}/data`,
    `/crawler/jobs/${jobId.toLowerCase()}/data`,
    '/webhooks/key',
  ];

  test('every guarded path: answers 401 without a token in every spelling', async () => {
    for (const path of guarded().flatMap(spellings)) {
      expectProblem(await service.raw(path, { token: null }), 401, 'unauthorized');
      expect((await service.raw(path, { token: null, method: 'HEAD' })).status).toBe(401);
      expectProblem(await service.raw(path, { token: null, method: 'PATCH' }), 401, 'unauthorized');
    }
  });

  test('GET /crawler/jobs/{id}: answers 404 to another org in every spelling', async () => {
    for (const path of [...spellings(`/crawler/jobs/${jobId}`), `/crawler/jobs/${jobId.toLowerCase()}`])
      expectProblem(await service.raw(path, { token: stranger.token }), 404, 'job_not_found');
  });

  test('every path: answers 403 to a hayrake crawler in every spelling', async () => {
    for (const path of [...guarded(), '/healthz', '/metrics'].flatMap(spellings)) {
      const headers = { 'user-agent': `${crawlerMarker}x` };
      expectProblem(await service.raw(path, { headers }), 403, 'crawler_refused');
    }
  });

  test('problem: names the path as requested in `instance`, without a query, which can have a token', async () => {
    const { instance } = expectProblem(await service.raw('//crawler///jobs/x/data/?limit=1'), 404, 'job_not_found');
    expect(instance).toBe('//crawler///jobs/x/data/');
  });

  test('GET /metrics: counts every spelling under one route, and wrong methods under none', async () => {
    for (const path of spellings('/webhooks/key')) await service.raw(path);
    for (const method of ['PUT', 'PATCH', 'PURGE']) await service.raw('/webhooks/key/', { method });
    const text = (await service.raw('/metrics/')).body.toString();
    const routes = [...text.matchAll(/^hayrake_api_requests_total\{method="(\w+)",route="([^"]+)"/gm)];
    expect(routes.length).toBeGreaterThan(5);
    for (const [, method, route = ''] of routes) {
      expect(route).not.toMatch(/\/\/|.\/$/);
      expect(route === 'none' ? ['any'] : ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']).toContain(method);
    }
  });

  test('HAYRAKE_REQUESTS_PER_MINUTE: counts every spelling and wrong methods', async () => {
    const limited = await startService({ env: { HAYRAKE_REQUESTS_PER_MINUTE: '6' } });
    try {
      for (const path of spellings('/crawler/jobs')) expect((await limited.raw(path)).status).toBe(200);
      expectProblem(await limited.raw('/crawler/jobs', { method: 'PATCH' }), 405, 'method_not_allowed');
      expectProblem(await limited.raw('/crawler//jobs'), 429, 'rate_limited');
      expectProblem(await limited.raw('/crawler/jobs', { method: 'PATCH' }), 429, 'rate_limited');
    } finally {
      await limited.close();
    }
  });
});

describe('job ids in lower case', () => {
  test.each([
    ['GET', ''],
    ['GET', '/data'],
    ['GET', '/meta'],
    ['GET', '/urls'],
    ['GET', '/deliveries'],
    ['POST', '/cancel'],
  ])('%s /crawler/jobs/{id}%s: gives the same response for an id in lower case', async (method, suffix) => {
    const [upper, lower, mixed] = await Promise.all(
      [jobId, jobId.toLowerCase(), jobId.slice(0, 13) + jobId.slice(13).toLowerCase()].map((id) =>
        service.raw(`/crawler/jobs/${id}${suffix}`, { method }),
      ),
    );
    expect(upper!.status).toBe(200);
    for (const other of [lower!, mixed!]) {
      expect(other.status).toBe(200);
      expect(bodyOf(other)).toEqual(bodyOf(upper!));
      expect(other.headers.etag).toBe(upper!.headers.etag);
    }
  });

  test('POST /retry, GET /events and POST /replay: accept an id in lower case', async () => {
    const lower = jobId.toLowerCase();
    expectProblem(await service.raw(`/crawler/jobs/${lower}/retry`, { method: 'POST' }), 409, 'nothing_to_retry');
    expect((await service.raw(`/crawler/jobs/${lower}/events`)).body.toString()).toContain('event: end');
    const replay = `/crawler/jobs/${lower}/deliveries/1/replay`;
    expectProblem(await service.raw(replay, { method: 'POST' }), 404, 'delivery_not_found');
  });

  test('cursor: continues when the id is in lower case', async () => {
    const first = await service.ok<Page>(`/crawler/jobs/${jobId}/meta?limit=1`);
    const next = `/crawler/jobs/${jobId.toLowerCase()}/meta?limit=1&cursor=${first.cursor}`;
    expect((await service.ok<Page>(next)).data.map(({ meta }) => meta.page)).toEqual([2]);
  });
});

describe('cursor=null', () => {
  test.each(['', '/data', '/meta', '/urls', '/deliveries'])(
    'list %s: starts at the first page with cursor=null',
    async (suffix) => {
      const path = suffix === '' ? '/crawler/jobs' : `/crawler/jobs/${jobId}${suffix}`;
      expect(bodyOf(await service.raw(`${path}?cursor=null&limit=null`))).toEqual(bodyOf(await service.raw(path)));
      expectProblem(await service.raw(`${path}?cursor=NULL`), 400, 'invalid_cursor');
      expectProblem(await service.raw(`${path}?cursor=null&cursor=null`), 400, 'invalid_parameter');
    },
  );

  test('GET /events and NDJSON of /meta: start at the first page with cursor=null', async () => {
    const events = await service.raw(`/crawler/jobs/${jobId}/events?cursor=null&text=false`);
    expect(events.body.toString()).toContain('id: 1\n');
    const headers = { accept: 'application/x-ndjson' };
    const lines = await service.raw(`/crawler/jobs/${jobId}/meta?cursor=null`, { headers });
    expect(lines.body.toString().trimEnd().split('\n')).toHaveLength(4);
  });
});

describe('wrong methods', () => {
  test.each([
    ['/crawler/jobs', 'GET, HEAD, POST'],
    ['/crawler/jobs/{id}', 'DELETE, GET, HEAD, PATCH'],
    ['/crawler/jobs/{id}/data', 'GET, HEAD'],
    ['/crawler/jobs/{id}/cancel', 'POST'],
    ['/crawler/jobs/{id}/deliveries/1/replay', 'POST'],
    ['/scraper/scrape', 'POST'],
    ['/healthz', 'GET, HEAD'],
    ['/metrics', 'GET, HEAD'],
  ])('%s: answers a wrong method with 405 and Allow: %s', async (path, allow) => {
    const known = new Set(allow.split(', '));
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY']) {
      if (known.has(method)) continue;
      for (const spelling of [path, `/${path}/`]) {
        const answer = await service.raw(spelling.replace('{id}', jobId), { method });
        const { detail } = expectProblem(answer, 405, 'method_not_allowed');
        expect(answer.headers.allow).toBe(allow);
        expect(detail).toContain(allow);
      }
    }
  });

  test('HEAD /scraper/scrape: answers 405, since there is no GET', async () => {
    const answer = await service.raw('/scraper/scrape', { method: 'HEAD' });
    expect([answer.status, answer.headers.allow, answer.body.length]).toEqual([405, 'POST', 0]);
  });

  test('PUT /crawler/jobs: answers 405 with any body and query', async () => {
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-type': 'application/json' }]) {
      const answer = await service.raw('/crawler/jobs?x=1', { method: 'PUT', headers, body: '{' });
      expectProblem(answer, 405, 'method_not_allowed');
    }
  });

  test('POST /healthz: answers 405 without a token', async () => {
    expectProblem(await service.raw('/healthz', { method: 'POST', token: null }), 405, 'method_not_allowed');
  });

  test('GET /webhooks/key/rotate: answers 405 before 403', async () => {
    const reader = await service.createToken({ org: 'default', permissions: 'read' });
    const metrics = await service.createToken({ org: 'default', permissions: 'metrics' });
    for (const { token } of [reader, metrics])
      expectProblem(await service.raw('/webhooks/key/rotate', { token }), 405, 'method_not_allowed');
  });

  test('unknown paths: answer 404 with any method', async () => {
    for (const method of ['GET', 'PUT', 'OPTIONS'])
      expectProblem(await service.raw('/crawler/jobs/x/y/z', { method }), 404, 'not_found');
  });
});

describe('unknown query parameters', () => {
  test.each([
    ['GET', '/crawler/jobs', 'limit, cursor, status, kind, q'],
    ['GET', '/crawler/jobs/{id}', undefined],
    ['GET', '/crawler/jobs/{id}/urls', 'limit, cursor, status, reason, q, found_on, url, kind, wait'],
    ['GET', '/crawler/jobs/{id}/events', 'cursor, after, text'],
    ['GET', '/crawler/jobs/{id}/deliveries', 'limit, cursor, status'],
    ['POST', '/crawler/jobs/{id}/cancel', undefined],
    ['POST', '/crawler/jobs/{id}/stop', undefined],
    ['POST', '/crawler/jobs/{id}/resume', undefined],
    ['POST', '/crawler/jobs/{id}/retry', undefined],
    ['POST', '/crawler/jobs', undefined],
    ['POST', '/scraper/scrape', undefined],
    ['DELETE', '/crawler/jobs/{id}', undefined],
    ['GET', '/webhooks/key', undefined],
    ['GET', '/openapi.json', undefined],
  ])('%s %s: refuses an unknown parameter with 400 and names it', async (method, path, known) => {
    const answer = await service.raw(`${path.replace('{id}', jobId)}?stauts=failed`, { method });
    const { detail, errors } = expectProblem(answer, 400, 'invalid_parameter');
    expect(errors?.map(({ field }) => field)).toEqual(['stauts']);
    expect(detail).toContain(known === undefined ? 'This request takes no parameters.' : `It takes ${known}.`);
  });

  test('GET /crawler/jobs: names up to 20 unknown parameters, each cut at 100 characters', async () => {
    const { errors } = expectProblem(await service.raw('/crawler/jobs?__proto__=1&constructor&=x&limit[]=0'), 400);
    expect(errors?.map(({ field }) => field)).toEqual(['__proto__', 'constructor', '""', 'limit[]']);
    const many = Array.from({ length: 500 }, (_, index) => `p${index}`).join('&');
    expect(expectProblem(await service.raw(`/crawler/jobs?${many}`), 400).errors).toHaveLength(20);
    const long = expectProblem(await service.raw(`/crawler/jobs?${'a'.repeat(8_000)}`), 400);
    expect(long.errors?.[0]?.field).toHaveLength(100);
  });

  test('GET /crawler/jobs: ignores empty separators in the query', async () => {
    for (const query of ['', '&', '&&&']) expect((await service.raw(`/crawler/jobs?${query}`)).status, query).toBe(200);
  });

  test('GET /crawler/jobs/{id}: checks the token first, then the parameters, then the job', async () => {
    const path = '/crawler/jobs/unknown?x=1';
    expectProblem(await service.raw(path, { token: null }), 401, 'unauthorized');
    expectProblem(await service.raw(path), 400, 'invalid_parameter');
  });

  test('DELETE /crawler/jobs/{id}: deletes nothing when a parameter is unknown', async () => {
    const path = `/crawler/jobs/${jobId}?force=1`;
    expectProblem(await service.raw(path, { method: 'DELETE' }), 400, 'invalid_parameter');
    expect((await service.raw(`/crawler/jobs/${jobId}/data`)).status).toBe(200);
  });

  test.each(['/healthz', '/readyz', '/metrics'])('GET %s: ignores unknown parameters', async (path) => {
    expect((await service.raw(`${path}?_=1`)).status).toBe(200);
  });

  test.each(['data', 'meta'])('GET /%s: ignores unknown parameters', async (kind) => {
    const path = `/crawler/jobs/${jobId}/${kind}`;
    const plain = await service.raw(path);
    const given = await service.raw(`${path}?stauts=failed&_=1`);
    expect([given.status, given.body.equals(plain.body)]).toEqual([200, true]);
  });
});
