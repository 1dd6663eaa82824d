// Creating, reading, listing, cancelling and deleting jobs, their URL ledgers, and what describes the service itself.
import { once } from 'node:events';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as schemas from '../../src/api/routes/schemas.ts';
import { defaultExcludeElements } from '../../src/core/exclude-elements.ts';
import { drainMs } from '../../src/start/start-engine.ts';
import { expectProblem } from './expect-problem.ts';
import { type JobAnswer, type NewToken, type RawAnswer, startService, type TestService } from './start-service.ts';
import { htmlPage, numberedPages, startTestSite, type TestSite } from './test-site.ts';

interface List<Entry> {
  readonly data: readonly Entry[];
  readonly cursor?: string;
  readonly nextCursor?: string;
}

interface Url {
  readonly url: string;
  readonly status: string;
  readonly reason?: string;
  readonly [field: string]: unknown;
}

let site: TestSite;
let service: TestService;
let reader: NewToken;
let writer: NewToken;
let stranger: NewToken;

beforeAll(async () => {
  site = await startTestSite({
    ...numberedPages(3),
    '/mixed': htmlPage({
      text: 'mixed',
      links: ['/page/2', '/gone', '/broken/1', '/broken/2', '/no/1', '/no/2', '/copy', 'https://elsewhere.test/'],
    }),
    '/copy': (_request, response) => response.writeHead(301, { location: '/page/2' }).end(),
  });
  service = await startService();
  [reader, writer, stranger] = await Promise.all([
    service.createToken({ org: 'default', permissions: 'read' }),
    service.createToken({ org: 'default', permissions: 'write' }),
    service.createToken({ org: 'elsewhere' }),
  ]);
});

afterAll(async () => {
  await service.close();
  await site.close();
});

/** Options that take every empty value as their default. */
const optionalFields = ['formats', 'include_patterns', 'exclude_patterns', 'allow_external', 'ignore_query'];

