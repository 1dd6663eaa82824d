// The two results endpoints, case by case, as docs and clients rely on them. Each `describe` is one row of that list.
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createGunzip, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatNames } from '../../src/export/formats.ts';
import { expectProblem } from './expect-problem.ts';
import { endpoints, readToEnd, type ResultsAnswer, type Row } from './read-results.ts';
import { type NewToken, type RawAnswer, type RawInit, startService, type TestService } from './start-service.ts';
import { htmlPage, numberedPages, startTestSite, type TestSite } from './test-site.ts';

const largeText = 6 * 2 ** 20;

let site: TestSite;
let service: TestService;
let stranger: NewToken;
/** Jobs by how they ended. */
const jobs = { succeeded: '', another: '', failed: '', cancelled: '', empty: '', large: '', expired: '', deleted: '' };
/** A cursor that was given before the service was restarted, and what came with it. */
let before: { readonly cursor: string; readonly rows: readonly Row[] };
const running: TestSite[] = [];

beforeAll(async () => {
  site = await startTestSite({
    ...numberedPages(9),
    '/odd': htmlPage({ text: 'start', links: ['/bare', '/void', '/old', '/described'] }),
    '/bare': '<p>No head, no title.',
    '/void': '',
    '/old': (_request, response) => response.writeHead(301, { location: '/new' }).end(),
    '/new': htmlPage({ title: 'Moved here' }),
    '/described': htmlPage({ title: 'A "quoted" \\ title', description: 'Grüße, 你好 🌾 and \u2028 more' }),
    '/large': htmlPage({ links: ['/large/1', '/large/2', '/large/3', '/large/4'] }),
    ...Object.fromEntries([1, 2, 3, 4].map((n) => [`/large/${n}`, largePage(n)])),
  });
  service = await startService();
  stranger = await service.createToken({ org: 'elsewhere' });
  const { origin } = site;
  const crawl = async (body: Readonly<Record<string, unknown>>): Promise<string> => (await service.crawl(body)).id;
  jobs.succeeded = await crawl({ urls: [`${origin}/`] });
  jobs.another = await crawl({ urls: [`${origin}/odd`] });
  jobs.failed = await crawl({ urls: [`${origin}/missing`] });
  jobs.empty = await crawl({ urls: [`${origin}/`], min_length: 10_000_000, max_depth: 0 });
  const large = {
    urls: [1, 2, 3, 4].map((n) => `${origin}/large/${n}`),
    output_format: 'text',
    content: 'full',
    max_depth: 0,
  };
  jobs.large = (await service.crawlLarge(large, 4)).id;
  jobs.expired = await crawl({ urls: [`${origin}/`], output_expiry: 60 });
  jobs.deleted = await crawl({ urls: [`${origin}/`] });
  await service.ok(`/crawler/jobs/${jobs.deleted}`, { method: 'DELETE' });
  const { id, open } = await startRunningJob();
  jobs.cancelled = id;
  await service.ok(`/crawler/jobs/${id}/cancel`, { method: 'POST' });
  open();

  const first = await get<ResultsAnswer>(`/crawler/jobs/${jobs.succeeded}/data?limit=4`);
  before = { cursor: first.cursor!, rows: first.data };
  await service.stop();
  // A minute is the shortest expiry: let it be over.
  await service.changeDatabase(`UPDATE job SET results_gone_at = ${Date.now() - 1} WHERE id = '${jobs.expired}'`);
  await service.start();
});

afterAll(async () => {
  await service.close();
  await Promise.all([site, ...running].map((each) => each.close()));
});

describe('cursor of a response', () => {
  test.each(endpoints)(
    'GET /%s: gives the cursor in the body under two names and as a Link to the rest',
    async (endpoint) => {
      const answer = await raw(`/crawler/jobs/${jobs.succeeded}/${endpoint}?limit=4`);
      const { data, cursor, nextCursor } = json(answer);
      expect(data).toHaveLength(4);
      expect(cursor).toEqual(expect.any(String));
      expect(nextCursor).toBe(cursor);
      const [, link] = /^<(\/[^>]+)>; rel="next"$/.exec(String(answer.headers['link'])) ?? [];
      const rest = await get<ResultsAnswer>(link!);
      expect(rest.data.map(pageOf)).toEqual([5, 6, 7, 8]);
      expect(rest).toEqual(await get(`/crawler/jobs/${jobs.succeeded}/${endpoint}?limit=4&cursor=${cursor}`));
    },
  );

  test.each(endpoints)('GET /%s: gives no cursor and no Link when nothing remains', async (endpoint) => {
    const answer = await raw(`/crawler/jobs/${jobs.succeeded}/${endpoint}?limit=9`);
    expect(Object.keys(json(answer))).toEqual(['data']);
    expect(answer.headers['link']).toBeUndefined();
  });

  test('GET /meta: keeps the other parameters in the Link header', async () => {
    const answer = await raw(`/crawler/jobs/${jobs.succeeded}/meta?limit=2&wait=7&after=3`);
    const [, link = ''] = /^<([^>]+)>/.exec(String(answer.headers['link'])) ?? [];
    const query = new URL(link, service.origin).searchParams;
    expect(Object.fromEntries(query)).toEqual({ limit: '2', wait: '7', cursor: json(answer).cursor });
  });
});

