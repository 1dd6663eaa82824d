// What sites do to crawls, rebuilt from what people report: a job is whole in spite of it, or says why it is not.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { codesOf, endingsOf } from './ledger.ts';
import { type Answer, page, type Script, ScriptedSites } from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_UNREACHABLE_SECONDS: '20' } });
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

const names = (count: number, name = '/page'): string[] =>
  Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);

/** A site that answers as the script says, but refuses everything for a while after it has served some pages. */
function refusing(count: number, forMs: number, refusal: Answer, script: Script): Script {
  let served = 0;
  let since: number | undefined;
  return (path, asks) => {
    if (path === '/robots.txt' || path === '/sitemap.xml') return undefined;
    if (since === undefined && served++ >= count) since = performance.now();
    return since !== undefined && performance.now() - since < forMs ? refusal : script(path, asks);
  };
}

const hundred: Script = (path) => page(path, path === '/' ? names(100) : []);

describe('a host that begins to refuse', () => {
  test.each([403, 401, 430, 429, 999])(
    'crawl: reads all pages of a host that answers %i for a while',
    async (status) => {
      const site = await sites.start(refusing(15, 3_000, { status }, hundred));
      const job = await service.crawl({ urls: [`${site.origin}/`] });
      expect([job.progress.scraped, job.progress.failed, job.complete]).toEqual([101, 0, true]);
      // One batch and a few probes, not each URL again and again.
      expect(site.pages().length).toBeLessThan(101 + 20);
    },
  );

  test('crawl: ends as blocked when a host refuses for good', async () => {
    const site = await sites.start(refusing(15, Number.POSITIVE_INFINITY, { status: 403 }, hundred));
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 15, failed: 86 });
    const blocked = job.findings.find(({ code }) => code === 'blocked');
    expect(blocked?.count).toBeGreaterThan(80);
    expect(blocked?.example).toMatch(/\/page-\d+$/);
    expect(site.pages().length).toBeLessThan(15 + 20);
  });

  test('crawl: asks once for each path that a host has always refused', async () => {
    const site = await sites.start((path) =>
      path.startsWith('/users/')
        ? { status: 403 }
        : page(path, path === '/' ? [...names(20), ...names(40, '/users/of')] : []),
    );
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 21, failed: 40 });
    expect(names(40, '/users/of').map((path) => site.asks(path))).toEqual(names(40).map(() => 1));
    expect(codesOf(job)).not.toContain('blocked');
  });

  test('crawl: asks twice for single pages that a host refuses between others', async () => {
    const secret = new Set(['/page-7', '/page-31', '/page-64']);
    const site = await sites.start((path) => (secret.has(path) ? { status: 403 } : hundred(path, 1)));
    const job = await service.crawl({ urls: [`${site.origin}/`] });
    expect(job.progress).toMatchObject({ scraped: 98, failed: 3 });
    expect(Array.from(secret, (path) => site.asks(path))).toEqual([2, 2, 2]);
    expect((await endingsOf(service, job.id))['/page-7']).toBe('http_403');
  });
});
