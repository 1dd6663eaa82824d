// /crawler/schedules: what clients do with schedules, what they get wrong, and what they must not be able to do.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { type ScriptedSite, startScriptedSite } from '../e2e/scripted-site.ts';
import { expectProblem } from './expect-problem.ts';
import { type JobAnswer, type NewToken, type RawAnswer, startService, type TestService } from './start-service.ts';

interface Schedule {
  readonly id: string;
  readonly name: string;
  readonly nextRunAt: number | null;
  readonly lastRunAt: number | null;
  readonly lastJob: string | null;
  readonly [field: string]: unknown;
}

const day = 24 * 3_600_000;

let site: ScriptedSite;
let service: TestService;
let writer: NewToken;
/** Pages under `/slow` end when this is called. */
let letGo: () => void;

beforeAll(async () => {
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const page = {
    headers: { 'content-type': 'text/html' },
    body: '<title>Hay</title><p>The hay is dry when it rustles.',
  };
  site = await startScriptedSite((path) =>
    path === '/robots.txt'
      ? undefined
      : path.startsWith('/slow')
        ? (_, response) =>
            void gate.then(() => {
              response.setHeader('content-type', 'text/html');
              response.end(page.body);
            })
        : page,
  );
  service = await startService({ env: { HAYRAKE_SCHEDULES_PER_ORG: '12' } });
  writer = await service.createToken({ org: 'acme', permissions: 'read,write' });
});
afterAll(async () => {
  letGo();
  await service?.close();
  await site?.close();
});

