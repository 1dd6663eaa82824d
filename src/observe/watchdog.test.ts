import { beforeEach, describe, expect, test } from 'vitest';
import type { LogFields } from '../core/ports/log.ts';
import type { JobCounters, JobPending, PendingHost, CrawlStatus } from '../core/ports/crawl-status.ts';
import { Watchdog } from './watchdog.ts';

const minute = 60_000;
const start = Date.UTC(2026, 0, 1);

let jobs: JobCounters[];
let pending: Map<string, JobPending>;
let reads: string[];
let lines: { readonly level: string; readonly message: string; readonly fields: LogFields | undefined }[];
let violations: number;
let pauses: Readonly<Record<string, string>>;
let watchdog: Watchdog;

beforeEach(() => {
  jobs = [];
  pending = new Map();
  reads = [];
  lines = [];
  violations = 0;
  pauses = {};
  const crawlStatus: CrawlStatus = {
    load: async () => ({ starting: 0, running: 0, queued: 0, inFlight: 0, dueSince: null, deliveries: 0 }),
    unfinished: async () => jobs,
    sample: () => Promise.resolve([]),
    pending: async (id) => {
      reads.push(id);
      return pending.get(id);
    },
  };
  const line =
    (level: string) =>
    (message: string, fields?: LogFields): void =>
      void lines.push({ level, message, fields });
  watchdog = new Watchdog({
    crawlStatus,
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    whyPaused: (host) => pauses[host],
    onViolation: () => violations++,
  });
});

function counters(fields: Partial<JobCounters['progress']> & { id?: string; reasons?: number } = {}): JobCounters {
  const { id = 'job', reasons = 0, ...progress } = fields;
  const zero = { queued: 0, inFlight: 0, scraped: 0, discarded: 0, failed: 0, outside: 0 };
  return { id, org: 'acme', progress: { ...zero, ...progress }, control: 0, reasons };
}

function stands(job: JobCounters, hosts: readonly Partial<PendingHost>[]): void {
  jobs = [job];
  const host = { host: 'a.test:443', requests: 1, isLeased: false, fence: 1, readyAt: start };
  const all = hosts.map((each) => ({ ...host, ...each }));
  pending.set(job.id, {
    counters: job,
    hosts: all,
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
  });
}

async function look(minutes: number): Promise<void> {
  await watchdog.look(start + minutes * minute);
}

async function lookUntil(minutes: number): Promise<void> {
  for (let at = 0; at <= minutes; at++) await look(at);
}

test('Watchdog: does not read the details of a job that makes progress', async () => {
  for (let at = 0; at < 60; at++) {
    jobs = [counters({ queued: 100, scraped: at })];
    await look(at);
  }
  expect([reads, lines, watchdog.stalledJobs]).toEqual([[], [], 0]);
});

test('Watchdog: reports a job without progress once after five minutes, until it makes progress', async () => {
  stands(counters({ queued: 1 }), [{ readyAt: start + 60 * minute }]);
  await lookUntil(4);
  expect(lines).toEqual([]);
  await lookUntil(20);
  expect(lines.map(({ level, message }) => [level, message])).toEqual([['warn', 'job stalled']]);
  expect(watchdog.stalledJobs).toBe(1);
  jobs = [counters({ scraped: 1 })];
  await look(21);
  expect(watchdog.stalledJobs).toBe(0);
});

describe('Watchdog: reasons', () => {
  test.each<[string, string, readonly Partial<PendingHost>[], string]>([
    [
      'hosts_wait when its hosts wait',
      'hosts_wait',
      [{ readyAt: start + 60 * minute }],
      'a.test:443 waits until 2026-01-01T01:00:00.000Z',
    ],
    ['others_first when other jobs have their turn', 'others_first', [{ readyAt: start }], 'a.test:443 is due'],
    [
      'host_asleep when its host is not due although it has work',
      'host_asleep',
      [{ readyAt: null }],
      'a.test:443 has work',
    ],
  ])('Watchdog: gives the reason %s', async (_, reason, hosts, detail) => {
    stands(counters({ queued: 1 }), hosts);
    await lookUntil(5);
    expect(lines[0]?.fields).toMatchObject({ job: 'job', org: 'acme', reason, queued: 1 });
    expect(lines[0]?.fields?.['detail']).toContain(detail);
    expect(violations).toBe(0);
  });

  test('Watchdog: states why a host is paused', async () => {
    pauses = { 'a.test:443': 'The site responded with 503.' };
    stands(counters({ queued: 1 }), [{ readyAt: start + 60 * minute }]);
    await lookUntil(5);
    expect(lines[0]?.fields?.['detail']).toContain(
      'waits until 2026-01-01T01:00:00.000Z: The site responded with 503.',
    );
  });

  test('Watchdog: gives the reason host_held when the lease of a host has not changed for a minute', async () => {
    stands(counters({ inFlight: 1 }), [{ isLeased: true, fence: 7 }]);
    await lookUntil(6);
    expect(lines.map(({ fields }) => fields?.['reason'])).toEqual(['others_first', 'host_held']);
  });

  test('Watchdog: does not give the reason host_held when the host has a new lease each time', async () => {
    for (let at = 0; at < 10; at++) {
      stands(counters({ queued: 1 }), [{ isLeased: true, fence: at }]);
      await look(at);
    }
    expect(lines.map(({ fields }) => fields?.['reason'])).toEqual(['others_first']);
  });
});

describe('Watchdog: violations', () => {
  test('Watchdog: logs an error when more requests are counted than exist', async () => {
    stands(counters({ queued: 3, inFlight: 1 }), []);
    await lookUntil(10);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'job counters do not add up'],
      ['warn', 'job stalled'],
    ]);
    expect(lines[0]?.fields).toMatchObject({ job: 'job', counted: 4, inFrontier: 0 });
    expect(lines[1]?.fields).toMatchObject({ reason: 'defect' });
    expect(violations).toBe(1);
  });

  test('Watchdog: logs an error when more URLs are discarded than have a reason', async () => {
    for (let at = 0; at < 5; at++) {
      jobs = [counters({ queued: 1, scraped: at, discarded: 3, failed: 1, reasons: 3 })];
      await look(at);
    }
    expect(lines.map(({ level, message }) => [level, message])).toEqual([['error', 'job reasons do not add up']]);
    expect(violations).toBe(1);
  });

  test('Watchdog: logs nothing when the counters add up', async () => {
    jobs = [counters({ queued: 1, discarded: 3, failed: 1, reasons: 4 })];
    await look(0);
    expect([lines, violations]).toEqual([[], 0]);
  });
});

test('Watchdog: reads the details of at most 20 jobs at a time', async () => {
  jobs = Array.from({ length: 1_000 }, (_, index) => counters({ id: `job ${index}`, queued: 1 }));
  await look(0);
  await look(5);
  expect(reads.length).toBe(20);
});
