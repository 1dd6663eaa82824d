// `POST .../pages/{n}/erase`: one page forgotten, by everything that reads, and by the files of the data directory.
//
// How pages differ: with and without a raw body, in a segment of their own or a shared one, first, last or in between.
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { constants, gunzipSync, inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { ScriptedModel } from './scripted-model.ts';
import { type JobAnswer, type RawAnswer, startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';
import { isOnPostgres } from './test-store.ts';

const names = ['alpha', 'bravo', 'charlie', 'delta'];
let site: TestSite;
let service: TestService;
let asked: string[] = [];
const model = new ScriptedModel(new Map());

beforeAll(async () => {
  site = await startTestSite();
  site.add({
    '/': htmlPage({ title: 'home', text: 'The way to all others.', links: names.map((name) => `/${name}`) }),
    ...Object.fromEntries(
      names.map((name) => [
        `/${name}`,
        (_: unknown, response: { end: (body: string) => void }) => {
          asked.push(name);
          response.end(htmlPage({ title: `Title ${name}`, text: `The secret of ${name} is word${name}.` }));
        },
      ]),
    ),
  });
  service = await startService({ env: { HAYRAKE_MODEL_URL: await model.start(), HAYRAKE_MODEL: 'scripted' } });
});
afterAll(async () => {
  await service.close();
  await site.close();
  await model.close();
});

interface Row {
  readonly meta: { readonly page: number; readonly url: string; readonly meta: Readonly<Record<string, unknown>> };
  readonly text: string;
}

async function crawled(more: Readonly<Record<string, unknown>> = {}): Promise<JobAnswer> {
  return service.untilEnded((await service.crawl({ urls: [`${site.origin}/`], ...more })).id);
}
const rowsOf = async (id: string): Promise<readonly Row[]> =>
  (await service.ok<{ data: readonly Row[] }>(`/crawler/jobs/${id}/data`)).data;
const pageOf = async (id: string, name: string): Promise<number> =>
  (await rowsOf(id)).find(({ meta }) => meta.url.endsWith(name))!.meta.page;
const erase = (id: string, page: number | string, body?: unknown): Promise<RawAnswer> =>
  service.raw(`/crawler/jobs/${id}/pages/${page}/erase`, {
    method: 'POST',
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
const json = ({ body }: RawAnswer): Record<string, unknown> => JSON.parse(body.toString()) as Record<string, unknown>;
const get = async (of: string): Promise<string> => (await service.raw(of)).body.toString('latin1');

describe('POST .../pages/{n}/erase', () => {
  test('leaves the row with its number, and cursors of before exact', async () => {
    const { id } = await crawled();
    const before = await rowsOf(id);
    const first = await service.ok<{ cursor: string }>(`/crawler/jobs/${id}/data?limit=2`);
    const page = await pageOf(id, 'bravo');
    const answer = await erase(id, page);
    expect([answer.status, json(answer)]).toEqual([
      200,
      { page, erasedAt: expect.any(Number), url: false, jobs: [id] },
    ]);
    const after = await rowsOf(id);
    expect(after.map(({ meta }) => [meta.page, meta.url])).toEqual(before.map(({ meta }) => [meta.page, meta.url]));
    expect(after.filter((_, at) => at !== page - 1)).toEqual(before.filter((_, at) => at !== page - 1));
    expect(after[page - 1]).toMatchObject({ text: '', meta: { meta: { title: '', description: '' } } });
    expect(JSON.stringify(after[page - 1])).not.toMatch(/Title|secret/);
    const { data } = await service.ok<{ data: readonly Row[] }>(`/crawler/jobs/${id}/data?cursor=${first.cursor}`);
    expect(data).toEqual(after.slice(2));
  });

  test('changes the ETag of what shows the page, and of nothing else', async () => {
    const [{ id }, other] = [await crawled(), await crawled()];
    const shown = ['data', 'meta', 'export?format=jsonl', 'export?format=zip'];
    const tags = (of: string) =>
      eachInTurn(shown, async (what) => (await service.raw(`/crawler/jobs/${of}/${what}`)).headers.etag);
    const [before, ofOther] = [await tags(id), await tags(other.id)];
    expect([...before, ...ofOther]).not.toContain(undefined);
    await erase(id, 2);
    const after = await tags(id);
    expect(after.filter((tag, at) => tag === before[at])).toEqual([]);
    expect(await tags(other.id)).toEqual(ofOther);
    const again = await service.raw(`/crawler/jobs/${id}/data`, { headers: { 'if-none-match': before[0]! } });
    expect(again.status).toBe(200);
  });

  test('reaches search, chunks, exports and the archive', async () => {
    const { id } = await crawled({ store_raw: true });
    const page = await pageOf(id, 'charlie');
    const of = `/crawler/jobs/${id}`;
    const reads = async (): Promise<readonly string[]> => {
      const formats = ['jsonl', 'csv', 'llms.txt', 'llms-full.txt'].map((format) => `${of}/export?format=${format}`);
      const texts = await eachInTurn([`${of}/search?q=wordcharlie`, ...formats], get);
      const archive = (await service.raw(`${of}/export?format=warc`)).body;
      return [...texts, gunzipSync(archive).toString('latin1')];
    };
    expect((await reads()).filter((text) => !/charlie/.test(text))).toEqual([]);
    await erase(id, page, { url: true });
    expect((await reads()).filter((text) => /wordcharlie|Title charlie/.test(text))).toEqual([]);
    const listed = await get(`${of}/urls`);
    expect([listed.includes('about:erased'), listed.includes('/charlie')]).toEqual([true, false]);
    expectProblem(await service.raw(`${of}/pages/${page}/raw`), 410, 'page_erased');
    expect((await service.raw(`${of}/pages/${page === 1 ? 2 : 1}/raw`)).status).toBe(200);
    for (const format of ['zip', 'parquet', 'sqlite', 'jsonl'])
      expect((await service.raw(`${of}/export?format=${format}`)).status, format).toBe(200);
  });

  test('asks the site for no erased page', async () => {
    const { id } = await crawled({ store_raw: true });
    const page = await pageOf(id, 'delta');
    await erase(id, page);
    asked = [];
    expectProblem(await service.raw(`/crawler/jobs/${id}/pages/${page}/dropped`), 410, 'page_erased');
    expect(asked).toEqual([]);
  });

  test('converts an erased page again to an empty one', async () => {
    const { id } = await crawled({ store_raw: true });
    for (const name of ['alpha', 'bravo']) await erase(id, await pageOf(id, name), { url: true });
    const again = await service.ok<JobAnswer>(`/crawler/jobs/${id}/reextract`, { method: 'POST' });
    expect(await service.untilEnded(again.id)).toMatchObject({
      complete: false,
      findings: [{ code: 'no_raw', count: 2 }],
    });
    const texts = (await rowsOf(again.id)).map(({ text }) => text);
    expect(texts.filter((text) => text === '')).toHaveLength(2);
    expect(texts.join('')).not.toMatch(/wordalpha|wordbravo/);
  });

  test('says what is wrong', async () => {
    const { id } = await crawled();
    for (const page of ['0', '9', 'x', '01', '99999999999'])
      expectProblem(await erase(id, page), 404, 'page_not_found');
    expectProblem(await erase('7ZSA4YN8XEM0V3T2K9QJ5RCWBD', 1), 404, 'job_not_found');
    expectProblem(await erase(id, 1, { urls: true }), 400);
    expectProblem(await erase(id, 1, { url: 'yes' }), 400);
    await service.ok(`/crawler/jobs/${id}`, { method: 'DELETE' });
    expectProblem(await erase(id, 1), 410, 'job_data_expired');
  });

  test('leaves nothing of the page, unpacked, in any row of jobs that are made from each other', async () => {
    const secret = 'qwixofendal';
    const tools = Array.from({ length: 5 }, (_, at) => (at === 2 ? secret : `Tool number ${at}`));
    let night = 0;
    const tool = (at: number) => (_: unknown, response: ServerResponse) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          `<title>${tools[at]}</title><main><h1>${tools[at]}</h1><p>It is made of ash, in ${night} ways.</p></main>`,
        );
    site.add({
      '/tools': htmlPage({ title: 'Tools', links: tools.map((_, at) => `/tool/${at}`) }),
      ...Object.fromEntries(tools.map((_, at) => [`/tool/${at}`, tool(at)])),
    });
    model.records = new Map(tools.map((name) => [name, { name }]));
    const job = {
      urls: [`${site.origin}/tools`],
      store_raw: true,
      extract: {
        model: true,
        private_to_model: true,
        schema: { type: 'object', properties: { name: { type: 'string' } } },
      },
    };
    const scheduled = await service.raw('/crawler/schedules', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'nightly', cron: '@daily', job }),
    });
    expect(scheduled.status, scheduled.body.toString()).toBe(201);
    const run = async (): Promise<JobAnswer> => {
      const made = await service.raw(`/crawler/schedules/${String(json(scheduled)['id'])}/run`, { method: 'POST' });
      expect(made.status, made.body.toString()).toBe(201);
      return service.untilEnded((json(made)['job'] as JobAnswer).id);
    };
    const reextract = async ({ id }: JobAnswer): Promise<JobAnswer> =>
      service.untilEnded((await service.ok<JobAnswer>(`/crawler/jobs/${id}/reextract`, { method: 'POST' })).id);

    const one = await crawled(job);
    night++;
    const changed = await crawled({ since: one.id });
    const same = await crawled({ since: changed.id });
    const chain = [one, changed, same, await reextract(same)];
    const runs = [await run()];
    night++;
    runs.push(await run());
    runs.push(await reextract(runs[1]!));
    const hits = (): Promise<readonly number[]> =>
      eachInTurn([...chain, ...runs], async (each) => {
        const found = await service.ok<{ data: readonly unknown[] }>(`/crawler/jobs/${each.id}/search?q=${secret}`);
        return found.data.length;
      });
    expect(await hits()).toEqual(Array.from({ length: 7 }, () => 1));
    const before = await tablesWith(secret);
    expect(before).toEqual(expect.arrayContaining(['body', 'page', 'raw_segment']));
    expect(before).not.toContain('lesson');
    for (const jobs of [chain, runs]) {
      const { id } = jobs[1]!;
      const { jobs: erased } = json(await erase(id, await pageOf(id, '/tool/2')));
      expect((erased as string[]).toSorted()).toEqual(jobs.map((each) => each.id).toSorted());
    }
    expect(await tablesWith(secret)).toEqual([]);
    expect(await hits()).toEqual(Array.from({ length: 7 }, () => 0));
  });

  test.skipIf(isOnPostgres())(
    'leaves no byte of the page in the data directory (needs the embedded database)',
    async () => {
      // Words that nothing else has. The index keeps what a word shares with the one before it only once.
      const secrets = ['zyxelarimo', 'kwojubatin'];
      secrets.forEach((secret, at) => {
        site.add({ [`/secret/${at}`]: htmlPage({ title: `Secret ${at}`, text: `It is ${secret}.` }) });
      });
      const urls = [`${site.origin}/secret/0`, `${site.origin}/secret/1`];
      const { id } = await crawled({ urls, store_raw: true });
      // By the last page of a job an index is known.
      const [{ meta, text }] = (await rowsOf(id)) as [Row, Row];
      const { page } = meta;
      const word = secrets.find((secret) => text.includes(secret)) ?? '';
      await get(`/crawler/jobs/${id}/search?q=${word}`);
      const { directory } = service;
      const db = new DatabaseSync(path.join(directory, 'hayrake.db'), { readOnly: true });
      const stored = db
        .prepare(
          `SELECT b.deflated AS body, p.deflated AS meta, s.bytes AS raw FROM job j
         JOIN body b ON b.id = j.seq * ${2 ** 24} + ?1 JOIN page p ON p.id = b.id
         JOIN raw_page r ON r.id = b.id JOIN raw_segment s ON s.id = r.segment WHERE j.id = ?2`,
        )
        .get(page, id) as Record<string, Uint8Array> | undefined;
      db.close();
      expect(Object.keys(stored ?? {})).toEqual(['body', 'meta', 'raw']);
      const wanted = { ...stored, words: Buffer.from(word.slice(1)) };
      expect(namesIn(directory, wanted)).toEqual(['body', 'meta', 'raw', 'words']);
      await erase(id, page);
      expect(namesIn(directory, wanted)).toEqual([]);
    },
  );

  test.skipIf(isOnPostgres())(
    'erase: leaves in no file where a redirect led to, in two jobs of which one continues the other (needs the embedded database)',
    async () => {
      site.add({
        '/romeo': (_: unknown, response: ServerResponse) => response.writeHead(302, { location: '/tango' }).end(),
        '/tango': htmlPage({ title: 'Tango', text: 'What the redirect of romeo leads to.' }),
        // Its text has no link.
        '/kilo': `<title>Kilo</title><nav><a href="/romeo">1</a> <a href="/tango">2</a></nav><main><p>A page that stays.</main>`,
      });
      const one = await crawled({ urls: [`${site.origin}/kilo`] });
      const two = await crawled({ since: one.id });
      const wanted = { from: Buffer.from('/romeo'), to: Buffer.from('/tango') };
      expect(namesIn(service.directory, wanted)).toEqual(['from', 'to']);
      for (const { id } of [one, two])
        for (const { meta } of (await rowsOf(id)).filter(({ meta }) => /romeo|tango/.test(meta.url)))
          await erase(id, meta.page, { url: true });
      expect(namesIn(service.directory, wanted)).toEqual([]);
    },
  );
});