const send = (method: string, path: string, json?: unknown, token = writer.token, headers = {}): Promise<RawAnswer> =>
  service.raw(`/crawler/schedules${path}`, {
    method,
    token,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
const parsed = (answer: RawAnswer, status = 200): Schedule => {
  expect(answer.status, answer.body.toString()).toBe(status);
  return JSON.parse(answer.body.toString()) as Schedule;
};
const listed = (answer: RawAnswer): { readonly data: readonly Schedule[]; readonly cursor?: string } =>
  parsed(answer) as never;
const jobsOf = (answer: RawAnswer): { readonly data: readonly JobAnswer[]; readonly cursor?: string } =>
  parsed(answer) as never;
const runOf = (answer: RawAnswer, status = 201): { readonly job: JobAnswer } => parsed(answer, status) as never;
const nightly = (fields: object = {}): object => ({
  name: 'nightly',
  cron: '30 2 * * *',
  job: { urls: [`${site.origin}/`], max_depth: 0 },
  ...fields,
});
const create = async (fields: object = {}, token = writer.token): Promise<Schedule> =>
  parsed(await send('POST', '', nightly(fields), token), 201);
const get = async (id: string, token = writer.token): Promise<Schedule> =>
  parsed(await send('GET', `/${id}`, undefined, token));
const remove = async (id: string): Promise<void> => {
  expect(parsed(await send('DELETE', `/${id}`))).toMatchObject({ id });
};
/** Makes the next run due, which no test can wait for. */
const makeDue = async ({ id }: Schedule): Promise<void> => {
  await service.stop();
  await service.changeDatabase(`UPDATE work SET next_at = 1 WHERE schedule = '${id}'`);
  await service.start();
};
const ended = (job: { readonly id: string }): Promise<JobAnswer> => service.untilEnded(job.id, { token: writer.token });

afterEach(async () => {
  for (const { id } of listed(await send('GET', '')).data) await remove(id);
});

describe('life of a schedule', () => {
  test('schedules: is created with defaults, read, changed, run and deleted', async () => {
    const before = Date.now();
    const answer = await send('POST', '', nightly());
    const schedule = parsed(answer, 201);
    expect(answer.headers['location']).toBe(`/crawler/schedules/${schedule.id}`);
    expect(schedule).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      org: 'acme',
      name: 'nightly',
      cron: '30 2 * * *',
      time_zone: 'UTC',
      job: { urls: [`${site.origin}/`], max_depth: 0 },
      keep: 10,
      overlap: 'skip',
      paused: false,
      pausedBy: null,
      createdAt: expect.any(Number),
      nextRunAt: expect.any(Number),
      lastRunAt: null,
      lastJob: null,
      lastError: null,
      secrets: { headers: [], cookies: [] },
    });
    const next = new Date(schedule.nextRunAt ?? 0);
    expect([next.getUTCHours(), next.getUTCMinutes(), next.getUTCSeconds()]).toEqual([2, 30, 0]);
    expect(next.getTime() - before).toBeLessThanOrEqual(day + 60_000);
    expect(await get(schedule.id.toLowerCase())).toEqual(schedule);

    const changed = parsed(
      await send('PATCH', `/${schedule.id}`, { time_zone: 'Asia/Tokyo', keep: 1, name: ' renamed ' }),
    );
    expect(changed).toMatchObject({ name: 'renamed', keep: 1, time_zone: 'Asia/Tokyo', cron: '30 2 * * *' });
    expect(new Date(changed.nextRunAt ?? 0).getUTCHours()).toBe(17);

    const jobs = [];
    for (let n = 0; n < 3; n++) {
      const made = await send('POST', `/${schedule.id}/run`);
      const { job } = runOf(made, 201);
      expect(made.headers['location']).toBe(`/crawler/jobs/${job.id}`);
      expect(job).toMatchObject({ schedule: schedule.id, kind: 'crawl' });
      const [earlier = null] = jobs;
      const changes = { added: 0, changed: 0, moved: 0, unchanged: 1, removed: 0, unknown: 0 };
      expect(await ended(job)).toMatchObject({
        status: 'succeeded',
        schedule: schedule.id,
        since: earlier,
        ...(earlier !== null && { changes }),
      });
      jobs.unshift(job.id);
    }
    expect(await get(schedule.id)).toMatchObject({ lastJob: jobs[0], nextRunAt: changed.nextRunAt });
    const first = jobsOf(await send('GET', `/${schedule.id}/jobs?limit=2`));
    const rest = jobsOf(await send('GET', `/${schedule.id}/jobs?limit=2&cursor=${first.cursor}`));
    expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(jobs);
    expect(rest.cursor).toBeUndefined();
    // One ended run is kept.
    await expect
      .poll(async () => {
        const { data } = jobsOf(await send('GET', `/${schedule.id}/jobs`));
        return data.map(({ expired }) => expired);
      })
      .toEqual([false, true, true]);

    await remove(schedule.id);
    expectProblem(await send('GET', `/${schedule.id}`), 404, 'schedule_not_found');
    expectProblem(await send('DELETE', `/${schedule.id}`), 404, 'schedule_not_found');
    expect(await service.ok(`/crawler/jobs/${jobs[0]}`, { token: writer.token })).toMatchObject({
      schedule: schedule.id,
    });
  });

  test('schedules: a due run is made by the service', async () => {
    const schedule = await create({ cron: '@yearly' });
    await makeDue(schedule);
    await expect.poll(async () => (await get(schedule.id)).lastJob).not.toBeNull();
    const { lastJob, nextRunAt } = await get(schedule.id);
    expect(nextRunAt).toBe(schedule.nextRunAt);
    expect(await ended({ id: lastJob! })).toMatchObject({ status: 'succeeded', schedule: schedule.id });
  });

  test('schedules: lists newest first, in pages', async () => {
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.unshift((await create({ name })).id);
    const first = listed(await send('GET', '?limit=2'));
    const rest = listed(await send('GET', `?limit=2&cursor=${first.cursor}`));
    expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids);
    expect(rest.cursor).toBeUndefined();
    expectProblem(await send('GET', '?cursor=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'), 400, 'invalid_cursor');
  });

  test('schedules: repeating a request with its key creates nothing', async () => {
    const key = { 'idempotency-key': 'one' };
    const first = parsed(await send('POST', '', nightly(), writer.token, key), 201);
    expect(parsed(await send('POST', '', nightly(), writer.token, key), 201)).toEqual(first);
    expectProblem(await send('POST', '', nightly({ keep: 3 }), writer.token, key), 422, 'idempotency_key_reused');
    const job = { urls: [`${site.origin}/`] };
    const asJob = await service.raw('/crawler/jobs', {
      method: 'POST',
      token: writer.token,
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify(job),
    });
    expectProblem(asJob, 422, 'idempotency_key_reused');
  });

  test('schedules: an org has as many as the setting allows', async () => {
    const ids = [];
    for (let n = 0; n < 12; n++) ids.push((await create()).id);
    expectProblem(await send('POST', '', nightly()), 429, 'too_many_schedules');
  });
});

