// A retry crawls what failed, and what hangs behind it, and nothing else.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../service/expect-problem.ts';
import { type JobAnswer, type RawAnswer, startService, type TestService } from '../service/start-service.ts';
import { endingsOf } from './ledger.ts';
import { type Answer, numbered, page, type ScriptedSite, ScriptedSites } from './scripted-site.ts';

const sites = new ScriptedSites();
let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
  await sites.close();
});

interface Row {
  readonly meta: { readonly page: number; readonly url: string };
}

/** `/` links to `/p/1` up to `/p/5`, `/p/3` to `/deep`, and that to all. What is down is a 404. */
async function startSite(down: Set<string>): Promise<ScriptedSite> {
  const answers: Readonly<Record<string, Answer>> = {
    '/': page('/', numbered(5)),
    ...Object.fromEntries(numbered(5).map((path) => [path, page(path, path === '/p/3' ? ['/deep', '/p/1'] : [])])),
    '/deep': page('/deep', ['/', '/deeper', ...numbered(5)]),
    '/deeper': page('/deeper'),
  };
  return sites.start((path) => (down.has(path) ? undefined : answers[path]));
}

async function retry(id: string, body?: unknown): Promise<JobAnswer> {
  const response = await service.api(`/crawler/jobs/${id}/retry`, {
    method: 'POST',
    ...(body !== undefined && { json: body }),
  });
  expect(response.status).toBe(200);
  const job = (await response.json()) as JobAnswer;
  expect(response.headers.get('location')).toBe(`/crawler/jobs/${job.id}`);
  expect(job['retryOf']).toBe(id);
  return job;
}

async function pathsOf(id: string): Promise<string[]> {
  const { data } = await service.ok<{ readonly data: readonly Row[] }>(`/crawler/jobs/${id}/data`);
  expect(data.map(({ meta }) => meta.page)).toEqual(data.map((_, index) => index + 1));
  return data.map(({ meta }) => new URL(meta.url).pathname);
}

const linksOnly = { force_crawling_mode: 'link', use_browser: false } as const;

describe('a retry', () => {
  test('delivers exactly what was missing, with what hangs behind it, and nothing twice', async () => {
    const down = new Set(['/p/3', '/p/5']);
    const site = await startSite(down);
    const first = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly, min_length: 1 });
    expect(first.progress).toMatchObject({ scraped: 4, failed: 2 });
    const before = await endingsOf(service, first.id);

    down.delete('/p/3');
    const second = await service.untilEnded((await retry(first.id)).id);
    expect(second).toMatchObject({ status: 'succeeded', min_length: 1, urls: first['urls'], notices: first.notices });
    expect((await pathsOf(second.id)).toSorted()).toEqual(['/deep', '/deeper', '/p/3']);
    expect(await endingsOf(service, second.id)).toEqual({
      '/': 'crawled_before',
      '/p/1': 'crawled_before',
      '/p/2': 'crawled_before',
      '/p/3': 'scraped',
      '/p/4': 'crawled_before',
      '/p/5': 'http_404',
      '/deep': 'scraped',
      '/deeper': 'scraped',
    });

    down.delete('/p/5');
    const third = await service.untilEnded((await retry(second.id)).id);
    expect(await pathsOf(third.id)).toEqual(['/p/5']);
    expect(third.progress).toMatchObject({ discovered: 1, scraped: 1, discarded: 0, failed: 0 });

    expect(site.asks('/')).toBe(1);
    expect(['/p/1', '/p/2', '/p/4', '/deep', '/deeper'].map((path) => site.asks(path))).toEqual([1, 1, 1, 1, 1]);
    expect(await service.job(first.id)).toEqual(first);
    expect(await endingsOf(service, first.id)).toEqual(before);
  });

  test('crawls the whole site where the start page failed', async () => {
    const down = new Set(['/']);
    const site = await startSite(down);
    const first = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
    expect(first).toMatchObject({ status: 'failed', progress: { discovered: 1, failed: 1 } });
    down.clear();
    const second = await service.untilEnded((await retry(first.id)).id);
    expect(second).toMatchObject({ status: 'succeeded', progress: { discovered: 8, scraped: 8 } });
  });

  test('sends the headers that it is given, and not those of the job', async () => {
    const down = new Set(['/p/2']);
    const site = await startSite(down);
    const first = await service.crawl({
      urls: [`${site.origin}/`],
      ...linksOnly,
      headers: { 'X-Key': 'first' },
      cookies: { session: '1' },
    });
    down.clear();
    await service.untilEnded((await retry(first.id, { cookies: { session: '2' } })).id);
    const asked = site.requests.filter(({ path }) => path === '/p/2').map(({ headers }) => headers);
    expect(asked.map(({ cookie, 'x-key': key }) => [cookie, key])).toEqual([
      ['session=1', 'first'],
      ['session=2', undefined],
    ]);
  });

  test('needs the permission to ignore robots.txt again', async () => {
    const site = await sites.start((path) =>
      path === '/robots.txt' ? 'User-agent: *\nDisallow: /' : path === '/' ? page('/', ['/gone']) : undefined,
    );
    const { id } = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly, respect_robots: false });
    const { token } = await service.createToken({ org: 'default' });
    const path = `/crawler/jobs/${id}/retry`;
    expectProblem(await service.raw(path, { method: 'POST', token }), 403, 'permission_denied');
    const retried = await service.untilEnded((await retry(id)).id);
    expect(retried).toMatchObject({ respect_robots: false, progress: { failed: 1 } });
    expect(retried.notices.map(({ code }) => code)).toContain('robots_ignored');
  });
});

