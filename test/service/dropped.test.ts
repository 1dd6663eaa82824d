// What the rules took of a page: GET /crawler/jobs/{id}/pages/{n}/dropped, from its raw body, and `formats` of a scrape.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JobAnswer, startService, type TestService } from './start-service.ts';
import { expectProblem } from './expect-problem.ts';
import { type SitePage, startTestSite, type TestSite } from './test-site.ts';

interface Answer {
  readonly page: number;
  readonly url: string;
  readonly data: readonly {
    readonly rule: string;
    readonly text: string;
    readonly cut?: true;
    readonly words: number;
  }[];
  readonly words: number;
}

const prose = 'Hay is dried for three days in the sun, and turned twice before it goes to the barn. ';
const pageWith = (text: string, around = ''): string =>
  `<!doctype html><html><head><title>Hay</title></head><body><nav><a href="/">Home</a> <a href="/hay">Hay</a></nav>${around}
   <main><h1>Hay</h1><p>${text}</p><p>${prose.repeat(5)}</p></main><footer>Made of grass</footer></body></html>`;
const left = [
  { rule: 'landmark', text: 'Home Hay', words: 2 },
  { rule: 'outside-content', text: 'Our address: 4 Mill Lane', words: 5 },
  { rule: 'landmark', text: 'Made of grass', words: 3 },
];
const address = '<div>Our address: 4 Mill Lane</div>';

let service: TestService;
let site: TestSite;

beforeAll(async () => {
  service = await startService();
  site = await startTestSite();
});
afterAll(async () => {
  await service.close();
  await site.close();
});

async function crawled(page: SitePage, body: Readonly<Record<string, unknown>> = {}): Promise<JobAnswer> {
  site.add({ '/hay': page });
  const asked = { urls: [`${site.origin}/hay`], max_depth: 0, force_crawling_mode: 'link', store_raw: true, ...body };
  const job = await service.untilEnded((await service.crawl(asked)).id);
  expect(job.status).toBe('succeeded');
  return job;
}

const pathOf = (id: string, page: number | string = 1): string => `/crawler/jobs/${id}/pages/${page}/dropped`;
const dropped = (id: string, page = 1): Promise<Answer> => service.ok<Answer>(pathOf(id, page));
const refused = async (id: string, status: number, code: Parameters<typeof expectProblem>[2], page?: string) =>
  expectProblem(await service.raw(pathOf(id, page)), status, code);

describe('a stored raw body', () => {
  test('dropped: lists rule, text and words of each box, in the order of the page, and their sum', async () => {
    const job = await crawled(pageWith('About hay.', address));
    expect(job['droppedWords']).toEqual({ 'outside-content': 4, landmark: 4 });
    site.add({ '/hay': pageWith('About straw.') });
    const asked = site.requests.length;
    expect(await dropped(job.id)).toEqual({ page: 1, url: `${site.origin}/hay`, data: left, words: 10 });
    expect(site.requests).toHaveLength(asked);
  });

  test('dropped: makes no job', async () => {
    const job = await crawled(pageWith('About hay.'));
    await dropped(job.id);
    const { data } = await service.ok<{ data: JobAnswer[] }>('/crawler/jobs?kind=all&limit=1');
    expect(data[0]?.id).toBe(job.id);
  });

  test('dropped: says where a box is longer than shown', async () => {
    const { data } = await dropped((await crawled(pageWith('About hay.', `<nav>${'menu '.repeat(200)}</nav>`))).id);
    expect(data.map(({ text, cut, words }) => [text.length, cut, words])).toEqual([
      [8, undefined, 2],
      [500, true, 200],
      [13, undefined, 3],
    ]);
  });

  test.each([
    ['exclude_elements', { exclude_elements: '.note' }, ['landmark', 'selectors', 'landmark']],
    ['include_elements', { include_elements: '.note' }, Array.from({ length: 5 }, () => 'selectors')],
    ['content: full', { content: 'full', exclude_elements: '' }, []],
    [
      'another output format',
      { output_format: 'html', formats: ['text', 'links', 'source'] },
      ['landmark', 'landmark'],
    ],
    ['a length that the page has not', { min_length: 1 }, ['landmark', 'landmark']],
  ])('dropped: converts with the options of the job when it has %s', async (_name, options, rules) => {
    const { id } = await crawled(pageWith('About hay. </p><p class="note">Of wet years.'), options);
    expect((await dropped(id)).data.map(({ rule }) => rule)).toEqual(rules);
  });

  test('dropped: says that a file is no HTML', async () => {
    const { id } = await crawled((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`${prose.repeat(3)}\n`),
    );
    expect((await refused(id, 422, 'page_not_html')).detail).toContain('Page 1 is a file');
  });

  test.each(['2', '0', '-1', '1.0', 'x', '99999999999'])(
    'dropped: answers 404 when the job has no page %s',
    async (page) => {
      const job = await crawled(pageWith('About hay.'));
      expect((await refused(job.id, 404, 'page_not_found', page)).detail).toContain('It has 1, numbered from 1.');
    },
  );

  test('dropped: answers 404 for an unknown job and for one of another org, and 410 after the deletion', async () => {
    await refused('01ARZ3NDEKTSV4RRFFQ69G5FAV', 404, 'job_not_found');
    const job = await crawled(pageWith('About hay.'));
    const stranger = await service.createToken({ org: 'strangers', permissions: 'read,write' });
    expectProblem(await service.raw(pathOf(job.id), { token: stranger.token }), 404, 'job_not_found');
    await service.ok(`/crawler/jobs/${job.id}`, { method: 'DELETE' });
    await refused(job.id, 410, 'job_data_expired');
  });
});

test('dropped: says what to do when the job keeps no raw bodies, and asks the site for nothing', async () => {
  const { id } = await crawled(pageWith('About hay.'), { store_raw: false });
  const asked = site.requests.length;
  const { detail } = await refused(id, 409, 'no_raw');
  expect([detail, site.requests.length]).toEqual([
    expect.stringContaining('scrape the page with `formats: ["dropped"]`'),
    asked,
  ]);
});

test('scrape: `formats` has what the rules took', async () => {
  site.add({ '/hay': pageWith('About hay.', address) });
  const json = { url: `${site.origin}/hay`, formats: ['dropped', 'text'] };
  const { formats } = await service.ok<{ formats: object }>('/scraper/scrape', { json });
  expect(formats).toEqual({ dropped: left, text: expect.stringContaining('About hay.') });
});