describe('fields of /meta', () => {
  const rowsOf = async (query: string, headers: Record<string, string> = {}): Promise<readonly unknown[]> => {
    const answer = await raw(`/crawler/jobs/${jobs.succeeded}/meta?${query}`, { headers });
    expect(answer.status).toBe(200);
    const isPacked = answer.headers['content-encoding'] === 'gzip';
    return json({ ...answer, body: isPacked ? gunzipSync(answer.body) : answer.body }).data;
  };

  test.each(['gzip', 'identity'])(
    'GET /meta?fields: returns only these fields of the nested metadata (%s)',
    async (coding) => {
      const whole = await get<{ data: { meta: { meta: Record<string, unknown> } }[] }>(
        `/crawler/jobs/${jobs.succeeded}/meta`,
      );
      const expected = whole.data.map(({ meta }) => ({
        meta: {
          ...meta,
          meta: Object.fromEntries(
            ['title', 'wordCount'].flatMap((name) => (name in meta.meta ? [[name, meta.meta[name]]] : [])),
          ),
        },
      }));
      const headers = { 'accept-encoding': coding };
      expect(await rowsOf('fields=wordCount,%20title,title', headers)).toEqual(expected);
      expect(await rowsOf('fields=productSku', headers)).toEqual(
        expected.map(({ meta }) => ({ meta: { ...meta, meta: {} } })),
      );
      expect(await rowsOf('fields=', headers)).toEqual(whole.data);
      expect(await rowsOf('fields=title,wordCount&limit=3&after=2', headers)).toEqual(expected.slice(2, 5));
      const lines = await raw(`/crawler/jobs/${jobs.succeeded}/meta?fields=title,wordCount`, {
        headers: { ...headers, accept: 'application/x-ndjson' },
      });
      const text = coding === 'gzip' ? gunzipSync(lines.body) : lines.body;
      const rows = text
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
      expect(rows).toEqual([...expected, { end: true, pages: expected.length }]);
    },
  );

  test('GET /meta?fields: keeps `fields` in the Link header and changes the ETag', async () => {
    const answer = await raw(`/crawler/jobs/${jobs.succeeded}/meta?fields=title&limit=2`);
    const other = await raw(`/crawler/jobs/${jobs.succeeded}/meta?limit=2`);
    expect(answer.headers['etag']).not.toBe(other.headers['etag']);
    expect(String(answer.headers['link'])).toContain('fields=title&');
    expect(json(answer).cursor).toBe(json(other).cursor);
  });

  test.each(['fields=title,nonsense', 'fields=,', 'fields=title&fields=title', 'fields=__proto__', 'fields=Title'])(
    'GET /meta: refuses %s with 400 and lists the fields',
    async (query) => {
      const answer = await raw(`/crawler/jobs/${jobs.succeeded}/meta?${query}`);
      expect(expectProblem(answer, 400, 'invalid_parameter').detail).toContain('title, description, language');
    },
  );

  test('GET /data: refuses `fields` with 400 and names /meta', async () => {
    const answer = await raw(`/crawler/jobs/${jobs.succeeded}/data?fields=title`);
    expect(expectProblem(answer, 400, 'invalid_parameter').detail).toContain('`/meta`');
  });
});

describe('properties of a cursor', () => {
  test('cursor: is opaque, at most 128 characters, and needs no escaping', async () => {
    const cursors: string[] = [];
    for (const limit of [1, 2, 8]) {
      const { cursor = '' } = await get<ResultsAnswer>(`/crawler/jobs/${jobs.succeeded}/data?limit=${limit}`);
      expect(cursor).toMatch(/^[\w-]{16,128}$/);
      cursors.push(cursor);
    }
    // Nobody can make one from another: all of it changes with the position.
    expect(new Set(cursors.map((cursor) => cursor.slice(0, 8))).size).toBe(3);
  });

  test('cursor: is valid on both /data and /meta', async () => {
    const { cursor } = await get<ResultsAnswer>(`/crawler/jobs/${jobs.succeeded}/data?limit=3`);
    const meta = await get<ResultsAnswer>(`/crawler/jobs/${jobs.succeeded}/meta?limit=3&cursor=${cursor}`);
    const data = await get<ResultsAnswer>(`/crawler/jobs/${jobs.succeeded}/data?limit=3&cursor=${meta.cursor}`);
    expect([...meta.data, ...data.data].map(pageOf)).toEqual([4, 5, 6, 7, 8, 9]);
    expect(data.cursor).toBeUndefined();
  });

  test.each([1, 2, 5, 400])('cursor: is valid with limit %i when the limit was another before', async (limit) => {
    const { cursor } = await get<ResultsAnswer>(`/crawler/jobs/${jobs.succeeded}/data?limit=3`);
    const { data } = await get<ResultsAnswer>(`/crawler/jobs/${jobs.succeeded}/data?limit=${limit}&cursor=${cursor}`);
    expect(data.map(pageOf)).toEqual([4, 5, 6, 7, 8, 9].slice(0, limit));
  });

  test('cursor: is valid after a restart', async () => {
    const { data } = await get<ResultsAnswer>(`/crawler/jobs/${jobs.succeeded}/data?cursor=${before.cursor}`);
    expect(data.map(pageOf)).toEqual([5, 6, 7, 8, 9]);
    expect(before.rows.map(pageOf)).toEqual([1, 2, 3, 4]);
  });

  test('cursor: gives the same rows again, followed by rows committed since', async () => {
    const job = await startRunningJob();
    const path = `/crawler/jobs/${job.id}/data`;
    const first = await get<ResultsAnswer>(`${path}?limit=1`);
    const early = await get<ResultsAnswer>(`${path}?wait=0&cursor=${first.cursor}`);
    expect(early.data).toEqual([]);
    await job.end();
    const late = await get<ResultsAnswer>(`${path}?cursor=${first.cursor}`);
    expect(late.data.map(pageOf)).toEqual([2]);
    expect(await get<ResultsAnswer>(`${path}?cursor=${early.cursor}`)).toEqual(late);
  });
});

