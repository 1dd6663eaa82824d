// `hayrake changes`, on a data directory and on a service: the same words, the same changes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Living, startLivingSite } from '../service/living-site.ts';
import {
  type Finished,
  type JobAnswer,
  operatorToken,
  startService,
  type TestService,
} from '../service/start-service.ts';

let site: Living;
let service: TestService;
let job: string;
let first: string;
let schedule: string;

beforeAll(async () => {
  site = await startLivingSite({ pages: { a: 'apples', b: 'barley', c: 'clover' } });
  service = await startService();
  const one = await service.crawl({ urls: [`${site.origin}/`] });
  const made = await service.api('/crawler/schedules', {
    json: { name: 'n', cron: '0 3 * * *', job: { urls: [`${site.origin}/`], confirm_runs: 1 } },
  });
  ({ id: schedule } = (await made.json()) as { readonly id: string });
  const run = async (): Promise<void> => {
    const answer = await service.api(`/crawler/schedules/${schedule}/run`, { method: 'POST' });
    await service.untilEnded(((await answer.json()) as { readonly job: JobAnswer }).job.id);
  };
  await run();
  site.write({ a: 'acorns' });
  site.answer({ b: 410 });
  await run();
  first = one.id;
  ({ id: job } = await service.crawl({ since: first, confirm_runs: 1 }));
});
afterAll(async () => {
  await service?.close();
  await site?.close();
});

const places = ['data directory', 'service'] as const;
const changes = (where: (typeof places)[number], ...args: readonly string[]): Promise<Finished> =>
  service.run(['changes', ...args, ...(where === 'service' ? ['--server', service.origin] : [])], {
    HAYRAKE_TOKEN: operatorToken,
  });

test.each(places)('hayrake changes: lists what a job found changed, on a %s', async (where) => {
  const { stdout, code } = await changes(where, job.toLowerCase());
  expect(code).toBe(0);
  expect(stdout.split('\n').toSorted()).toEqual([
    '',
    `changed    ${site.origin}/a`,
    `removed    ${site.origin}/b  (http_410)`,
  ]);
  const lines = (await changes(where, job, '--json')).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual({
    job,
    runAt: expect.any(Number),
    change: 'changed',
    url: `${site.origin}/a`,
    page: expect.any(Number),
    reason: null,
  });
});

test.each(places)('hayrake changes: lists what all runs of a schedule changed, on a %s', async (where) => {
  const rows = (await changes(where, schedule)).stdout.trim().split('\n');
  expect(rows).toHaveLength(6);
  expect(rows[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ {2}added {6}http/);
  expect(rows.at(-1)).toContain('removed');
});

test.each(places)(
  'hayrake changes: does not say that nothing changed when it was compared with nothing, on a %s',
  async (where) => {
    const { stdout, stderr } = await changes(where, first);
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('compared with no earlier one')]);
  },
);

test.each(places)('hayrake changes --diff: shows how one page differs, on a %s', async (where) => {
  for (const of of [job, schedule]) {
    const { stdout, code, stderr } = await changes(where, of, '--diff', '/a');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`--- ${site.origin}/a\n+++ ${site.origin}/a\t`);
    expect(stdout).toMatch(/^-.*apples\.$/m);
    expect(stdout).toMatch(/^\+.*acorns\.$/m);
    expect(stdout).not.toContain('\u001B');
  }
  const json = await changes(where, job, '--diff', `${site.origin}/a`, '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ job, truncated: false, title: 'acorns', previousTitle: 'apples' });
});

test.each(places)('hayrake changes: says what is wrong, on a %s', async (where) => {
  const refused = await changes(where, job, '--diff', '/b');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('was removed')]);
  const same = await changes(where, job, '--diff', '/c');
  expect([same.code, same.stdout, same.stderr]).toEqual([0, '', expect.stringContaining('equal')]);
  const unknown = await changes(where, '7ZSA4YN8XEM0V3T2K9QJ5RCWBD');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no job or schedule')]);
});
