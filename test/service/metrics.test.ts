import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { type RawAnswer, startService, type TestService } from './start-service.ts';
import { numberedPages, startTestSite, type TestSite } from './test-site.ts';
import { isOnPostgres } from './test-store.ts';

let site: TestSite;
let service: TestService;
let answer: RawAnswer;
/** By name with labels, as Prometheus reads them. */
let samples: ReadonlyMap<string, number>;

const pages = 5;

beforeAll(async () => {
  site = await startTestSite({
    ...numberedPages(pages),
    '/broken': (_request, response) => void response.writeHead(404).end(),
  });
  service = await startService();
  await service.crawl({ urls: [`${site.origin}/`, `${site.origin}/broken`], force_crawling_mode: 'link' });
  await service.raw('/crawler/jobs/nobody');
  await service.raw('/some/where/else');
  answer = await service.raw('/metrics', { token: null });
  samples = parse(answer.body.toString());
});

afterAll(async () => {
  await service.close();
  await site.close();
});

test('GET /metrics: answers in the text format of Prometheus', () => {
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
});

const promtool = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .map((folder) => path.join(folder, 'promtool'))
  .find((file) => existsSync(file));

test.skipIf(promtool === undefined)('GET /metrics: passes promtool (needs promtool of Prometheus)', () => {
  const { status, stdout, stderr } = spawnSync(promtool!, ['check', 'metrics'], {
    input: answer.body,
    encoding: 'utf8',
  });
  expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: '' });
});

test('GET /metrics: exports exactly the metrics that docs/metrics.md lists', () => {
  const named = [...answer.body.toString().matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
  const document = readFileSync(path.join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');
  const listed = [...document.matchAll(/^\| `((?:hayrake|process)_\w+)` \|/gm)].map(([, name]) => name);
  const ofPostgres = listed.filter((name) => name?.startsWith('hayrake_database_'));
  expect(ofPostgres).toHaveLength(3);
  const here = isOnPostgres() ? listed : listed.filter((name) => !ofPostgres.includes(name));
  expect(new Set(here)).toEqual(new Set(named));
});

describe('values', () => {
  test.each([
    ['hayrake_fetches_total{outcome="2xx"}', pages],
    // The page, and robots.txt.
    ['hayrake_fetches_total{outcome="4xx"}', 2],
    ['hayrake_requests_settled_total{outcome="scraped"}', pages],
    ['hayrake_requests_settled_total{outcome="failed"}', 1],
    ['hayrake_conversions_total{outcome="page"}', pages],
    ['hayrake_api_requests_total{method="POST",route="/crawler/jobs",status="2xx"}', 1],
    ['hayrake_api_requests_total{method="GET",route="/crawler/jobs/:id",status="4xx"}', 1],
    ['hayrake_api_requests_total{method="any",route="none",status="4xx"}', 1],
    ['hayrake_api_request_seconds_count{method="POST",route="/crawler/jobs"}', 1],
    ['hayrake_jobs{status="running"}', 0],
    ['hayrake_jobs{status="starting"}', 0],
    ['hayrake_frontier_urls{state="queued"}', 0],
    ['hayrake_oldest_due_host_seconds', 0],
    ['hayrake_conversions_pending', 0],
    ['hayrake_open_circuits', 0],
    ['hayrake_stalled_jobs', 0],
    ['hayrake_invariant_violations_total', 0],
  ])('GET /metrics: counts %s as %d after one crawl', (name, value) => {
    expect(samples.get(name)).toBe(value);
  });

  test.each([
    'hayrake_fetched_bytes_total',
    'hayrake_commits_total',
    'hayrake_commit_seconds_sum',
    'process_resident_memory_bytes',
    'hayrake_heap_bytes{kind="used"}',
    'hayrake_handles{kind="TCPServerWrap"}',
    'hayrake_api_connections',
  ])('GET /metrics: reports %s above zero', (name) => {
    expect(samples.get(name)).toBeGreaterThan(0);
  });

  test('GET /metrics: has cumulative buckets that rise to the count', () => {
    const buckets = [...samples].filter(([name]) => name.startsWith('hayrake_commit_seconds_bucket'));
    const counts = buckets.map(([, value]) => value);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).toBe(samples.get('hayrake_commit_seconds_count'));
    expect(samples.get('hayrake_commit_seconds_count')).toBe(samples.get('hayrake_commits_total'));
  });

  test('GET /metrics: orders the quantiles of the event loop delay', () => {
    expect(samples.get('hayrake_event_loop_delay_seconds{percentile="50"}')).toBeGreaterThanOrEqual(0);
    expect(samples.get('hayrake_event_loop_delay_seconds{percentile="100"}')).toBeGreaterThanOrEqual(
      samples.get('hayrake_event_loop_delay_seconds{percentile="50"}') ?? 1,
    );
  });
});

test('GET /metrics: counts a running job and its URL in flight', async () => {
  site.add({ '/held': 'held' });
  const gate = site.hold('/held');
  const { id } = await service.createJob({ urls: [`${site.origin}/held`], force_crawling_mode: 'link' });
  await gate.reached;
  const running = parse((await service.raw('/metrics', { token: null })).body.toString());
  expect(running.get('hayrake_jobs{status="running"}')).toBe(1);
  expect(running.get('hayrake_frontier_urls{state="in_flight"}')).toBe(1);
  gate.open();
  await service.untilEnded(id);
});

test('GET /metrics: needs a token with the permission `metrics` when the service listens on 0.0.0.0', async () => {
  const open = await startService({ env: { HAYRAKE_HOST: '0.0.0.0' } });
  try {
    expectProblem(await open.raw('/metrics', { token: null }), 401, 'unauthorized');
    const reader = await open.createToken({ org: 'default', permissions: 'read,write' });
    expectProblem(await open.raw('/metrics', { token: reader.token }), 403, 'permission_denied');
    const watcher = await open.createToken({ org: 'default', permissions: 'metrics' });
    expect((await open.raw('/metrics', { token: watcher.token })).status).toBe(200);
    expectProblem(await open.raw('/crawler/jobs', { token: watcher.token }), 403, 'permission_denied');
  } finally {
    await open.close();
  }
});

/** Every line has to be one of the format. */
function parse(text: string): ReadonlyMap<string, number> {
  const parsed = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    if (/^# (HELP|TYPE) [a-z_]+ .+$/.test(line)) continue;
    const [, name = '', value = ''] = /^([a-z_]+(?:\{[^{}]*\})?) (\d+(?:\.\d+)?(?:e-?\d+)?)$/.exec(line) ?? [];
    if (name === '') throw new Error(`not a line of the format: ${line}`);
    parsed.set(name, Number(value));
  }
  return parsed;
}
