// Every verb of the clients against a real service. Both languages get the same from it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Hayrake, HayrakeError } from '../../packages/client/index.ts';
import { type GeneratedSite, startGeneratedSite } from '../e2e/generated-site.ts';
import { operatorToken, startService, type TestService } from '../service/start-service.ts';
import { python, pythonWithHttpx, runPython } from './python.ts';

const root = path.join(import.meta.dirname, '../..');
const pages = 30;
const ended = new Set(['cancelled', 'succeeded']);

let site: GeneratedSite;
let service: TestService;
let id: string;

beforeAll(async () => {
  [site, service] = await Promise.all([startGeneratedSite({ pages, delayMs: 1 }), startService()]);
  ({ id } = await service.crawl({ urls: [`${site.origin}/`] }));
});
afterAll(async () => {
  await Promise.all([site?.close(), service?.close()]);
});

/** What the same calls give in each language. */
interface Seen {
  readonly status: string;
  readonly pages: readonly unknown[];
  readonly after: readonly unknown[];
  readonly metas: readonly unknown[];
  readonly urls: readonly unknown[];
  readonly failed: readonly unknown[];
  readonly why: readonly string[];
  readonly found: readonly string[];
  readonly tree: unknown;
  readonly step: number;
  readonly rules: readonly [string, number];
  readonly csv: string;
  readonly hosts: readonly string[];
  readonly hasJob: boolean;
  readonly previewed: string;
  readonly stopped: string;
  readonly resumed: string;
  readonly expiries: readonly unknown[];
  readonly mapped: readonly string[];
  readonly scraped: string;
  readonly batch: readonly string[];
  readonly sameKey: boolean;
  readonly isCancelled: boolean;
  readonly deliveries: readonly unknown[];
  readonly key: string;
  readonly hasNewKey: boolean;
  readonly scheduled: unknown;
  readonly codes: readonly (readonly [string, number])[];
}

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const all = async <Row>(rows: AsyncIterable<Row>): Promise<Row[]> => {
  const read: Row[] = [];
  for await (const row of rows) read.push(row);
  return read;
};