describe('POST /crawler/jobs', () => {
  test('POST /crawler/jobs: answers 200 with the job, defaults for missing options, and a Location', async () => {
    const response = await service.api('/crawler/jobs', {
      json: { urls: [`${site.origin}/#top`, `  ${site.origin}/page/2 `] },
    });
    const job = (await response.json()) as JobAnswer;
    expect(response.status).toBe(200);
    expect(response.headers.get('location')).toBe(`/crawler/jobs/${job.id}`);
    expect(job).toEqual({
      id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      org: 'default',
      kind: 'crawl',
      status: expect.toBeOneOf(['starting', 'running']),
      createdAt: expect.closeTo(Date.now(), -5),
      finishedAt: null,
      stoppedAt: null,
      urls: [`${site.origin}/`, `${site.origin}/page/2`],
      since: null,
      deliver: 'all',
      confirm_runs: 2,
      trust_lastmod: false,
      output_format: 'markdown',
      formats: [],
      exclude_globs: [],
      include_globs: [],
      deliver_globs: [],
      exclude_patterns: [],
      include_patterns: [],
      pattern_target: 'url',
      allow_external: false,
      ignore_query: false,
      exclude_elements: '',
      include_elements: '',
      content: 'auto',
      links: 'inline',
      images: 'all',
      title: 'page',
      extract: null,
      output_expiry: null,
      expiresAt: null,
      expired: false,
      error_pages: false,
      min_length: 0,
      page_limit: 10_000,
      fetch_limit: 100_000,
      time_limit: 2_592_000,
      host_delay_ms: null,
      host_concurrency: null,
      unreachable_seconds: null,
      url_timeout: null,
      max_depth: null,
      force_crawling_mode: null,
      scope: 'host',
      follow_logout: false,
      follow_nofollow: false,
      trap_detection: true,
      priority: 'normal',
      use_browser: 'auto',
      wait_for: null,
      screenshot: null,
      store_raw: false,
      block_resources: true,
      include_linked_files: false,
      respect_robots: true,
      insecure_tls: false,
      proxy: null,
      keep_cookies: true,
      headers: [],
      cookies: [],
      webhook_url: null,
      sitemapPageCount: 0,
      fetchedBytes: expect.any(Number) as number,
      // It may have been begun already.
      progress: expect.objectContaining({ discovered: 2, scraped: 0, discarded: 0, failed: 0 }),
      reasons: {},
      droppedWords: {},
      complete: null,
      findings: [],
      notices: [],
      webhookFails: [],
      costCents: 0,
    });
  });

  test('POST /crawler/jobs: returns the options as given', async () => {
    const body = {
      urls: [`${site.origin}/`],
      output_format: 'text',
      formats: ['html', 'source'],
      exclude_globs: ['/drafts/**'],
      include_globs: ['**'],
      deliver_globs: ['/page/**'],
      exclude_patterns: ['^/x'],
      include_patterns: ['(?i)page'],
      pattern_target: 'path',
      allow_external: true,
      ignore_query: true,
      exclude_elements: 'nav, .ad',
      include_elements: 'main, .text',
      content: 'full',
      links: 'inline',
      images: 'all',
      title: 'page',
      output_expiry: 60,
      min_length: 5,
      page_limit: 7,
      fetch_limit: 9,
      max_depth: 0,
      force_crawling_mode: 'link',
      scope: 'subdomains',
      use_browser: 'auto',
      wait_for: null,
      block_resources: false,
      include_linked_files: true,
      respect_robots: true,
      insecure_tls: true,
      keep_cookies: true,
      webhook_url: null,
    };
    expect(await service.createJob(body)).toMatchObject({ ...body, notices: [] });
  });

  test.each([
    [{ page_limit: 1 }, { fetch_limit: 1_000 }],
    [{ page_limit: 101 }, { fetch_limit: 1_010 }],
    [{ page_limit: 10_000_000 }, { fetch_limit: 100_000_000 }],
    [{ content: 'full' }, { exclude_elements: defaultExcludeElements }],
    [{ content: 'full', exclude_elements: '' }, { exclude_elements: '' }],
    [{ include_elements: ' ' }, { include_elements: '' }],
    [{ use_browser: false }, { use_browser: false }],
    [{ headers: null, cookies: null }, { use_browser: 'auto' }],
    [{ wait_for: '250' }, { wait_for: 250 }],
    [{ wait_for: false }, { wait_for: null }],
    [{ screenshot: false }, { screenshot: null, use_browser: 'auto', block_resources: true }],
  ])('POST /crawler/jobs: reads %j as %j', async (given, effective) => {
    const job = await service.createJob({ urls: [`${site.origin}/page/2`], max_depth: 0, ...given });
    expect(job).toMatchObject({ ...effective, headers: [], cookies: [] });
  });

  test.each([true, false, 'no', { deep: [1] }])('POST /crawler/jobs: ignores link_crawling: %j', async (value) => {
    const job = await service.createJob({ urls: [`${site.origin}/page/2`], link_crawling: value });
    expect(job).not.toHaveProperty('link_crawling');
  });

  test('POST /crawler/jobs: ignores fields of other clients when their value is empty or false', async () => {
    const body = { urls: [`${site.origin}/page/2`], max_depth: 0 };
    const asked = (answers: object): object =>
      Object.fromEntries(
        Object.entries(answers).filter(
          ([name]) => !['id', 'status', 'createdAt', 'finishedAt', 'progress'].includes(name),
        ),
      );
    const plain = asked(await service.createJob(body));
    for (const no of [false, null, '', [], {}]) {
      const given = Object.fromEntries(['advanced_proxy', ...optionalFields].map((name) => [name, no]));
      expect(asked(await service.createJob({ ...body, ...given }))).toEqual(plain);
    }
    expect(asked(await service.createJob({ ...body, links: 'inline', images: 'all', title: 'page' }))).toEqual(plain);
  });

  test.each<[string, unknown]>([
    ...[true, 1, 'auto', ['x'], { x: null }].map((value): [string, unknown] => ['advanced_proxy', value]),
    ...['none', 'http://x', 7].map((value): [string, unknown] => ['proxy', value]),
  ])('POST /crawler/jobs: refuses %s: %j, since the operator has no such proxy', async (field, value) => {
    const answer = await post({ urls: [`${site.origin}/`], [field]: value });
    const { detail, errors } = expectProblem(answer, 400, 'invalid_body');
    expect(detail).toContain(`\`${field}\``);
    expect(errors?.map((error) => error.field)).toEqual([field]);
  });

  test('POST /crawler/jobs: answers 400 and names the field when a field is unknown', async () => {
    const { detail, errors } = expectProblem(
      await post({ urls: [`${site.origin}/`], max_pages: 5, proxy_url: 'http://x' }),
      400,
      'invalid_body',
    );
    expect(detail).toContain('max_pages');
    expect(errors?.map(({ field }) => field)).toEqual(['max_pages', 'proxy_url']);
  });

  test('POST /crawler/jobs: takes several spellings of one URL as one URL', async () => {
    const job = await service.crawl({
      urls: [`${site.origin}/page/2`, `${site.origin}/page/2#a`, `${site.origin}/./page/2`],
      max_depth: 0,
    });
    expect(job.progress).toMatchObject({ discovered: 1, scraped: 1 });
  });

  test('POST /crawler/jobs: accepts a thousand start URLs', async () => {
    const urls = Array.from({ length: 1_000 }, (_, index) => `${site.origin}/none/${index}`);
    const job = await service.createJob({ urls });
    expect(job.progress.discovered).toBe(1_000);
    await service.ok(`/crawler/jobs/${job.id}/cancel`, { method: 'POST' });
  });
});

