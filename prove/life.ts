// One life of a data directory with all steps at which a process can die: a job, its results, a retry, a removal,
// orderly stops. Whatever step it dies at, in the end nothing is lost and nothing is stored twice.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import type { FailPoint } from '../src/core/process/fail-point.ts';
import { type WebhookEventBody, WebhookReceiver } from '../test/e2e/webhook-receiver.ts';
import type { JobAnswer } from '../test/service/start-service.ts';
import { MortalService } from './mortal-service.ts';
import { checkLedger, pathsOf, readToEnd } from './oracle.ts';
import { type ProofSite, startProofSite } from './proof-site.ts';

/** Reached only with an object store (object-kills.ts) or a model (learning-kills.ts), which a life has not. */
export const beyondLife: ReadonlySet<FailPoint> = new Set<FailPoint>([
  'settle.picture',
  'object.registered',
  'object.stored',
  'object.gathered',
  'object.deleted',
  'model.answered',
  'model.learned',
  'rules.taken',
]);

const pages = 24;
const hostConcurrency = 4;

/** Lives that reach a point fewer times than wanted are repeated, up to this limit. */
const livesMax = 4;

/** Dies at one fail-point this many times, over as many lives as necessary. Returns the number of deaths. */
export async function dieAt(point: FailPoint, times: number): Promise<number> {
  let deaths = 0;
  for (let life = 0; life < livesMax && deaths < times; life++) {
    // At the first pass, then in the next life at the second, and so on: not always at the same place.
    const left = Array.from({ length: times - deaths }, (_, index) => `${point}:${life === 0 ? index + 1 : 1}`);
    deaths += (await live(left)).length;
  }
  assert.ok(deaths >= times, `${point} was passed ${deaths} times only`);
  return deaths;
}

/**
 * Dies once at each of the fail-points, as many as possible in one life. The points must be in the order in which a
 * life reaches them: a point that was passed before its predecessor waits for another life.
 */
export async function dieAtEach(points: readonly FailPoint[]): Promise<void> {
  const left = new Set(points);
  for (let life = 0; life < livesMax && left.size > 0; life++) {
    for (const death of await live(Array.from(left, (point) => `${point}:1`)))
      left.delete(death.split(':')[0] as FailPoint);
  }
  assert.deepEqual([...left], [], 'fail-points that were not reached');
}

/**
 * Runs one life and dies at the fail-points on the way. Returns those at which it died; the last points are not always
 * reached.
 */
