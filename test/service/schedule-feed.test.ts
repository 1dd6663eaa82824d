// The feed of a schedule through the API: a reader that follows it has the pages of the site, whatever happens meanwhile.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { type Living, startLivingSite } from './living-site.ts';
import { type JobAnswer, type RawAnswer, startService, type TestService } from './start-service.ts';

interface Row {
  readonly job: string;
  readonly change: 'added' | 'changed' | 'removed';
  readonly url: string;
  readonly text?: string;
  readonly cursor: string;
  readonly superseded?: true;
}
interface Feed {
  readonly data: readonly Row[];
  readonly cursor: string;
  readonly upToDate: boolean;
}
interface Snapshot {
  readonly data: readonly { readonly text: string; readonly meta: { readonly page: number; readonly url: string } }[];
  readonly run: string | null;
  readonly changesCursor?: string;
  readonly cursor?: string;
}

let service: TestService;
let site: Living;
let schedule: string;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.close());
afterEach(() => site?.close());

/** `POST`, with any answer that is no error. */
const post = async <Answer>(where: string, json?: unknown): Promise<Answer> => {
  const answer = await service.raw(where, {
    method: 'POST',
    ...(json !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
  });
  expect(answer.status, answer.body.toString()).toBeLessThan(300);
  return JSON.parse(answer.body.toString()) as Answer;
};
const begin = async (pages: Readonly<Record<string, string>>, fields: object = {}): Promise<void> => {
  site = await startLivingSite({ pages });
  const job = { urls: [`${site.origin}/`], host_delay_ms: 0 };
  const made = await post<{ id: string }>('/crawler/schedules', { name: 'n', cron: '0 3 * * *', job, ...fields });
  schedule = made.id;
};
const path = (rest: string): string => `/crawler/schedules/${schedule}${rest}`;
const start = async (): Promise<JobAnswer> => (await post<{ job: JobAnswer }>(path('/run'))).job;
const run = async (): Promise<JobAnswer> => service.untilEnded((await start()).id);
const read = (query: string): Promise<Feed> => service.ok<Feed>(path(`/changes?wait=0&${query}`));
const failing = (query: string): Promise<RawAnswer> => service.raw(path(query), {});

/** Keeps a copy of a site by its feed. */
class Reader {
  readonly copy = new Map<string, string>();
  readonly rows: string[] = [];
  cursor = '';
  readonly #limit: number;
  constructor(limit: number) {
    this.#limit = limit;
  }
  /** Reads so many responses, or up to the end. */
  async read(responses = Infinity): Promise<void> {
    for (let n = 0; n < responses; n++) {
      const { data, cursor, upToDate } = await read(`text=true&limit=${this.#limit}&cursor=${this.cursor}`);
      for (const { job, change, url, text, superseded } of data) {
        this.rows.push(`${job} ${change} ${url}`);
        if (change === 'removed') this.copy.delete(url);
        else if (superseded !== true) this.copy.set(url, text ?? '');
      }
      this.cursor = cursor;
      if (upToDate) return;
    }
  }
}
const snapshot = async (limit = 400): Promise<Map<string, string>> => {
  const pages = new Map<string, string>();
  let cursor: string | undefined = '';
  let number = 0;
  while (cursor !== undefined) {
    const slice: Snapshot = await service.ok<Snapshot>(path(`/data?limit=${limit}&cursor=${cursor}`));
    for (const { text, meta } of slice.data) {
      expect(meta.page).toBe(++number);
      pages.set(meta.url, text);
    }
    ({ cursor } = slice);
  }
  return pages;
};
const sorted = (pages: ReadonlyMap<string, string>): string[][] =>
  [...pages].toSorted(([one], [other]) => (one < other ? -1 : 1));

describe('feed of a schedule', () => {
  test('schedule-feed: three readers at different speeds have the same rows, each once, while runs go and processes die', async () => {
    await begin({ a: 'apples', b: 'barley', c: 'clover', d: 'dill' }, { keep: 2 });
    const [slow, fast, late] = [new Reader(1), new Reader(400), new Reader(3)];
    const nights: (() => void)[] = [
      () => {},
      () => site.write({ b: 'beans', e: 'elder' }),
      () => site.answer({ c: 404 }),
      () => site.answer({ a: 500, b: 503, d: 500, e: 500 }),
      () => {
        site.answer({ a: 'page', b: 'page', d: 'page', e: 'page' });
        site.write({ a: 'acorns' });
      },
    ];
    for (const [night, happens] of nights.entries()) {
      happens();
      const job = await start();
      await fast.read(2);
      if (night % 2 === 1) {
        await service.kill();
        await service.start();
      }
      await fast.read();
      await slow.read(2);
      await service.untilEnded(job.id);
    }
    for (const reader of [slow, fast, late]) await reader.read();
    expect(slow.rows).toEqual(fast.rows);
    expect(late.rows).toEqual(fast.rows);
    expect(new Set(fast.rows).size).toBe(fast.rows.length);
    const pages = sorted(await snapshot(2));
    expect(pages.map(([url]) => new URL(url ?? '').pathname)).toEqual(['/', '/a', '/b', '/d', '/e']);
    expect(sorted(fast.copy)).toEqual(pages);
    expect(sorted(slow.copy)).toEqual(pages);
    expect(sorted(late.copy)).toEqual(pages);
  });

  test('schedule-feed: a snapshot names the cursor that follows on it, and lists pages by URL', async () => {
    await begin({ a: 'apples', b: 'barley' });
    expect(await service.ok(path('/data'))).toEqual({ data: [], run: null, changesCursor: expect.any(String) });
    const first = await run();
    const one = await service.ok<Snapshot>(path('/data?limit=1'));
    expect(one).toMatchObject({ run: first.id, data: [{ meta: { page: 1, url: `${site.origin}/` } }] });
    site.write({ a: 'acorns' });
    await run();
    // The cursor keeps the run.
    const rest = await service.ok<Snapshot>(path(`/data?cursor=${one.cursor}`));
    expect(rest).toMatchObject({ run: first.id, data: [{ meta: { page: 2 } }, { meta: { page: 3 } }] });
    expect(rest.data[0]?.text).toContain('apples');
    expect(rest).not.toHaveProperty('changesCursor');
    const { data, upToDate } = await read(`cursor=${one.changesCursor}`);
    expect(data.map(({ change, url }) => [change, url])).toEqual([['changed', `${site.origin}/a`]]);
    expect(upToDate).toBe(true);
    const metas = await service.ok<Snapshot>(path('/meta'));
    expect(metas.data[1]).not.toHaveProperty('text');
    expect(metas.data).toHaveLength(3);
  });

  test('schedule-feed: streams lines, with the cursor in the last one', async () => {
    await begin({ a: 'apples' });
    await run();
    const accept = { accept: 'application/x-ndjson' };
    const lines = async (rest: string): Promise<unknown[]> =>
      (await service.raw(path(rest), { headers: accept })).body
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    const rows = await lines('/changes?text=true&wait=0');
    expect(rows.at(-1)).toEqual({ end: true, changes: 2, cursor: expect.any(String) });
    expect(rows[1]).toMatchObject({ change: 'added', text: expect.stringContaining('apples') });
    expect((await lines('/data')).at(-1)).toEqual({ end: true, pages: 2 });
    expect(await lines('/data?chunk=heading')).toHaveLength(3);
  });

  test('schedule-feed: waits for the next change', async () => {
    await begin({ a: 'apples' });
    await run();
    const { cursor } = await read('from=now');
    site.write({ a: 'acorns' });
    const waiting = service.ok<Feed>(path(`/changes?wait=60&cursor=${cursor}`));
    await run();
    expect((await waiting).data).toMatchObject([{ change: 'changed', url: `${site.origin}/a` }]);
  });

  test('schedule-feed: says where to begin when a client deleted a run that was not read', async () => {
    await begin({ a: 'apples' });
    await run();
    const { data, cursor } = await read('limit=1');
    site.write({ a: 'acorns' });
    const two = await run();
    await service.ok(`/crawler/jobs/${two.id}`, { method: 'DELETE' });
    const problem = JSON.parse((await failing(`/changes?cursor=${data[0]?.cursor}`)).body.toString()) as Record<
      string,
      string
    >;
    expect(problem).toMatchObject({ code: 'changes_expired', status: 410 });
    const { data: pages } = await service.ok<Snapshot>(problem['snapshot'] ?? '');
    expect(pages).toHaveLength(2);
    expect(await read(`cursor=${problem['cursor']}`)).toMatchObject({ data: [], upToDate: true });
    const three = await run();
    expect((await read(`cursor=${problem['cursor']}`)).data).toMatchObject([{ job: three.id, change: 'changed' }]);
    expectProblem(await failing(`/changes?cursor=${cursor}`), 410, 'changes_expired');
  });

  test('schedule-feed: refuses what is not of this feed', async () => {
    await begin({ a: 'apples' });
    const one = await run();
    const { cursor } = await service.ok<{ cursor?: string }>(`/crawler/jobs/${one.id}/changes?limit=1&wait=0`);
    expectProblem(await failing(`/changes?cursor=${cursor}`), 400, 'invalid_cursor');
    expectProblem(await failing('/data?cursor=x'), 400, 'invalid_cursor');
    expectProblem(await failing('/changes?change=unchanged'), 400, 'invalid_parameter');
    expectProblem(await failing('/changes?from=then'), 400, 'invalid_parameter');
    expectProblem(await failing('/changes?text=1'), 400, 'invalid_parameter');
    const { cursor: own } = await read('');
    await service.ok(path(''), { method: 'DELETE' });
    expectProblem(await failing(`/changes?cursor=${own}`), 410, 'schedule_deleted');
    expectProblem(await failing('/data'), 404, 'schedule_not_found');
    schedule = '7ZSA4YN8XEM0V3T2K9QJ5RCWBD';
    expectProblem(await failing('/changes'), 404, 'schedule_not_found');
  });
});
