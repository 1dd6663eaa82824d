// A crawl that was stopped in the terminal: what commands and a service make of it afterwards.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GeneratedSite, startGeneratedSite } from '../e2e/generated-site.ts';
import { newDirectory, removeDirectories, run, type Running, start } from './program.ts';

const reachable = ['--allow-private', '127.0.0.0/8'];
const pages = 120;
let site: GeneratedSite;
let data: string;
let id: string;
const running: Running[] = [];

beforeAll(async () => {
  site = await startGeneratedSite({ pages, delayMs: 20 });
});
afterAll(() => site.close());

/** A crawl, stopped by Ctrl-C. */
beforeEach(async () => {
  data = newDirectory();
  const program = start(['crawl', '--json', '--data', data, ...reachable, `${site.origin}/`]);
  await site.morePages(20);
  program.child.kill('SIGINT');
  const { stderr } = await program.finished;
  id = /resume (\w{26})/.exec(stderr)![1]!;
});
afterEach(async () => {
  for (const { child, finished } of running.splice(0)) {
    child.kill('SIGKILL');
    await finished;
  }
  removeDirectories();
});

interface JobLine {
  readonly id: string;
  readonly status: string;
  readonly stoppedAt: number | null;
  readonly progress: { readonly scraped: number; readonly queued: number };
}

async function jobs(...flags: readonly string[]): Promise<JobLine[]> {
  const { stdout } = await run(['jobs', '--json', '--data', data, ...flags]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JobLine);
}

interface Service extends Running {
  readonly origin: string;
  readonly token: string;
  readonly banner: string;
}

async function serve(...flags: readonly string[]): Promise<Service> {
  const service = start(['serve', '--data', data, '--port', '0', '--log-level', 'warn', ...reachable, ...flags]);
  running.push(service);
  const { input, 1: origin = '' } = await service.says(/API +(http:\S+)\/crawler\/jobs[^]*-d '\{.*\n/);
  const [, token = ''] = await service.says(/Token +(hr_\S+)/);
  return { ...service, origin, token, banner: input };
}

async function ask(service: Service, path: string, method = 'GET'): Promise<Record<string, unknown>> {
  const response = await fetch(`${service.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${service.token}` },
  });
  return (await response.json()) as Record<string, unknown>;
}

async function until<Value>(read: () => Promise<Value>, is: (value: Value) => boolean): Promise<Value> {
  for (let tries = 0; tries < 300; tries++) {
    const value = await read();
    if (is(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('it never came to that');
}

describe('a stopped crawl', () => {
  test('is shown as stopped, and keeps a status that readers know', async () => {
    const [job] = await jobs();
    expect(job).toMatchObject({ id, status: 'running', stoppedAt: expect.any(Number) as number });
    const { stdout } = await run(['jobs', '--data', data]);
    expect(stdout).toMatch(/^JOB +STATUS +CREATED +PAGES +QUEUED +FAILED +URL\n/);
    expect(stdout).toMatch(new RegExp(`^${id} +stopped +\\S+Z +\\d+ +\\d+ +0 +${site.origin}/$`, 'm'));
    expect(await jobs('--status', 'stopped')).toHaveLength(1);
    expect(await jobs('--status', 'running')).toHaveLength(1);
    expect(await jobs('--status', 'succeeded')).toEqual([]);
    const none = await run(['jobs', '--data', data, '--status', 'succeeded']);
    expect([none.stdout, none.stderr]).toEqual(['', expect.stringContaining('with this status')]);
  });

  test('is named by serve, which leaves it alone, also after the service was killed', async () => {
    const before = await jobs();
    const asked = [...site.asked.values()].reduce((sum, count) => sum + count, 0);
    const first = await serve();
    expect(first.banner).toContain('! 1 crawl stopped in the terminal stays stopped:');
    expect(first.banner).toMatch(new RegExp(`${id} +\\d+ pages, \\d+ URLs left +${site.origin}/`));
    expect(first.banner).toContain('To continue all: --resume.');
    const shown = await ask(first, `/crawler/jobs/${id}`);
    expect(shown).toMatchObject({ status: 'running', stoppedAt: before[0]!.stoppedAt, finishedAt: null });
    // A reader keeps its cursor.
    const read = await ask(first, `/crawler/jobs/${id}/data?wait=0&limit=400`);
    expect(read['cursor']).toEqual(expect.any(String));
    first.child.kill('SIGKILL');
    await first.finished;
    const second = start(['serve', '--data', data, '--port', '0', '--log-level', 'warn', ...reachable]);
    running.push(second);
    await second.says(/1 crawl stopped in the terminal stays stopped/);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await jobs()).toEqual(before);
    expect([...site.asked.values()].reduce((sum, count) => sum + count, 0)).toBe(asked);
  });

  test('is continued by serve --resume, to the end, with every page once', async () => {
    const service = await serve('--resume');
    expect(service.banner).not.toContain('stopped');
    const ended = await until(jobs, ([job]) => job!.status === 'succeeded');
    expect(ended[0]).toMatchObject({ stoppedAt: null, progress: { scraped: pages } });
  });

  test('is continued by the API while the service runs; a job that is not stopped stays as it is', async () => {
    const service = await serve();
    const resumed = await ask(service, `/crawler/jobs/${id}/resume`, 'POST');
    expect(resumed).toMatchObject({ id, stoppedAt: null });
    const [ended] = await until(jobs, ([job]) => job!.status === 'succeeded');
    expect(ended!.progress.scraped).toBe(pages);
    expect(await ask(service, `/crawler/jobs/${id}/resume`, 'POST')).toMatchObject({ status: 'succeeded' });
    expect(await ask(service, `/crawler/jobs/${'0'.repeat(26)}/resume`, 'POST')).toMatchObject({
      code: 'job_not_found',
    });
  });

  test('is ended by cancel, deleted by delete', async () => {
    const cancelled = await run(['cancel', id, '--data', data]);
    expect([cancelled.code, cancelled.stderr]).toEqual([
      0,
      expect.stringMatching(/^Job \w{26}: cancelled, \d+ pages kept\.\n$/),
    ]);
    expect(await jobs()).toMatchObject([{ status: 'cancelled', stoppedAt: null, progress: { queued: 0 } }]);
    expect((await run(['get', id, '--json', '--data', data])).stdout).not.toBe('');
    expect((await run(['delete', id, '--data', data])).code).toBe(0);
    const gone = await run(['get', id, '--json', '--data', data]);
    expect([gone.code, gone.stdout]).toEqual([1, '']);
    const unknown = await run(['cancel', '0'.repeat(26), '--data', data]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('`hayrake jobs` lists them')]);
  });

  test('is opened in the dashboard of the service beside it, signed in', async () => {
    const alone = await run(['open', id, '--data', data]);
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('Start one: hayrake serve')]);
    const service = await serve();
    const { code, stdout } = await run(['open', id, '--data', data]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${service.origin}/login\\?code=[\\w-]{22}&job=${id}\n$`)),
    ]);
    const answer = await fetch(stdout.trim(), { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/jobs/${id}`]);
    const elsewhere = await fetch(`${service.origin}/login?code=x&job=//evil.example`, { redirect: 'manual' });
    expect(elsewhere.status).toBe(400);
  });
});
