// Another process that holds the lock of the database, or wants the directory for itself.
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { afterTest, expectWholeCrawl, startCrawl, untilRefused } from './crawl.ts';

test('a lock that another process holds is waited for; clients are told', async () => {
  const crawl = await startCrawl(400, {});
  const { service, site, id } = crawl;
  const other = new DatabaseSync(path.join(service.directory, 'hayrake.db'), { timeout: 10_000 });
  afterTest(() => other.close());
  other.exec('BEGIN IMMEDIATE');

  const { problem, headers } = await untilRefused(crawl);
  expect(problem).toMatchObject({ status: 503, code: 'unavailable' });
  expect(headers.get('retry-after')).toBe('5');
  expect((await service.ok<{ data: unknown[] }>(`/crawler/jobs/${id}/data?wait=0`)).data.length).toBeGreaterThan(0);
  // Held for longer than any one write waits.
  await service.api('/readyz');
  const moreAsked = site.morePages(1);
  other.exec('ROLLBACK');
  await moreAsked;
  await expectWholeCrawl(crawl);
  expect(Math.max(...site.paths.slice(2).map((path_) => site.asked.get(path_) ?? 0))).toBe(1);
});

test('a second service on the same directory ends, and names the first', async () => {
  const { service } = await startCrawl(50, {});
  const { code, stderr } = await service.run(['serve']);
  expect(code).toBe(6);
  expect(stderr).toContain(`in use by another crawling hayrake (process ${service.pid})`);
});