describe('order', () => {
  test.each(endpoints)('GET /%s: returns pages 1, 2, 3, ... without gaps with any limit', async (endpoint) => {
    for (const limit of [1, 2, 3, 8, 9, 10, 400]) {
      const rows = await readToEnd(service, jobs.succeeded, endpoint, () => limit);
      expect(rows.map(pageOf)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
  });

  test('GET /meta: returns the pages of /data without `text`', async () => {
    const data = await readToEnd(service, jobs.another, 'data', () => 2);
    const meta = await readToEnd(service, jobs.another, 'meta', () => 2);
    expect(meta).toEqual(data.map((row) => ({ meta: row.meta })));
    expect(new Set(data.flatMap(Object.keys))).toEqual(new Set(['meta', 'text']));
  });

  test('GET /meta: gives the URL of the crawled page as `url`, that after redirects as `fetchedUrl`', async () => {
    const rows = await readToEnd(service, jobs.another, 'meta', () => 400);
    const moved = rows.find(({ meta }) => meta.url.endsWith('/old'));
    expect(moved?.meta.fetchedUrl).toBe(`${site.origin}/new`);
    expect(moved?.meta.meta.title).toBe('Moved here');
  });
});

describe.each(endpoints)('limit on %s', (endpoint) => {
  const rowsWith = async (query: string): Promise<number> =>
    (await get<ResultsAnswer>(`/crawler/jobs/${jobs.succeeded}/${endpoint}${query}`)).data.length;

  test.each(['', '?limit=', '?limit=null'])(
    `GET /${endpoint}: returns up to 400 rows when the limit is missing, empty or null (%j)`,
    async (query) => {
      expect(await rowsWith(query)).toBe(9);
    },
  );

  test.each([1, 2, 8, 9, 10, 399, 400])(
    `GET /${endpoint}: returns at most %i rows when this is the limit`,
    async (limit) => {
      expect(await rowsWith(`?limit=${limit}`)).toBe(Math.min(limit, 9));
    },
  );

  test.each([
    '0',
    '-1',
    '401',
    '1e2',
    '0x10',
    '10.5',
    'abc',
    '%2010',
    '1%00',
    '%D9%A3',
    '99999999999999999999',
    'NaN',
    'undefined',
  ])(`GET /${endpoint}: refuses limit=%s with 400 and names the range`, async (limit) => {
    const answer = await raw(`/crawler/jobs/${jobs.succeeded}/${endpoint}?limit=${limit}`);
    const { detail, errors } = expectProblem(answer, 400, 'invalid_parameter');
    expect(detail).toContain('from 1 to 400');
    expect(errors?.map(({ field }) => field)).toEqual(['limit']);
  });

  test(`GET /${endpoint}: refuses a limit that is given twice with 400`, async () => {
    const answer = await raw(`/crawler/jobs/${jobs.succeeded}/${endpoint}?limit=5&limit=5`);
    expect(expectProblem(answer, 400, 'invalid_parameter').detail).toContain('from 1 to 400');
  });
});

describe.each(endpoints)('cursor on %s', (endpoint) => {
  const withCursor = (cursor: string, id = jobs.succeeded): Promise<RawAnswer> =>
    raw(`/crawler/jobs/${id}/${endpoint}?limit=2&cursor=${encodeURIComponent(cursor)}`);

  test(`GET /${endpoint}: starts at the first page when the cursor is empty`, async () => {
    expect(json(await withCursor(''))).toEqual(await get(`/crawler/jobs/${jobs.succeeded}/${endpoint}?limit=2`));
  });

  test.each([
    '-1',
    '0',
    '1',
    'NULL',
    '{"page":2}',
    "' OR 1=1 --",
    '../../etc/passwd',
    'AAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '\u0000',
    '🌾',
    'A'.repeat(129),
    'A'.repeat(10_240),
  ])(`GET /${endpoint}: refuses the malformed cursor %j with 400`, async (cursor) => {
    expectProblem(await withCursor(cursor), 400, 'invalid_cursor');
  });

  test(`GET /${endpoint}: refuses a cursor with 400 when one bit of any byte is changed`, async () => {
    const bytes = Buffer.from(before.cursor, 'base64url');
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1 << (index % 8);
      expectProblem(await withCursor(changed.toString('base64url')), 400, 'invalid_cursor');
    }
  });

  test(`GET /${endpoint}: refuses a cursor with 400 when any character is changed, cut or added`, async () => {
    for (let at = 0; at < before.cursor.length; at++) {
      const other = before.cursor[at] === 'A' ? 'B' : 'A';
      const changed = before.cursor.slice(0, at) + other + before.cursor.slice(at + 1);
      expectProblem(await withCursor(changed), 400, 'invalid_cursor');
    }
    for (const changed of [before.cursor.slice(0, -1), `${before.cursor}A`, `${before.cursor}=`, ` ${before.cursor}`]) {
      expectProblem(await withCursor(changed), 400, 'invalid_cursor');
    }
  });

  test(`GET /${endpoint}: refuses a cursor of another job with 400`, async () => {
    expectProblem(await withCursor(before.cursor, jobs.another), 400, 'invalid_cursor');
  });

  test(`GET /${endpoint}: refuses a cursor of another list with 400`, async () => {
    const urls = await get<ResultsAnswer>(`/crawler/jobs/${jobs.succeeded}/urls?limit=2`);
    const list = await get<ResultsAnswer>('/crawler/jobs?limit=2');
    expectProblem(await withCursor(urls.cursor!), 400, 'invalid_cursor');
    expectProblem(await withCursor(list.cursor!), 400, 'invalid_cursor');
  });

  test(`GET /${endpoint}: refuses a cursor that is given twice with 400`, async () => {
    const twice = `/crawler/jobs/${jobs.succeeded}/${endpoint}?cursor=${before.cursor}&cursor=${before.cursor}`;
    expectProblem(await raw(twice), 400, 'invalid_parameter');
  });
});

describe('size limit', () => {
  test('GET /data: ends a response when its text exceeds 16 MiB, and gives a cursor', async () => {
    const first = await get<ResultsAnswer>(`/crawler/jobs/${jobs.large}/data`);
    expect(first.data.map(pageOf)).toEqual([1, 2, 3]);
    for (const { text } of first.data) expect(text!.length).toBeGreaterThan(largeText);
    const rest = await get<ResultsAnswer>(`/crawler/jobs/${jobs.large}/data?cursor=${first.cursor}`);
    expect(rest.data.map(pageOf)).toEqual([4]);
    expect(rest.cursor).toBeUndefined();
  });

  test('GET /meta: returns all rows when only their texts exceed 16 MiB', async () => {
    const { data, cursor } = await get<ResultsAnswer>(`/crawler/jobs/${jobs.large}/meta`);
    expect(data.map(pageOf)).toEqual([1, 2, 3, 4]);
    expect(cursor).toBeUndefined();
  });
});

describe('running jobs', () => {
  test('GET /data and /meta: return the committed pages and a cursor while the job runs', async () => {
    const job = await startRunningJob();
    for (const endpoint of endpoints) {
      const answer = await raw(`/crawler/jobs/${job.id}/${endpoint}`);
      const { data, cursor } = json(answer);
      expect(answer.status).toBe(200);
      expect(answer.headers['x-job-status']).toBe('running');
      expect(data.map(pageOf)).toEqual([1]);
      expect(cursor).toEqual(expect.any(String));
      expect(answer.headers['link']).toContain('rel="next"');
    }
    await job.end();
  });

  test('GET /data: gives a cursor when a running job has no page yet', async () => {
    const own = await ownSite({ '/': htmlPage({ title: 'Slow' }) });
    const gate = own.hold('/');
    const { id } = await service.createJob({ urls: [`${own.origin}/`], force_crawling_mode: 'link' });
    const empty = await get<ResultsAnswer>(`/crawler/jobs/${id}/data?wait=0`);
    expect(empty.data).toEqual([]);
    gate.open();
    const { data } = await get<ResultsAnswer>(`/crawler/jobs/${id}/data?wait=60&cursor=${empty.cursor}`);
    expect(data.map(pageOf)).toEqual([1]);
  });

  test('GET /data?wait: answers with no rows and the same cursor after `wait` seconds without a new page', async () => {
    const job = await startRunningJob();
    const { cursor } = await get<ResultsAnswer>(`/crawler/jobs/${job.id}/data`);
    const start = performance.now();
    const answer = await get<ResultsAnswer>(`/crawler/jobs/${job.id}/data?wait=1&cursor=${cursor}`);
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(answer).toEqual({ data: [], cursor, nextCursor: cursor });
    await job.end();
  });

  test('GET /meta?wait=0: answers before a request that waits', async () => {
    const job = await startRunningJob();
    const { cursor } = await get<ResultsAnswer>(`/crawler/jobs/${job.id}/meta`);
    const rowsAfter = async (wait: number): Promise<readonly [number, readonly Row[]]> => {
      const { data } = await get<ResultsAnswer>(`/crawler/jobs/${job.id}/meta?wait=${wait}&cursor=${cursor}`);
      return [wait, data];
    };
    // Less than the default of 10.
    const waiting = rowsAfter(5);
    expect(await Promise.race([waiting, rowsAfter(0)])).toEqual([0, []]);
    await job.end();
  });

  // Less than the time that they wait for.
  test.each(endpoints)('GET /%s?wait: answers when a page is committed', { timeout: 50_000 }, async (endpoint) => {
    const job = await startRunningJob();
    const path = `/crawler/jobs/${job.id}/${endpoint}`;
    const { cursor } = await get<ResultsAnswer>(path);
    const waiting = get<ResultsAnswer>(`${path}?wait=60&cursor=${cursor}`);
    // Answered after the one that waits was received.
    await get(`${path}?wait=0&cursor=${cursor}`);
    await job.end();
    expect((await waiting).data.map(pageOf)).toEqual([2]);
  });

  test('GET /data: lets a client that reads until no cursor follow the crawl to its end', async () => {
    const job = await startRunningJob();
    const reading = readToEnd(service, job.id, 'data', () => 1);
    await job.end();
    expect((await reading).map(pageOf)).toEqual([1, 2]);
  });

  test.each(['0', '60', '', 'null'])('GET /data: accepts wait=%j', async (wait) => {
    expect((await raw(`/crawler/jobs/${jobs.succeeded}/data?wait=${wait}`)).status).toBe(200);
  });

  test.each(['61', '-1', '1.5', 'x', '1&wait=1'])(
    'GET /data: refuses wait=%s with 400 and names the range',
    async (wait) => {
      const answer = await raw(`/crawler/jobs/${jobs.succeeded}/data?wait=${wait}`);
      expect(expectProblem(answer, 400, 'invalid_parameter').detail).toContain('from 0 to 60');
    },
  );
});

describe('ended jobs', () => {
  test.each([
    ['succeeded', 9],
    ['failed', 0],
    ['cancelled', 1],
  ] as const)('GET /data and /meta: return the committed pages of a %s job (%i)', async (status, pages) => {
    for (const endpoint of endpoints) {
      const answer = await raw(`/crawler/jobs/${jobs[status]}/${endpoint}`);
      expect(answer.headers['x-job-status']).toBe(status);
      expect(json(answer).data).toHaveLength(pages);
      expect(json(answer).cursor).toBeUndefined();
    }
  });
});

describe('jobs without a page', () => {
  test.each(endpoints)('GET /%s: answers 200 with {"data":[]} when the job has no page', async (endpoint) => {
    const answer = await raw(`/crawler/jobs/${jobs.empty}/${endpoint}`);
    expect([answer.status, answer.headers['x-job-status'], answer.body.toString()]).toEqual([
      200,
      'failed',
      '{"data":[]}',
    ]);
  });
});

describe('expired and deleted results', () => {
  test.each(['expired', 'deleted'] as const)(
    'GET /data, /meta, /urls and /export: answer 410 when the results are %s, while the job stays readable',
    async (how) => {
      const exports = formatNames.map((format) => `export?format=${format}`);
      for (const endpoint of ['data', 'meta', 'urls', ...exports, `${exports[0]}&partial=true`]) {
        expectProblem(await raw(`/crawler/jobs/${jobs[how]}/${endpoint}`), 410, 'job_data_expired');
      }
      const ndjson = await raw(`/crawler/jobs/${jobs[how]}/data`, { headers: { accept: 'application/x-ndjson' } });
      expectProblem(ndjson, 410, 'job_data_expired');
      expect((await service.job(jobs[how])).status).toBe('succeeded');
    },
  );

  test('PATCH output_expiry: changes how long the results of an ended job are kept, and nothing else', async () => {
    const path = `/crawler/jobs/${(await service.crawl({ urls: [`${site.origin}/`] })).id}`;
    type Kept = Readonly<Record<string, unknown>> & { readonly finishedAt: number };
    const patch = (json: unknown, query = ''): Promise<RawAnswer> =>
      raw(`${path}${query}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(json),
      });
    const before = await service.ok<Kept>(path);
    expect(before).toMatchObject({ output_expiry: null, expiresAt: null, expired: false });
    const changed = { ...before, output_expiry: 86_400, expiresAt: before.finishedAt + 86_400_000 };
    expect(JSON.parse((await patch({ output_expiry: 86_400 })).body.toString())).toEqual(changed);
    expect(JSON.parse((await patch({ output_expiry: null })).body.toString())).toEqual(before);
    for (const body of [
      {},
      { output_expiry: 59 },
      { output_expiry: '60' },
      { output_expiry: 60, status: 'failed' },
      [],
    ])
      expectProblem(await patch(body), 400, 'invalid_body');
    expectProblem(await patch({ output_expiry: 60 }, '?confirm=maybe'), 400, 'invalid_parameter');
    expect(await service.ok<Kept>(path)).toEqual(before);
  });

  test('PATCH output_expiry: refuses a job that runs with 409, and one whose results are gone with 410', async () => {
    const json = { output_expiry: null };
    const running = await startRunningJob();
    const patch = (id: string): Promise<RawAnswer> =>
      raw(`/crawler/jobs/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(json),
      });
    expectProblem(await patch(running.id), 409, 'job_not_ended');
    running.open();
    for (const how of ['expired', 'deleted'] as const) expectProblem(await patch(jobs[how]), 410, 'job_data_expired');
    const { expired, expiresAt } = await service.ok<{ expired: boolean; expiresAt: number }>(
      `/crawler/jobs/${jobs.expired}`,
    );
    expect([expired, expiresAt < Date.now()]).toEqual([true, true]);
  });

  test('DELETE /crawler/jobs/{id}: cancels a running job, and /data answers 410', async () => {
    const job = await startRunningJob();
    const deleted = await service.ok<{ status: string }>(`/crawler/jobs/${job.id}`, { method: 'DELETE' });
    expect(deleted.status).toBe('cancelled');
    expectProblem(await raw(`/crawler/jobs/${job.id}/data`), 410, 'job_data_expired');
    job.open();
  });
});