describe('Idempotency-Key', () => {
  const withKey = (key: string, body: unknown, token?: string): Promise<RawAnswer> =>
    service.raw('/crawler/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
      ...(token !== undefined && { token }),
    });
  const idOf = ({ body }: RawAnswer): string => (JSON.parse(body.toString()) as JobAnswer).id;
  const body = (): unknown => ({ urls: [`${site.origin}/page/2`], max_depth: 0 });

  test('Idempotency-Key: creates one job for a hundred simultaneous requests', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => withKey('hundred', body())));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(idOf)).size).toBe(1);
  });

  test('Idempotency-Key: returns the current job when the request is repeated, also after a restart', async () => {
    const id = idOf(await withKey('later', body()));
    await service.untilEnded(id);
    await service.restart();
    const again = await withKey('later', body());
    expect(JSON.parse(again.body.toString())).toMatchObject({ id, status: 'succeeded' });
    expect(again.headers['location']).toBe(`/crawler/jobs/${id}`);
  });

  test('Idempotency-Key: returns the same job when the body differs only in order and defaults', async () => {
    const id = idOf(await withKey('order', { urls: [`${site.origin}/page/2`], max_depth: 0 }));
    expect(
      idOf(await withKey('order', { max_depth: 0, output_format: 'markdown', urls: [`${site.origin}/page/2`] })),
    ).toBe(id);
  });

  test('Idempotency-Key: answers 422 when the body differs', async () => {
    await withKey('other body', body());
    expectProblem(await withKey('other body', { urls: [`${site.origin}/page/3`] }), 422, 'idempotency_key_reused');
  });

  test('Idempotency-Key: keeps the keys of two orgs apart', async () => {
    const id = idOf(await withKey('theirs', body()));
    expect(idOf(await withKey('theirs', body(), stranger.token))).not.toBe(id);
  });

  test.each([
    ['an empty key', ''],
    ['a key of 257 characters', 'k'.repeat(257)],
    ['a key of 10 KB', 'k'.repeat(10_240)],
  ])('Idempotency-Key: refuses %s with 400', async (_name, key) => {
    expect(expectProblem(await withKey(key, body()), 400, 'invalid_parameter').detail).toContain('1 to 256 characters');
  });

  test('Idempotency-Key: accepts 256 characters', async () => {
    expect((await withKey('k'.repeat(256), body())).status).toBe(200);
  });
});

describe('permissions', () => {
  test('permissions: answers every write with 403 and names the missing one when the token may only read', async () => {
    const { id } = await service.crawl({ urls: [`${site.origin}/page/2`], max_depth: 0 });
    const attempts = [
      ['POST', '/crawler/jobs'],
      ['POST', `/crawler/jobs/${id}/cancel`],
      ['DELETE', `/crawler/jobs/${id}`],
    ] as const;
    for (const [method, path] of attempts) {
      const answer = await service.raw(path, { method, token: reader.token });
      expect(expectProblem(answer, 403, 'permission_denied').detail).toContain('`write`');
    }
    expect((await service.raw(`/crawler/jobs/${id}/data`, { token: reader.token })).status).toBe(200);
    expect((await service.raw('/crawler/jobs', { token: reader.token })).status).toBe(200);
  });

  test('permissions: let a write-only token create jobs and read none', async () => {
    const job = await service.createJob({ urls: [`${site.origin}/page/2`], max_depth: 0 }, { token: writer.token });
    expectProblem(await service.raw(`/crawler/jobs/${job.id}`, { token: writer.token }), 403, 'permission_denied');
  });
});

describe('GET /crawler/jobs/{id}', () => {
  test('GET /crawler/jobs/{id}: returns counters that add up and finishedAt when the job has ended', async () => {
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.status).toBe('succeeded');
    expect(job.finishedAt).toBeGreaterThanOrEqual(job.createdAt);
    expect(job.progress).toEqual({
      discovered: 3,
      queued: 0,
      inFlight: 0,
      scraped: 3,
      discarded: 0,
      failed: 0,
      outside: 0,
    });
  });

  test('GET /crawler/jobs/{id}: answers 404 when the job is of another org', async () => {
    const { id } = await service.createJob(
      { urls: [`${site.origin}/page/2`], max_depth: 0 },
      { token: stranger.token },
    );
    expectProblem(await service.raw(`/crawler/jobs/${id}`), 404, 'job_not_found');
  });
});