async function live(deathsToCome: readonly string[]): Promise<readonly string[]> {
  const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-life-'));
  const site = await startProofSite({ pages, delayMs: 2 });
  const receiver = await WebhookReceiver.start();
  const env = { HAYRAKE_HOST_CONCURRENCY: String(hostConcurrency), HAYRAKE_WEBHOOK_HTTP: 'true' };
  const service = new MortalService({ directory, env }, deathsToCome);
  try {
    await service.start();
    await liveWith(service, site, receiver, directory);
    checkDatabase(directory);
    const most = pages + 3;
    // Each job requests each page once, and a death costs what was in flight: being fetched, converted or written.
    assert.ok(
      // And the run of the schedule its page.
      site.requestsBegun() <= 3 * most + 3 + 2 + service.deaths.length * 2 * hostConcurrency,
      'pages fetched again',
    );
    return service.deaths;
  } finally {
    await service.service.kill();
    await site.close();
    await receiver.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function liveWith(
  service: MortalService,
  site: ProofSite,
  receiver: WebhookReceiver,
  directory: string,
): Promise<void> {
  const first = await create(service, site, 'first', receiver.url);
  const rows = await readToEnd(service, first.id, 7);
  const job = await service.persist((to) => to.job(first.id));
  assert.equal(job.status, 'succeeded');
  const entries = await checkLedger(service, job, rows);
  const { scraped, outside, failed } = site.expected;
  assert.deepEqual(pathsOf(rows.map(({ meta }) => meta.url)), [...scraped].toSorted());
  const ended = (status: string) => pathsOf(entries.filter((entry) => entry.status === status).map(({ url }) => url));
  assert.deepEqual([ended('outside'), ended('failed')], [[outside], [failed]]);

  await untilTold(service, receiver, job);

  site.heal();
  const retry = await retryOnce(service, first.id);
  const again = await readToEnd(service, retry.id, 400);
  assert.deepEqual(pathsOf(again.map(({ meta }) => meta.url)), [...site.expectedOfRetry].toSorted());
  await checkLedger(service, await service.persist((to) => to.job(retry.id)), again);

  await eraseOne(service, retry.id, again);
  await eraseInAll(service, await compareWith(service, site, first.id));
  await service.persist((to) => to.ok(`/crawler/jobs/${first.id}`, { method: 'DELETE' }));
  const second = await create(service, site, 'second');
  await untilRead(service, second.id, 3);
  const schedule = await createSchedule(service, site);
  assert.equal(await service.stop(), 0, 'the exit code of an orderly stop');
  makeDue(directory);
  await service.start();
  await untilRun(service, schedule);
  const rest = await readToEnd(service, second.id, 400);
  const wanted = new Set([...scraped, ...site.expectedOfRetry]);
  assert.deepEqual(pathsOf(rest.map(({ meta }) => meta.url)), [...wanted].toSorted());
  assert.equal(await service.stop(), 0, 'the exit code of an orderly stop');
}

async function createSchedule(service: MortalService, site: ProofSite): Promise<string> {
  const job = { urls: [`${site.origin}/`], max_depth: 0, force_crawling_mode: 'link', store_raw: true };
  const json = { name: 'yearly', cron: '@yearly', job };
  const headers = { 'idempotency-key': 'schedule' };
  return service.persist(async (to) => {
    const response = await to.api('/crawler/schedules', { json, headers });
    const body = await response.text();
    assert.equal(response.status, 201, body);
    return (JSON.parse(body) as { readonly id: string }).id;
  });
}

/** Nobody waits for the next year. */
function makeDue(directory: string): void {
  const database = new DatabaseSync(path.join(directory, 'hayrake.db'));
  database.exec("UPDATE work SET next_at = 1 WHERE kind = 'schedule'");
  database.close();
}

/** The due time makes one run. */
async function untilRun(service: MortalService, id: string): Promise<void> {
  for (;;) {
    const { data } = await service.persist((to) => to.ok<{ data: JobAnswer[] }>(`/crawler/schedules/${id}/jobs`));
    assert.ok(data.length <= 1, 'runs of one time');
    const { lastJob } = await service.persist((to) => to.ok<{ lastJob: string | null }>(`/crawler/schedules/${id}`));
    if (data[0]?.status === 'succeeded') {
      assert.equal(lastJob, data[0].id);
      return;
    }
    await sleep(50);
  }
}

/** A page is erased with all of its parts or with none, and all others stay as they were. */
async function eraseOne(
  service: MortalService,
  id: string,
  rows: Awaited<ReturnType<typeof readToEnd>>,
): Promise<void> {
  const erase = `/crawler/jobs/${id}/pages/1/erase`;
  const { erasedAt } = await service.persist((to) => to.ok<{ erasedAt: number }>(erase, { method: 'POST' }));
  const [first, ...others] = await readToEnd(service, id, 400);
  assert.deepEqual([first?.text, first?.meta.meta['erasedAt']], ['', erasedAt]);
  assert.deepEqual(others, rows.slice(1));
}

/** Crawls with `since` tell each page once, and the second one that finds a page gone removes it. Returns all jobs. */
async function compareWith(service: MortalService, site: ProofSite, earlier: string): Promise<readonly string[]> {
  const lost = site.lose(true);
  const [added, { scraped }] = [[...site.expectedOfRetry].toSorted(), site.expected];
  const kept = [...scraped].filter((path) => path !== lost);
  const first = await changesSince(service, earlier);
  assert.deepEqual([first.of('unchanged'), first.of('removed')], [kept.toSorted(), []]);
  assert.deepEqual([first.of('unknown'), first.of('added')], [[lost], added]);
  const second = await changesSince(service, first.id);
  site.lose(false);
  assert.deepEqual([second.of('removed'), second.of('added')], [[lost], []]);
  assert.deepEqual(second.of('unchanged'), [...kept, ...added].toSorted());
  return [earlier, first.id, second.id];
}

async function changesSince(
  service: MortalService,
  since: string,
): Promise<{ readonly id: string; readonly of: (kind: string) => readonly string[] }> {
  const headers = { 'idempotency-key': `since ${since}` };
  const { id } = await service.persist((to) => to.createJob({ since }, { headers }));
  await readToEnd(service, id, 400);
  const list = `/crawler/jobs/${id}/changes?limit=400`;
  const { data } = await service.persist((to) => to.ok<{ data: { url: string; change: string }[] }>(list));
  return { id, of: (kind) => pathsOf(data.flatMap(({ change, url }) => (change === kind ? [url] : []))) };
}

/** A page that jobs have which are made from each other is erased in all of them, or in none. */
async function eraseInAll(service: MortalService, all: readonly string[]): Promise<void> {
  const isErased = ({ meta }: { readonly meta: { readonly meta: Readonly<Record<string, unknown>> } }): boolean =>
    meta.meta['erasedAt'] !== undefined;
  const later = all.at(-1) ?? '';
  const of = new Set((await readToEnd(service, all[0] ?? '', 400)).map(({ meta }) => meta.url));
  const shared = (await readToEnd(service, later, 400)).find(({ meta }) => of.has(meta.url));
  const erase = `/crawler/jobs/${later}/pages/${shared?.meta.page}/erase`;
  const { jobs } = await service.persist((to) => to.ok<{ jobs: string[] }>(erase, { method: 'POST' }));
  assert.deepEqual(jobs.toSorted(), all.toSorted());
  for (const id of jobs) assert.equal((await readToEnd(service, id, 400)).filter(isErased).length, 1);
}

/** Resolves when this many pages can be read. The last request may have died. */
async function untilRead(service: MortalService, id: string, wanted: number): Promise<void> {
  for (let found = 0; found < wanted;) {
    const { data } = await service.persist((to) => to.ok<{ data: unknown[] }>(`/crawler/jobs/${id}/meta?wait=1`));
    found = data.length;
  }
}

function create(service: MortalService, site: ProofSite, key: string, webhook?: string): Promise<JobAnswer> {
  const body = { urls: [`${site.origin}/`], store_raw: true, ...(webhook !== undefined && { webhook_url: webhook }) };
  return service.persist((to) => to.createJob(body, { headers: { 'idempotency-key': key } }));
}

/** Every event of the job has arrived, repeated events are the same byte for byte, and each page was reported. */
async function untilTold(service: MortalService, receiver: WebhookReceiver, job: JobAnswer): Promise<void> {
  for (let pending = true; pending;) {
    const deliveries = await service.persist((to) =>
      to.ok<{ data: readonly { readonly status: string }[] }>(`/crawler/jobs/${job.id}/deliveries`),
    );
    pending = deliveries.data.some(({ status }) => status === 'pending');
    if (pending) await sleep(50);
  }
  const bodies = new Map<string, string>();
  for (const { headers, body } of receiver.told) {
    const id = String(headers['webhook-id']);
    assert.equal(bodies.get(id) ?? body, body, `${id} at every attempt`);
    bodies.set(id, body);
  }
  const events = Array.from(bodies.values(), (body) => JSON.parse(body) as WebhookEventBody);
  const types = events.map(({ type }) => type);
  assert.deepEqual(
    ['job.started', 'job.finished'].map((wanted) => types.filter((type) => type === wanted).length),
    [1, 1],
    'one event of each kind',
  );
  const told = events.flatMap(({ data: { pages: range } }) =>
    range === undefined ? [] : Array.from({ length: range.to - range.from + 1 }, (_, index) => range.from + index),
  );
  assert.deepEqual(
    told.toSorted((a, b) => a - b),
    Array.from({ length: job.progress.scraped }, (_, index) => index + 1),
    'the pages that the webhook was told of',
  );
}

/** Repeated after a death between commit and response: with its key, it is still one job. */
async function retryOnce(service: MortalService, id: string): Promise<JobAnswer> {
  const headers = { 'idempotency-key': 'retry' };
  const retry = await service.persist((to) =>
    to.ok<JobAnswer>(`/crawler/jobs/${id}/retry`, { method: 'POST', headers }),
  );
  const { data } = await service.persist((to) => to.ok<{ data: JobAnswer[] }>('/crawler/jobs'));
  assert.deepEqual(
    data.filter((job) => job['retryOf'] === id).map((job) => job.id),
    [retry.id],
  );
  return retry;
}

/** Checks that no API offers: the file is intact, and nothing is left of ended jobs. */
function checkDatabase(directory: string): void {
  const database = new DatabaseSync(path.join(directory, 'hayrake.db'), { readOnly: true });
  try {
    const all = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => Object.values(row));
    assert.deepEqual(all('PRAGMA integrity_check'), [['ok']]);
    assert.deepEqual(all('SELECT id FROM page EXCEPT SELECT id FROM body'), []);
    assert.deepEqual(all('SELECT id FROM body EXCEPT SELECT id FROM page'), []);
    // Of a job that was deleted, the texts stay that a later job names.
    const kept = 'SELECT id FROM page WHERE id >> 24 IN (SELECT seq FROM job WHERE swept = 0)';
    assert.deepEqual(all(`${kept} EXCEPT SELECT id FROM raw_page`), []);
    assert.deepEqual(all('SELECT segment FROM raw_page EXCEPT SELECT id FROM raw_segment'), []);
    assert.deepEqual(all('SELECT id FROM frontier WHERE fence IS NOT NULL'), []);
    assert.deepEqual(all('SELECT id FROM job WHERE finished_at IS NULL'), []);
    assert.deepEqual(all('SELECT count(*) FROM job WHERE schedule IS NOT NULL'), [[1]]);
    assert.deepEqual(all("SELECT count(*) FROM work WHERE kind = 'schedule' AND subject = 'run'"), [[1]]);
  } finally {
    database.close();
  }
}