/** Which of these bytes are in a file of the directory. */
function namesIn(directory: string, wanted: Readonly<Record<string, Uint8Array>>): readonly string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)));
  return Object.entries(wanted).flatMap(([name, bytes]) =>
    files.some((file) => file.includes(middleOf(bytes))) ? [name] : [],
  );
}

/** Tables with a text in a row, as it is or inside what is packed. */
async function tablesWith(text: string): Promise<readonly string[]> {
  const names = isOnPostgres()
    ? "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"
    : "SELECT name FROM sqlite_schema WHERE type = 'table'";
  const found = [];
  for (const { name } of await service.store.query<{ name: string }>(names)) {
    const rows = await service.store.query<Record<string, unknown>>(`SELECT * FROM "${name}"`);
    const values = rows.flatMap((row) => Object.values(row));
    if (values.some((value) => (value instanceof Uint8Array ? isIn(text, value) : String(value).includes(text))))
      found.push(name);
  }
  return found;
}

/** Wherever something packed begins. */
function isIn(text: string, bytes: Uint8Array): boolean {
  const has = (unpack: () => Buffer): boolean => {
    try {
      return unpack().includes(text);
    } catch {
      return false;
    }
  };
  if (Buffer.from(bytes).includes(text) || has(() => zstdDecompressSync(bytes))) return true;
  return Array.from(bytes.keys()).some((at) =>
    has(() => inflateRawSync(bytes.subarray(at), { finishFlush: constants.Z_SYNC_FLUSH })),
  );
}

/** An org has one export at a time. */
async function eachInTurn<One, Result>(ones: readonly One[], run: (one: One) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const one of ones) results.push(await run(one));
  return results;
}

/** Some bytes that are nowhere else. */
function middleOf(bytes: Uint8Array): Buffer {
  const from = bytes.length >> 1;
  return Buffer.from(bytes.length < 40 ? bytes : bytes.subarray(from, from + 24));
}