describe('GET /crawler/jobs', () => {
  test('GET /crawler/jobs: lists each job of the org once over its pages, newest first', async () => {
    const org = await service.createToken({ org: 'lister' });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      const { id, createdAt } = await service.createJob(
        { urls: [`${site.origin}/page/2`], max_depth: 0 },
        { token: org.token },
      );
      ids.unshift(id);
      // Ids carry milliseconds: only jobs of different ones have an order.
      while (Date.now() === createdAt) await service.raw('/healthz');
    }
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({ limit: '2', ...(cursor !== undefined && { cursor }) });
      const page = await service.ok<List<JobAnswer>>(`/crawler/jobs?${query.toString()}`, { token: org.token });
      expect(page.nextCursor).toBe(page.cursor);
      found.push(...page.data.map(({ id }) => id));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(found).toEqual(ids);
  });

  test('GET /crawler/jobs: returns no cursor when exactly `limit` jobs exist', async () => {
    const org = await service.createToken({ org: 'counter' });
    for (let n = 0; n < 2; n++)
      await service.createJob({ urls: [`${site.origin}/page/2`], max_depth: 0 }, { token: org.token });
    expect(Object.keys(await service.ok<object>('/crawler/jobs?limit=2', { token: org.token }))).toEqual([
      'data',
      'counts',
    ]);
    expect(await service.ok<object>('/crawler/jobs?limit=1', { token: org.token })).toHaveProperty('cursor');
  });

  test('GET /crawler/jobs: filters by status, and refuses a cursor of another status or org', async () => {
    for (let n = 0; n < 2; n++)
      await service.crawl({ urls: [`${site.origin}/missing/${n}`], force_crawling_mode: 'link' });
    const { data, cursor } = await service.ok<List<JobAnswer>>('/crawler/jobs?status=failed&limit=1');
    expect(data.map(({ status }) => status)).toEqual(['failed']);
    expect((await service.ok<List<JobAnswer>>(`/crawler/jobs?status=failed&cursor=${cursor}`)).data).not.toHaveLength(
      0,
    );
    expectProblem(await service.raw(`/crawler/jobs?cursor=${cursor}`), 400, 'invalid_cursor');
    expectProblem(await service.raw(`/crawler/jobs?status=succeeded&cursor=${cursor}`), 400, 'invalid_cursor');
    expectProblem(
      await service.raw(`/crawler/jobs?status=failed&cursor=${cursor}`, { token: stranger.token }),
      400,
      'invalid_cursor',
    );
  });

  test('GET /crawler/jobs: filters by kind and start URL, and counts all statuses', async () => {
    const { token } = await service.createToken({ org: 'finder' });
    const ofSite = { token, json: { url: `${site.origin}/page/2` } };
    expect((await service.api('/scraper/scrape', ofSite)).status).toBe(200);
    const job = await service.createJob({ urls: [`${site.origin}/page/2`], max_depth: 0 }, { token });
    await service.untilEnded(job.id, { token });
    interface Listed extends List<JobAnswer> {
      readonly counts: Readonly<Record<string, number>>;
    }
    const list = (query: string) => service.ok<Listed>(`/crawler/jobs?${query}`, { token });
    const kinds = async (query: string) => (await list(query)).data.map(({ kind }) => kind);
    expect(await kinds('')).toEqual(['crawl']);
    expect(await kinds('kind=scrape')).toEqual(['scrape']);
    expect(await kinds('kind=all')).toEqual(['crawl', 'scrape']);
    expect(await kinds('kind=&q=PAGE/2&status=')).toEqual(['crawl']);
    expect((await list('kind=all&q=page&status=failed')).counts).toMatchObject({ succeeded: 2, failed: 0 });
    expect(await list('q=nowhere')).toMatchObject({ data: [], counts: { succeeded: 0 } });
    expect(job).toMatchObject({ kind: 'crawl' });
    const paged = await list('kind=all&limit=1');
    expect(paged).toMatchObject({ counts: { succeeded: 2 }, cursor: expect.any(String) as string });
    expectProblem(await service.raw(`/crawler/jobs?cursor=${paged.cursor}`, { token }), 400, 'invalid_cursor');
    for (const wrong of ['kind=pages', 'kind=crawl&kind=map', `q=${'x'.repeat(501)}`, 'q=a&q=b'])
      expectProblem(await service.raw(`/crawler/jobs?${wrong}`, { token }), 400, 'invalid_parameter');
  });

  test('GET /urls: filters by `q` and `found_on`, and explains one `url`', async () => {
    const { id } = await service.crawl({ urls: [`${site.origin}/mixed`], force_crawling_mode: 'link' });
    const list = (query: Record<string, string>) =>
      service.ok<List<Url> & { explanation?: readonly string[] }>(
        `/crawler/jobs/${id}/urls?${new URLSearchParams(query).toString()}`,
      );
    const paths = async (query: Record<string, string>) =>
      (await list(query)).data.map(({ url }) => new URL(url).pathname);
    expect(await paths({ q: 'BROKEN', status: '' })).toEqual(['/broken/1', '/broken/2']);
    expect(await paths({ q: '', found_on: '', reason: 'http_404', limit: '1' })).toHaveLength(1);
    expect(await paths({ found_on: `${site.origin}/mixed#top`, q: 'copy' })).toEqual(['/copy']);
    expect(await paths({ found_on: `${site.origin}/gone` })).toEqual([]);
    const gone = await list({ url: `${site.origin}/gone` });
    expect(gone).toMatchObject({
      data: [{ status: 'failed', attempts: 1, attemptedAt: expect.any(Number) as number }],
    });
    expect(gone.explanation?.join(' ')).toMatch(
      /^It failed after one attempt: .* The last attempt ended at \d{4}-.*Z\. It was first found on .*mixed/,
    );
    const never = await list({ url: 'https://never.test/', kind: 'page', q: '' });
    expect(never).toEqual({ data: [], explanation: [expect.stringContaining('did not discover') as string] });
    const lines = await service.raw(`/crawler/jobs/${id}/urls?q=broken`, {
      headers: { accept: 'application/x-ndjson' },
    });
    expect(lines.body.toString().trim().split('\n').at(-1)).toBe('{"end":true,"urls":2}');
    const { cursor } = await list({ q: 'broken', limit: '1' });
    expect(await paths({ q: 'broken', limit: '1', cursor: cursor! })).toEqual(['/broken/2']);
    const refused = async (query: string, init?: Parameters<TestService['raw']>[1]) =>
      expectProblem(await service.raw(`/crawler/jobs/${id}/urls?${query}`, init), 400);
    expect(await refused(`q=other&cursor=${cursor}`)).toMatchObject({ code: 'invalid_cursor' });
    for (const query of ['url=mailto:a', 'found_on=%2Fmixed', `q=${'x'.repeat(501)}`, 'url=https://a.test&q=a'])
      expect(await refused(query), query).toMatchObject({ code: 'invalid_parameter' });
    await refused('url=https://a.test', { headers: { accept: 'application/x-ndjson' } });
    expectProblem(
      await service.raw(`/crawler/jobs/${id}/urls?url=https://a.test`, { token: stranger.token }),
      404,
      'job_not_found',
    );
  });

  test('GET /crawler/jobs: answers 400 and lists the statuses when the status is unknown', async () => {
    expect(expectProblem(await service.raw('/crawler/jobs?status=done'), 400, 'invalid_parameter').detail).toContain(
      'succeeded',
    );
  });
});

