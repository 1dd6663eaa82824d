// What every store promises about schedules. Times are given, so no test waits for one, and lie ahead of the clock of the machine.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Job } from '../../src/core/job.ts';
import type { NewSchedule } from '../../src/core/ports/schedules.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import type { ClaimedWork } from '../../src/core/ports/work.ts';
import type { Schedule } from '../../src/core/schedule.ts';
import { createJob, newJob, org, type TestDatabase } from './test-data.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const at = (iso: string): number => Date.parse(iso);
const noon = at('2040-11-27T12:00Z');
const midnight = at('2040-11-28T00:00Z');

let made = 0;

/** Every day at midnight, UTC. */
export function newSchedule(fields: Partial<NewSchedule> = {}): NewSchedule {
  return {
    id: `schedule-${String(1_000_000 - ++made)}`,
    org,
    name: 'nightly',
    cron: '@daily',
    time_zone: 'UTC',
    job: { urls: ['https://a.test/'] },
    keep: 2,
    overlap: 'skip',
    pausedBy: null,
    webhookUrl: null,
    token: 'token',
    permissions: ['read', 'write'],
    createdAt: noon,
    secrets: { headers: {}, cookies: {} },
    schedulesMax: 10,
    ...fields,
  };
}

export function describeSchedules(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await createDatabase();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0 });
  });
  afterEach(() => database.remove());

  const add = async (fields: Partial<NewSchedule> = {}, now = noon): Promise<Schedule> => {
    const added = await store.schedules.create(newSchedule(fields), now);
    if (typeof added === 'string') throw new Error(added);
    return added;
  };
  const claim = (now: number, max = 100, from = store): Promise<readonly ClaimedWork[]> =>
    from.work.claim({ kind: 'schedule', max, busyKeys: [], now });
  const claimOne = async (now: number): Promise<ClaimedWork> => {
    const [piece, ...others] = await claim(now);
    if (!piece || others.length > 0) throw new Error(`${others.length + (piece ? 1 : 0)} pieces are due`);
    return piece;
  };
  const run = (schedule: Schedule, now: number, work?: number, from = store): ReturnType<Store['schedules']['run']> =>
    from.schedules.run({ job: { ...newJob(), schedule: schedule.id }, ...(work !== undefined && { work }) }, now);
  const runDue = async (schedule: Schedule, now: number): Promise<Job> => {
    const job = await run(schedule, now, (await claimOne(now)).id);
    if (typeof job === 'string') throw new Error(job);
    return job;
  };
  /** The run ends, and so does the work that follows. */
  const end = async (job: Job, now: number): Promise<void> => {
    await store.jobs.cancel(org, job.id);
    for (const { id, subject } of await claim(now)) {
      expect(subject).toBe('ended');
      await store.work.settle(id, { kind: 'done' }, now);
    }
  };
  const get = async (schedule: Schedule): Promise<Schedule> => (await store.schedules.get(org, schedule.id))!;

  it('schedules.create: plans the next time, and returns what was given', async () => {
    const schedule = await add({ secrets: { headers: { authorization: 'Bearer s3cret' }, cookies: { sid: 'v4lue' } } });
    expect(schedule).toMatchObject({
      name: 'nightly',
      cron: '@daily',
      job: { urls: ['https://a.test/'] },
      nextRunAt: midnight,
      lastRunAt: null,
      lastJob: null,
      lastError: null,
      pausedBy: null,
      secrets: { headers: ['authorization'], cookies: ['sid'] },
    });
    expect(JSON.stringify(schedule)).not.toMatch(/s3cret|v4lue/);
    expect(await get(schedule)).toEqual(schedule);
    expect(await store.schedules.secrets(schedule.id)).toEqual({
      headers: { authorization: 'Bearer s3cret' },
      cookies: { sid: 'v4lue' },
    });
    expect(await store.schedules.get('other', schedule.id)).toBeUndefined();
  });

  it('schedules.create: returns the earlier schedule for the same key and request, and refuses another request', async () => {
    const idempotency = { key: 'k', bodyHash: 'h' };
    const first = await add({ idempotency });
    expect(await add({ idempotency })).toEqual(first);
    expect(await store.schedules.create(newSchedule({ idempotency: { key: 'k', bodyHash: 'x' } }), noon)).toBe(
      'conflict',
    );
    expect(await store.jobs.create(newJob({ idempotency: { key: 'k', bodyHash: 'j' }, createdAt: noon }))).toBe(
      'conflict',
    );
    expect((await add({ idempotency }, noon + day + 1)).id).not.toBe(first.id);
  });

  it('schedules.create: refuses one more than the org may have', async () => {
    for (let n = 0; n < 3; n++) await add({ schedulesMax: 3 });
    expect(await store.schedules.create(newSchedule({ schedulesMax: 3 }), noon)).toBe('too_many');
    await add({ schedulesMax: 3, org: 'other' });
  });

  it('schedules.list: lists those of an org, newest first, in pages', async () => {
    const ids = [];
    for (let n = 0; n < 3; n++) ids.unshift((await add()).id);
    await add({ org: 'other' });
    const list = async (after?: string): Promise<string[]> =>
      (await store.schedules.list(org, { limit: 2, ...(after !== undefined && { after }) })).map(({ id }) => id);
    expect(await list()).toEqual(ids.slice(0, 2));
    expect(await list(ids[1])).toEqual(ids.slice(2));
  });

  it('work.claim: gives a run to one process, when its time has come and not before', async () => {
    const schedule = await add();
    expect(await claim(midnight - 1)).toEqual([]);
    const others = [store, await database.open(), await database.open()];
    const claimed = (await Promise.all(others.map((other) => claim(midnight, 5, other)))).flat();
    expect(claimed).toMatchObject([{ owner: schedule.id, org, subject: 'run', attempts: 1 }]);
  });

  it('schedules.run: creates the run, and plans the next', async () => {
    const schedule = await add();
    const job = await runDue(schedule, midnight + 5_000);
    expect(job).toMatchObject({ schedule: schedule.id, org });
    expect(await get(schedule)).toMatchObject({
      lastJob: job.id,
      lastRunAt: midnight + 5_000,
      nextRunAt: midnight + day,
    });
    expect((await store.schedules.runs(org, schedule.id, { limit: 5 }))?.map(({ id }) => id)).toEqual([job.id]);
    expect(await claim(midnight + day - 1)).toEqual([]);
  });

  it('schedules.run: creates one job for one time, whoever claims it how often', async () => {
    const schedule = await add();
    const first = await claimOne(midnight);
    // Its process is slow, so that its claim ends.
    const second = await claimOne(midnight + 2 * minute);
    expect(second.id).toBe(first.id);
    const jobs = await Promise.all([
      run(schedule, midnight + 2 * minute, first.id),
      run(schedule, midnight + 2 * minute, second.id),
    ]);
    expect(jobs.filter((job) => typeof job === 'object')).toHaveLength(1);
    expect(jobs.filter((job) => job === 'settled')).toHaveLength(1);
    expect(await store.schedules.runs(org, schedule.id, { limit: 5 })).toHaveLength(1);
    await store.work.settle(first.id, { kind: 'failed', message: 'late', retryAt: null }, midnight);
    expect((await get(schedule)).lastError).toBeNull();
  });

  it('schedules.run: runs that were missed are made up once', async () => {
    const schedule = await add({ cron: '*/5 * * * *' });
    const late = midnight + 3 * day + 2 * minute;
    const job = await runDue(schedule, late);
    expect((await get(schedule)).nextRunAt).toBe(midnight + 3 * day + 5 * minute);
    await end(job, late);
    expect(await claim(midnight + 3 * day + 5 * minute - 1)).toEqual([]);
    expect(await claim(midnight + 3 * day + 5 * minute)).toHaveLength(1);
  });

  it('schedules.run: refuses a run while the last one has not ended, and allows it then', async () => {
    const schedule = await add();
    const job = await runDue(schedule, midnight);
    expect(await run(schedule, midnight + minute)).toBe('run_in_progress');
    await createJob(store);
    await end(job, midnight + minute);
    expect(await run(schedule, midnight + minute)).toMatchObject({ schedule: schedule.id });
    expect(await store.schedules.run({ job: { ...newJob(), schedule: 'unknown' } })).toBe('unknown');
    expect(await store.schedules.run({ job: { ...newJob({ org: 'other' }), schedule: schedule.id } })).toBe('unknown');
  });

  it('work.settle: a run that fails is tried for an hour, then the error stands and the next run is planned', async () => {
    const schedule = await add({ webhookUrl: 'https://receiver.test/hook' });
    const failure = { reason: 'browser_missing', message: 'There is no browser.' };
    let now = midnight + 10 * minute;
    let attempts = 0;
    const end = now + hour;
    for (; (await get(schedule)).lastError === null; now += 10 * minute) {
      attempts++;
      const piece = await claimOne(now);
      expect(piece.attempts).toBe(attempts);
      await store.work.settle(piece.id, { kind: 'again', afterMs: 10 * minute, failure }, now);
      if (attempts > 20) throw new Error('it is tried for ever');
    }
    expect(attempts).toBe(7);
    expect(await get(schedule)).toMatchObject({
      lastError: { code: 'browser_missing', message: failure.message, at: end },
      nextRunAt: midnight + day,
      lastJob: null,
    });
    const [event, ...others] = await store.work.claim({ kind: 'webhook', max: 5, busyKeys: [], now });
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      owner: schedule.id,
      org,
      key: 'https://receiver.test/hook',
      subject: 'schedule.failed',
    });
    expect(JSON.parse(event!.payload)).toEqual({
      schedule: schedule.id,
      name: 'nightly',
      error: { code: 'browser_missing', message: failure.message, at: end },
      nextRunAt: midnight + day,
    });
    await store.work.settle(event!.id, { kind: 'done' });
    // A run that succeeds clears the error.
    await runDue(schedule, midnight + day);
    expect((await get(schedule)).lastError).toBeNull();
  });

  it('work.settle: a run that waits for the end of another is due again when that ends, and then has its whole hour', async () => {
    const schedule = await add({ cron: '@hourly', overlap: 'queue' });
    const job = await runDue(schedule, midnight);
    for (let wait = 0; wait < 3; wait++) {
      const piece = await claimOne(midnight + hour + wait * minute);
      expect(piece).toMatchObject({ subject: 'run', attempts: 1 });
      await store.work.settle(piece.id, { kind: 'again', afterMs: minute }, midnight + hour + wait * minute);
    }
    const ended = midnight + hour + 2 * minute + 1_000;
    expect(await claim(ended)).toEqual([]);
    await end(job, ended);
    expect(await runDue(schedule, ended)).toMatchObject({ schedule: schedule.id });
    expect((await get(schedule)).nextRunAt).toBe(midnight + 2 * hour);
  });

  it('work.settle: the end of a run makes no time come earlier', async () => {
    const schedule = await add();
    const job = await runDue(schedule, midnight);
    await end(job, midnight + minute);
    expect(await claim(midnight + day - 1)).toEqual([]);
    expect(await claim(midnight + day)).toHaveLength(1);
  });

  it('schedules.hasten: makes one run due now', async () => {
    const schedule = await add();
    expect(await store.schedules.hasten(org, schedule.id, noon)).toBe(true);
    expect(await store.schedules.hasten(org, schedule.id, noon)).toBe(true);
    expect(await store.schedules.hasten('other', schedule.id, noon)).toBe(false);
    await runDue(schedule, noon);
    expect((await get(schedule)).nextRunAt).toBe(midnight);
    expect(await claim(midnight - 1)).toEqual([]);
    const paused = await add({ pausedBy: 'client' });
    expect(await store.schedules.hasten(org, paused.id, noon)).toBe(true);
    await runDue(paused, noon);
    expect(await get(paused)).toMatchObject({ nextRunAt: null, pausedBy: 'client' });
  });

  it('schedules.change: changes what is given, and plans again only if the times change', async () => {
    const schedule = await add({ secrets: { headers: { a: '1' }, cookies: {} } });
    const change = (fields: Partial<NewSchedule>, version: number, now = noon) =>
      store.schedules.change(org, schedule.id, { ...fields, version }, now);
    expect(await change({ name: 'renamed', keep: 7 }, 1, midnight + hour)).toMatchObject({
      name: 'renamed',
      keep: 7,
      version: 2,
      // A due run is not lost by a new name.
      nextRunAt: midnight,
      secrets: { headers: ['a'], cookies: [] },
    });
    expect(await change({ cron: '0 6 * * *', time_zone: 'Asia/Tokyo' }, 2)).toMatchObject({
      nextRunAt: at('2040-11-27T21:00Z'),
    });
    expect(await change({ pausedBy: 'client' }, 3)).toMatchObject({ pausedBy: 'client', nextRunAt: null });
    expect(await claim(midnight + 9 * day)).toEqual([]);
    expect(await change({ pausedBy: null, secrets: { headers: {}, cookies: { b: '2' } } }, 4)).toMatchObject({
      pausedBy: null,
      nextRunAt: at('2040-11-27T21:00Z'),
      secrets: { headers: [], cookies: ['b'] },
    });
    expect(await store.schedules.secrets(schedule.id)).toEqual({ headers: {}, cookies: { b: '2' } });
    expect(await change({ name: 'x' }, 4)).toBe('outdated');
    expect(await store.schedules.change('other', schedule.id, { version: 5 })).toBeUndefined();
    expect(await claim(at('2040-11-27T21:00Z'))).toHaveLength(1);
  });

  it('schedules.delete: removes it and its work, also what is claimed; another org cannot', async () => {
    const schedule = await add({ secrets: { headers: { a: '1' }, cookies: {} } });
    const job = await runDue(schedule, midnight);
    const piece = await claimOne(midnight + day);
    expect(await store.schedules.delete('other', schedule.id)).toBe(false);
    expect(await store.schedules.delete(org, schedule.id)).toBe(true);
    expect(await store.schedules.delete(org, schedule.id)).toBe(false);
    expect(await run(schedule, midnight + day, piece.id)).toBe('unknown');
    await store.work.settle(piece.id, { kind: 'done' });
    expect(await store.schedules.get(org, schedule.id)).toBeUndefined();
    expect(await store.schedules.runs(org, schedule.id, { limit: 1 })).toBeUndefined();
    expect(await store.schedules.secrets(schedule.id)).toEqual({ headers: {}, cookies: {} });
    // The end of a run of it has nothing to follow.
    expect(await store.jobs.cancel(org, job.id)).toMatchObject({ schedule: schedule.id, status: 'cancelled' });
    expect(await claim(midnight + 9 * day)).toEqual([]);
  });

  it('schedules.excess: names the ended runs with results beyond those that are kept, oldest first', async () => {
    const schedule = await add({ cron: '@hourly', keep: 2 });
    const jobs: Job[] = [];
    for (let n = 0; n < 5; n++) {
      const job = await runDue(schedule, midnight + n * hour);
      jobs.push(job);
      if (n < 4) await end(job, midnight + n * hour);
    }
    expect(await store.schedules.excess(schedule.id)).toEqual([jobs[0]!.id, jobs[1]!.id]);
    await store.jobs.delete(org, jobs[0]!.id);
    expect(await store.schedules.excess(schedule.id)).toEqual([jobs[1]!.id]);
  });

  it('tokens.revoke: pauses the schedules of the revoked token, and of no other', async () => {
    const token = (id: string) => ({
      id,
      org,
      name: '',
      permissions: ['write' as const],
      createdAt: noon,
      revokedAt: null,
      expiresAt: null,
    });
    await store.tokens.add(token('one'), 'h1');
    await store.tokens.add(token('two'), 'h2');
    const one = await add({ token: 'one', permissions: [] });
    const two = await add({ token: 'two', permissions: [] });
    expect(await store.tokens.get('one')).toMatchObject({ id: 'one', revokedAt: null });
    expect(await store.tokens.get('none')).toBeUndefined();
    await store.tokens.revoke('one', noon, 'other');
    expect(await get(one)).toMatchObject({ pausedBy: null });
    await store.tokens.revoke('one', noon, org);
    expect(await get(one)).toMatchObject({ pausedBy: 'token_revoked', nextRunAt: null });
    expect(await get(two)).toMatchObject({ pausedBy: null, nextRunAt: midnight });
    expect(await claim(midnight)).toMatchObject([{ owner: two.id }]);
  });

  it('sweep: plans again what a clock that was far ahead planned', async () => {
    const ahead = at('2047-05-05T00:00Z');
    const never = await add({}, ahead);
    const used = await add();
    await runDue(used, ahead - hour);
    await store.sweep(noon);
    expect(await get(never)).toMatchObject({ nextRunAt: midnight });
    expect(await get(used)).toMatchObject({ nextRunAt: midnight });
    expect(await claim(midnight)).toHaveLength(2);
  });

  it('sweep: a clock that is set back by less than a day runs no time twice', async () => {
    const schedule = await add({ cron: '@hourly' });
    await end(await runDue(schedule, midnight + 20 * hour), midnight);
    await store.sweep(midnight);
    expect(await claim(midnight + 21 * hour - 1)).toEqual([]);
    expect(await claim(midnight + 21 * hour)).toHaveLength(1);
  });
}
