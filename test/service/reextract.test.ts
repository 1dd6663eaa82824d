// POST /crawler/jobs/{id}/reextract: the pages of a job made again of what was kept, without a request to the site.
//
// How jobs differ: pages that are copies of each other by the new options, files, codings, a damaged or lost raw body, a job
// that was deleted meanwhile, options that concern the request.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { type Living, startLivingSite } from './living-site.ts';
import { type JobAnswer, startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';

const prose = 'Hay is dried for three days in the sun, and turned twice before it goes to the barn. ';
const article = (name: string): string =>
  `<!doctype html><html lang="en"><head><title>${name}</title></head><body><nav><a href="/">Home</a></nav><main><h1>${name}</h1>
   <p>${prose.repeat(5)}</p><p class="only">the same words everywhere</p><a href="/a">a link</a></main><footer>Made of grass</footer></body></html>`;

interface Row {
  readonly meta: { readonly page: number; readonly url: string; readonly fetchedUrl: string };
  readonly text: string;
}

let site: TestSite;
let service: TestService;
let job: JobAnswer;

beforeAll(async () => {
  site = await startTestSite({
    '/': htmlPage({ title: 'home', text: 'home', links: ['/a', '/b', '/c', '/notes.txt'] }),
    '/a': article('Apples'),
    '/b': (_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
        .end(gzipSync(article('Bees'))),
    '/c': article('Clover'),
    '/notes.txt': (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('Notes of a farmer.'),
  });
  service = await startService();
  const body = { urls: [`${site.origin}/`], include_linked_files: true, force_crawling_mode: 'link', store_raw: true };
  job = await service.untilEnded((await service.crawl(body)).id);
});
afterAll(async () => {
  await service.close();
  await site.close();
});

const post = (id: string, body?: unknown, token?: string | null): ReturnType<TestService['raw']> =>
  service.raw(`/crawler/jobs/${id}/reextract`, {
    method: 'POST',
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    ...(token !== undefined && { token }),
  });
async function reextracted(body: unknown, of = job.id): Promise<JobAnswer> {
  const { status, body: answer } = await post(of, body);
  expect(status, answer.toString()).toBe(200);
  return service.untilEnded((JSON.parse(answer.toString()) as JobAnswer).id);
}
async function rowsOf(id: string): Promise<readonly Row[]> {
  const { body } = await service.raw(`/crawler/jobs/${id}/data`);
  return (JSON.parse(body.toString()) as { data: readonly Row[] }).data;
}
const places = (rows: readonly Row[]): unknown =>
  rows.map(({ meta: { page, url, fetchedUrl } }) => [page, url, fetchedUrl]);

/** How a job can be made from another, after the site has changed: each returns the one whose pages are made again. */
const later: Readonly<Record<string, (one: JobAnswer, living: Living) => Promise<JobAnswer>>> = {
  since: ({ id }) => service.crawl({ since: id }),
  'since, with deliver: changed': ({ id }) => service.crawl({ since: id, deliver: 'changed' }),
  'since a job that is deleted by now': async ({ id }) => {
    const two = await service.crawl({ since: id });
    await service.ok(`/crawler/jobs/${id}`, { method: 'DELETE' });
    return two;
  },
  'since a job with since': async ({ id }) => service.crawl({ since: (await service.crawl({ since: id })).id }),
  'since, stopped and resumed': async ({ id }, living) => {
    const { reached, open } = living.hold('/b');
    const two = await service.createJob({ since: id });
    await reached;
    await service.ok(`/crawler/jobs/${two.id}/stop`, { method: 'POST' });
    open();
    await service.ok(`/crawler/jobs/${two.id}/resume`, { method: 'POST' });
    return service.untilEnded(two.id);
  },
  'since a batch': async (_, living) => {
    const urls = ['/a', '/c'].map((path) => `${living.origin}${path}`);
    const { id } = await service.ok<JobAnswer>('/scraper/batch', { json: { urls, store_raw: true } });
    await service.untilEnded(id);
    living.write({ c: 'Comfrey' });
    return service.crawl({ since: id });
  },
  'the second run of a schedule': async (_, living) => {
    const schedule = await service.api('/crawler/schedules', {
      json: { name: 'nightly', cron: '@daily', job: { urls: [`${living.origin}/`], store_raw: true } },
    });
    const { id } = (await schedule.json()) as { id: string };
    const run = async (): Promise<JobAnswer> => {
      const made = await service.api(`/crawler/schedules/${id}/run`, { method: 'POST' });
      return service.untilEnded(((await made.json()) as { job: JobAnswer }).job.id);
    };
    await run();
    living.write({ a: 'Apricots' });
    return run();
  },
  'a retry of a job with since': async ({ id }, living) => {
    living.answer({ d: 404 });
    const two = await service.crawl({ since: id });
    living.answer({ d: 'page' });
    const retry = await service.ok<JobAnswer>(`/crawler/jobs/${two.id}/retry`, { method: 'POST' });
    expect(retry['since']).toBeNull();
    return service.untilEnded(retry.id);
  },
};

describe('POST .../reextract', () => {
  test.concurrent.each(Object.keys(later))(
    'delivers the pages of that run with their numbers, from its own raw bodies: %s',
    async (name) => {
      const living = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover' } });
      const one = await service.crawl({ urls: [`${living.origin}/`], store_raw: true });
      living.write({ b: 'Bumblebees', d: 'Dew' });
      const made = await later[name]!(one, living);
      living.forget();
      const again = await reextracted({}, made.id);
      expect(again).toMatchObject({ status: 'succeeded', complete: true, reextractOf: made.id });
      expect(again).toMatchObject({ since: null, deliver: 'all' });
      expect(again).not.toHaveProperty('changes');
      const [old, rows] = [await rowsOf(made.id), await rowsOf(again.id)];
      expect(old).not.toEqual([]);
      expect(places(rows)).toEqual(places(old));
      expect(rows.map(({ text }) => text)).toEqual(old.map(({ text }) => text));
      expect(living.asked()).toEqual([]);
      await living.close();
    },
  );

  test('makes the same pages again without a request, with the options that are given', async () => {
    const before = site.requests.length;
    const again = await reextracted({ output_format: 'text', content: 'full', exclude_elements: 'p' });
    expect(again).toMatchObject({ status: 'succeeded', complete: true, reextractOf: job.id, kind: 'reextract' });
    expect(again).toMatchObject({ output_format: 'text', content: 'full', exclude_elements: 'p' });
    const [old, rows] = [await rowsOf(job.id), await rowsOf(again.id)];
    expect(places(rows)).toEqual(places(old));
    expect(rows).toHaveLength(5);
    const bees = rows.find(({ meta }) => meta.url.endsWith('/b'))!;
    expect(bees.text).toContain('Made of grass');
    expect(bees.text).not.toContain('Hay is dried');
    expect(site.requests).toHaveLength(before);
  });

  test('reads records from the pages that a job already has', async () => {
    const fields = { name: { css: 'h1' } };
    const again = await reextracted({ extract: { fields } });
    const { body } = await service.raw(`/crawler/jobs/${again.id}/data`);
    const { data } = JSON.parse(body.toString()) as { data: { extracted: unknown; meta: { url: string } }[] };
    expect(data.find(({ meta }) => meta.url.endsWith('/b'))!.extracted).toEqual({ name: 'Bees' });
    const without = await reextracted({ extract: null });
    expect(without).toMatchObject({ extract: null });
  });

  test('gives the same texts when nothing is changed', async () => {
    const again = await reextracted(undefined);
    expect(await rowsOf(again.id)).toEqual(await rowsOf(job.id));
  });

  test('reads other structured data, and says of which pages it lacks something', async () => {
    const extract = {
      when: ['/?'],
      fields: { name: { css: 'h1' }, lost: { css: '.lost' } },
      schema: { properties: { lost: {} }, required: ['lost'] },
    };
    const again = await reextracted({ extract });
    const rows = await rowsOf(again.id);
    expect(rows.find(({ meta }) => meta.url.endsWith('/b'))).toMatchObject({
      extracted: { name: 'Bees', lost: null },
    });
    expect(again).toMatchObject({ complete: false, findings: [{ code: 'extract_incomplete', count: 3 }] });
  });

  test('neither joins nor discards pages that are equal by the new options', async () => {
    const again = await reextracted({ include_elements: '.only' });
    const texts = (await rowsOf(again.id)).map(({ text }) => text);
    expect(texts.filter((text) => text.trim() === 'the same words everywhere')).toHaveLength(3);
    expect(again).toMatchObject({ progress: { scraped: 5, discarded: 0 } });
  });

  test('refuses options that concern the request, the pages or the job', async () => {
    for (const field of [{ urls: [site.origin] }, { page_limit: 5 }, { headers: { a: 'b' } }, { store_raw: true }])
      expectProblem(await post(job.id, field), 400, 'invalid_body');
    expectProblem(await post(job.id, { content: 'half' }), 400, 'invalid_body');
    expectProblem(await post(job.id, []), 400, 'invalid_body');
  });

  test('refuses jobs without raw bodies, of others, and that are gone', async () => {
    const start = { urls: [`${site.origin}/`], max_depth: 0, force_crawling_mode: 'link' };
    const plain = await service.untilEnded((await service.crawl(start)).id);
    expectProblem(await post(plain.id), 409, 'no_raw');
    expectProblem(await post((await reextracted({})).id), 409, 'no_raw');
    const stranger = await service.createToken({ org: 'strangers', permissions: 'read,write' });
    expectProblem(await post(job.id, undefined, stranger.token), 404, 'job_not_found');
    const reader = await service.createToken({ org: 'default', permissions: 'read' });
    expectProblem(await post(job.id, undefined, reader.token), 403, 'permission_denied');
    const high = await service.untilEnded((await service.crawl({ ...start, store_raw: true, priority: 'high' })).id);
    const writer = await service.createToken({ org: 'default', permissions: 'read,write' });
    expectProblem(await post(high.id, undefined, writer.token), 403, 'permission_denied');
    const gone = await service.untilEnded((await service.crawl({ ...start, store_raw: true })).id);
    await service.raw(`/crawler/jobs/${gone.id}`, { method: 'DELETE' });
    expectProblem(await post(gone.id), 410, 'job_data_expired');
  });

  test('dropped: reads a page of a job with `since` without the pages of the earlier job', async () => {
    const living = await startLivingSite({ pages: { a: 'Apples', b: 'Bees' } });
    const one = await service.crawl({ urls: [`${living.origin}/`] });
    const two = await service.crawl({ since: one.id, store_raw: true });
    await service.ok(`/crawler/jobs/${one.id}`, { method: 'DELETE' });
    living.forget();
    expect((await service.raw(`/crawler/jobs/${two.id}/pages/1/dropped`)).status).toBe(200);
    expect(living.asked()).toHaveLength(0);
    await living.close();
  });

  test('keeps the numbers of pages whose raw body is damaged: empty, no_raw in the ledger, and a finding', async () => {
    await service.stop();
    await service.changeDatabase('UPDATE raw_page SET crc = crc + 1');
    await service.start();
    expectProblem(await service.raw(`/crawler/jobs/${job.id}/pages/1/raw`), 500, 'page_damaged');
    const { code, stdout } = await service.run(['check']);
    expect([code, stdout]).toEqual([5, expect.stringMatching(/raw body/)]);
    const again = await reextracted({ output_format: 'text' });
    expect(again).toMatchObject({ status: 'succeeded', complete: false, findings: [{ code: 'no_raw', count: 5 }] });
    const [old, rows] = [await rowsOf(job.id), await rowsOf(again.id)];
    const urls = (of: readonly Row[]): unknown => of.map(({ meta: { page, url } }) => [page, url]);
    expect(urls(rows)).toEqual(urls(old));
    expect(new Set(rows.map(({ text }) => text))).toEqual(new Set(['']));
    const { body } = await service.raw(`/crawler/jobs/${again.id}/urls?reason=no_raw`);
    expect((JSON.parse(body.toString()) as { data: unknown[] }).data).toHaveLength(5);
  });
});