describe('POST /crawler/jobs/{id}/stop and /resume', () => {
  test('POST /stop: keeps the job unfinished and listed as stopped until it is resumed, and is idempotent', async () => {
    const job = await startHeldJob();
    const listed = async (): Promise<unknown> => {
      const list = await service.ok<List<JobAnswer> & { counts: unknown }>('/crawler/jobs?status=stopped');
      return [list.data.map(({ id }) => id), list.counts];
    };
    const stopped = await service.ok<JobAnswer>(`/crawler/jobs/${job.id}/stop`, { method: 'POST' });
    expect(stopped).toMatchObject({ status: 'running', stoppedAt: expect.any(Number), finishedAt: null });
    expect(await listed()).toMatchObject([[job.id], { stopped: 1, running: 1 }]);
    expect(await service.ok('/crawler/jobs?status=stopped&q=nowhere')).toMatchObject({
      data: [],
      counts: { stopped: 0 },
    });
    const again = await service.ok<JobAnswer>(`/crawler/jobs/${job.id}/stop`, { method: 'POST' });
    expect(again['stoppedAt']).toBe(stopped['stoppedAt']);
    expect(await service.ok(`/crawler/jobs/${job.id}/resume`, { method: 'POST' })).toMatchObject({ stoppedAt: null });
    expect(await listed()).toMatchObject([[], { stopped: 0 }]);
    await service.ok(`/crawler/jobs/${job.id}/cancel`, { method: 'POST' });
    await job.close();
    expect(await service.ok(`/crawler/jobs/${job.id}/stop`, { method: 'POST' })).toMatchObject({ stoppedAt: null });
    expectProblem(await service.raw('/crawler/jobs/nobody/stop', { method: 'POST' }), 404, 'job_not_found');
  });
});

describe('POST /crawler/jobs/{id}/cancel and DELETE /crawler/jobs/{id}', () => {
  test('POST /cancel: stops a running job, counts unfinished URLs as discarded, and is idempotent', async () => {
    const job = await startHeldJob();
    const cancelled = await service.ok<JobAnswer>(`/crawler/jobs/${job.id}/cancel`, { method: 'POST' });
    expect(cancelled).toMatchObject({
      id: job.id,
      status: 'cancelled',
      progress: { discovered: 3, scraped: 1, discarded: 2, queued: 0, inFlight: 0 },
    });
    expect(await service.ok(`/crawler/jobs/${job.id}/cancel`, { method: 'POST', json: {} })).toEqual(cancelled);
    await job.close();
    const { data } = await service.ok<List<Url>>(`/crawler/jobs/${job.id}/urls?reason=cancelled`);
    expect(data.map(({ status, reason }) => [status, reason])).toEqual([
      ['discarded', 'cancelled'],
      ['discarded', 'cancelled'],
    ]);
    expect(await service.job(job.id)).toEqual(cancelled);
  });

  test('POST /cancel: leaves an ended job unchanged', async () => {
    const ended = await service.crawl({ urls: [`${site.origin}/page/2`], max_depth: 0 });
    expect(await service.ok(`/crawler/jobs/${ended.id}/cancel`, { method: 'POST' })).toEqual(ended);
  });

  test('DELETE /crawler/jobs/{id}: removes the results, keeps the job, and is idempotent', async () => {
    const ended = await service.crawl({ urls: [`${site.origin}/page/2`], max_depth: 0 });
    const deleted = { ...ended, expiresAt: expect.any(Number), expired: true };
    const first = await service.ok(`/crawler/jobs/${ended.id}`, { method: 'DELETE' });
    expect(first).toEqual(deleted);
    expect(await service.ok(`/crawler/jobs/${ended.id}`, { method: 'DELETE' })).toEqual(first);
    expect(await service.job(ended.id)).toEqual(first);
    expectProblem(await service.raw(`/crawler/jobs/${ended.id}/urls`), 410, 'job_data_expired');
  });

  test('POST /cancel and DELETE /crawler/jobs/{id}: refuse a body with fields with 400', async () => {
    const { id } = await service.crawl({ urls: [`${site.origin}/page/2`], max_depth: 0 });
    for (const [method, path] of [
      ['POST', `/crawler/jobs/${id}/cancel`],
      ['DELETE', `/crawler/jobs/${id}`],
    ] as const) {
      const answer = await service.raw(path, {
        method,
        body: '{"reason":"x"}',
        headers: { 'content-type': 'application/json' },
      });
      expect(expectProblem(answer, 400, 'invalid_body').detail).toContain('Send no body');
    }
  });
});