describe('a run while the last one has not ended', () => {
  const slow = { job: { urls: ['/slow'], max_depth: 0 } };
  const startSlow = async (overlap: string): Promise<[Schedule, JobAnswer]> => {
    const schedule = await create({ overlap, job: { ...slow.job, urls: [`${site.origin}/slow/${overlap}`] } });
    const { job } = runOf(await send('POST', `/${schedule.id}/run`), 201);
    return [schedule, job];
  };

  test('schedules: with skip is refused, and a due time is skipped and says so', async () => {
    const [schedule, job] = await startSlow('skip');
    expectProblem(await send('POST', `/${schedule.id}/run`), 409, 'run_in_progress');
    await makeDue(schedule);
    await expect.poll(async () => (await get(schedule.id))['lastError']).toMatchObject({ code: 'run_in_progress' });
    expect(await get(schedule.id)).toMatchObject({ lastJob: job.id, nextRunAt: schedule.nextRunAt });
  });

  test('schedules: with queue one run is made when the last one ends', async () => {
    const [schedule, job] = await startSlow('queue');
    for (let n = 0; n < 3; n++) expect(runOf(await send('POST', `/${schedule.id}/run`), 202)).toEqual({ job: null });
    await service.ok(`/crawler/jobs/${job.id}/cancel`, { method: 'POST', token: writer.token });
    await expect.poll(async () => (await get(schedule.id)).lastJob).not.toBe(job.id);
    const { data } = jobsOf(await send('GET', `/${schedule.id}/jobs`));
    expect(data).toHaveLength(2);
    expect((await get(schedule.id)).nextRunAt).toBe(schedule.nextRunAt);
  });
});

describe('bad input', () => {
  const cases: readonly (readonly [string, object, ErrorCode, string])[] = [
    ['no name', { name: undefined }, 'invalid_body', 'name'],
    ['an empty name', { name: '  ' }, 'invalid_body', 'name'],
    ['a control character in the name', { name: 'a\u0007' }, 'invalid_body', 'name'],
    ['six fields', { cron: '0 0 0 * * *' }, 'invalid_cron', 'cron'],
    ['a day that no month has', { cron: '0 0 30 2 *' }, 'invalid_cron', 'cron'],
    ['a cron of 101 characters', { cron: `0 0 ${'1,'.repeat(46)}1 * *` }, 'invalid_body', 'cron'],
    ['an unknown zone', { time_zone: 'Europe/Atlantis' }, 'invalid_body', 'time_zone'],
    ['an offset as zone', { time_zone: '+02:00' }, 'invalid_body', 'time_zone'],
    ['keep 0', { keep: 0 }, 'invalid_body', 'keep'],
    ['an unknown overlap', { overlap: 'cancel' }, 'invalid_body', 'overlap'],
    ['an unknown field', { schedule: 'x' }, 'invalid_body', 'schedule'],
    ['a field that is not built', { since: 'last' }, 'invalid_body', 'since'],
    ['a job that is no object', { job: ['https://a.test/'] }, 'invalid_body', 'job'],
    ['a job without URLs', { job: {} }, 'invalid_body', 'job.urls'],
    ['an invalid URL of the job', { job: { urls: ['https://a.test/', 'ftp://x'] } }, 'invalid_body', 'job.urls[1]'],
    ['an unknown option of the job', { job: { urls: ['https://a.test/'], pages: 1 } }, 'invalid_body', 'job.pages'],
    [
      'a job to compare with',
      { job: { urls: ['https://a.test/'], since: '7ZSA4YN8XEM0V3T2K9QJ5RCWBD' } },
      'invalid_body',
      'job.since',
    ],
    ['a private address', { job: { urls: ['http://10.0.0.1/'] } }, 'destination_not_allowed', 'job.urls[0]'],
    [
      'a header of the crawler',
      { job: { urls: ['https://a.test/'], headers: { Host: 'x' } } },
      'invalid_body',
      'job.headers.Host',
    ],
  ];
  test.each(cases)('schedules: refuses %s, and a change to it', async (_, fields, code, field) => {
    const status = 400;
    expect(expectProblem(await send('POST', '', nightly(fields)), status, code).errors?.[0]?.field).toBe(field);
    if (Object.values(fields).includes(undefined)) return;
    const schedule = await create();
    expect(expectProblem(await send('PATCH', `/${schedule.id}`, fields), status, code).errors?.[0]?.field).toBe(field);
    expect(await get(schedule.id)).toEqual(schedule);
  });
});

