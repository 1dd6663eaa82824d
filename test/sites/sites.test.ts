// Generated sites that resemble the web: each expected page is delivered, no other URL is requested, and each row of the ledger ends as
// expected. `npm run sites -- --full` does the same with larger sites.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allSites } from './all-sites.ts';
import { faultsOf, lineOf, type SiteCrawler, type SiteResult, startSiteCrawler, tableHead } from './crawl-site.ts';

let crawler: SiteCrawler;
let crawls: ReadonlyMap<string, Promise<SiteResult>>;
beforeAll(async () => {
  crawler = await startSiteCrawler();
  // Side by side, because the sites' latency is most of the time.
  crawls = new Map(allSites.map((site) => [site.name, crawler.crawl(site, 'small')]));
  // Each test awaits its own crawl; a crawl that fails before that is no unhandled rejection.
  void Promise.allSettled(crawls.values());
  console.log(tableHead);
});
afterAll(async () => {
  await Promise.allSettled(crawls.values());
  await crawler.close();
});

// All are crawled at the same time, so the first one may take as long as all of them.
test.each(allSites)('$name: $resembles', async ({ name }) => {
  const result = await crawls.get(name)!;
  console.log(lineOf(result));
  // A site may have thousands of faults; the first twenty are enough.
  expect(faultsOf(result).slice(0, 20)).toEqual([]);
});
