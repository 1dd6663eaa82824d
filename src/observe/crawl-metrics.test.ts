import { expect, test } from 'vitest';
import type { CrawlStatus } from '../core/ports/crawl-status.ts';
import type { Frontier } from '../core/ports/frontier.ts';
import type { CrawlError } from '../core/request.ts';
import { CrawlMetrics } from './crawl-metrics.ts';

const none = { openCircuits: () => 0, stalledJobs: () => 0, fetchesMax: 64, converterThreads: 2 };

test('CrawlMetrics: reads the load of the store once per response', async () => {
  let asked = 0;
  const crawlStatus: Pick<CrawlStatus, 'load'> = {
    load: async () => ({ starting: ++asked, running: 0, queued: 0, inFlight: 0, dueSince: null, deliveries: 0 }),
  };
  const parts = { ...none, crawlStatus: crawlStatus as CrawlStatus };
  const metrics = new CrawlMetrics(parts);
  expect(await metrics.text()).toContain('hayrake_jobs{status="starting"} 1\n');
  expect(await metrics.text()).toContain('hayrake_jobs{status="starting"} 2\n');
  expect(asked).toBe(2);
});

test('CrawlMetrics: contains 0 for events that have not happened yet', async () => {
  const load = { starting: 0, running: 0, queued: 0, inFlight: 0, dueSince: null, deliveries: 0 };
  const parts = { ...none, crawlStatus: { load: async () => load } as unknown as CrawlStatus };
  const text = await new CrawlMetrics(parts).text();
  const zeros = [
    'hayrake_fetches_total{outcome="2xx"}',
    'hayrake_requests_settled_total{outcome="failed"}',
    'hayrake_conversions_total{outcome="parse_crashed"}',
    'hayrake_fetched_bytes_total',
    'hayrake_commits_total',
    'hayrake_worker_load',
    'hayrake_commit_seconds_count',
  ];
  for (const name of zeros) expect(text).toContain(`${name} 0\n`);
});

test('CrawlMetrics: tells the frontier all that it is told', async () => {
  const told: unknown[] = [];
  const tell = (...args: unknown[]): Promise<never> => Promise.resolve(void told.push(args) as never);
  const frontier = { take: tell, settle: tell, giveUp: tell, mayKeepHosts: () => false } as unknown as Frontier;
  const measured = new CrawlMetrics({ ...none, crawlStatus: {} as CrawlStatus }).frontier(frontier);
  const lease = { hostId: 1, host: 'a.test:443', fence: 1 };
  const error: CrawlError = { reason: 'timeout', message: 'It is slow.' };
  const notice = { code: 'host_unreachable', message: 'It is slow.' } as const;
  await measured.take(lease, 3, { isPatient: true });
  await measured.settle(lease, [], {}, { isPatient: true });
  await measured.giveUp(lease, error, notice, 'only-job');
  expect(told).toEqual([
    [lease, 3, { isPatient: true }],
    [lease, [], {}, { isPatient: true }],
    [lease, error, notice, 'only-job'],
  ]);
  expect(measured.mayKeepHosts()).toBe(false);
});