describe('jobs that the caller cannot see', () => {
  const notThere: readonly (readonly [string, () => [string, RawInit?]])[] = [
    ['malformed', () => ['x']],
    ["of another org's job, in lower case", () => [jobs.succeeded.toLowerCase(), { token: stranger.token }]],
    ['too long', () => ['7'.repeat(5_000)]],
    ['not decodable', () => ['%zz']],
    ['no UTF-8', () => ['%ff%fe']],
    ['with a slash', () => ['a%2Fb']],
    ['with a NUL', () => ['%00']],
    ["of another org's job", () => [jobs.succeeded, { token: stranger.token }]],
    ["of another org's deleted job", () => [jobs.deleted, { token: stranger.token }]],
  ];

  test.each(['data', 'meta', 'urls', ''])(
    'GET /crawler/jobs/{id}/%s: gives the same 404 for unknown, malformed and foreign ids',
    async (endpoint) => {
      const shape = async (id: string, init?: RawInit): Promise<unknown> => {
        const answer = await raw(`/crawler/jobs/${id}${endpoint === '' ? '' : `/${endpoint}`}`, init);
        const problem = expectProblem(answer, 404, 'job_not_found');
        const {
          'x-request-id': _id,
          'content-length': _length,
          date: _date,
          ratelimit: _limit,
          ...headers
        } = answer.headers;
        return { headers, problem: { ...problem, requestId: '', instance: '' } };
      };
      const unknown = await shape('7'.repeat(26));
      for (const [name, make] of notThere) {
        const [id, init] = make();
        expect(await shape(id, init), name).toEqual(unknown);
      }
    },
  );
});

