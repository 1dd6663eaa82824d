// GET /crawler/jobs/{id}/changes: what changed, in order, each page once, also while the job runs and after a kill.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { type Living, startLivingSite } from './living-site.ts';
import { type JobAnswer, startService, type TestService } from './start-service.ts';

interface Change {
  readonly job: string;
  readonly change: string;
  readonly url: string;
  readonly page: number | null;
  readonly previousPage: number | null;
  readonly contentHash: string | null;
  readonly previousContentHash: string | null;
  readonly reason: string | null;
  readonly meta?: { readonly page: number };
  readonly text?: string;
}

let site: Living;
let service: TestService;
let one: JobAnswer;
let two: JobAnswer;

beforeAll(async () => {
  site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover', d: 'Dew', e: 'Elm', f: 'Fir' } });
  service = await startService();
  one = await service.crawl({ urls: [`${site.origin}/`] });
  site.answer({ c: 404, d: 410 });
  const night = await service.crawl({ since: one.id });
  site.write({ b: 'Bees and wasps', g: 'Grass' });
  two = await service.crawl({ since: night.id, exclude_globs: ['/e'] });
});
afterAll(async () => {
  await service.close();
  await site.close();
});

async function read(id: string, search = '', limit = 400): Promise<readonly Change[]> {
  const rows: Change[] = [];
  let cursor: string | undefined;
  do {
    const query = `limit=${limit}${search}${cursor === undefined ? '' : `&cursor=${cursor}`}`;
    const list = await service.ok<{ data: readonly Change[]; cursor?: string }>(`/crawler/jobs/${id}/changes?${query}`);
    rows.push(...list.data);
    ({ cursor } = list);
  } while (cursor !== undefined);
  return rows;
}
const told = (rows: readonly Change[]): string[] =>
  rows
    .map(({ url, change, reason }) => [new URL(url).pathname, change, reason].filter((one) => one !== null).join(' '))
    .toSorted();

const all = [
  '/ changed',
  '/a unchanged',
  '/b changed',
  '/c removed http_404',
  '/d removed http_410',
  '/e unknown excluded_by_glob',
  '/f unchanged',
  '/g added',
];

test('changes: lists each page once, whatever the limit', async () => {
  const rows = await read(two.id);
  expect(told(rows)).toEqual(all);
  expect(rows.slice(-3).map(({ change }) => change)).toEqual(['removed', 'removed', 'unknown']);
  expect(await read(two.id, '', 1)).toEqual(rows);
  expect(await read(two.id, '', 3)).toEqual(rows);
});

test('changes: says where a page was and is, and what it was', async () => {
  const rows = new Map((await read(two.id)).map((row) => [new URL(row.url).pathname, row]));
  const [kept, changed, gone, added] = ['/a', '/b', '/c', '/g'].map((path) => rows.get(path)!);
  expect(kept!.contentHash).toBe(kept!.previousContentHash);
  expect(changed!.contentHash).not.toBe(changed!.previousContentHash);
  // The night before did not have it.
  expect(gone).toMatchObject({ page: null, previousPage: null, contentHash: null });
  expect(added).toMatchObject({ page: expect.any(Number), previousPage: null, previousContentHash: null, job: two.id });
});

test('changes: lists only what is asked for, with the page as /data has it', async () => {
  const rows = await read(two.id, '&change=added,changed&text=true');
  expect(told(rows)).toEqual(['/ changed', '/b changed', '/g added']);
  const { data } = await service.ok<{ data: readonly { meta: { page: number }; text: string }[] }>(
    `/crawler/jobs/${two.id}/data`,
  );
  for (const { page, meta, text } of rows) expect({ meta, text }).toEqual(data[page! - 1]);
  expect(await read(two.id, '&change=unknown')).toHaveLength(1);
});

test('changes: the lines of a stream are the rows of the lists, and say that they are whole', async () => {
  const { body } = await service.raw(`/crawler/jobs/${two.id}/changes`, {
    headers: { accept: 'application/x-ndjson' },
  });
  const lines = body
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(lines.pop()).toEqual({ end: true, changes: all.length });
  expect(lines).toEqual(await read(two.id));
});

test('changes: a reader that follows a run misses nothing and gets nothing twice when the process is killed', async () => {
  const gate = site.hold('/f');
  const { id } = await service.ok<JobAnswer>('/crawler/jobs', { json: { since: two.id, exclude_globs: [] } });
  await gate.reached;
  const rows: Change[] = [];
  let cursor: string | undefined;
  let isKilled = false;
  do {
    const query = `limit=2&wait=1${cursor === undefined ? '' : `&cursor=${cursor}`}`;
    const list = await service.ok<{ data: readonly Change[]; cursor?: string }>(`/crawler/jobs/${id}/changes?${query}`);
    rows.push(...list.data);
    ({ cursor } = list);
    if (rows.length < 3 || isKilled) continue;
    isKilled = true;
    await service.kill();
    await service.start();
    gate.open();
  } while (cursor !== undefined);
  expect(isKilled).toBe(true);
  expect(told(rows)).toEqual(told(await read(id)));
  expect(new Set(rows.map(({ url }) => url)).size).toBe(rows.length);
});

test('changes: what `shrunk` held back is removed when that is accepted, once', async () => {
  const small = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover' } });
  const whole = await service.crawl({ urls: [`${small.origin}/`] });
  small.answer({ a: 404, b: 404, c: 404 });
  const held = await service.crawl({ since: whole.id });
  expect(held['changes']).toMatchObject({ removed: 0, unknown: 3 });
  const accept = (): Promise<JobAnswer> => service.ok(`/crawler/jobs/${held.id}/changes/accept`, { method: 'POST' });
  expect((await accept())['changes']).toMatchObject({ removed: 3, unknown: 0 });
  expect((await accept())['changes']).toMatchObject({ removed: 3, unknown: 0 });
  expect(told(await read(held.id, '&change=removed'))).toEqual(
    ['/a', '/b', '/c'].map((path) => `${path} removed http_404`),
  );
  expect((await service.crawl({ since: held.id }))['changes']).toEqual({
    added: 0,
    changed: 0,
    moved: 0,
    unchanged: 1,
    removed: 0,
    unknown: 0,
  });
  await small.close();
});

test("changes: refuses what it cannot list, such as another org's job", async () => {
  expect(await read(one.id)).toEqual([]);
  const { token } = await service.createToken({ org: 'other' });
  expectProblem(await service.raw(`/crawler/jobs/${two.id}/changes`, { token }), 404, 'job_not_found');
  expectProblem(await service.raw(`/crawler/jobs/${two.id}/changes?change=gone`), 400, 'invalid_parameter');
  expectProblem(await service.raw(`/crawler/jobs/${two.id}/changes?cursor=nonsense`), 400, 'invalid_cursor');
});