async function inTypeScript(client: Hayrake, anonymous: Hayrake, stranger: Hayrake): Promise<Seen> {
  const codeOf = async (call: Promise<unknown>): Promise<readonly [string, number]> => {
    try {
      await call;
      return ['none', 200];
    } catch (error) {
      if (!(error instanceof HayrakeError)) throw error;
      return [error.code, error.status];
    }
  };
  const two = [`${site.origin}/page/1`, `${site.origin}/page/2`];
  const batch = await client.batch(two);
  const key = { idempotencyKey: 'verbs in TypeScript' };
  const again = await client.crawl(two, { max_depth: 0 }, key);
  const scraped = await client.scrape(two[0] ?? '', { format: 'text' });
  const { key: before } = await client.webhookKey();
  const deleted = await client.crawl(two, { max_depth: 0 });
  const scheduled = async (): Promise<unknown> => {
    const { id: schedule } = await client.createSchedule({
      name: 'n',
      cron: '@daily',
      job: { urls: two, max_depth: 0 },
    });
    const changed = await client.changeSchedule(schedule, { cron: '0 3 * * *', paused: true });
    const run = await client.runSchedule(schedule);
    const runs = (await all(client.runs(schedule))).map(({ id: each }) => each === run.job?.id);
    const isListed = (await all(client.schedules({ limit: 1 }))).some((each) => each.id === schedule);
    const given = await client.schedule(schedule);
    if (run.job) await client.wait(run.job);
    const added = (await all(client.changes(given, { follow: false, text: true }))).map(({ url, text }) => [url, text]);
    const later = await all(client.feed(schedule, { follow: false, from: 'now' }));
    const snapshot = await client.snapshot(schedule, { limit: 1 });
    const known = (await all(snapshot.pages)).map(({ meta, text }) => [meta.url, text]);
    const metas = (await all(client.snapshotMetas(schedule))).map(({ meta }) => meta.page);
    const next = await all(client.feed(schedule, { follow: false, cursor: snapshot.cursor ?? '' }));
    const fed = [
      added.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)),
      later,
      known,
      metas,
      next,
      snapshot.run === run.job?.id,
    ];
    const again = await client.crawl(undefined, { since: run.job?.id ?? '' });
    const { urls: startUrls } = await client.wait(again);
    const { change, hunks } = await client.diff(again, two[0] ?? '');
    const addedDiffs = [
      await codeOf(client.feedDiff(schedule, two[0] ?? '')),
      await codeOf(client.diff(given, two[0] ?? '')),
    ];
    const gone = await client.deleteSchedule(schedule);
    const codes = [await codeOf(client.schedule(schedule)), await codeOf(all(client.feed(schedule)))];
    const diffs = [change, hunks, addedDiffs];
    return [changed.pausedBy, runs, isListed, given.cron, gone.id === schedule, codes, fed, startUrls, diffs];
  };
  return {
    status: (await client.wait({ id })).status,
    pages: await all(client.pages(id, { limit: 7 })),
    after: await all(client.pages(id, { after: pages - 2, follow: false })),
    metas: await all(client.metas(id, { fields: ['title', 'wordCount'] })),
    urls: await all(client.urls(id, { limit: 11 })),
    failed: await all(client.urls(id, { status: 'failed' })),
    why: (await client.why(id, two[0] ?? '')).explanation ?? [],
    found: (await client.search(id, '"page 7"', { limit: 3 })).data.map(({ url }) => url),
    tree: (await client.tree(id, { depth: 1 })).data,
    step: (await client.stats(id)).step,
    rules: await codeOf(client.rules(id)),
    csv: hash(new Uint8Array(await (await client.export(id, 'csv')).arrayBuffer())),
    hosts: (await all(client.hosts({ job: id }))).map(({ host }) => host),
    hasJob: (await all(client.jobs({ limit: 1, kind: 'crawl' }))).some((job) => job.id === id),
    previewed: (await client.preview(`${site.origin}/`)).page?.meta?.title ?? '',
    stopped: (await client.stop(id)).status,
    resumed: (await client.resume(id)).status,
    expiries: [(await client.setExpiry(id, 86_400)).output_expiry, (await client.setExpiry(id, null)).expiresAt],
    mapped: (await client.map(`${site.origin}/`)).data.map(({ url }) => url),
    scraped: scraped.status === 'scraped' ? scraped.text : scraped.status,
    batch: (await all(client.pages(batch))).map(({ meta }) => meta.url).toSorted(),
    sameKey: (await client.crawl(two, { max_depth: 0 }, key)).id === again.id,
    // The job can have ended before.
    isCancelled: ended.has((await client.cancel(await client.crawl(two, { max_depth: 0 }))).status),
    deliveries: await all(client.deliveries(id)),
    key: before.slice(0, 6),
    hasNewKey: (await client.rotateWebhookKey()).key !== before,
    scheduled: await scheduled(),
    codes: [
      await codeOf(client.job('7ZSA4YN8XEM0V3T2K9QJ5RCWBD')),
      await codeOf(client.retry(id)),
      await codeOf(client.replay(id, 'a/b')),
      await codeOf(client.reextract(id)),
      await codeOf(client.raw(id, 1)),
      await codeOf(client.screenshot(id, 1)),
      await codeOf(client.dropped(id, 999)),
      await codeOf(client.erasePage(id, 999, { url: true })),
      await codeOf(client.crawl('ftp://a', { page_limit: 0 })),
      await codeOf(client.export(id, 'pdf' as 'csv')),
      await codeOf(client.delete(deleted)),
      await codeOf(all(client.pages(deleted))),
      await codeOf(all(client.changes(deleted))),
      await codeOf(client.acceptChanges(deleted)),
      await codeOf(anonymous.job(id)),
      await codeOf(stranger.job(id)),
    ],
  };
}