describe('missing or other credentials', () => {
  test.each<[string, RawInit]>([
    ['no Authorization header', { token: null }],
    ['another scheme', { headers: { authorization: 'Basic dXNlcjpwdw==' } }],
    ['no token after Bearer', { headers: { authorization: 'Bearer' } }],
    ['two words after Bearer', { headers: { authorization: 'Bearer a b' } }],
    ['two Authorization headers', { headers: { authorization: ['Bearer a', 'Bearer b'] } }],
    ['a token in the query only', { token: null }],
  ])('GET /data and /meta: answer 401 with WWW-Authenticate when the request has %s', async (_name, init) => {
    for (const endpoint of endpoints) {
      const answer = await raw(`/crawler/jobs/${jobs.succeeded}/${endpoint}?token=${service.token}`, init);
      expectProblem(answer, 401, 'unauthorized');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });
});

describe('wrong and revoked tokens', () => {
  test.each(['x', 'hr_wrong', 'y'.repeat(5_000), 'the-operator-token-of-the-tests-0123456788', '%00', '🌾'])(
    'GET /data: answers 401 invalid_token when the token is wrong (%s)',
    async (token) => {
      expectInvalidToken(await raw(`/crawler/jobs/${jobs.succeeded}/data`, { token: encodeURIComponent(token) }));
    },
  );

  test('GET /data: answers 401 at once when the token is revoked', async () => {
    const { id, token } = await service.createToken({ org: 'default' });
    expect((await raw(`/crawler/jobs/${jobs.succeeded}/data`, { token })).status).toBe(200);
    await service.run(['token', 'revoke', id]);
    expectInvalidToken(await raw(`/crawler/jobs/${jobs.succeeded}/data`, { token }));
  });

  test('authentication: accepts the scheme Bearer in any case', async () => {
    const headers = { authorization: `bEARER ${service.token}` };
    expect((await raw(`/crawler/jobs/${jobs.succeeded}/data`, { headers })).status).toBe(200);
  });

  function expectInvalidToken(answer: RawAnswer): void {
    expectProblem(answer, 401, 'invalid_token');
    expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  }
});

describe('title and description', () => {
  test('GET /data: always has title and description as strings, "" when the page has none', async () => {
    const rows = await readToEnd(service, jobs.another, 'data', () => 400);
    expect(rows).toHaveLength(5);
    for (const { meta } of rows) {
      expect(meta.meta).toMatchObject({ title: expect.any(String), description: expect.any(String) });
    }
    const bare = rows.find(({ meta }) => meta.url.endsWith('/bare'));
    expect(bare?.meta.meta).toMatchObject({ title: '', description: '' });
    const described = rows.find(({ meta }) => meta.url.endsWith('/described'));
    expect(described?.meta.meta).toMatchObject({
      title: 'A "quoted" \\ title',
      description: expect.stringMatching(/^Grüße, 你好 🌾 and\s+more$/u),
    });
  });
});

describe('text', () => {
  test('GET /data: always has text as a string, "" when the page has none', async () => {
    const rows = await readToEnd(service, jobs.another, 'data', () => 400);
    for (const { text } of rows) expect(text).toEqual(expect.any(String));
    expect(rows.find(({ meta }) => meta.url.endsWith('/void'))?.text).toBe('');
  });
});

describe('response headers', () => {
  test('GET /data: gives each response its own X-Request-Id', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await raw(`/crawler/jobs/${jobs.succeeded}/data`)).headers['x-request-id']),
    );
    expect(new Set(ids).size).toBe(3);
  });

  test.each(endpoints)('GET /%s: gives an ended job an ETag, and answers 304 to If-None-Match', async (endpoint) => {
    const path = `/crawler/jobs/${jobs.succeeded}/${endpoint}?limit=4`;
    const etag = String((await raw(path)).headers['etag']);
    const strong = etag.replace(/^W\//, '');
    for (const condition of [etag, strong, `"other", ${etag}`, '*']) {
      const answer = await raw(path, { headers: { 'if-none-match': condition } });
      expect([answer.status, answer.body.length]).toEqual([304, 0]);
      expect(answer.headers).toMatchObject({ etag, 'x-job-status': 'succeeded', 'x-request-id': expect.any(String) });
    }
    expect((await raw(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  test('GET /data and /meta: give different responses different ETags', async () => {
    const etagOf = async (path: string): Promise<unknown> => (await raw(`/crawler/jobs/${path}`)).headers['etag'];
    const paths = [
      `${jobs.succeeded}/data`,
      `${jobs.succeeded}/meta`,
      `${jobs.succeeded}/data?limit=4`,
      `${jobs.succeeded}/data?limit=5`,
      `${jobs.succeeded}/data?limit=4&cursor=${before.cursor}`,
      `${jobs.another}/data`,
    ];
    expect(new Set(await Promise.all(paths.map(etagOf))).size).toBe(paths.length);
  });

  test('GET /data: gives a running job no ETag', async () => {
    const job = await startRunningJob();
    const answer = await raw(`/crawler/jobs/${job.id}/data`, { headers: { 'if-none-match': '*' } });
    expect(answer.status).toBe(200);
    expect(answer.headers['etag']).toBeUndefined();
    expect(answer.headers['cache-control']).toBe('no-store');
    await job.end();
  });
});

describe('gzip', () => {
  test.each(endpoints)('GET /%s: compresses to one gzip member that equals the plain response', async (endpoint) => {
    for (const job of [jobs.succeeded, jobs.another, jobs.empty, jobs.large]) {
      const plain = await raw(`/crawler/jobs/${job}/${endpoint}`, { headers: { 'accept-encoding': 'identity' } });
      const packed = await raw(`/crawler/jobs/${job}/${endpoint}`, { headers: { 'accept-encoding': 'gzip' } });
      expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    }
  });

  test.each([
    ['gzip, deflate, br', 'gzip'],
    ['*', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip; q=0.000, *', undefined],
    ['br', undefined],
    ['', undefined],
  ])('GET /data: for Accept-Encoding: %s, uses the coding %s', async (accepted, encoding) => {
    const answer = await raw(`/crawler/jobs/${jobs.succeeded}/data`, { headers: { 'accept-encoding': accepted } });
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers['vary']).toBe('accept, accept-encoding');
  });
});

describe('Accept: application/x-ndjson', () => {
  test.each(endpoints)('GET /%s: streams every page as NDJSON with a last line, ignoring limit', async (endpoint) => {
    const lines = await readLines(`/crawler/jobs/${jobs.succeeded}/${endpoint}?limit=2`);
    expect(lines.at(-1)).toEqual({ end: true, pages: 9 });
    expect(lines.slice(0, -1)).toEqual(await readToEnd(service, jobs.succeeded, endpoint, () => 400));
  });

  test('GET /data: streams the last line only when the job has no page', async () => {
    expect(await readLines(`/crawler/jobs/${jobs.empty}/data`)).toEqual([{ end: true, pages: 0 }]);
  });

  test.each(['identity', 'gzip'])(
    'GET /data: streams NDJSON as %s from the start to the end of a running job',
    async (coding) => {
      const job = await startRunningJob();
      const path = `/crawler/jobs/${job.id}/data`;
      const stream = await openStream(`${path}?after=1`, coding);
      expect(stream.response.headers).toMatchObject({
        'content-type': 'application/x-ndjson; charset=utf-8',
        'x-job-status': 'running',
      });
      await job.end();
      const lines = await stream.rest();
      expect(lines).toEqual([expect.objectContaining({ text: 'Held back.' }), { end: true, pages: 2 }]);
    },
  );

  test('GET /data: compresses NDJSON to gzip that equals the plain response', async () => {
    const headers = { accept: 'application/x-ndjson' };
    const plain = await raw(`/crawler/jobs/${jobs.large}/data`, { headers });
    const packed = await raw(`/crawler/jobs/${jobs.large}/data`, {
      headers: { ...headers, 'accept-encoding': 'gzip' },
    });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
  });

  test('GET /data: continues NDJSON after a page or a cursor', async () => {
    const afterFour = await readLines(`/crawler/jobs/${jobs.succeeded}/data?after=4`);
    expect(afterFour).toHaveLength(6);
    expect(await readLines(`/crawler/jobs/${jobs.succeeded}/data?cursor=${before.cursor}`)).toEqual(afterFour);
    expect(await readLines(`/crawler/jobs/${jobs.succeeded}/data?after=9`)).toEqual([{ end: true, pages: 9 }]);
  });

  test.each(['identity', 'gzip'])(
    'GET /data: gives each page once when NDJSON as %s is cut and continued',
    async (coding) => {
      const pages: number[] = [];
      for (let ended = false; !ended;) {
        const stream = await openStream(`/crawler/jobs/${jobs.succeeded}/data?after=${pages.at(-1) ?? 0}`, coding);
        const lines = await stream.cut(2);
        ended = lines.some((line) => 'end' in line);
        pages.push(...lines.filter((line) => 'meta' in line).map(pageOf));
      }
      expect(pages).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    },
  );

  test.each(['stop', 'kill'] as const)(
    'GET /data: ends NDJSON without its last line on a %s of the service',
    async (how) => {
      const own = await startService();
      try {
        const job = await startRunningJob(own);
        const stream = await openStream(`/crawler/jobs/${job.id}/data`, 'identity', own);
        const stopped = own[how]();
        expect((await stream.rest()).some((line) => 'end' in line)).toBe(false);
        job.open();
        await stopped;
      } finally {
        await own.close();
      }
    },
  );

  test.each(['-1', '10000001', 'x', '1.5'])(
    'GET /data: refuses after=%s with 400 and names the range',
    async (after) => {
      const answer = await raw(`/crawler/jobs/${jobs.succeeded}/data?after=${after}`);
      expect(expectProblem(answer, 400, 'invalid_parameter').detail).toContain('from 0 to 10000000');
    },
  );
});

describe('order of checks', () => {
  const unknown = '7'.repeat(26);
  test.each<readonly [string, number, () => [string, RawInit?]]>([
    ['no token, a bad limit and an unknown job', 401, () => [`${unknown}/data?limit=0`, { token: null }]],
    ['a wrong token, a bad limit and a deleted job', 401, () => [`${jobs.deleted}/data?limit=0`, { token: 'wrong' }]],
    ['a bad limit and an unknown job', 400, () => [`${unknown}/data?limit=0`]],
    ['a bad cursor and an unknown job', 400, () => [`${unknown}/data?cursor=x`]],
    ['a bad cursor and a malformed id', 400, () => ['x/data?cursor=x']],
    ['a bad cursor and a deleted job', 400, () => [`${jobs.deleted}/data?cursor=x`]],
    ['a deleted job of another org', 404, () => [`${jobs.deleted}/data`, { token: stranger.token }]],
    ['a deleted job', 410, () => [`${jobs.deleted}/data`]],
  ])('GET /data: given %s, answers %i', async (_name, status, make) => {
    const [path, init] = make();
    expectProblem(await raw(`/crawler/jobs/${path}`, init), status);
  });
});

// --- helpers ---

function raw(path: string, init?: RawInit): Promise<RawAnswer> {
  return service.raw(path, init);
}

function get<Answer>(path: string): Promise<Answer> {
  return service.ok<Answer>(path);
}

function json(answer: RawAnswer): ResultsAnswer {
  const text = answer.body.toString();
  expect(answer.headers['content-type'], text).toBe('application/json; charset=utf-8');
  return JSON.parse(text) as ResultsAnswer;
}

function pageOf({ meta }: Row): number {
  return meta.page;
}

function largePage(seed: number): string {
  const words = `Large page ${seed} says a few words again and again. `;
  return htmlPage({ title: `Large ${seed}`, text: words.repeat(Math.ceil((largeText + 1_000) / words.length)) });
}

async function ownSite(pages: Readonly<Record<string, string>>): Promise<TestSite> {
  const own = await startTestSite(pages);
  running.push(own);
  return own;
}

/** A job with one page committed, held at its second until `open`, or until `end`, which also waits for its end. */
async function startRunningJob(on = service): Promise<{ id: string; open: () => void; end: () => Promise<void> }> {
  const own = await ownSite({
    '/': htmlPage({ title: 'First', links: ['/held'] }),
    '/held': htmlPage({ title: 'Held', text: 'Held back.' }),
  });
  const gate = own.hold('/held');
  const { id } = await on.createJob({ urls: [`${own.origin}/`], force_crawling_mode: 'link' });
  const { data } = await on.ok<ResultsAnswer>(`/crawler/jobs/${id}/meta?wait=60`);
  expect(data.map(pageOf)).toEqual([1]);
  return {
    id,
    open: gate.open,
    end: async () => {
      gate.open();
      await on.untilEnded(id);
    },
  };
}

/** A line of NDJSON: a page, or the end. */
type Line = Row & { readonly end?: boolean; readonly pages?: number };

async function readLines(path: string): Promise<Line[]> {
  return (await openStream(path, 'identity')).rest();
}

async function openStream(path: string, coding: string, on = service) {
  const headers = { authorization: `Bearer ${on.token}`, accept: 'application/x-ndjson', 'accept-encoding': coding };
  const request = httpRequest(`${on.origin}${path}`, { headers, agent: false }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  const bytes = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response;
  for (const stream of [request, response]) stream.on('error', () => {});
  const read = async (max: number): Promise<Line[]> => {
    const lines: Line[] = [];
    let text = '';
    try {
      for await (const chunk of bytes.setEncoding('utf8') as AsyncIterable<string>) {
        const whole = (text + chunk).split('\n');
        text = whole.pop() ?? '';
        lines.push(...whole.map((line) => JSON.parse(line) as Line));
        if (lines.length >= max) break;
      }
    } catch (error) {
      // A cut connection is what some tests are about.
      if (error instanceof SyntaxError) throw error;
    }
    return lines.slice(0, max);
  };
  return {
    response,
    rest: () => read(Infinity),
    /** Reads a few lines, then closes the connection in the middle of the rest. */
    cut: async (count: number): Promise<Line[]> => {
      const found = await read(count);
      request.destroy();
      return found;
    },
  };
}
