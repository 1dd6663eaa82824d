// What a job has found and how it goes, in numbers: its tree of URLs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { type JobAnswer, startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';

let site: TestSite;
let service: TestService;
let job: JobAnswer;

beforeAll(async () => {
  const links = ['/docs/a/1', '/docs/a/2', '/docs/b/1', '/docs/gone', '/about?x=1', 'https://elsewhere.test/docs/a'];
  site = await startTestSite({
    '/': htmlPage({ text: 'home', links }),
    ...Object.fromEntries(
      links.filter((path) => !path.endsWith('gone')).map((path) => [path, htmlPage({ text: path })]),
    ),
  });
  service = await startService();
  job = await service.crawl({ urls: [site.origin], force_crawling_mode: 'link' });
});

afterAll(async () => {
  await service.close();
  await site.close();
});

describe('GET /crawler/jobs/{id}/tree', () => {
  interface Node {
    readonly segment: string;
    readonly prefix: string;
    readonly urls: number;
    readonly data?: readonly Node[];
  }
  const tree = (query: Record<string, string> = {}) =>
    service.ok<{ prefix?: string; data: readonly Node[]; others?: object }>(
      `/crawler/jobs/${job.id}/tree?${new URLSearchParams(query).toString()}`,
    );

  test('GET /tree: lists origins first, then the segments of a prefix, most URLs first', async () => {
    expect(await tree()).toEqual({
      data: [
        {
          segment: site.origin,
          prefix: `${site.origin}/`,
          urls: 6,
          scraped: 5,
          discarded: 0,
          failed: 1,
          queued: 0,
          outside: 0,
        },
        {
          segment: 'https://elsewhere.test',
          prefix: 'https://elsewhere.test/',
          urls: 1,
          scraped: 0,
          discarded: 0,
          failed: 0,
          queued: 0,
          outside: 1,
        },
      ],
    });
    const { prefix, data } = await tree({ prefix: '/', depth: '2' });
    expect(prefix).toBe(`${site.origin}/`);
    expect(data.map(({ segment, urls }) => [segment, urls])).toEqual([
      ['docs', 4],
      ['', 1],
      ['about', 1],
    ]);
    expect(data[0]?.data?.map((node) => [node.segment, node.prefix, node.urls])).toEqual([
      ['a', `${site.origin}/docs/a/`, 2],
      ['b', `${site.origin}/docs/b/`, 1],
      ['gone', `${site.origin}/docs/gone/`, 1],
    ]);
  });

  test('GET /tree: counts in `others` what `limit` leaves out, and takes a URL as prefix', async () => {
    const { data, others } = await tree({ prefix: `${site.origin}/docs`, limit: '1' });
    expect(data).toMatchObject([{ segment: 'a', urls: 2 }]);
    expect(others).toMatchObject({ urls: 2, scraped: 1, failed: 1 });
    expect(await tree({ prefix: '/nowhere/' })).toEqual({ prefix: `${site.origin}/nowhere/`, data: [] });
  });

  test('GET /tree: answers wrong parameters with 400, the job of another org with 404, a deleted job with 410', async () => {
    const get = (query: string, token?: string) =>
      service.raw(`/crawler/jobs/${job.id}/tree?${query}`, { ...(token !== undefined && { token }) });
    for (const wrong of ['prefix=docs', 'depth=4', 'depth=0', 'limit=1001', 'prefix=mailto:x', 'unknown=1'])
      expectProblem(await get(wrong), 400, 'invalid_parameter');
    const { token } = await service.createToken({ org: 'elsewhere' });
    expectProblem(await get('', token), 404, 'job_not_found');
    const { id } = await service.crawl({ urls: [site.origin], max_depth: 0 });
    await service.ok(`/crawler/jobs/${id}`, { method: 'DELETE' });
    expectProblem(await service.raw(`/crawler/jobs/${id}/tree`), 410, 'job_data_expired');
  });
});

