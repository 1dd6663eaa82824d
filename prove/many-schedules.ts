// Many schedules are due at one moment, and several processes share the database: each schedule gets one run, whatever the
// limit of unfinished jobs is.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type TestService } from '../test/service/start-service.ts';
import { startTestSite } from '../test/service/test-site.ts';
import type { TestStore } from '../test/service/test-store.ts';

const processes = 3;
/** Far fewer than there are runs: a schedule has one unfinished run at most, so the limit is not for them. */
const jobsPerOrg = '5';
const createdTogether = 20;

export interface SchedulesReport {
  readonly schedules: number;
  readonly runs: number;
  readonly processes: number;
  /** From the moment at which all are due until the last run has ended. */
  readonly seconds: number;
}

/** Rejects if a schedule has no run, or more than one, or one that was refused. */
export async function manySchedules(
  { schedules, store }: { readonly schedules: number; readonly store: TestStore },
  tell: (text: string) => void = () => {},
): Promise<SchedulesReport> {
  const site = await startTestSite({ '/': '<!doctype html><title>Hay</title><main><p>All about hay.</p></main>' });
  const env = { HAYRAKE_JOBS_PER_ORG: jobsPerOrg, HAYRAKE_REQUESTS_PER_MINUTE: '0' };
  const services: TestService[] = [];
  try {
    for (let one = 0; one < processes; one++) services.push(await startService({ store, env }));
    const [service] = services;
    assert.ok(service);
    const job = { urls: [`${site.origin}/`], max_depth: 0, force_crawling_mode: 'link' };
    for (let made = 0; made < schedules; made += createdTogether) {
      const few = Array.from({ length: Math.min(createdTogether, schedules - made) }, (_, index) => made + index);
      await Promise.all(few.map((index) => create(service, { name: `schedule ${index}`, cron: '@yearly', job })));
      tell(`${made} schedules`);
    }
    const start = performance.now();
    await store.query("UPDATE work SET next_at = 1 WHERE kind = 'schedule'");
    for (let ended = 0; ended < schedules; await sleep(250)) {
      const [row] = await store.query<{ ended: string }>(
        'SELECT count(*) AS ended FROM job WHERE schedule IS NOT NULL AND finished_at IS NOT NULL',
      );
      ended = Number(row?.ended);
      tell(`${ended} runs`);
    }
    const seconds = Math.round((performance.now() - start) / 1000);
    const runs = await store.query<{ schedule: string; runs: string; good: string }>(
      "SELECT schedule, count(*) AS runs, count(*) FILTER (WHERE status = 'succeeded') AS good FROM job WHERE schedule IS NOT NULL GROUP BY schedule",
    );
    assert.deepEqual(runs.filter((row) => Number(row.runs) !== 1 || Number(row.good) !== 1).slice(0, 5), []);
    assert.equal(runs.length, schedules);
    const { data } = await service.ok<{ data: { lastError: unknown }[] }>('/crawler/schedules?limit=100');
    assert.deepEqual(data.filter(({ lastError }) => lastError !== null).slice(0, 5), []);
    return { schedules, runs: runs.length, processes, seconds };
  } finally {
    for (const service of services) await service.stop();
    await site.close();
  }
}

async function create(service: TestService, json: unknown): Promise<void> {
  const response = await service.api('/crawler/schedules', { json });
  assert.equal(response.status, 201, await response.text());
}
