// GET /crawler/jobs/{id}/changes/diff and its like of a schedule: two texts of one page, what differs, and who may see it.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { type JobAnswer, type RawAnswer, type RawInit, startService, type TestService } from './start-service.ts';
import { startTestSite, type TestSite } from './test-site.ts';

interface Diff {
  readonly job: string;
  readonly url: string;
  readonly change: string;
  readonly truncated: boolean;
  readonly title?: string;
  readonly previousTitle?: string;
  readonly hunks: readonly {
    readonly lines: readonly {
      readonly kind: string;
      readonly parts: readonly { readonly text: string; readonly changed: boolean }[];
    }[];
  }[];
}

let site: TestSite;
let service: TestService;
let one: JobAnswer;
let two: JobAnswer;

const pageOf = (title: string, ...paragraphs: readonly string[]): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><main><h1>${title}</h1>${paragraphs
    .map((text) => `<p>${text}</p>`)
    .join('')}</main></body></html>`;
const filler = Array.from({ length: 8 }, (_, at) => `Paragraph ${at} of the page stays as it was.`);
const many = (word: string): string[] =>
  Array.from({ length: 20_000 }, (_, at) => `A ${word} of the site number ${at} ${word}`);
const names = ['price', 'title', 'gone', 'same', 'away', 'large', 'erased'];
const home = (more: readonly string[] = []): string =>
  pageOf('home', [...names, ...more].map((name) => `<a href="/${name}">${name}</a>`).join(' '));

beforeAll(async () => {
  site = await startTestSite({
    '/': home(),
    '/price': pageOf('Tins', ...filler, 'The price is 10 EUR a tin.'),
    '/title': pageOf('Old title', ...filler),
    '/gone': pageOf('Gone', ...filler, 'It goes.'),
    '/same': pageOf('Same', ...filler, 'It stays.'),
    '/away': pageOf('Away', ...filler, 'It is away for a night.'),
    '/large': pageOf('Large', ...many('leaf')),
    '/erased': pageOf('Erased', ...filler, 'A secret.'),
  });
  service = await startService();
  one = await service.crawl({ urls: [`${site.origin}/`], max_depth: 1 });
  site.add({
    '/': home(['new']),
    '/price': pageOf('Tins', ...filler, 'The price is 12 EUR a tin.'),
    '/title': pageOf('New title', ...filler),
    '/gone': (_, response) => void response.writeHead(410).end(),
    '/away': (_, response) => void response.writeHead(403).end(),
    '/new': pageOf('New', ...filler, 'It is new.'),
    '/large': pageOf('Large', ...many('twig')),
    '/erased': pageOf('Erased', ...filler, 'Another secret.'),
  });
  two = await service.crawl({ since: one.id });
});
afterAll(async () => {
  await service?.close();
  await site?.close();
});

const at = (place: string, name: string): string =>
  `/crawler/${place}/changes/diff?url=${encodeURIComponent(`${site.origin}/${name}`)}`;
const of = (job: JobAnswer): string => `jobs/${job.id}`;
const get = (place: string, name: string, init: RawInit = {}): Promise<RawAnswer> => service.raw(at(place, name), init);
const asJson = { headers: { accept: 'application/json' } };
const json = (place: string, name: string): Promise<Diff> => service.ok(at(place, name), asJson);
const changed = ({ hunks }: Diff): string[] =>
  hunks.flatMap(({ lines }) =>
    lines
      .filter(({ kind }) => kind !== 'same')
      .map(({ kind, parts }) => `${kind} ${parts.map(({ text, changed: is }) => (is ? `[${text}]` : text)).join('')}`),
  );

const schedule = async (job: object, fields: object = {}): Promise<string> => {
  const json = { name: 'nightly', cron: '0 3 * * *', job, ...fields };
  const answer = await service.api('/crawler/schedules', { json });
  return ((await answer.json()) as { readonly id: string }).id;
};
const run = async (id: string): Promise<JobAnswer> => {
  const answer = await service.api(`/crawler/schedules/${id}/run`, { method: 'POST' });
  const { job } = (await answer.json()) as { readonly job: JobAnswer };
  return service.untilEnded(job.id);
};

test('diff: is a unified diff of the texts, or hunks with changed words', async () => {
  const answer = await get(of(two), 'price');
  expect(answer.headers['content-type']).toBe('text/x-diff; charset=utf-8');
  const lines = answer.body.toString().split('\n');
  expect(lines.slice(0, 2)).toEqual([
    `--- ${site.origin}/price`,
    expect.stringContaining(`+++ ${site.origin}/price\t20`),
  ]);
  expect(lines.filter((line) => /^[-+](?![-+])/.test(line))).toEqual([
    '-The price is 10 EUR a tin.',
    '+The price is 12 EUR a tin.',
  ]);
  const diff = await json(of(two), 'price');
  expect(diff).toMatchObject({
    job: two.id,
    url: `${site.origin}/price`,
    change: 'changed',
    reason: null,
    truncated: false,
  });
  expect(diff).not.toHaveProperty('title');
  expect(changed(diff)).toEqual(['removed The price is [10] EUR a tin.', 'added The price is [12] EUR a tin.']);
});

test('diff: says that the title has changed, and is empty for a page that has not', async () => {
  expect(await json(of(two), 'title')).toMatchObject({ previousTitle: 'Old title', title: 'New title' });
  expect(await json(of(two), 'same')).toMatchObject({ change: 'unchanged', hunks: [], truncated: false });
  expect((await get(of(two), 'same')).body.toString()).toBe('');
});

test('diff: finds a page by other spellings of its URL', async () => {
  expect(changed(await json(of(two), 'price#top'))).toHaveLength(2);
});

test.each([
  ['new', 400, 'nothing_to_compare'],
  ['gone', 400, 'nothing_to_compare'],
  ['away', 400, 'nothing_to_compare'],
  ['nothing', 404, 'url_not_found'],
] as const)('diff: refuses /%s with %i %s', async (name, status, code) => {
  expectProblem(await get(of(two), name), status, code);
});

test('diff: refuses a job that compares with none, a URL that is none, and its absence', async () => {
  expectProblem(await get(of(one), 'price'), 400, 'nothing_to_compare');
  expectProblem(await service.raw(`/crawler/${of(two)}/changes/diff?url=nonsense`), 400, 'invalid_parameter');
  expectProblem(await service.raw(`/crawler/${of(two)}/changes/diff`), 400, 'invalid_parameter');
});

describe('large texts', () => {
  test('diff: says that texts of a megabyte in which everything differs were not compared in full', async () => {
    const { body } = await get(of(two), 'large');
    expect(body.toString().slice(0, 18)).toBe('# truncated: true:');
    expect((await json(of(two), 'large')).truncated).toBe(true);
  });

  test('diff: keeps no other request waiting', async () => {
    let isDone = false;
    const slow = get(of(two), 'large', asJson).then(() => (isDone = true));
    for (let asked = 0; asked < 5; asked++) {
      expect((await service.raw('/healthz')).status).toBe(200);
      expect(isDone).toBe(false);
    }
    await slow;
  });
});

test('diff: is not there for another org, neither of a job nor of a schedule', async () => {
  const { token } = await service.createToken({ org: 'other' });
  const id = await schedule({ urls: [`${site.origin}/`] });
  const own = expectProblem(await get(of(two), 'price', { token }), 404, 'job_not_found');
  const unknown = expectProblem(await get('jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV', 'price', { token }), 404, 'job_not_found');
  expect(own.detail).toBe(unknown.detail);
  expectProblem(await get(`schedules/${id}`, 'price', { token }), 404, 'schedule_not_found');
});

test('diff: shows nothing of a page that was erased', async () => {
  const { data } = await service.ok<{ data: { page: number; url: string }[] }>(
    `/crawler/${of(two)}/changes?change=changed`,
  );
  const { page } = data.find(({ url }) => url.endsWith('/erased'))!;
  expect((await get(of(two), 'erased')).body.toString()).toContain('+Another secret.');
  await service.ok(`/crawler/${of(two)}/pages/${page}/erase`, { method: 'POST' });
  expectProblem(await get(of(two), 'erased'), 410, 'page_erased');
});

test('diff: outlives the earlier job, and ends with its own', async () => {
  site.add({ '/price': pageOf('Tins', ...filler, 'The price is 14 EUR a tin.') });
  const three = await service.crawl({ since: two.id });
  await service.ok(`/crawler/${of(two)}`, { method: 'DELETE' });
  expect(changed(await json(of(three), 'price'))).toEqual([
    'removed The price is [12] EUR a tin.',
    'added The price is [14] EUR a tin.',
  ]);
  await service.ok(`/crawler/${of(three)}`, { method: 'DELETE' });
  expectProblem(await get(of(three), 'price'), 410, 'job_data_expired');
});

test('diff: of a schedule has expired when no run that is kept has the text before the change', async () => {
  site.add({ '/aged': pageOf('Aged', ...filler, 'It is young.') });
  const id = await schedule({ urls: [`${site.origin}/aged`], max_depth: 0 }, { keep: 1 });
  await run(id);
  site.add({ '/aged': pageOf('Aged', ...filler, 'It is old.') });
  await run(id);
  for (let same = 0; same < 2; same++) await run(id);
  // Texts are swept when a process starts.
  await service.stop();
  await service.start();
  const feed = `schedules/${id}`;
  const isExpired = async (): Promise<boolean> => (await get(feed, 'aged')).status === 410;
  await vi.waitUntil(isExpired, { timeout: 60_000, interval: 200 });
  expectProblem(await get(feed, 'aged'), 410, 'text_expired');
  // The row of the feed stays, with the text that the newest run knows.
  const { data } = await service.ok<{ data: { change: string; text: string }[] }>(
    `/crawler/${feed}/changes?change=changed&text=true`,
  );
  expect(data).toMatchObject([{ change: 'changed', text: expect.stringContaining('It is old.') }]);
});

test('diff: of a schedule is that of the newest run that changed the page', async () => {
  site.add({ '/price': pageOf('Tins', ...filler, 'The price is 14 EUR a tin.') });
  const id = await schedule({ urls: [`${site.origin}/price`], max_depth: 0 });
  const feed = `schedules/${id}`;
  expectProblem(await get(feed, 'price'), 404, 'url_not_found');
  await run(id);
  expectProblem(await get(feed, 'price'), 400, 'nothing_to_compare');
  site.add({ '/price': pageOf('Tins', ...filler, 'The price is 16 EUR a tin.') });
  const second = await run(id);
  await run(id);
  const diff = await json(feed, 'price');
  expect(diff.job).toBe(second.id);
  expect(changed(diff)).toEqual(['removed The price is [14] EUR a tin.', 'added The price is [16] EUR a tin.']);
  expect((await get(feed, 'price')).body.toString()).toContain('+The price is 16 EUR a tin.');
  await service.ok(`/crawler/${feed}`, { method: 'DELETE' });
  expectProblem(await get(feed, 'price'), 410, 'schedule_deleted');
});