const script = `
import asyncio, hashlib, json, sys
from hayrake import HayrakeError
from hayrake.aio import AsyncHayrake as Client
async def code_of(call):
    try:
        await call()
        return ["none", 200]
    except HayrakeError as error:
        return [error.code, error.status]
async def read_all(rows):
    return [row async for row in rows]
async def main(site, job, pages):
    async with Client() as client, Client(token="") as anonymous, Client(token="x" * 40) as stranger:
        two = [site + "/page/1", site + "/page/2"]
        batch = await client.batch(two)
        again = await client.crawl(two, max_depth=0, idempotency_key=sys.argv[4])
        scraped = await client.scrape(two[0], format="text")
        before = (await client.webhook_key())["key"]
        deleted = await client.crawl(two, max_depth=0)
        schedule = (await client.create_schedule(name="n", cron="@daily", job={"urls": two, "max_depth": 0}))["id"]
        changed = await client.change_schedule(schedule, cron="0 3 * * *", paused=True)
        run = await client.run_schedule(schedule)
        runs = [each["id"] == run["job"]["id"] for each in await read_all(client.runs(schedule))]
        is_listed = any([each["id"] == schedule for each in await read_all(client.schedules(limit=1))])
        given = await client.schedule(schedule)
        await client.wait(run["job"])
        added = [[row["url"], row["text"]] for row in await read_all(client.changes(given, follow=False, text=True))]
        later = await read_all(client.feed(schedule, follow=False, from_="now"))
        snapshot = await client.snapshot(schedule, limit=1)
        known = [[page["meta"]["url"], page["text"]] for page in await read_all(snapshot.pages)]
        metas = [meta["meta"]["page"] for meta in await read_all(client.snapshot_metas(schedule))]
        next_rows = await read_all(client.feed(schedule, follow=False, cursor=snapshot.cursor))
        fed = [sorted(added), later, known, metas, next_rows, snapshot.run == run["job"]["id"]]
        since = await client.wait(await client.crawl(since=run["job"]["id"]))
        diff = await client.diff(since, two[0])
        added_diffs = [
            await code_of(lambda: client.feed_diff(schedule, two[0])),
            await code_of(lambda: client.diff(given, two[0])),
        ]
        diffs = [diff["change"], diff["hunks"], added_diffs]
        gone = (await client.delete_schedule(schedule))["id"] == schedule
        codes = [await code_of(lambda: client.schedule(schedule)), await code_of(lambda: read_all(client.feed(schedule)))]
        scheduled = [changed["pausedBy"], runs, is_listed, given["cron"], gone, codes, fed, since["urls"], diffs]
        print(json.dumps({
            "status": (await client.wait({"id": job}))["status"],
            "pages": await read_all(client.pages(job, limit=7)),
            "after": await read_all(client.pages(job, after=pages - 2, follow=False)),
            "metas": await read_all(client.metas(job, fields=["title", "wordCount"])),
            "urls": await read_all(client.urls(job, limit=11)),
            "failed": await read_all(client.urls(job, status="failed")),
            "why": (await client.why(job, two[0]))["explanation"],
            "found": [hit["url"] for hit in (await client.search(job, '"page 7"', limit=3))["data"]],
            "tree": (await client.tree(job, depth=1))["data"],
            "step": (await client.stats(job))["step"],
            "rules": await code_of(lambda: client.rules(job)),
            "csv": hashlib.sha256(b"".join(await read_all(client.export(job, "csv")))).hexdigest(),
            "hosts": [host["host"] for host in await read_all(client.hosts(job=job))],
            "hasJob": any([each["id"] == job for each in await read_all(client.jobs(limit=1, kind="crawl"))]),
            "previewed": (await client.preview(site + "/"))["page"]["meta"]["title"],
            "stopped": (await client.stop(job))["status"],
            "resumed": (await client.resume(job))["status"],
            "expiries": [
                (await client.set_expiry(job, 86400))["output_expiry"],
                (await client.set_expiry(job, None))["expiresAt"],
            ],
            "mapped": [each["url"] for each in (await client.map(site + "/"))["data"]],
            "scraped": scraped.get("text", scraped["status"]),
            "batch": sorted([page["meta"]["url"] for page in await read_all(client.pages(batch))]),
            "sameKey": (await client.crawl(two, max_depth=0, idempotency_key=sys.argv[4]))["id"] == again["id"],
            "isCancelled": (await client.cancel(await client.crawl(two, max_depth=0)))["status"] in ("cancelled", "succeeded"),
            "deliveries": await read_all(client.deliveries(job)),
            "key": before[:6],
            "hasNewKey": (await client.rotate_webhook_key())["key"] != before,
            "scheduled": scheduled,
            "codes": [
                await code_of(lambda: client.job("7ZSA4YN8XEM0V3T2K9QJ5RCWBD")),
                await code_of(lambda: client.retry(job)),
                await code_of(lambda: client.replay(job, "a/b")),
                await code_of(lambda: client.reextract(job)),
                await code_of(lambda: client.raw(job, 1)),
                await code_of(lambda: client.screenshot(job, 1)),
                await code_of(lambda: client.dropped(job, 999)),
                await code_of(lambda: client.erase_page(job, 999, url=True)),
                await code_of(lambda: client.crawl("ftp://a", page_limit=0)),
                await code_of(lambda: read_all(client.export(job, "pdf"))),
                await code_of(lambda: client.delete(deleted)),
                await code_of(lambda: read_all(client.pages(deleted))),
                await code_of(lambda: read_all(client.changes(deleted))),
                await code_of(lambda: client.accept_changes(deleted)),
                await code_of(lambda: anonymous.job(job)),
                await code_of(lambda: stranger.job(job)),
            ],
        }))
`;
const asynchronous = `${script}asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))`;
/** The same without `async`, as `client.py` is written from `aio.py`. */
const synchronous = `${script
  .replaceAll(/\b(async|await) /g, '')
  .replace(
    'from hayrake.aio import AsyncHayrake as Client',
    'from hayrake import Hayrake as Client',
  )}main(sys.argv[1], sys.argv[2], int(sys.argv[3]))`;