describe('Idempotency-Key', () => {
  const withKey = (id: string, key: string, body?: string): Promise<RawAnswer> =>
    service.raw(`/crawler/jobs/${id}/retry`, {
      method: 'POST',
      headers: { 'idempotency-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
  const idOf = ({ body }: RawAnswer): string => (JSON.parse(body.toString()) as JobAnswer).id;
  const failedJob = async (): Promise<string> => {
    const site = await startSite(new Set(['/p/1']));
    return (await service.crawl({ urls: [`${site.origin}/p/1`], ...linksOnly, max_depth: 0 })).id;
  };

  test('a hundred requests at once make one job, which later ones are given as it stands, across restarts', async () => {
    const id = await failedJob();
    const answers = await Promise.all(Array.from({ length: 100 }, () => withKey(id, 'hundred')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const [made, ...more] = new Set(answers.map(idOf));
    expect(more).toEqual([]);
    await service.untilEnded(made!);
    await service.restart();
    const again = await withKey(id, 'hundred');
    expect(JSON.parse(again.body.toString())).toMatchObject({ id: made, retryOf: id, status: 'failed' });
    expect(again.headers['location']).toBe(`/crawler/jobs/${made}`);
  });

  test('no body and an empty one are the same; with another body, or for another job, or after a creation: 422', async () => {
    const [first, second] = [await failedJob(), await failedJob()];
    const made = idOf(await withKey(first, 'same'));
    expect(idOf(await withKey(first, 'same', '{}'))).toBe(made);
    expectProblem(await withKey(first, 'same', '{"cookies":{"a":"b"}}'), 422, 'idempotency_key_reused');
    expectProblem(await withKey(second, 'same'), 422, 'idempotency_key_reused');
    const { urls } = await service.job(first);
    await service.createJob({ urls }, { headers: { 'idempotency-key': 'created' } });
    expectProblem(await withKey(first, 'created'), 422, 'idempotency_key_reused');
  });

  test.each([
    ['empty', ''],
    ['257 characters', 'k'.repeat(257)],
  ])('%s: 400, as when a job is created', async (_name, key) => {
    const id = await failedJob();
    expect(expectProblem(await withKey(id, key), 400, 'invalid_parameter').detail).toContain('1 to 256 characters');
  });

  test('256 characters are taken', async () => {
    expect((await withKey(await failedJob(), 'k'.repeat(256))).status).toBe(200);
  });
});

describe('a retry is refused', () => {
  const post = (path: string, body?: string, token?: string): ReturnType<TestService['raw']> =>
    service.raw(`/crawler/jobs/${path}`, {
      method: 'POST',
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
      ...(token !== undefined && { token }),
    });

  test('for a job that runs, that failed nowhere, that is deleted, or that there is not', async () => {
    const site = await startSite(new Set(['/p/4']));
    const whole = await service.crawl({ urls: [`${site.origin}/p/1`], max_depth: 0 });
    expectProblem(await post(`${whole.id}/retry`), 409, 'nothing_to_retry');

    const slow = await sites.start(() => () => {});
    const running = await service.createJob({ urls: [`${slow.origin}/`] });
    await slow.until(() => slow.requests.length > 0);
    expectProblem(await post(`${running.id}/retry`), 409, 'job_not_ended');
    await service.ok(`/crawler/jobs/${running.id}/cancel`, { method: 'POST' });
    expectProblem(await post(`${running.id}/retry`), 409, 'nothing_to_retry');

    const deleted = await service.crawl({ urls: [`${site.origin}/p/4`], max_depth: 0 });
    const stranger = await service.createToken({ org: 'stranger' });
    expectProblem(await post(`${deleted.id}/retry`, undefined, stranger.token), 404, 'job_not_found');
    await service.ok(`/crawler/jobs/${deleted.id}`, { method: 'DELETE' });
    expectProblem(await post(`${deleted.id}/retry`), 410, 'job_data_expired');

    expectProblem(await post(`${'7'.repeat(26)}/retry`), 404, 'job_not_found');
    expectProblem(await post('x/retry'), 404, 'job_not_found');
  });

  test('without the permission to write, and with a body that says something else', async () => {
    const site = await startSite(new Set(['/']));
    const { id } = await service.crawl({ urls: [`${site.origin}/`], max_depth: 0 });
    const reader = await service.createToken({ org: 'default', permissions: 'read' });
    expectProblem(await post(`${id}/retry`, undefined, reader.token), 403, 'permission_denied');
    for (const [body, field] of [
      ['{"urls":["http://a.test/"]}', 'urls'],
      ['{"headers":{"Host":"x"}}', 'headers.Host'],
      ['{"cookies":7}', 'cookies'],
      ['[]', 'body'],
    ] as const) {
      expect(expectProblem(await post(`${id}/retry`, body), 400, 'invalid_body').errors?.[0]?.field).toBe(field);
    }
    expect((await service.ok<{ data: JobAnswer[] }>('/crawler/jobs')).data.map((job) => job['retryOf'])).not.toContain(
      id,
    );
  });
});

test('hayrake retry JOB crawls what failed and writes it as `crawl` does', async () => {
  const down = new Set(['/p/3', '/p/5']);
  const site = await startSite(down);
  const { id } = await service.crawl({ urls: [`${site.origin}/`], ...linksOnly });
  await service.stop();
  try {
    down.delete('/p/3');
    const first = await service.run(['retry', id, '--json', '--cookie', 'session=3']);
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringMatching(/3 pages · 0 discarded · 1 failed · 4 outside/),
    ]);
    const rows = first.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    expect(rows.map(({ meta }) => new URL(meta.url).pathname).toSorted()).toEqual(['/deep', '/deeper', '/p/3']);
    expect(site.requests.at(-1)?.headers.cookie).toBe('session=3');

    down.delete('/p/5');
    const second = await service.run(['retry', id, '--json']);
    expect(second.code).toBe(0);
    expect(second.stderr).toMatch(/hayrake get [0-9A-Z]{26}/);
    const newest = /hayrake get ([0-9A-Z]{26})/.exec(second.stderr)?.[1] ?? '';
    const nothing = await service.run(['retry', newest]);
    expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('nothing to retry')]);
    const unknown = await service.run(['retry', '7'.repeat(26)]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no job with this id')]);
  } finally {
    await service.start();
  }
});
