// Runs of a schedule, one a day, on a site of four pages. Times are given, and lie ahead of the clock of the machine.
import { expect } from 'vitest';
import type { Job } from '../../src/core/job.ts';
import type { Link, Outcome, Request } from '../../src/core/request.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import type { Schedule } from '../../src/core/schedule.ts';
import { judgeOf } from '../../src/crawl/seed.ts';
import { type ScheduleWorkParts, workOnSchedule } from '../../src/jobs/schedules/work-on-schedule.ts';
import { judgeStart } from '../../src/url/scope.ts';
import { newSchedule } from './schedule-contract.ts';
import { crawl, getJob, org, scraped, unreachable } from './test-data.ts';

const day = 24 * 3_600_000;
const quiet = (): void => {};
const linkTo = (path: string): Link => ({ ...judgeStart(new URL(path, 'https://a.test/')), depth: 1 });

/** The site answers with this text. */
export const site = (request: Request, text = `Text of ${request.url}`): Outcome =>
  request.earlier && text === `Text of ${request.url}`
    ? { kind: 'unchanged', evidence: '304', statusCode: 304 }
    : scraped(request, ['/1', '/2', '/3'].map(linkTo), {
        fetchedKey: judgeStart(new URL(request.url)).key,
        text,
        ...(request.earlier && { change: 'changed' as const }),
      });
export const away = (): Outcome => ({ kind: 'failed', error: unreachable });

export interface RunDays {
  add(fields?: Parameters<typeof newSchedule>[0]): Promise<Schedule>;
  runs(schedule: Schedule): Promise<readonly Job[]>;
  /** The run of the next day begins. */
  begin(schedule: Schedule, from?: ScheduleWorkParts['store']): Promise<Job>;
  /** Adds what the run knows of earlier ones. @default all */
  seed(run: Job, slices?: number): Promise<void>;
  /** The run ends, and so does the work that follows. */
  end(run: Job, outcomeOf?: (request: Request) => Outcome): Promise<Job>;
  cancel(run: Job): Promise<void>;
  now(): number;
}

export function runDays(store: Store): RunDays {
  let now = Date.parse('2040-11-28T00:00Z');
  const add = async (fields: Parameters<typeof newSchedule>[0] = {}): Promise<Schedule> => {
    const job = { urls: ['https://a.test/'], force_crawling_mode: 'link', ...fields.job };
    const writer: Pick<Schedule, 'token' | 'permissions'> = { token: '', permissions: ['read', 'write'] };
    const added = await store.schedules.create(newSchedule({ ...writer, ...fields, job }), now);
    if (typeof added === 'string') throw new Error(added);
    return added;
  };
  const work = async (from: ScheduleWorkParts['store'] = store): Promise<void> => {
    const parts: ScheduleWorkParts = {
      store: from,
      destinations: { refusal: () => undefined, privateNetworks: [], proxyNames: [], proxyResolves: false },
      hasBrowser: () => Promise.resolve(false),
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      onRun: quiet,
    };
    for (const piece of await store.work.claim({ kind: 'schedule', max: 100, busyKeys: [], now }))
      await workOnSchedule(parts, piece, now);
  };
  const runs = async ({ id }: Schedule): Promise<readonly Job[]> =>
    (await store.schedules.runs(org, id, { limit: 100 })) ?? [];
  /** The run of the next day begins. */
  const begin = async (schedule: Schedule, from?: ScheduleWorkParts['store']): Promise<Job> => {
    const before = (await runs(schedule)).length;
    now += day;
    await work(from);
    const [run, ...others] = await runs(schedule);
    expect(others).toHaveLength(before);
    return run!;
  };
  const seed = async ({ id }: Job, slices = 100): Promise<void> => {
    const job = await store.frontier.crawlJob(id);
    if (!job) throw new Error('the run has ended');
    for (let left = slices; left > 0; left--) {
      const earlier = await store.baselines.read(id, 2);
      if (!earlier) return;
      const { after, urls } = earlier;
      const upTo = urls.at(-1)?.entry ?? after;
      const links = urls.flatMap(judgeOf(job));
      expect(await store.baselines.add(id, { after, upTo, links, isLast: urls.length < 2 })).toBe(true);
    }
  };
  /** The run ends, and so does the work that follows. */
  const end = async (run: Job, outcomeOf: (request: Request) => Outcome = site): Promise<Job> => {
    await seed(run);
    await crawl(store, outcomeOf);
    await work();
    const ended = await getJob(store, run.id);
    expect(ended.status).not.toBe('running');
    return ended;
  };
  const cancel = async (run: Job): Promise<void> => {
    await store.jobs.cancel(org, run.id);
    await work();
  };
  return { add, runs, begin, seed, end, cancel, now: () => now };
}
