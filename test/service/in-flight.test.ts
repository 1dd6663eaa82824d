// What of a job is in flight: a lane takes dozens of URLs at a time, and requests them one by one.
import { afterEach, expect, test } from 'vitest';
import { page, numbered, ScriptedSites, type ScriptedSite } from '../e2e/scripted-site.ts';
import { type JobAnswer, startService } from './start-service.ts';

const paths = numbered(40);
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Sites whose pages, except the first, are never answered. */
async function heldSites(count: number): Promise<readonly ScriptedSite[]> {
  const sites = new ScriptedSites();
  cleanups.push(() => sites.close());
  const start = (): Promise<ScriptedSite> =>
    sites.start((path) => (path === '/' ? page('/', paths) : paths.includes(path) ? () => {} : undefined));
  return Promise.all(Array.from({ length: count }, start));
}

async function untilHeld(sites: readonly ScriptedSite[]): Promise<void> {
  await Promise.all(sites.map((site) => site.until(() => site.requests.some(({ path }) => path.startsWith('/p/')))));
}

function sumOf({ queued, inFlight, scraped, discarded, failed, outside }: JobAnswer['progress']): number {
  return queued + inFlight + scraped + discarded + failed + outside;
}

test.each([1, 3])('progress.inFlight: is %i when as many requests are open, whatever is taken', async (open) => {
  const service = await startService({ env: { HAYRAKE_BROWSER: 'off' } });
  cleanups.push(() => service.close());
  const sites = await heldSites(open);
  const { id } = await service.createJob({
    urls: sites.map(({ origin }) => `${origin}/`),
    host_delay_ms: 500,
    host_concurrency: 1,
  });
  await untilHeld(sites);
  const discovered = open * (1 + paths.length);
  const { progress } = await service.job(id);
  expect(progress).toMatchObject({ discovered, inFlight: open, scraped: open, queued: discovered - 2 * open });
  expect(sumOf(progress)).toBe(discovered);
  const { data } = await service.ok<{ readonly data: readonly JobAnswer[] }>('/crawler/jobs');
  expect(data.map((job) => job.progress)).toEqual([progress]);
  const ended = await service.ok<JobAnswer>(`/crawler/jobs/${id}/cancel`, { method: 'POST' });
  expect(ended.progress).toMatchObject({ discovered, queued: 0, inFlight: 0, scraped: open });
  expect(sumOf(ended.progress)).toBe(discovered);
});