describe('secrets', () => {
  const secret = { headers: { Authorization: 'Bearer s3cr3t-h3ader' }, cookies: { sid: 's3cr3t-c00kie' } };

  test('schedules: headers and cookies are sent by each run, and never returned', async () => {
    const schedule = await create({ job: { urls: [`${site.origin}/login`], max_depth: 0, ...secret } });
    expect(schedule).toMatchObject({
      secrets: { headers: ['Authorization'], cookies: ['sid'] },
      job: { urls: [`${site.origin}/login`], max_depth: 0 },
    });
    const { job } = runOf(await send('POST', `/${schedule.id}/run`), 201);
    await ended(job);
    expect(
      site.requests
        .filter(({ path }) => path === '/login')
        .map(({ headers }) => [headers['authorization'], headers['cookie']]),
    ).toContainEqual(['Bearer s3cr3t-h3ader', 'sid=s3cr3t-c00kie']);
    const seen = [
      await send('GET', ''),
      await send('GET', `/${schedule.id}`),
      await send('PATCH', `/${schedule.id}`, { name: 'x' }),
      await send('GET', `/${schedule.id}/jobs`),
    ];
    for (const { body } of seen) expect(body.toString()).not.toContain('s3cr3t');
  });

  test('schedules: a change of the job keeps them for the same hosts, and drops them for others', async () => {
    const { id } = await create({ job: { urls: [`${site.origin}/login`], ...secret } });
    const kept = parsed(await send('PATCH', `/${id}`, { job: { urls: [`${site.origin}/other`], max_depth: 0 } }));
    expect(kept).toMatchObject({ secrets: { headers: ['Authorization'], cookies: ['sid'] } });
    expect(kept).not.toHaveProperty('droppedSecrets');
    const { job } = runOf(await send('POST', `/${id}/run`), 201);
    await ended(job);
    expect(site.requests.find(({ path }) => path === '/other')?.headers['authorization']).toBe('Bearer s3cr3t-h3ader');

    const elsewhere = site.origin.replace('127.0.0.1', 'localhost');
    const moved = parsed(await send('PATCH', `/${id}`, { job: { urls: [`${elsewhere}/stolen`], max_depth: 0 } }));
    expect(moved).toMatchObject({
      secrets: { headers: [], cookies: [] },
      droppedSecrets: { headers: ['Authorization'], cookies: ['sid'] },
    });
    // Not kept for a way back either.
    const back = parsed(await send('PATCH', `/${id}`, { job: { urls: [`${site.origin}/back`], max_depth: 0 } }));
    expect(back).toMatchObject({ secrets: { headers: [], cookies: [] } });
    expect(back).not.toHaveProperty('droppedSecrets');
  });
});

describe('permissions', () => {
  test('schedules: need read to be read and write to be written, and belong to their org', async () => {
    const reader = await service.createToken({ org: 'acme', permissions: 'read' });
    const other = await service.createToken({ org: 'other', permissions: 'read,write' });
    const { id } = await create();
    expect(await get(id, reader.token)).toMatchObject({ id });
    for (const [method, path, body] of [
      ['POST', '', nightly()],
      ['PATCH', `/${id}`, { paused: true }],
      ['DELETE', `/${id}`, undefined],
      ['POST', `/${id}/run`, undefined],
    ] as const)
      expectProblem(await send(method, path, body, reader.token), 403, 'permission_denied');
    for (const [method, path, body] of [
      ['GET', `/${id}`, undefined],
      ['GET', `/${id}/jobs`, undefined],
      ['PATCH', `/${id}`, { paused: true }],
      ['DELETE', `/${id}`, undefined],
      ['POST', `/${id}/run`, undefined],
    ] as const)
      expectProblem(await send(method, path, body, other.token), 404, 'schedule_not_found');
  });

  test('schedules: a job that needs a permission needs it of every writer, but not to be paused', async () => {
    const strong = await service.createToken({ org: 'acme', permissions: 'read,write,ignore_robots' });
    const job = { urls: [`${site.origin}/`], respect_robots: false };
    expectProblem(await send('POST', '', nightly({ job })), 403, 'permission_denied');
    const { id } = await create({ job }, strong.token);
    expectProblem(await send('PATCH', `/${id}`, { cron: '@hourly' }), 403, 'permission_denied');
    expectProblem(await send('PATCH', `/${id}`, { paused: false }), 403, 'permission_denied');
    expect(parsed(await send('PATCH', `/${id}`, { paused: true }))).toMatchObject({
      pausedBy: 'client',
      nextRunAt: null,
    });
    // It still has the permissions of its writer.
    expect(runOf(await send('POST', `/${id}/run`)).job).toMatchObject({
      respect_robots: false,
    });
  });

  test('schedules: revoking the token of the writer pauses them until another writes', async () => {
    const leaving = await service.createToken({ org: 'acme', permissions: 'read,write' });
    const { id } = await create({}, leaving.token);
    await service.ok(`/org/tokens/${leaving.id}`, { method: 'DELETE' }).catch(() => {});
    expect(await get(id)).toMatchObject({ paused: true, pausedBy: 'token_revoked', nextRunAt: null });
    expectProblem(await send('POST', `/${id}/run`), 403, 'permission_denied');
    expect(parsed(await send('PATCH', `/${id}`, { paused: false }))).toMatchObject({
      paused: false,
      pausedBy: null,
      nextRunAt: expect.any(Number),
    });
    runOf(await send('POST', `/${id}/run`), 201);
  });
});