describe('GET /crawler/jobs/{id}/urls', () => {
  test('GET /urls: waits for as long as `wait` says when the job runs and a cursor is given', async () => {
    const slow = await startHeldJob();
    const first = await service.ok<List<Url>>(`/crawler/jobs/${slow.id}/urls?status=failed`);
    expect(first.data).toEqual([]);
    const began = Date.now();
    const next = await service.ok<List<Url>>(
      `/crawler/jobs/${slow.id}/urls?status=failed&wait=1&cursor=${first.cursor ?? ''}`,
    );
    expect(next).toEqual(first);
    expect(Date.now() - began).toBeGreaterThanOrEqual(990);
    await slow.close();
  });

  let id = '';
  beforeAll(async () => {
    ({ id } = await service.crawl({
      urls: [`${site.origin}/mixed`],
      exclude_globs: ['/no/*'],
      force_crawling_mode: 'link',
    }));
  });

  test('GET /urls: lists every URL with its status and reason', async () => {
    const { data } = await service.ok<List<Url>>(`/crawler/jobs/${id}/urls`);
    const {
      '/page/2': page,
      '/copy': copy,
      ...outcomes
    } = Object.fromEntries(data.map(({ url, status, reason }) => [url.replace(site.origin, ''), [status, reason]]));
    // One redirects to the other, and either may be there first.
    expect(new Set([page, copy].map(String))).toEqual(new Set(['discarded,duplicate_of', 'scraped,']));
    expect(outcomes).toEqual({
      '/mixed': ['scraped', undefined],
      '/gone': ['failed', 'http_404'],
      '/broken/1': ['failed', 'http_404'],
      '/broken/2': ['failed', 'http_404'],
      '/no/1': ['outside', 'excluded_by_glob'],
      '/no/2': ['outside', 'excluded_by_glob'],
      'https://elsewhere.test/': ['outside', 'off_host'],
    });
    expect((await service.job(id)).progress.discovered).toBe(data.length);
  });

  test.each([
    ['', 9],
    ['status=scraped', 2],
    ['status=failed', 3],
    ['status=discarded', 1],
    ['status=outside', 3],
    ['status=queued', 0],
    ['reason=http_404', 3],
    ['status=outside&reason=excluded_by_glob', 2],
    ['status=discarded&reason=excluded_by_glob', 0],
    ['status=failed&reason=excluded_by_glob', 0],
    ['reason=no_such_reason', 0],
  ])('GET /urls: filters by %j and pages one by one through %i URLs', async (filter, count) => {
    const found: Url[] = [];
    let cursor: string | undefined;
    do {
      const page = await service.ok<List<Url>>(`/crawler/jobs/${id}/urls?limit=1&${filter}&cursor=${cursor ?? ''}`);
      found.push(...page.data);
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(found).toHaveLength(count);
    expect((await service.ok<List<Url>>(`/crawler/jobs/${id}/urls?${filter}`)).data).toEqual(found);
  });

  test.each([
    ['', 'gzip'],
    ['', 'identity'],
    ['status=failed', 'gzip'],
    ['reason=excluded_by_glob&limit=1', 'identity'],
    ['reason=no_such_reason', 'gzip'],
  ])(
    'GET /urls: streams the same URLs as NDJSON when filtered by %j (%s), with a last line',
    async (filter, coding) => {
      const answer = await service.raw(`/crawler/jobs/${id}/urls?${filter}`, {
        headers: { accept: 'application/x-ndjson', 'accept-encoding': coding },
      });
      expect(answer.headers).toMatchObject({
        'content-type': 'application/x-ndjson; charset=utf-8',
        'x-job-status': 'succeeded',
      });
      expect(answer.headers['content-encoding']).toBe(coding === 'gzip' ? 'gzip' : undefined);
      const text = coding === 'gzip' ? gunzipSync(answer.body) : answer.body;
      const lines = text
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
      const listed = await service.ok<List<Url>>(`/crawler/jobs/${id}/urls?${filter.replace('&limit=1', '')}`);
      expect(lines).toEqual([...listed.data, { end: true, urls: listed.data.length }]);
    },
  );

  test('GET /urls: continues NDJSON from a cursor, and refuses a bad cursor or job', async () => {
    const headers = { accept: 'application/x-ndjson' };
    const { cursor, data } = await service.ok<List<Url>>(`/crawler/jobs/${id}/urls?limit=4`);
    const rest = await service.raw(`/crawler/jobs/${id}/urls?cursor=${cursor}`, { headers });
    const lines = rest.body
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines.at(-1)).toEqual({ end: true, urls: 9 - data.length });
    expectProblem(await service.raw(`/crawler/jobs/${id}/urls?cursor=x`, { headers }), 400, 'invalid_cursor');
    expectProblem(await service.raw(`/crawler/jobs/${id}x/urls`, { headers }), 404, 'job_not_found');
  });

  test('GET /urls: streams NDJSON of a running job until it ends, with every URL once', async () => {
    const job = await startHeldJob();
    const reading = service.raw(`/crawler/jobs/${job.id}/urls`, { headers: { accept: 'application/x-ndjson' } });
    await service.ok(`/crawler/jobs/${job.id}/cancel`, { method: 'POST' });
    const lines = (await reading).body.toString().trimEnd().split('\n');
    const urls = lines.slice(0, -1).map((line) => (JSON.parse(line) as Url).url);
    expect(JSON.parse(lines.at(-1)!)).toEqual({ end: true, urls: urls.length });
    const { data } = await service.ok<List<Url>>(`/crawler/jobs/${job.id}/urls`);
    expect(urls).toEqual(data.map(({ url }) => url));
    await job.close();
  });

  test('GET /urls: refuses a cursor of another filter with 400', async () => {
    const { cursor } = await service.ok<List<Url>>(`/crawler/jobs/${id}/urls?limit=1&status=failed`);
    expectProblem(await service.raw(`/crawler/jobs/${id}/urls?cursor=${cursor}`), 400, 'invalid_cursor');
    expectProblem(
      await service.raw(`/crawler/jobs/${id}/urls?reason=http_404&cursor=${cursor}`),
      400,
      'invalid_cursor',
    );
  });

  test('GET /urls: lists the URLs in flight of a running job', async () => {
    const job = await startHeldJob();
    const { data } = await service.ok<List<Url>>(`/crawler/jobs/${job.id}/urls?status=inFlight`);
    expect(data.map(({ url }) => new URL(url).pathname)).toContain('/held/1');
    await job.close();
  });
});

