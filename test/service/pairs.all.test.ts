// What is made of a job × how the job was made. Each pair works to its end, with every page of the site, or is refused with a
// sentence that says what to do.
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportNames } from '../../src/export/formats.ts';
import { sampleVariable } from '../sampling/sample.ts';
import { type JobAnswer, startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';

let service: TestService;
let site: TestSite;

const names = ['/', '/a', '/b', '/c'];

beforeAll(async () => {
  const pages = names.map((name) =>
    htmlPage({ title: `Page ${name}`, text: `All about ${name}.`, links: ['/a', '/b', '/c', '/ill'] }),
  );
  site = await startTestSite({
    ...Object.fromEntries(names.map((name, index) => [name, pages[index] ?? ''])),
    '/ill': (_, response) => response.writeHead(403, { 'content-type': 'text/html' }).end('not now'),
    // A start URL, so that a retry has something to do.
    '/slow': (_, response) => response.writeHead(403, { 'content-type': 'text/html' }).end('not now'),
  });
  service = await startService();
});
afterAll(async () => {
  await service.close();
  await site.close();
});

const urls = (): string[] => [`${site.origin}/`, `${site.origin}/slow`];
const options = { store_raw: true, formats: ['markdown'], force_crawling_mode: 'link' };

const ended = async (response: { readonly id: string }): Promise<JobAnswer> => service.untilEnded(response.id);
const crawled = (more: object = {}): Promise<JobAnswer> => service.crawl({ urls: urls(), ...options, ...more });
const post = <Response>(path: string, json: unknown = {}): Promise<Response> => service.ok(path, { json });

/** A run of a new schedule, the second one: it has `since`. */
async function scheduled(): Promise<JobAnswer> {
  const made = await service.api('/crawler/schedules', {
    json: { name: 'pairs', cron: '0 3 1 1 *', job: { urls: urls(), ...options } },
  });
  const { id } = (await made.json()) as { readonly id: string };
  const run = async (): Promise<JobAnswer> => {
    const response = await service.api(`/crawler/schedules/${id}/run`, { method: 'POST' });
    const { job } = (await response.json()) as { readonly job: JobAnswer };
    return ended(job);
  };
  await run();
  return run();
}

async function resumed(): Promise<JobAnswer> {
  const gate = site.hold('/b');
  const { id } = await service.createJob({ urls: urls(), ...options });
  await gate.reached;
  const stopped = post(`/crawler/jobs/${id}/stop`);
  gate.open();
  await stopped;
  await post(`/crawler/jobs/${id}/resume`);
  return ended({ id });
}

/** How a job was made, and whether it has all pages of the site. */
const ways: Readonly<Record<string, () => Promise<JobAnswer>>> = {
  plain: crawled,
  'changed only': async () => crawled({ since: (await crawled()).id, deliver: 'changed' }),
  since: async () => crawled({ since: (await crawled()).id }),
  batch: async () =>
    ended(
      await post('/scraper/batch', {
        urls: [...names, '/slow'].map((name) => `${site.origin}${name}`),
        store_raw: true,
      }),
    ),
  retry: async () => ended(await post(`/crawler/jobs/${(await crawled()).id}/retry`)),
  resumed,
  scheduled,
  reextracted: async () => ended(await post(`/crawler/jobs/${(await crawled()).id}/reextract`)),
  erased: async () => {
    const job = await crawled();
    await post(`/crawler/jobs/${job.id}/pages/2/erase`);
    return job;
  },
};

/** Follows a job that was made of another one to its end. */
async function follow(response: Response): Promise<string> {
  if (response.status >= 400) return refusal(response);
  const job = await ended((await response.json()) as JobAnswer);
  expect(['succeeded', 'failed']).toContain(job.status);
  expect(job.progress).toMatchObject({ queued: 0, inFlight: 0 });
  return `${job.status}, ${job.progress.scraped} pages`;
}

async function refusal(response: Response): Promise<string> {
  const problem = (await response.json()) as { readonly code: string; readonly detail: string };
  expect(response.status).toBeLessThan(500);
  expect(problem.detail).toMatch(/^.{20,}\.( |$)/s);
  return `${response.status} ${problem.code}`;
}

/** What is made of a job; each gives in a few words what came of it. */
const uses: Readonly<Record<string, (job: JobAnswer) => Promise<string>>> = {
  since: async ({ id }) =>
    follow(await service.api('/crawler/jobs', { json: { urls: urls(), ...options, since: id } })),
  retry: async ({ id }) => follow(await service.api(`/crawler/jobs/${id}/retry`, { json: {} })),
  reextract: async ({ id }) => follow(await service.api(`/crawler/jobs/${id}/reextract`, { json: {} })),
  resume: async ({ id }) => follow(await service.api(`/crawler/jobs/${id}/resume`, { json: {} })),
  stop: async ({ id }) => follow(await service.api(`/crawler/jobs/${id}/stop`, { json: {} })),
  cancel: async ({ id }) => follow(await service.api(`/crawler/jobs/${id}/cancel`, { json: {} })),
  changes: async ({ id }) => {
    const response = await service.api(`/crawler/jobs/${id}/changes`);
    if (!response.ok) return refusal(response);
    const { data } = (await response.json()) as { readonly data: readonly { readonly change: string }[] };
    return Object.entries(Object.groupBy(data, ({ change }) => change))
      .map(([kind, rows]) => `${rows?.length ?? 0} ${kind}`)
      .join(', ');
  },
  accept: async ({ id }) => {
    const response = await service.api(`/crawler/jobs/${id}/changes/accept`, { json: {} });
    return response.ok ? 'accepted' : refusal(response);
  },
  extract: async ({ id }) => {
    const response = await service.api(`/crawler/jobs/${id}/extract`);
    return response.ok ? 'read' : refusal(response);
  },
  dropped: async ({ id }) => {
    const response = await service.api(`/crawler/jobs/${id}/pages/1/dropped`);
    return response.ok ? 'read' : refusal(response);
  },
  keep: async ({ id }) => {
    const response = await service.api(`/crawler/jobs/${id}`, { method: 'PATCH', json: { output_expiry: 86_400 } });
    return response.ok ? 'kept' : refusal(response);
  },
  erase: async ({ id }) => {
    const response = await service.api(`/crawler/jobs/${id}/pages/1/erase`, { json: {} });
    if (!response.ok) return refusal(response);
    const { data } = await service.ok<{ data: readonly { text: string }[] }>(`/crawler/jobs/${id}/data`);
    expect(data[0]?.text ?? '').toBe('');
    return 'erased';
  },
  delete: async ({ id }) => {
    const response = await service.api(`/crawler/jobs/${id}`, { method: 'DELETE' });
    if (!response.ok) return refusal(response);
    return refusal(await service.api(`/crawler/jobs/${id}/data`));
  },
  ...Object.fromEntries(
    exportNames.map((name) => [
      `export as ${name}`,
      async ({ id }: JobAnswer) => {
        const response = await service.api(`/crawler/jobs/${id}/export?format=${name}`);
        if (!response.ok) return refusal(response);
        await response.arrayBuffer();
        return 'exported';
      },
    ]),
  ),
};

/** What comes of it, of most jobs. */
const usual: Readonly<Record<string, string>> = {
  since: 'succeeded, 4 pages',
  retry: 'failed, 0 pages',
  reextract: 'succeeded, 4 pages',
  resume: 'succeeded, 4 pages',
  stop: 'succeeded, 4 pages',
  cancel: 'succeeded, 4 pages',
  changes: '',
  accept: 'accepted',
  extract: '409 no_records',
  dropped: 'read',
  keep: 'kept',
  erase: 'erased',
  delete: '410 job_data_expired',
};
/** Nothing is delivered: the job crawled one URL again, which is still forbidden. */
const empty = {
  reextract: 'succeeded, 0 pages',
  resume: 'failed, 0 pages',
  stop: 'failed, 0 pages',
  cancel: 'failed, 0 pages',
  dropped: '404 page_not_found',
  erase: '404 page_not_found',
};
const whole = { resume: 'succeeded, 0 pages', stop: 'succeeded, 0 pages', cancel: 'succeeded, 0 pages' };
const expectedOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  since: { changes: '4 unchanged' },
  scheduled: { changes: '4 unchanged' },
  'changed only': { ...empty, ...whole, changes: '4 unchanged' },
  retry: empty,
  reextracted: {
    since: '400 invalid_body',
    retry: '409 nothing_to_retry',
    reextract: '409 no_raw',
    dropped: '409 no_raw',
    'export as warc': '409 no_raw',
  },
};

/** After these a job is another one: they get a job of their own. */
const changing = new Set(['erase', 'delete', 'keep', 'accept']);
const made = new Map<string, Promise<JobAnswer>>();

const pairs = Object.entries(ways).flatMap(([way, make]) =>
  Object.entries(uses).map(([use, of]) => ({ way, make, use, of })),
);
// A sample of all tests has a third of the pairs, and says which.
const third = process.env[sampleVariable] === undefined ? undefined : randomInt(3);
const chosen = pairs.filter((_, at) => third === undefined || at % 3 === third);

describe(`pairs: ${third === undefined ? 'all' : `third ${third} of them`}`, () => {
  test.each(chosen)(
    'pairs: a job ($way) works to its end, or is refused with a sentence: $use',
    async ({ way, make, use, of }) => {
      if (!changing.has(use)) made.set(way, made.get(way) ?? make());
      const job = await (made.get(changing.has(use) ? '' : way) ?? make());
      expect(await of(job)).toBe(expectedOf[way]?.[use] ?? usual[use] ?? 'exported');
    },
  );
});