describe('every verb', () => {
  const asked = new Set<string>();
  let seen: Seen;

  test('in TypeScript', async () => {
    const noting: typeof fetch = (input, init) => {
      asked.add(`${init?.method ?? 'GET'} ${new URL(input as string).pathname}`);
      return fetch(input, init);
    };
    const url = service.origin;
    seen = await inTypeScript(
      new Hayrake({ url, token: operatorToken, fetch: noting }),
      new Hayrake({ url }),
      new Hayrake({ url, token: 'x'.repeat(40) }),
    );
    expect(seen.status).toBe('succeeded');
    const { data } = await service.ok<{ data: readonly unknown[] }>(`/crawler/jobs/${id}/data`);
    expect(data).toHaveLength(pages);
    expect(seen.pages).toEqual(data);
    expect(seen.after).toEqual(data.slice(-2));
    expect(seen.metas).toHaveLength(pages);
    expect(seen.urls).toHaveLength(pages);
    expect(seen.failed).toEqual([]);
    expect(seen.why[0]).toMatch(/^It is page \d+ of the results\.$/);
    expect(seen.found).toEqual([`${site.origin}/page/7`]);
    expect(seen.csv).toBe(
      hash(new Uint8Array(await (await service.api(`/crawler/jobs/${id}/export?format=csv`)).arrayBuffer())),
    );
    expect(seen.hasJob).toBe(true);
    expect([seen.stopped, seen.resumed]).toEqual(['succeeded', 'succeeded']);
    expect(seen.expiries).toEqual([86_400, null]);
    expect(seen.previewed).not.toBe('');
    expect(seen.mapped).toContain(`${site.origin}/page/1`);
    expect(seen.scraped).toContain('This is page 1 of many.');
    expect(seen.batch).toEqual([`${site.origin}/page/1`, `${site.origin}/page/2`]);
    expect([seen.sameKey, seen.isCancelled, seen.hasNewKey, seen.key]).toEqual([true, true, true, 'whsec_']);
    const [one, two] = [1, 2].map((page) => `${site.origin}/page/${page}`);
    const texts = [one, two].map((url) => [url, expect.stringContaining('page')]);
    expect(seen.scheduled).toEqual([
      'client',
      [true],
      true,
      '0 3 * * *',
      true,
      [
        ['schedule_not_found', 404],
        ['schedule_deleted', 410],
      ],
      [texts, [], texts, [1, 2], [], true],
      [one, two],
      [
        'unchanged',
        [],
        [
          ['nothing_to_compare', 400],
          ['nothing_to_compare', 400],
        ],
      ],
    ]);
    expect(seen.codes).toEqual([
      ['job_not_found', 404],
      ['nothing_to_retry', 409],
      ['delivery_not_found', 404],
      ['no_raw', 409],
      ['no_raw', 409],
      ['screenshot_not_found', 404],
      ['no_raw', 409],
      ['page_not_found', 404],
      ['invalid_body', 400],
      ['invalid_parameter', 400],
      ['none', 200],
      ['job_data_expired', 410],
      ['job_data_expired', 410],
      ['job_data_expired', 410],
      ['unauthorized', 401],
      ['invalid_token', 401],
    ]);
  });

  test('reaches every endpoint but those of browsers and operators', () => {
    const { paths } = JSON.parse(readFileSync(path.join(root, 'docs/openapi.json'), 'utf8')) as {
      paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string }>>>>;
    };
    const missing = Object.entries(paths).flatMap(([name, methods]) => {
      const pattern = new RegExp(`^${name.replaceAll(/[.]/g, '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      return Object.keys(methods).flatMap((method) =>
        [...asked].some((each) => {
          const [verb = '', where = ''] = each.split(' ');
          return verb.toLowerCase() === method && pattern.test(where);
        })
          ? []
          : [`${method} ${name}`],
      );
    });
    expect(missing.toSorted()).toEqual(
      [
        // Pages are followed by cursor, which needs no stream that has to stay open.
        'get /crawler/jobs/{id}/events',
        // The dashboard and curl change how long results are kept.
        // Operators manage tokens; the other doors are for programs with clients of their own.
        'delete /org/tokens/{token}',
        'get /r/{url}',
        'post /r',
        'get /org/tokens',
        'post /org/tokens',
        'post /loader',
        'post /mcp',
        'get /service',
        'post /service/backup',
        'delete /session',
        'get /healthz',
        'get /metrics',
        'get /openapi.json',
        'get /readyz',
        'get /session',
        'post /session',
      ].toSorted(),
    );
  });

  const expectSame = async (program: string | undefined, text: string, key: string): Promise<void> => {
    const env = { HAYRAKE_URL: service.origin, HAYRAKE_TOKEN: operatorToken };
    const same = await runPython<Seen>(program ?? '', text, { args: [site.origin, id, String(pages), key], env });
    expect(same).toEqual(JSON.parse(JSON.stringify(seen)));
  };
  test.skipIf(python === undefined)('in Python, with the same results (needs python3)', () =>
    expectSame(python, synchronous, 'verbs in Python'),
  );
  test.skipIf(pythonWithHttpx === undefined)(
    'in Python with asyncio, with the same results (needs python3-httpx)',
    () => expectSame(pythonWithHttpx, asynchronous, 'verbs in Python with asyncio'),
  );
});

test.skipIf(python === undefined)('verbs have the same names in both languages (needs python3)', () => {
  const names = Object.getOwnPropertyNames(Hayrake.prototype).filter((name) => name !== 'constructor');
  const snake = names.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const program = 'import hayrake; print(*[name for name in dir(hayrake.Hayrake) if name[0] != "_"])';
  const { stdout } = spawnSync(python ?? '', ['-c', program], {
    env: { ...process.env, PYTHONPATH: path.join(root, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
  });
  expect(
    stdout
      .trim()
      .split(' ')
      .filter((name) => name !== 'close')
      .toSorted(),
  ).toEqual(snake.toSorted());
});

// langchain-core and llama-index-core are not packaged by Debian. A stand-in has the part of their interface that the examples use.
const standIns = `
import sys, types
class Document:
    def __init__(self, page_content=None, text=None, id_=None, metadata=None):
        self.content, self.id, self.metadata = page_content or text, id_, metadata
class BaseLoader:
    def load(self):
        return list(self.lazy_load())
class BaseReader:
    def load_data(self, *args, **kwargs):
        return list(self.lazy_load_data(*args, **kwargs))
for name, members in {
    "langchain_core": {}, "langchain_core.document_loaders": {"BaseLoader": BaseLoader},
    "langchain_core.documents": {"Document": Document}, "llama_index": {}, "llama_index.core": {},
    "llama_index.core.readers": {}, "llama_index.core.readers.base": {"BaseReader": BaseReader},
    "llama_index.core.schema": {"Document": Document},
}.items():
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
`;

test.skipIf(python === undefined)(
  'the loaders for LangChain and LlamaIndex load every page, with stand-ins for their base classes (needs python3)',
  async () => {
    const text = `${standIns}
import json
from hayrake import Hayrake
from langchain_loader import HayrakeLoader
from llama_index_reader import HayrakeReader
client = Hayrake()
print(json.dumps([[each.content, each.id, each.metadata["title"], each.metadata["source"]]
    for each in HayrakeLoader(sys.argv[1], client).load() + HayrakeReader().load_data(sys.argv[1], client)]))`;
    const env = { HAYRAKE_URL: service.origin, HAYRAKE_TOKEN: operatorToken };
    const documents = await runPython<readonly unknown[]>(python ?? '', text, { args: [id], env });
    const { data } = await service.ok<{
      data: readonly { text: string; meta: { page: number; url: string; meta: { title: string } } }[];
    }>(`/crawler/jobs/${id}/data`);
    expect(documents).toEqual([
      ...data.map(({ text: content, meta }) => [content, null, meta.meta.title, meta.url]),
      ...data.map(({ text: content, meta }) => [content, `${id}/${meta.page}`, meta.meta.title, meta.url]),
    ]);
  },
);
