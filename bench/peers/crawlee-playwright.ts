// The peer: Crawlee 3 with Playwright, the same browser binary, resources blocked, until the network is idle. Prints a
// line when it is ready, begins with a line of input, and prints a line of JSON for each page: its URL and its text.
//
//   node bench/peers/crawlee-playwright.ts START_URL BINARY [concurrency, default 4]
import { once } from 'node:events';
import { Configuration, LogLevel, log, PlaywrightCrawler } from '@crawlee/playwright';
import { chromium } from 'playwright-core';

const [, , startUrl = '', executablePath = '', concurrencyGiven = '4'] = process.argv;
const concurrency = Number(concurrencyGiven);

log.setLevel(LogLevel.OFF);
const crawler = new PlaywrightCrawler(
  {
    launchContext: { launcher: chromium, launchOptions: { executablePath, args: ['--no-sandbox'] } },
    headless: true,
    minConcurrency: concurrency,
    maxConcurrency: concurrency,
    autoscaledPoolOptions: { loggingIntervalSecs: null },
    preNavigationHooks: [
      async (context, options) => {
        // With `load`, its default, some pages are read before their content is there.
        Object.assign(options, { waitUntil: 'networkidle' });
        await context.blockRequests();
      },
    ],
    async requestHandler({ request, page, enqueueLinks }) {
      await enqueueLinks({ strategy: 'same-hostname' });
      const text = await page.innerText('body');
      process.stdout.write(`${JSON.stringify({ url: request.loadedUrl ?? request.url, text })}\n`);
    },
  },
  new Configuration({ persistStorage: false, availableMemoryRatio: 1, maxUsedCpuRatio: 1 }),
);
console.log('ready');
await once(process.stdin, 'data');
await crawler.run([startUrl]);