describe('GET /crawler/jobs/{id}/stats', () => {
  interface Stats {
    readonly step: number;
    readonly data: readonly Readonly<Record<'at' | 'scraped' | 'discarded' | 'failed' | 'queued' | 'bytes', number>>[];
  }
  const stats = (id: string, query = '') => service.ok<Stats>(`/crawler/jobs/${id}/stats${query}`);
  const sumOf = ({ data }: Stats, name: 'scraped' | 'discarded' | 'failed' | 'bytes'): number =>
    data.reduce((sum, step) => sum + step[name], 0);

  test('GET /stats: lists steps that add up to the progress of an ended job, also after a restart', async () => {
    // Sampled within a second of the end.
    await expect.poll(async () => (await stats(job.id)).data.at(-1)?.at).toBeGreaterThanOrEqual(job.finishedAt ?? 0);
    const check = async (): Promise<void> => {
      const all = await stats(job.id);
      expect(all.step).toBe(1_000);
      for (const name of ['scraped', 'discarded', 'failed'] as const) expect(sumOf(all, name)).toBe(job.progress[name]);
      expect(sumOf(all, 'bytes')).toBe(job['fetchedBytes']);
      expect(sumOf(all, 'bytes')).toBeGreaterThan(100);
      expect(all.data.at(-1)).toMatchObject({ queued: 0 });
      expect(all.data.at(-1)?.at).toBeGreaterThanOrEqual(job.finishedAt ?? 0);
      expect(await stats(job.id, `?since=${all.data.at(-1)?.at}`)).toEqual({ step: 1_000, data: [] });
    };
    await check();
    await service.restart();
    await check();
  });

  test('GET /stats: ends the last step now when the job is running', async () => {
    const gate = site.hold('/docs/a/1');
    const { id } = await service.createJob({ urls: [site.origin], force_crawling_mode: 'link' });
    await gate.reached;
    const begun = Date.now();
    const { data } = await stats(id);
    expect(data.at(-1)?.at).toBeGreaterThanOrEqual(begun - 1_000);
    gate.open();
    const ended = await service.untilEnded(id);
    expect(sumOf(await stats(id, '?since='), 'scraped')).toBe(ended.progress.scraped);
  });

  test('GET /stats: answers an invalid `since` with 400, the job of another org with 404', async () => {
    expectProblem(await service.raw(`/crawler/jobs/${job.id}/stats?since=yesterday`), 400, 'invalid_parameter');
    const { token } = await service.createToken({ org: 'nobody' });
    expectProblem(await service.raw(`/crawler/jobs/${job.id}/stats`, { token }), 404, 'job_not_found');
  });
});

describe('GET /crawler/hosts', () => {
  interface Hosts {
    readonly data: readonly (Readonly<Record<string, unknown>> & { readonly host: string })[];
    readonly cursor?: string;
  }

  test('GET /crawler/hosts: lists the hosts of running jobs of the own org with their pace', async () => {
    const gate = site.hold('/docs/a/2');
    const { token } = await service.createToken({ org: 'hosts' });
    const body = { urls: [site.origin], force_crawling_mode: 'link' };
    const running = await service.createJob(body, { token });
    await gate.reached;
    const { host } = new URL(site.origin);
    const list = (query: string, as = token) => service.ok<Hosts>(`/crawler/hosts?${query}`, { token: as });
    expect(await list('')).toEqual({
      data: [expect.objectContaining({ host, jobs: [running.id], isLeased: true, robots: 'read', circuit: 'closed' })],
    });
    expect((await list(`q=${host}&job=${running.id.toLowerCase()}`)).data[0]?.['inFlight']).toBeGreaterThan(0);
    expect((await list('q=elsewhere')).data).toEqual([]);
    const other = await service.createToken({ org: 'others' });
    expect((await list('', other.token)).data).toEqual([]);
    const foreign = await service.raw(`/crawler/hosts?job=${running.id}`, { token: other.token });
    expectProblem(foreign, 404, 'job_not_found');
    for (const wrong of ['limit=0', 'q=a&q=b', 'status=open'])
      expectProblem(await service.raw(`/crawler/hosts?${wrong}`), 400, 'invalid_parameter');
    expectProblem(await service.raw('/crawler/hosts?cursor=nonsense'), 400, 'invalid_cursor');
    gate.open();
    await service.untilEnded(running.id, { token });
    expect(await list('')).toEqual({ data: [] });
  });

  test('GET /crawler/hosts: reports the circuit and last error when a host is unreachable', async () => {
    const gone = await startTestSite({});
    await gone.close();
    const { id } = await service.createJob({ urls: [gone.origin] });
    const { host } = new URL(gone.origin);
    await expect
      .poll(async () => (await service.ok<Hosts>(`/crawler/hosts?job=${id}`)).data[0], { timeout: 10_000 })
      .toMatchObject({
        host,
        circuit: 'open',
        robots: 'unreachable',
        lastError: { message: expect.any(String) as string },
      });
    await service.ok(`/crawler/jobs/${id}/cancel`, { method: 'POST' });
  });
});
