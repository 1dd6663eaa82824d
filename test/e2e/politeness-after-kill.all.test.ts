// What a site asked for is kept to across crashes, whenever they come.
import { describe, expect, onTestFinished, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import {
  type Answer,
  hurryOf,
  latenessMs,
  page,
  type Script,
  type ScriptedSite,
  startScriptedSite,
} from './scripted-site.ts';

async function start(script: Script): Promise<{ site: ScriptedSite; service: TestService }> {
  const site = await startScriptedSite(script);
  onTestFinished(() => site.close());
  const service = await startService();
  onTestFinished(() => service.close());
  return { site, service };
}

function robotsWith(crawlDelay: number): Answer {
  const body = `User-agent: *\nDisallow: /private/\nCrawl-delay: ${crawlDelay}`;
  return { headers: { 'content-type': 'text/plain' }, body };
}

describe('Crawl-delay and Disallow', () => {
  test('stand across three SIGKILLs and restarts, the first of them right after the first page', async () => {
    const open = Array.from({ length: 7 }, (_, index) => `/open/${index}`);
    const closed = Array.from({ length: 7 }, (_, index) => `/private/${index}`);
    const { site, service } = await start((path) => {
      if (path === '/robots.txt') return robotsWith(1);
      if (path === '/')
        return page(
          '/',
          open.flatMap((one, index) => [closed[index]!, one]),
        );
      return page(path);
    });
    const { id } = await service.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
    for (const count of [1, 3, 5]) {
      await site.until(() => site.pages().length >= count);
      await service.kill();
      await service.start();
    }
    const job = await service.untilEnded(id);
    expect(job).toMatchObject({ status: 'succeeded', reasons: { robots_disallowed: 7 } });
    expect(job.progress).toMatchObject({ scraped: 8, failed: 0, discarded: 0, outside: 7 });

    expect(site.requests.filter(({ path }) => path.startsWith('/private/'))).toEqual([]);
    expect(hurryOf(site.pages(), 1_000)).toBeLessThan(latenessMs());
    // Each process has to ask for itself; none asks twice.
    expect(site.asks('/robots.txt')).toBe(4);
  });

  // Longer than a restart takes: a delay that was forgotten shows.
  test.each([
    ['right after the first page of a host', []],
    ['right after the first page, when only what robots.txt forbids was asked for before', ['/private/x']],
  ])('stand across a SIGKILL %s', async (_, before) => {
    const { site, service } = await start((path) => (path === '/robots.txt' ? robotsWith(3) : page(path)));
    for (const path of before) await service.crawl({ urls: [site.origin + path], max_depth: 0 });
    const urls = [`${site.origin}/1`, `${site.origin}/2`];
    const { id } = await service.createJob({ urls, max_depth: 0 });
    await site.until(() => site.pages().length === 1);
    await service.kill();
    await service.start();
    expect((await service.untilEnded(id)).progress.scraped).toBe(2);
    expect(hurryOf(site.pages(), 3_000)).toBeLessThan(latenessMs());
  });
});