describe('SIGTERM', () => {
  test.each([
    ['open and unused', ''],
    ['in the middle of its headers', 'GET /healthz HTTP/1.1\r\nHost: '],
    ['kept alive after an answer', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('SIGTERM: ends the service at once when a connection is %s', async (_name, bytes) => {
    const own = await startService();
    const socket = connect(own.port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    socket.write(bytes);
    await own.ok('/healthz');
    const start = performance.now();
    expect(await own.stop()).toBe(0);
    // A connection that the end waits for takes all of this time.
    expect(performance.now() - start).toBeLessThan(drainMs);
    socket.destroy();
    await own.close();
  });

  test('SIGTERM: ends the service with code 0 right after its start', async () => {
    const own = await startService();
    await own.restart();
    expect(await own.stop()).toBe(0);
    await own.close();
  });
});

describe('endpoints that describe the service', () => {
  test('GET /healthz and /readyz: need no token', async () => {
    expect(await service.ok('/healthz', { token: null })).toEqual({ status: 'ok' });
    expect(await service.ok('/readyz', { token: null })).toEqual({ status: 'ready', database: true, worker: true });
  });

  describe('/openapi.json', () => {
    type Schema = Readonly<Record<string, unknown>>;
    interface Operation {
      readonly summary?: string;
      readonly security?: readonly unknown[];
      readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
      readonly responses: Readonly<
        Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
      >;
    }
    interface Document {
      readonly openapi: string;
      readonly info: { readonly title: string; readonly version: string };
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
      readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
    }
    let document: Document;
    beforeAll(async () => {
      document = await service.ok<Document>('/openapi.json', { token: null });
    });

    test('GET /openapi.json: is OpenAPI 3.1 and lists every route', () => {
      expect(document.openapi).toBe('3.1.0');
      expect(document.info).toEqual({
        title: 'hayrake',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        description: expect.any(String),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      });
      const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => `${method} ${path}`),
      );
      expect(routes.toSorted()).toEqual([
        'delete /crawler/jobs/{id}',
        'delete /crawler/schedules/{id}',
        'delete /org/tokens/{token}',
        'delete /session',
        'get /crawler/hosts',
        'get /crawler/jobs',
        'get /crawler/jobs/{id}',
        'get /crawler/jobs/{id}/changes',
        'get /crawler/jobs/{id}/changes/diff',
        'get /crawler/jobs/{id}/data',
        'get /crawler/jobs/{id}/deliveries',
        'get /crawler/jobs/{id}/events',
        'get /crawler/jobs/{id}/export',
        'get /crawler/jobs/{id}/extract',
        'get /crawler/jobs/{id}/meta',
        'get /crawler/jobs/{id}/pages/{page}/dropped',
        'get /crawler/jobs/{id}/pages/{page}/raw',
        'get /crawler/jobs/{id}/pages/{page}/screenshot',
        'get /crawler/jobs/{id}/search',
        'get /crawler/jobs/{id}/stats',
        'get /crawler/jobs/{id}/tree',
        'get /crawler/jobs/{id}/urls',
        'get /crawler/schedules',
        'get /crawler/schedules/{id}',
        'get /crawler/schedules/{id}/changes',
        'get /crawler/schedules/{id}/changes/diff',
        'get /crawler/schedules/{id}/data',
        'get /crawler/schedules/{id}/jobs',
        'get /crawler/schedules/{id}/meta',
        'get /healthz',
        'get /metrics',
        'get /openapi.json',
        'get /org/tokens',
        'get /r/{url}',
        'get /readyz',
        'get /service',
        'get /session',
        'get /webhooks/key',
        'patch /crawler/jobs/{id}',
        'patch /crawler/schedules/{id}',
        'post /crawler/jobs',
        'post /crawler/jobs/preview',
        'post /crawler/jobs/{id}/cancel',
        'post /crawler/jobs/{id}/changes/accept',
        'post /crawler/jobs/{id}/deliveries/{delivery}/replay',
        'post /crawler/jobs/{id}/pages/{page}/erase',
        'post /crawler/jobs/{id}/reextract',
        'post /crawler/jobs/{id}/resume',
        'post /crawler/jobs/{id}/retry',
        'post /crawler/jobs/{id}/stop',
        'post /crawler/schedules',
        'post /crawler/schedules/{id}/run',
        'post /loader',
        'post /mcp',
        'post /org/tokens',
        'post /r',
        'post /scraper/batch',
        'post /scraper/map',
        'post /scraper/scrape',
        'post /service/backup',
        'post /session',
        'post /webhooks/key/rotate',
      ]);
    });

    test('GET /openapi.json: resolves every $ref', () => {
      const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
        ([, reference]) => reference!,
      );
      expect(references).not.toHaveLength(0);
      for (const reference of references) {
        const [, name] = /^#\/components\/((?:schemas|headers)\/[\w-]+)$/.exec(reference) ?? [];
        expect(document.components).toHaveProperty(name!.split('/'));
      }
    });

    test('GET /openapi.json: gives every operation a summary, its path parameters and its errors', () => {
      for (const [path, operations] of Object.entries(document.paths)) {
        for (const operation of Object.values(operations)) {
          expect(operation.summary).toEqual(expect.any(String));
          const inPath =
            operation.parameters?.filter((parameter) => parameter.in === 'path').map(({ name }) => name) ?? [];
          expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
          if (operation.security?.length === 0) continue;
          expect(Object.keys(operation.responses['4XX']!.content)).toEqual(['application/problem+json']);
        }
      }
    });

    test('GET /openapi.json: gives every integer of a request a minimum and a maximum', () => {
      const jobBody = JSON.stringify(document.paths['/crawler/jobs']!['post']);
      const parameters = Object.values(document.paths).flatMap((operations) =>
        Object.values(operations).flatMap(({ parameters: all = [] }) => all),
      );
      const numbers = [...parameters.map(({ schema }) => schema), ...integersIn(JSON.parse(jobBody))].filter(
        ({ type }) => [type].flat().includes('integer'),
      );
      expect(numbers.length).toBeGreaterThan(10);
      for (const schema of numbers)
        expect(schema).toMatchObject({ minimum: expect.any(Number), maximum: expect.any(Number) });
    });

    test('GET /openapi.json: matches the responses of the service exactly', async () => {
      const job = await service.crawl({ urls: [`${site.origin}/mixed`], exclude_globs: ['/no/*'] });
      const answers: readonly (readonly [string, z.ZodType])[] = [
        [`/crawler/jobs/${job.id}`, schemas.job],
        ['/crawler/jobs?limit=3', schemas.jobList],
        [`/crawler/jobs/${job.id}/data?limit=1`, schemas.results],
        [`/crawler/jobs/${job.id}/data`, schemas.results],
        [`/crawler/jobs/${job.id}/meta?limit=1`, schemas.resultsMeta],
        [`/crawler/jobs/${job.id}/urls?limit=3`, schemas.urlList],
        [`/crawler/jobs/${job.id}/urls`, schemas.urlList],
      ];
      for (const [path, schema] of answers) {
        const answer = await service.ok<unknown>(path);
        expect(exact(schema).safeParse(answer).error?.issues, path).toBeUndefined();
      }
      for (const path of ['/page/2', '/nowhere']) {
        const answer = await service.ok<unknown>('/scraper/scrape', { json: { url: `${site.origin}${path}` } });
        expect(schemas.scrapeResponse.safeParse(answer).error?.issues, path).toBeUndefined();
      }
      for (const path of ['/crawler/jobs?limit=0', '/crawler/jobs/x', '/nowhere']) {
        const problem: unknown = JSON.parse((await service.raw(path)).body.toString());
        expect(exact(schemas.problem).safeParse(problem).error?.issues, path).toBeUndefined();
      }
    });
  });
});

// --- helpers ---

function post(body: unknown): Promise<RawAnswer> {
  return service.raw('/crawler/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** A job with one page scraped, one URL held by its site and one more behind it or held as well. */
async function startHeldJob(): Promise<{ readonly id: string; close: () => Promise<void> }> {
  const own = await startTestSite({ '/': htmlPage({ text: 'first', links: ['/held/1', '/held/2'] }) });
  const gates = ['/held/1', '/held/2'].map((path) => own.hold(path));
  const { id } = await service.createJob({ urls: [`${own.origin}/`], force_crawling_mode: 'link' });
  await gates[0]!.reached;
  return { id, close: () => own.close() };
}

/** The schema with unknown fields forbidden: an answer has no field that the document does not have. */
function exact(schema: z.ZodType): z.ZodType {
  return z.fromJSONSchema(z.toJSONSchema(schema, { io: 'output' }));
}

/** Every schema of an integer inside a piece of the document. */
function integersIn(value: unknown): Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null) return [];
  const record = value as Record<string, unknown>;
  const inside = Object.values(record).flatMap(integersIn);
  return record['type'] === 'integer' ? [record, ...inside] : inside;
}
