import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../../core/ports/stores.ts';
import type { Schedule } from '../../core/schedule.ts';
import { openSqliteStore } from '../../storage/sqlite/sqlite-store.ts';
import { Cursors } from '../cursor.ts';
import { createSchedule } from './manage-schedules.ts';
import { type RunOutcome, type ScheduleWorkParts, workOnSchedule } from './work-on-schedule.ts';

const hour = 3_600_000;
const org = 'acme';

let directory: string;
let store: Store;
let outcomes: RunOutcome[];
/** Where runs may go, while the operator allows it. */
let refusal: string | undefined;
let parts: ScheduleWorkParts;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'hayrake-schedules-'));
  store = openSqliteStore(directory, { crawling: true });
  [outcomes, refusal] = [[], undefined];
  const quiet = (): void => {};
  parts = {
    store,
    destinations: { refusal: () => refusal, privateNetworks: [], proxyNames: [], proxyResolves: false },
    hasBrowser: () => Promise.resolve(false),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    onRun: (outcome) => outcomes.push(outcome),
  };
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

async function create(body: object = {}, caller: object = {}): Promise<Schedule & { readonly due: number }> {
  const all = { ...parts, ...store, cursors: new Cursors(store.secret), schedulesPerOrg: 10 };
  const schedule = await createSchedule(
    all,
    { org, permissions: ['read', 'write'], token: '', ...caller },
    { name: 'n', cron: '@daily', job: { urls: ['https://a.test/'] }, ...body },
  );
  return { ...schedule, due: schedule.nextRunAt ?? 0 };
}

/** Works on what is due at this time. Returns how many pieces that were. */
async function work(now: number): Promise<number> {
  const claimed = await store.work.claim({ kind: 'schedule', max: 100, busyKeys: [], now });
  for (const piece of claimed) await workOnSchedule(parts, piece, now);
  return claimed.length;
}
const get = async ({ id }: Schedule): Promise<Schedule> => (await store.schedules.get(org, id))!;
const runs = async ({ id }: Schedule) => (await store.schedules.runs(org, id, { limit: 100 }))!;

test('workOnSchedule: a due run becomes a job with the headers of the schedule', async () => {
  const schedule = await create({ job: { urls: ['https://a.test/'], headers: { Authorization: 'x' }, page_limit: 7 } });
  expect(await work(schedule.due - 1)).toBe(0);
  expect(await work(schedule.due)).toBe(1);
  const [run, ...others] = await runs(schedule);
  expect(others).toEqual([]);
  expect(run).toMatchObject({ schedule: schedule.id, org, kind: 'crawl', spec: { pageLimit: 7 } });
  expect((await store.frontier.crawlJob(run!.id))?.headers).toEqual({ authorization: 'x' });
  expect(outcomes).toEqual(['created']);
});

test('workOnSchedule: a run that may not go there is tried for an hour, and made as soon as it may', async () => {
  const schedule = await create();
  refusal = 'It leads to a private address.';
  let now = schedule.due;
  for (; now < schedule.due + hour / 2; now += 60_000) await work(now);
  expect(await get(schedule)).toMatchObject({ lastError: null, lastJob: null });
  expect(outcomes).toEqual([]);
  refusal = undefined;
  await work(now + 5 * 60_000);
  expect(await runs(schedule)).toHaveLength(1);
  expect(outcomes).toEqual(['created']);
});

test('workOnSchedule: a run that cannot be made for an hour is given up, and the next one is made', async () => {
  const schedule = await create();
  refusal = 'It leads to a private address.';
  let now = schedule.due;
  for (; outcomes.length === 0; now += 60_000) await work(now);
  expect(now - schedule.due).toBeGreaterThan(hour * 0.9);
  expect(now - schedule.due).toBeLessThanOrEqual(hour + 120_000);
  expect(outcomes).toEqual(['failed']);
  expect((await get(schedule)).lastError).toMatchObject({ code: 'destination_not_allowed' });
  refusal = undefined;
  expect(await work(schedule.due + 24 * hour)).toBe(1);
  expect(await get(schedule)).toMatchObject({ lastError: null });
  expect(await runs(schedule)).toHaveLength(1);
});

test('workOnSchedule: a time at which the last run has not ended is skipped, and says so', async () => {
  const schedule = await create();
  await work(schedule.due);
  await work(schedule.due + 24 * hour);
  expect(outcomes).toEqual(['created', 'skipped']);
  expect(await runs(schedule)).toHaveLength(1);
  expect((await get(schedule)).lastError).toMatchObject({ code: 'run_in_progress' });
});

test('workOnSchedule: with queue one run is made when the last one ends, however many times passed', async () => {
  const schedule = await create({ cron: '@hourly', overlap: 'queue' });
  await work(schedule.due);
  for (let now = schedule.due; now < schedule.due + 5 * hour; now += 60_000) await work(now);
  const [first] = await runs(schedule);
  await store.jobs.cancel(org, first!.id);
  const ended = schedule.due + 5 * hour;
  while ((await work(ended)) > 0);
  expect(await runs(schedule)).toHaveLength(2);
  expect(outcomes).toEqual(['created', 'created']);
});

test('workOnSchedule: removes the results of runs beyond those that are kept, when a run ends', async () => {
  const schedule = await create({ cron: '@hourly', keep: 2 });
  for (let n = 0; n < 5; n++) {
    await work(schedule.due + n * hour);
    await store.jobs.cancel(org, (await runs(schedule))[0]!.id);
    await work(schedule.due + n * hour);
  }
  expect((await runs(schedule)).map(({ areResultsGone }) => areResultsGone)).toEqual([false, false, true, true, true]);
});

test('workOnSchedule: a token that has expired pauses its schedules, and is used for no run', async () => {
  const expiresAt = Date.now() + 1_000;
  const token = { id: 't', org, name: '', permissions: ['write' as const], createdAt: 1, revokedAt: null, expiresAt };
  await store.tokens.add(token, 'hash');
  const schedule = await create({}, { token: 't' });
  const gone = await create({}, { token: 'removed' });
  await work(schedule.due);
  await work(schedule.due);
  expect(await get(schedule)).toMatchObject({ pausedBy: 'token_expired', nextRunAt: null, lastJob: null });
  expect(await get(gone)).toMatchObject({ pausedBy: 'token_revoked', lastJob: null });
  expect([...(await runs(schedule)), ...(await runs(gone)), ...outcomes]).toEqual([]);
});

test('workOnSchedule: a schedule that was deleted after its run was claimed makes none', async () => {
  const schedule = await create();
  const [piece] = await store.work.claim({ kind: 'schedule', max: 1, busyKeys: [], now: schedule.due });
  await store.schedules.delete(org, schedule.id);
  await workOnSchedule(parts, piece!, schedule.due);
  expect(await store.jobs.list(org, { limit: 10 })).toMatchObject({ jobs: [] });
});
